"""Tables of nodes, whose cells hold words or nodes, and what is folded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from docutils import nodes

Cell = str | Sequence[nodes.Node]

NUMBER = re.compile(r"[-+$]?\d[\d,.]*(?: ?%)?")


def table(columns: Sequence[Cell], rows: Iterable[nodes.row], *, classes: Sequence[str]) -> nodes.table:
    """A table."""
    group = nodes.tgroup(cols=len(columns))
    group += [nodes.colspec(colwidth=1) for _ in columns]
    if any(columns):
        group += nodes.thead("", row(columns))
    group += nodes.tbody("", *rows)
    return nodes.table("", group, classes=["colwidths-auto", *classes])


def row(cells: Iterable[Cell], *classes: str) -> nodes.row:
    """A row of a table."""
    return nodes.row("", *map(entry, cells), classes=list(classes))


def entry(cell: Cell) -> nodes.entry:
    """A cell; one that is a number is set as one."""
    if not isinstance(cell, str):
        lone = len(cell) == 1 and isinstance(cell[0], nodes.inline)
        return nodes.entry("", cell[0] if lone else nodes.inline("", "", *cell))
    return nodes.entry("", nodes.Text(cell), classes=["number"] if NUMBER.fullmatch(cell) else [])


def folded(summary: str, *inside: nodes.Node, opened: bool = False) -> list[nodes.Node]:
    """Some nodes under a line that opens and closes them; a search in the page opens them, and paper shows them."""
    begin = f"<details{' open' if opened else ''}><summary>{escape(summary)}</summary>"
    return [nodes.raw("", begin, format="html"), *inside, nodes.raw("", "</details>", format="html")]
