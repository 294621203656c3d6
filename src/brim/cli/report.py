"""Reports: what a command answers, as JSON for programs and as lines, tables and bars for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar, Final, NamedTuple, Self, TypeAlias

from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer
from rich.console import Console

from brim.cli.output import bar, console, cropped, print_json, rounded, rounded_number, safe, say

LABEL: Final = 12
"""Columns of the label of a row."""
NAME: Final = 26
"""Columns of the name of a bar."""
FIGURES: Final = 19
"""Columns of a bar's figures, with the gap behind them."""
LONGEST_BAR: Final = 30
LEAST: Final = 8
"""Columns of a name at least, where the terminal is narrow."""
CELL: Final = 24
"""Columns of the last cell at least, and of one before it at most, where the terminal is narrow."""


Exact = Annotated[int | Fraction, PlainSerializer(lambda one: one if isinstance(one, int) else rounded_number(one))]
"""An exact number, in JSON to four places."""
OrNone: Final = BeforeValidator(lambda value: value or None)
"""Nothing, where a value is empty or 0."""
Count: Final = BeforeValidator(len)
"""The number of items that the report is read from."""


class Line(NamedTuple):
    """A sentence, or a row of a page: its lead stands out, and further lines of it are set in."""

    text: str = ""
    lead: str = ""
    style: str = ""
    lead_style: str = "bold"
    indent: int = 2
    fit: str = "wrap"
    """What becomes of a longer one: "wrap", "crop", or "whole" for a path and an id, which are copied."""


class Bar(NamedTuple):
    """A number of tokens with its share of a whole; without a color it is a part of the bar above and is not drawn."""

    name: str
    tokens: int
    share: float
    color: str = ""


class Table(NamedTuple):
    """Rows of cells; where they do not fit, each is a block with its first cell ahead, or all but a whole last."""

    rows: Sequence[Sequence[str]]
    columns: Sequence[str] = ()
    whole: bool = False
    """Whether the last cell, such as a path, is never cropped."""


Element: TypeAlias = Line | Bar | Table
BLANK: Final = Line()


def row(label: str, text: str, style: str = "") -> Line:
    """A labelled row."""
    return Line(text, f"{label:<{LABEL}}", style, indent=LABEL)


def note(text: str) -> Line:
    """A note below a page."""
    return Line(text, "Note: ", "yellow")


def of(path: str, default: Any = ..., **more: Any) -> Any:
    """A field that is an attribute of what the report is read from, such as `plan.anchor`."""
    return Field(default, validation_alias=AliasPath(*path.split(".")), **more)


class Report(BaseModel):
    """The answer of a command: `--json` prints its fields."""

    model_config = ConfigDict(
        frozen=True,
        from_attributes=True,
        arbitrary_types_allowed=True,
        validate_by_name=True,
    )
    commands: ClassVar[tuple[str, ...]] = ()
    """The commands that answer with it."""

    @classmethod
    def read(cls, **values: Any) -> Self:
        """Read a report from values and their attributes, such as `plan.anchor`."""
        return cls.model_validate(SimpleNamespace(**values))

    def page(self) -> Iterator[Element]:
        """Yield what a person sees of it: by default a row for each field with a value that is not in JSON alone."""
        fields = {
            (one.serialization_alias or name).replace("_", " "): getattr(self, name)
            for name, one in type(self).model_fields.items()
            if one.repr
        }
        shown = {name: shown_value(value) for name, value in fields.items() if value is not None and value != ""}
        width = max(LABEL, *(len(name) + 2 for name in shown))
        for name, text in shown.items():
            yield Line(text, f"{name:<{width}}", indent=width, fit="wrap" if " " in text else "whole")

    def give(self, page: Iterable[Element] | None = None, *, as_json: bool, stderr: bool = False) -> None:
        """Answer a command: for programs, or for people by a page, on standard error where that is asked for."""
        if as_json:
            print_json(self.model_dump(by_alias=True))
        else:
            show(console(stderr=stderr), self.page() if page is None else page)


class NotedReport(Report):
    """The answer of a command, with notes below."""

    notes: tuple[str, ...] = Field((), repr=False)
    """Repairs, parts that were set aside, and gaps, in sentences."""

    def give(self, page: Iterable[Element] | None = None, *, as_json: bool, stderr: bool = False) -> None:
        """Answer a command; a page ends with the notes, each of them once."""
        parts = self.page() if page is None else page
        super().give(chain(parts, map(note, dict.fromkeys(self.notes))), as_json=as_json, stderr=stderr)


def shown_value(value: Any) -> str:
    """A value of a report or a setting in words."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "–"
    return "–" if value in (None, "") else str(value)


def show(out: Console, parts: Iterable[Element]) -> None:
    """Print the parts of a page."""
    for part in parts:
        if isinstance(part, Bar):
            _bar(out, part)
        elif isinstance(part, Table):
            _table(out, part)
        elif part.fit == "wrap":
            say(out, part.text, lead=part.lead, style=part.style, lead_style=part.lead_style, indent=part.indent)
        else:
            text = part.lead + part.text
            shown = cropped(text, max(out.width, 20)) if part.fit == "crop" else text
            out.print(safe(shown), style=part.style if part.text else part.lead_style, soft_wrap=True)


def _bar(out: Console, one: Bar) -> None:
    name = min(NAME, max(out.width - FIGURES, LEAST))
    width = max(min(out.width - name - FIGURES, LONGEST_BAR), 0)
    line = safe(f"{cropped(one.name, name):<{name}}{one.tokens:>11,}{rounded(one.share):>6}")
    drawn = f"  [{one.color}]{bar(one.share, width)}[/]" if one.color and width else ""
    out.print(line + drawn, style="" if one.color else "dim")


def _table(out: Console, table: Table) -> None:
    rows = [row for row in (table.columns, *table.rows) if row]
    if not rows:
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if sum(widths) + 2 * len(widths) > out.width:
        widths[1:-1] = [min(width, CELL) for width in widths[1:-1]]
    rest = out.width - sum(width + 2 for width in widths[:-1])
    fits = rest >= min(widths[-1], 1 if table.whole else CELL)
    for number, cells in enumerate(rows):
        style = "bold" if table.columns and number == 0 else ""
        if fits:
            line = "  ".join(_cell(cell, width) for cell, width in zip(cells, widths, strict=True))
            out.print(
                safe(line.rstrip() if table.whole else cropped(line.rstrip(), out.width)), style=style, soft_wrap=True
            )
        elif not style:
            first = cells[:-1] if table.whole else cells[:1]
            lead, line = " · ".join(first), "  " + " · ".join(filter(None, cells[len(first) :]))
            if lead.strip():
                out.print(safe(cropped(lead, max(out.width, 20))), style="bold", soft_wrap=True)
            out.print(safe(line if table.whole else cropped(line, max(out.width, 20))), soft_wrap=True)


def _cell(text: str, width: int) -> str:
    """A cell in its column: numbers end together, texts begin together."""
    shown = cropped(text, width)
    return f"{shown:>{width}}" if shown.replace(",", "").isdecimal() or shown == "–" else f"{shown:<{width}}"
