"""Reading the lines of a session from a table, in batches, from the newest back or from the oldest on.

Part of the journal in a table; specified by features/sessions/sql.feature (SES_13). No transaction stays open between
two batches: a line that stands there never changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from sqlalchemy import Select, select

from brim.sessions.postgres.server import Server
from brim.sessions.postgres.tables import RECORDS
from brim.sessions.resume import Line

FEW: Final = 32
MANY: Final = 512
"""Lines that are asked for at first, and at most, in one go."""


class SqlLines:
    """The lines of one session in the tables."""

    def __init__(self, server: Server, number: int, name: str) -> None:
        self._server, self._number, self._name = server, number, name
        self.bytes_read = 0
        """How many bytes of lines were read so far."""

    def back(self) -> Iterator[Line]:
        """The lines, the newest first; each time twice as many are asked for as before."""
        batch, wanted = FEW, lines_of(self._number).order_by(RECORDS.c.position.desc())
        rows = self._rows(wanted.limit(batch))
        while rows:
            yield from self._told(rows)
            if len(rows) < batch:
                return
            batch = min(2 * batch, MANY)
            rows = self._rows(wanted.where(RECORDS.c.position < rows[-1].position).limit(batch))

    def forth(self, start: int = 0) -> Iterator[Line]:
        """The lines, the oldest first, from a position on."""
        wanted = lines_of(self._number).order_by(RECORDS.c.position).limit(MANY)
        rows = self._rows(wanted.where(RECORDS.c.position >= start))
        while rows:
            yield from self._told(rows)
            rows = self._rows(wanted.where(RECORDS.c.position > rows[-1].position)) if len(rows) == MANY else ()

    def _rows(self, wanted: Select[int, bytes]) -> Sequence[Any]:
        with self._server.asked(f"read session {self._name}") as connection:
            return connection.execute(wanted).all()

    def _told(self, rows: Sequence[Any]) -> Iterator[Line]:
        self.bytes_read += sum(len(row.line) for row in rows)
        return (Line(row.position, row.line.removesuffix(b"\n")) for row in rows)


def lines_of(number: int) -> Select[int, bytes]:
    """The statement that asks for the positions and lines of a session."""
    return select(RECORDS.c.position, RECORDS.c.line).where(RECORDS.c.session == number)
