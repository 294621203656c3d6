"""Making a session in the tables: its row and all the lines it begins with, at once or not at all.

Part of the store in a database; specified by features/sessions/sql.feature (SES_13).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Connection,
    LargeBinary,
    Select,
    bindparam,
    cast,
    column,
    func,
    insert,
    literal,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.exc import DBAPIError, IntegrityError

from brim.errors import InvalidInput, StoreFailed
from brim.sessions.lines import encode
from brim.sessions.paths import folder_of
from brim.sessions.postgres.journal import ADDED, TIMES
from brim.sessions.postgres.locking import Hold
from brim.sessions.postgres.locks import lock
from brim.sessions.postgres.server import Server
from brim.sessions.postgres.tables import RECORDS, SESSIONS
from brim.sessions.records import Record, SessionRecord
from brim.sessions.registry import info_from_header, with_record

MOST: Final = 4 * 1024 * 1024
"""Bytes of lines after which the rest goes into a further statement."""
BEGIN, COMMIT, ROLLBACK = text("BEGIN"), text("COMMIT"), text("ROLLBACK")


def make_session(
    server: Server, first: SessionRecord, following: Sequence[Record], transcript: str, since: int
) -> Hold:
    """Make a session that begins with these records, and take the right to write it.

    Where the connection is lost, another one finds out whether it was made, and makes it where it was not.
    Raises InvalidInput where there is one of that id, and StoreFailed.
    """
    new = _New(first, following, transcript)
    what = f"make session {first.session}"
    hold = Hold(server, server.connect(what), first.session, since)
    try:
        with server.telling(what):
            return _made(new, hold)
    except BaseException:
        hold.release()
        raise


def _made(new: _New, hold: Hold) -> Hold:
    hold.settle()
    for _ in range(TIMES):
        try:
            new.write(hold.connection or hold.renew(), hold)
        except DBAPIError as error:
            if not error.connection_invalidated:
                raise
        else:
            return hold
    raise StoreFailed(
        f"cannot make session {new.name}: the server went away {TIMES} times; try again later, and see first whether "
        "it is listed"
    )


class _New:
    """A session that is to be made."""

    def __init__(self, first: SessionRecord, following: Sequence[Record], transcript: str) -> None:
        """Raises InvalidInput where a record cannot be written."""
        self.name, self._lines = first.session, [encode(record) for record in (first, *following)]
        about = reduce(with_record, following, info_from_header(first, transcript, sum(map(len, self._lines))))
        self._row = {"name": self.name, "folder": folder_of(first.project), "lines": len(self._lines)}
        self._row |= {"bytes": about.size, "about": json.dumps(about.model_dump())}

    def write(self, connection: Connection, hold: Hold) -> None:
        """Write it in one transaction, held to be written. Raises InvalidInput where there is another of its name."""
        batches = list(in_batches(self._lines))
        several = len(batches) > 1
        try:
            if several:
                connection.execute(BEGIN)
            hold.number = connection.scalars(_begun({**self._row, "holder": hold.note}), {"lines": batches[0]}).one()
            self._write_on(connection, hold.number, batches)
        except IntegrityError as error:
            if several:
                connection.execute(ROLLBACK)
            self._take_over(connection, hold, error)
            return
        if several:
            connection.execute(COMMIT)

    @staticmethod
    def _write_on(connection: Connection, number: int, batches: Sequence[list[bytes]]) -> None:
        place = len(batches[0])
        for lines in batches[1:]:
            connection.execute(ADDED, {"session": number, "next": place, "lines": lines})
            place += len(lines)

    def _take_over(self, connection: Connection, hold: Hold, error: IntegrityError) -> None:
        """Take the session of this name, where it is this very one: it was made, and nobody could be told."""
        is_it = (SESSIONS.c.name == self.name) & (RECORDS.c.position == 0) & (RECORDS.c.line == self._lines[0])
        both = SESSIONS.join(RECORDS, RECORDS.c.session == SESSIONS.c.number)
        number = connection.scalar(select(SESSIONS.c.number).select_from(both).where(is_it))
        if number is None:
            raise InvalidInput(f"there is a session {self.name} already; open it, or choose another id") from error
        hold.number = number
        hold.retake()


def in_batches(lines: Sequence[bytes]) -> Iterator[list[bytes]]:
    """Lines in pieces of which each is sent at once: as many as there is room for, and one at the least."""
    batch, size = list[bytes](), 0
    for line in lines:
        if batch and size + len(line) > MOST:
            yield batch
            batch, size = [], 0
        batch.append(line)
        size += len(line)
    yield batch


def _begun(row: dict[str, Any]) -> Select[Any]:
    """The row of a session and its first lines, whose place is that in which they are handed over, and its lock."""
    made = (
        insert(SESSIONS)
        .values({**row, "backend": func.pg_backend_pid()})
        .returning(SESSIONS.c.number, lock(SESSIONS.c.number).label("taken"))
        .cte("made")
    )
    handed = func.unnest(bindparam("lines", type_=ARRAY(LargeBinary)))
    given = handed.table_valued(column("line", LargeBinary), with_ordinality="place").render_derived()
    place = cast(given.c.place, BigInteger) - literal(1)
    wanted = select(made.c.number, place, given.c.line).select_from(made.join(given, literal(value=True)))
    added = insert(RECORDS).from_select(["session", "position", "line"], wanted).cte("added")
    return select(made.c.number).where(made.c.taken).add_cte(added)
