"""The journal of a session in a table: rows that are only ever added, and read from the newest back.

Specified by features/sessions/sql.feature (SES_13); what it keeps to is the journal of every store.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Connection,
    Insert,
    LargeBinary,
    Select,
    bindparam,
    cast,
    column,
    func,
    insert,
    literal,
    select,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.exc import DBAPIError, IntegrityError

from brim.errors import Refused, StoreFailed
from brim.sessions.postgres.locking import Hold
from brim.sessions.postgres.server import Server
from brim.sessions.postgres.tables import RECORDS
from brim.sessions.records.kinds import Record
from brim.sessions.records.lines import encode
from brim.sessions.resume import Line

FEW: Final = 32
MANY: Final = 512
"""Lines that are asked for at first, and at most, in one go."""


class SqlJournal:
    """The lines of one session in the tables. Whoever holds it may append."""

    def __init__(self, server: Server, number: int, name: str, hold: Hold | None = None) -> None:
        """Raises StoreFailed. `hold` is given back when the journal is closed; a reader has none."""
        self._server, self._number, self._name, self._hold = server, number, name, hold
        self.bytes_read = 0
        """How many bytes of lines were read so far."""
        self._next = self._count() if hold is not None else 0

    def append(self, records: Sequence[Record]) -> None:
        """Add records in one statement, which the server commits. Raises StoreFailed, and then none of them is there.

        Where the connection is lost, another one takes the session again, and then it is known whether they are there.
        """
        hold = self._hold
        if hold is None:
            raise Refused(f"{self._name} was opened to be read; open it to write")
        if not records:
            return
        lines = [encode(record) for record in records]
        with self._server.telling(f"write session {self._name}"):
            if not self._insert(hold.connection, lines):
                hold.regain()
                if not self._stands(lines) and not self._insert(hold.connection, lines):
                    raise StoreFailed(f"cannot write session {self._name}: the server went away twice; try again later")
        self._next += len(lines)

    def _insert(self, connection: Connection | None, lines: list[bytes]) -> bool:
        """Add lines; whether that was acknowledged, or the connection was lost."""
        if connection is None:
            return False
        try:
            connection.execute(ADDED, {"session": self._number, "next": self._next, "lines": lines})
        except IntegrityError as error:
            raise self._grown() from error
        except DBAPIError as error:
            if not error.connection_invalidated:
                raise
            return False
        return True

    def _stands(self, lines: Sequence[bytes]) -> bool:
        """Whether these lines were added, though that was not acknowledged. Raises Refused where others were."""
        count = self._count()
        if count == self._next:
            return False
        if count != self._next + len(lines) or self._line(self._next) != lines[0]:
            raise self._grown()
        return True

    def _grown(self) -> Refused:
        return Refused(f"session {self._name} was written by another process meanwhile; open it again")

    def _count(self) -> int:
        newest = select(func.max(RECORDS.c.position)).where(RECORDS.c.session == self._number)
        with self._server.asked(f"read session {self._name}") as connection:
            place = connection.scalar(newest)
        return 0 if place is None else int(place) + 1

    def _line(self, place: int) -> bytes:
        return next((row.line for row in self._rows(_lines(self._number).where(RECORDS.c.position == place))), b"")

    def back(self) -> Iterator[Line]:
        """The lines, the newest first; each time twice as many are asked for as before."""
        batch, wanted = FEW, _lines(self._number).order_by(RECORDS.c.position.desc())
        rows = self._rows(wanted.limit(batch))
        while rows:
            yield from self._told(rows)
            if len(rows) < batch:
                return
            batch = min(2 * batch, MANY)
            rows = self._rows(wanted.where(RECORDS.c.position < rows[-1].position).limit(batch))

    def forth(self, start: int = 0) -> Iterator[Line]:
        """The lines, the oldest first, from a position on."""
        wanted = _lines(self._number).order_by(RECORDS.c.position).limit(MANY)
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

    def reports(self) -> Sequence[str]:
        """Nothing is ever mended: a line is there whole, or not at all."""
        return ()

    def close(self) -> None:
        """Let go of the right to write it."""
        if self._hold is not None:
            self._hold.release()


def _lines(number: int) -> Select[int, bytes]:
    return select(RECORDS.c.position, RECORDS.c.line).where(RECORDS.c.session == number)


def _added() -> Insert:
    """Lines that are handed over together, each in the place after the one before."""
    handed = func.unnest(bindparam("lines", type_=ARRAY(LargeBinary)))
    given = handed.table_valued(column("line", LargeBinary), with_ordinality="place").render_derived()
    place = cast(bindparam("next"), BigInteger) + given.c.place - literal(1)
    session = cast(bindparam("session"), RECORDS.c.session.type)
    return insert(RECORDS).from_select(["session", "position", "line"], select(session, place, given.c.line))


ADDED: Final = _added()
