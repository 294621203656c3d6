"""Tables of nodes, whose cells hold words or nodes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from docutils import nodes

Cell = str | Sequence[nodes.Node]

NUMBER = re.compile(r"[-+$]?\d[\d,.]*(?: ?%)?")


def table(columns: Sequence[str], rows: Iterable[nodes.row], *classes: str) -> nodes.table:
    """A table."""
    group = nodes.tgroup(cols=len(columns))
    group += [nodes.colspec(colwidth=1) for _ in columns]
    group += [nodes.thead("", row(columns)), nodes.tbody("", *rows)]
    return nodes.table("", group, classes=["colwidths-auto", *classes])


def row(cells: Iterable[Cell]) -> nodes.row:
    """A row of a table."""
    return nodes.row("", *map(entry, cells))


def entry(cell: Cell) -> nodes.entry:
    """A cell; one that is a number is set as one."""
    if not isinstance(cell, str):
        lone = len(cell) == 1 and isinstance(cell[0], nodes.inline)
        return nodes.entry("", cell[0] if lone else nodes.inline("", "", *cell))
    return nodes.entry("", nodes.Text(cell), classes=["number"] if NUMBER.fullmatch(cell) else [])
