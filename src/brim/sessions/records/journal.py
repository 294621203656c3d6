"""Journals: what holds the lines of one session, whatever it is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from brim.errors import InvalidInput
from brim.sessions.records.kinds import Record, SessionRecord
from brim.sessions.records.lines import Damaged, Unreadable, decode
from brim.sessions.resume import Line


class Journal(Protocol):
    """The lines of one session. Nothing that was appended is ever changed."""

    def append(self, records: Sequence[Record]) -> None:
        """Add records; all of them are durable when this returns. Raises StoreFailed, and then none is acknowledged.

        Where the process dies meanwhile, a journal may keep each whole record before the tear.
        """

    def back(self) -> Iterator[Line]:
        """The lines, the newest first; no more is read than what is asked for."""

    def forth(self) -> Iterator[Line]:
        """The lines, the oldest first."""

    def reports(self) -> Sequence[str]:
        """What was mended when it was opened, in sentences."""

    def close(self) -> None:
        """Let go of it, and of the right to write it."""


def read_records(lines: Iterable[Line], damaged: list[Damaged]) -> Iterator[Record]:
    """The records of lines; damaged lines are set aside: told, and left where they are. Raises Refused."""
    for line in lines:
        try:
            yield decode(line.data)
        except Unreadable as error:
            damaged.append(Damaged(line.place, str(error)))


def first_record(journal: Journal, name: str) -> SessionRecord:
    """The record that says what the session is. Raises InvalidInput where the log does not begin with one."""
    line = next(journal.forth(), None)
    record = next(read_records([line] if line else [], []), None)
    if not isinstance(record, SessionRecord):
        raise InvalidInput(
            f"{name} does not begin with the record of a session; it is no log of brim, or its head is lost"
        )
    return record
