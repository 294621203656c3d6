r"""Rows of a table in tests/summary/data: \n in a cell stands for a line break, and two backslashes for one."""

import re
from pathlib import Path

DATA = Path(__file__).parent / "data"


def rows(name):
    """Return the rows of a table, each by its columns."""
    columns, *lines = [line.split("\t") for line in (DATA / name).read_text(encoding="utf-8").splitlines()]
    return [dict(zip(columns, map(_read, line), strict=True)) for line in lines]


def _read(cell):
    return re.sub(r"\\([\\nt])", lambda found: {"n": "\n", "t": "\t"}.get(found[1], "\\"), cell)


def described(row):
    """Return what a row is called in the report of a run."""
    return row["description"]
