"""Reading the lines of a session from a table, in batches, from the newest back or from the oldest on.

Part of the journal in a table; specified by features/sessions/sql.feature (SES_13). No transaction stays open between
two batches: a line that stands there never changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from sqlalchemy import ColumnElement, Select, select

from brim.sessions.postgres.server import Server
from brim.sessions.postgres.tables import RECORDS
from brim.sessions.resume import Line

FEW: Final = 32
MANY: Final = 512
"""Lines that are asked for at first, and at most, in one go."""
MUCH: Final = 8 * 1024 * 1024
"""Bytes that as many lines come to, where they are as long as those before them."""
Wanted: TypeAlias = Select[int, bytes]


class SqlLines:
    """The lines of one session in the tables."""

    def __init__(self, server: Server, number: int, name: str) -> None:
        self._server, self._number, self._name = server, number, name
        self.bytes_read = 0
        """How many bytes of lines were read so far."""

    def lines_reversed(self) -> Iterator[Line]:
        """The lines, the newest first; each time twice as many are asked for as before."""
        wanted = lines_of(self._number).order_by(RECORDS.c.position.desc())
        return self._told(wanted, RECORDS.c.position.__lt__)

    def lines(self, start: int = 0) -> Iterator[Line]:
        """The lines, the oldest first, from a position on."""
        wanted = lines_of(self._number).order_by(RECORDS.c.position)
        return self._told(wanted.where(RECORDS.c.position >= start), RECORDS.c.position.__gt__)

    def _told(self, wanted: Wanted, behind: Callable[[int], ColumnElement[bool]]) -> Iterator[Line]:
        batch = FEW
        rows = self._rows(wanted.limit(batch))
        while rows:
            yield from (Line(row.position, row.line.removesuffix(b"\n")) for row in rows)
            if len(rows) < batch:
                return
            size = sum(len(row.line) for row in rows) // len(rows)
            batch = max(1, min(2 * batch, MANY, MUCH // max(1, size)))
            rows = self._rows(wanted.where(behind(rows[-1].position)).limit(batch))

    def _rows(self, wanted: Wanted) -> Sequence[Any]:
        with self._server.asked(f"read session {self._name}") as connection:
            rows = connection.execute(wanted).all()
        self.bytes_read += sum(len(row.line) for row in rows)
        return rows


def lines_of(number: int) -> Wanted:
    """The statement that asks for the positions and lines of a session."""
    return select(RECORDS.c.position, RECORDS.c.line).where(RECORDS.c.session == number)
