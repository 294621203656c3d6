"""Results as tables: a column for what is looked at, and in a cell its value as the page writes it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import Decimal
from typing import Any

ELLIPSIS = "…"

COLUMNS: dict[str, Callable[[Any], Any]] = {
    "answer": lambda outcome: of(outcome, "max_output_tokens"),
    "input limit": lambda outcome: of(outcome, "max_input_tokens"),
    "read again": lambda outcome: of(outcome, "reread"),
    "verdict": lambda outcome: "due" if of(outcome, "due") else "not due",
    "window": lambda outcome: of(outcome, "context_window"),
}
"""Columns that are not simply called as a field of the outcome."""


def of(outcome: Any, name: str) -> Any:
    """Return what an outcome says under the name of a column, a field of it with spaces for underscores."""
    if name in COLUMNS:
        return COLUMNS[name](outcome)
    field = name.replace(" ", "_")
    if isinstance(outcome, Mapping):
        assert field in outcome, f"there is no {name!r} in {outcome!r}"
        return outcome[field]
    assert hasattr(outcome, field), f"there is no {name!r} in {outcome!r}"
    return getattr(outcome, field)


def shown(value: Any) -> str:
    r"""Return a value as a cell: 1,000, yes, "A, B"; nothing for None; \n for a line break."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | Decimal):
        return f"{value:,}"
    if isinstance(value, str):
        return value.replace("\n", "\\n")
    if isinstance(value, Collection) and not isinstance(value, Mapping):
        return ", ".join(map(shown, value))
    return str(value)


def agrees(value: Any, cell: str) -> bool:
    """Return whether a value is what a cell says; an ellipsis stands for what comes before or after."""
    text, cell = shown(value), shown(cell)
    if ELLIPSIS not in (cell[:1], cell[-1:]):
        return text == cell
    part = cell.strip(ELLIPSIS)
    if cell.startswith(ELLIPSIS) and cell.endswith(ELLIPSIS):
        return part in text
    return text.endswith(part) if cell.startswith(ELLIPSIS) else text.startswith(part)


def check_rows(outcomes: Sequence[Any], table: Sequence[Sequence[str]]) -> None:
    """Check that there are as many outcomes as rows, and that each says what its row says."""
    columns, *rows = table
    found = [[shown(of(one, name)) for name in columns] for one in outcomes]
    agreed = len(found) == len(rows) and all(
        agrees(value, cell)
        for line, row in zip(found, rows, strict=True)
        for value, cell in zip(line, row, strict=True)
    )
    assert agreed or found == rows
