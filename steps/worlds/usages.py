"""What a response reports of its tokens, in a line: `input 3, cache read 9,000, output 20`."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_bdd import given

from steps.worlds.notation import Notation, Unread
from steps.worlds.values import count


def read_usage(counts: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Return counts by the fields of a usage."""
    return {name.replace(" ", "_"): count(cell) for name, cell in counts}


def read_line(line: str) -> dict[str, int]:
    """Return a usage written in a line. Raises Unread."""
    try:
        return read_usage(item.rsplit(" ", 1) for item in line.split(", "))  # type: ignore[misc]
    except ValueError as error:
        raise Unread(f"{line!r} is no list of names, each with its count") from error


@given(Notation("a response that reports {line}", read_line), target_fixture="usage")
def reported(line):
    return read_line(line)
