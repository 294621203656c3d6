"""The journal of a session in a table: rows that are only ever added, and read from the newest back.

Specified by features/sessions/sql.feature (SES_13); what it keeps to is the journal of every store.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from sqlalchemy import (
    BigInteger,
    Connection,
    Insert,
    LargeBinary,
    bindparam,
    cast,
    column,
    delete,
    func,
    insert,
    literal,
    select,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.exc import DBAPIError, IntegrityError

from brim.errors import BrimError, Refused, StoreFailed
from brim.sessions.lines import encode
from brim.sessions.postgres.lines import SqlLines
from brim.sessions.postgres.locking import Hold
from brim.sessions.postgres.server import Server
from brim.sessions.postgres.tables import RECORDS
from brim.sessions.records import Record

TIMES: Final = 3
"""How often lines are sent, where the connection is lost each time."""


class SqlJournal(SqlLines):
    """The lines of one session in the tables. Whoever holds it may append."""

    def __init__(self, server: Server, number: int, name: str, hold: Hold | None = None) -> None:
        """Raises StoreFailed. `hold` is given back when the journal is closed; a reader has none."""
        super().__init__(server, number, name)
        self._hold = hold
        self._unsure: Sequence[bytes] = ()
        """Lines of which nobody could say whether they were added: what was to add them has failed."""
        self.count = 0
        """How many lines were there when it was opened to be written, and how many were added since."""
        if hold is not None and hold.connection is not None:
            with server.telling(f"read session {name}"):
                self.count = _counted(hold.connection, number)

    def append(self, records: Sequence[Record]) -> None:
        """Add records in one statement, which the server commits. Raises StoreFailed, SessionHeld or Refused.

        Where the connection is lost, another one takes the session again, and then it is known whether they are there.
        Where that cannot be found out now, the next act finds it out, and takes them back: they were never told of.
        """
        hold = self._hold
        if hold is None:
            raise Refused(f"{self._name} was opened to be read; open it to write")
        if not records:
            return
        with self._server.telling(f"write session {self._name}"):
            self._add(hold, [encode(record) for record in records])

    def _add(self, hold: Hold, lines: Sequence[bytes]) -> None:
        for _ in range(TIMES):
            try:
                if self._is_sure_of(hold, lines) or self._insert(hold, lines):
                    self.count, self._unsure = self.count + len(lines), ()
                    return
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
        raise StoreFailed(f"cannot write session {self._name}: the server went away {TIMES} times; try again later")

    def _is_sure_of(self, hold: Hold, lines: Sequence[bytes]) -> bool:
        """Find out what was left open: whether these lines are there already. Raises Refused where others wrote.

        Lines of an earlier act, which had to say that it failed, are taken back. Whoever holds a session may do that:
        they were never told of, and nothing stands behind them.
        """
        connection = hold.connection or hold.regain()
        if not self._unsure:
            return False
        newer = (RECORDS.c.session == self._number) & (RECORDS.c.position >= self.count)
        wanted = select(RECORDS.c.line).where(newer).order_by(RECORDS.c.position).limit(len(self._unsure) + 1)
        found = list(connection.scalars(wanted))
        if found and found != list(self._unsure):
            raise self._grown()
        if found and self._unsure is lines:
            return True
        if found:
            connection.execute(delete(RECORDS).where(newer))
        self._unsure = ()
        return False

    def _insert(self, hold: Hold, lines: Sequence[bytes]) -> bool:
        """Add lines; True once that is acknowledged. Where the server refuses them, none of them is there."""
        connection, self._unsure = hold.connection or hold.regain(), lines
        try:
            connection.execute(ADDED, {"session": self._number, "next": self.count, "lines": list(lines)})
        except IntegrityError as error:
            self._unsure = ()
            raise self._grown() from error
        except DBAPIError as error:
            if not error.connection_invalidated:
                self._unsure = ()
            raise
        return True

    def _grown(self) -> Refused:
        return Refused(f"session {self._name} was written by another process meanwhile; open it again")

    def reports(self) -> Sequence[str]:
        """Nothing is ever mended: a line is there whole, or not at all."""
        return ()

    def close(self) -> None:
        """Let go of the right to write it; what an act added that had to say that it failed is taken back."""
        if self._hold is None:
            return
        try:
            if self._unsure:
                with suppress(BrimError), self._server.telling(f"write session {self._name}"):
                    self._is_sure_of(self._hold, ())
        finally:
            self._hold.release()


def _counted(connection: Connection, number: int) -> int:
    newest = select(func.max(RECORDS.c.position)).where(RECORDS.c.session == number)
    place = connection.scalar(newest)
    return 0 if place is None else int(place) + 1


def _added() -> Insert:
    """Lines that are handed over together, each in the place after the one before."""
    handed = func.unnest(bindparam("lines", type_=ARRAY(LargeBinary)))
    given = handed.table_valued(column("line", LargeBinary), with_ordinality="place").render_derived()
    place = cast(bindparam("next"), BigInteger) + given.c.place - literal(1)
    session = cast(bindparam("session"), RECORDS.c.session.type)
    return insert(RECORDS).from_select(["session", "position", "line"], select(session, place, given.c.line))


ADDED: Final = _added()
