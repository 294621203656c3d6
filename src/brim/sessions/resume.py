"""Resuming: a log is read from its end backwards, no further than what is visible reaches.

Specified by features/sessions/resume.feature (SES_06).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeAlias

BLOCK: Final = 64 * 1024
"""Bytes that are read at a time."""
ReadAt: TypeAlias = Callable[[int, int], bytes]
"""Reads so many bytes (second) from an offset on (first)."""


class RecordLine(NamedTuple):
    """A line of a log without its line feed."""

    offset: int
    """Its first byte in the file, or its position in a database."""
    data: bytes


def lines_back(read: ReadAt, end: int, block: int = BLOCK) -> Iterator[RecordLine]:
    """The lines before `end`, the newest first; `end` is where a line begins, or the end of the file."""
    later: list[bytes] = []
    stop = end
    while stop > 0:
        start = max(0, stop - block)
        pieces = read(start, stop - start).split(b"\n")
        offset = stop
        for piece in reversed(pieces[1:]):
            offset -= len(piece)
            data = _whole(piece, later) if later else piece
            if data:  # blank lines are passed over
                yield RecordLine(offset, data)
            offset -= 1
        later.append(pieces[0])
        stop = start
    if data := _whole(b"", later):
        yield RecordLine(0, data)


def _whole(piece: bytes, later: list[bytes]) -> bytes:
    """The line that begins with this piece and goes on with what was read before."""
    data = b"".join([piece, *reversed(later)])
    later.clear()
    return data


def torn_bytes(read: ReadAt, size: int, block: int = BLOCK) -> int:
    """Return how many bytes follow the last line feed: a line whose write was cut off."""
    for stop in range(size, 0, -block):
        start = max(0, stop - block)
        feed = read(start, stop - start).rfind(b"\n")
        if feed >= 0:
            return size - start - feed - 1
    return size
