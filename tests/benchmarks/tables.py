"""A table of measurements: one row per measurement, one column per figure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from rich.console import Console
from rich.table import Table

R = TypeVar("R")


def print_table(title: str, columns: Mapping[str, Callable[[R], str]], rows: Iterable[R], console: Console) -> None:
    """Print the rows; `columns` maps a heading to the text of its cell."""
    table = Table(title=title)
    for heading in columns:
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(*(cell(row) for cell in columns.values()))
    console.print(table)
