"""The log of a session in a table: rows that are only ever added, and the lock of the connection that may add them.

Specified by features/sessions/sql.feature (SES_13) and locking.feature (SES_08). The lock is an advisory lock of the
server and ends with its connection. The note in the row of the session only says who holds it, and counts as long as
the connection it names holds the lock.
"""

from __future__ import annotations

import json
import os
import socket
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial, reduce
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, TextClause, text
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from brim.errors import BrimError, InvalidInput, Refused, StoreFailed
from brim.sessions.lines import encode
from brim.sessions.locking import Holder, check_process, parse_holder, session_held
from brim.sessions.paths import folder_of
from brim.sessions.records import Record, SessionRecord
from brim.sessions.registry import SessionInfo, info_from_header, with_record
from brim.sessions.resume import RecordLine
from brim.sessions.sql.server import Server

Outcome = TypeVar("Outcome")

ATTEMPTS: Final = 3
"""How often an act is tried where the connection is lost each time."""
LOCK_TIMEOUT_S: Final = 0.5
"""Seconds for the server to notice that the process that held the lock is gone."""
NOTE_TIMEOUT_S: Final = 2.0
"""Seconds after which a lock that names no holder is said to be held by another process."""
FIRST_BATCH: Final = 32
MAX_BATCH: Final = 512
"""Rows that one statement reads at first, and at most."""
MAX_POSITION: Final = 2**63 - 1

TAKE_LOCK: Final = text("""
    UPDATE brim_sessions SET holder = :note, backend = pg_backend_pid()
    WHERE number = :number AND pg_try_advisory_lock('brim_records'::regclass::oid::int, number)
        AND set_config('synchronous_commit', 'off', true) = 'off'
    RETURNING number
""")
"""Takes the lock and notes who did, in one act, which need not wait for the disk. The lock is by the number of the
table too, so that two stores of one database have locks of their own."""
HOLDER: Final = text("""
    SELECT holder, CASE holder WHEN :note THEN pg_terminate_backend(backend) END
    FROM brim_sessions JOIN pg_locks ON pid = backend AND objid = number::oid
    WHERE number = :number AND locktype = 'advisory' AND granted AND classid = 'brim_records'::regclass
""")
"""The note, where the connection that it names holds the lock; a connection of the asking
process itself, which it lost, is ended."""
SETTINGS: Final = text("""
    SELECT set_config(name, wanted, false) FROM pg_settings JOIN (VALUES
        ('tcp_keepalives_idle', '30'), ('tcp_keepalives_interval', '10'), ('tcp_keepalives_count', '3'),
        ('default_transaction_isolation', 'read committed'), ('statement_timeout', '0'),
        ('idle_session_timeout', '0'), ('transaction_timeout', '0'), ('synchronous_commit', 'on')
    ) AS settings (name, wanted) USING (name) WHERE name <> 'synchronous_commit' OR setting = 'off'
""")
"""What a writer needs whatever the server is set to, as far as its version knows it: the server notices within a minute
that the writer's machine vanished, commits reach the disk, and a writer may think and wait for as long as it has to."""
NEW_ROWS: Final = """unnest(
    CAST(:position AS bigint[]), CAST(:kind AS text[]), CAST(:id AS text[]), CAST(:time AS bigint[]),
    CAST(:body AS bytea[])
) AS new"""
CREATE: Final = text(f"""
    WITH made AS (
        INSERT INTO brim_sessions (name, folder, about, holder, backend)
        VALUES (:name, :folder, :about, :note, pg_backend_pid())
        RETURNING number, pg_try_advisory_lock('brim_records'::regclass::oid::int, number) AS is_locked
    )
    INSERT INTO brim_records SELECT number, new.* FROM made, {NEW_ROWS} WHERE is_locked RETURNING session
""")  # noqa: S608  no value of a caller's
APPEND: Final = text(f"""
    WITH written AS (UPDATE brim_sessions SET about = :about WHERE number = :number RETURNING number)
    INSERT INTO brim_records SELECT number, new.* FROM written, {NEW_ROWS}
""")  # noqa: S608
"""Adds nothing where the session was deleted."""
IN_DOUBT: Final = text("""
    SELECT body FROM brim_records WHERE session = :number AND position >= :count ORDER BY position LIMIT :limit
""")
ROLL_BACK: Final = text("""
    WITH removed AS (DELETE FROM brim_records WHERE session = :number AND position >= :count)
    UPDATE brim_sessions SET about = :about WHERE number = :number
""")
SAME_SESSION: Final = text("""
    SELECT number FROM brim_sessions JOIN brim_records ON session = number
    WHERE name = :name AND position = 0 AND body = :body
""")
NEXT: Final = text("""
    SELECT position, body FROM brim_records WHERE session = :number AND position > :last
    ORDER BY position LIMIT :batch
""")
PREVIOUS: Final = text("""
    SELECT position, body FROM brim_records WHERE session = :number AND position < :last
    ORDER BY position DESC LIMIT :batch
""")


class SqlLock:
    """The right to write one session, until it is released or its connection ends."""

    def __init__(self, server: Server, name: str, since: int, act: str = "open") -> None:
        """Connect, without a lock yet. Raises StoreFailed, which names the act."""
        self._server, self._name, self.number, self._pid = server, name, 0, os.getpid()
        who = Holder(pid=self._pid, host=socket.gethostname(), since=since).model_dump()
        self.note = json.dumps({**who, "hold": uuid.uuid4().hex})
        """The note in its row; no other lock, of this process or another, has the same."""
        self._keep(server.connect(f"{act} session {name}"))

    def _keep(self, connection: Connection) -> None:
        self._connection, self._driver = connection, connection.connection.dbapi_connection

    @property
    def connection(self) -> Connection | None:
        """The connection that holds the lock; None where it was lost."""
        return None if self._connection.invalidated or self._connection.closed else self._connection

    def acquire(self, number: int) -> None:
        """Take the lock of the session of this number. Raises SessionHeld, which names its holder, and StoreFailed."""
        with self._server.translate_errors(f"lock session {self._name}"):
            self._connection.execute(SETTINGS)
            self.claim(number)

    def claim(self, number: int) -> None:
        """Take the lock on a connection that has its settings; a connection that this lock lost is ended.

        Raises SessionHeld, also where the session was deleted.
        """
        given = {"number": number, "note": self.note}
        begun = time.monotonic()
        while self._connection.scalar(TAKE_LOCK, given) is None:
            note = self._connection.scalar(HOLDER, given) or ""
            waited = time.monotonic() - begun
            if note != self.note and waited > LOCK_TIMEOUT_S and (holder := parse_holder(note)):
                raise session_held(self._name, holder)
            if waited > NOTE_TIMEOUT_S:
                raise session_held(self._name, "another process")
            time.sleep(0.02)
        self.number = number

    def attempt(self, act: Callable[[Connection], Outcome]) -> Outcome:
        """Act on the connection; where it is lost, on another one, which takes the lock again first.

        Having the lock proves that the lost connection has ended: what it wrote is there, and no more will come.
        Raises SessionHeld where another process has the lock by then, StoreFailed, and Refused in a process that was
        forked from the one that has it: two processes on one connection would read each other's answers.
        """
        check_process(self._name, self._pid)
        for _ in range(ATTEMPTS):
            try:
                return act(self.connection or self._reacquire())
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
        raise StoreFailed(
            f"cannot write session {self._name}: the server went away {ATTEMPTS} times; try again later, and see first "
            "what it holds"
        )

    def _reacquire(self) -> Connection:
        self.release()
        try:
            self._keep(self._server.connect(f"write session {self._name}", patience_s=2))
            self._connection.execute(SETTINGS)
            if self.number:
                self.claim(self.number)
        except BaseException:
            self.release()
            raise
        return self._connection

    def release(self) -> None:
        """Give the lock back; when this returns, another may have it. A forked process leaves it to its parent."""
        if self._pid != os.getpid():
            return
        with suppress(SQLAlchemyError):
            if self.connection is not None:
                self._connection.execute(text("SELECT pg_advisory_unlock_all()"))
        with suppress(SQLAlchemyError):
            self._connection.close()
        if self._driver is not None:  # an interruption takes it from the connection, and an error that is kept keeps it
            self._driver.close()


class SqlLog:
    """The log of one session in the tables; with a lock, it can be appended to."""

    def __init__(
        self,
        server: Server,
        number: int,
        name: str,
        lock: SqlLock | None = None,
        *,
        count: int = 0,
        info: SessionInfo | None = None,
    ) -> None:
        """`lock` is released when the log is closed; to append needs it, and the rows there are, and what they say."""
        self._server, self._number, self.name, self._lock = server, number, name, lock
        self._in_doubt: list[list[bytes]] = []
        """The lines of each append since, of which it is not known whether they were added."""
        self._count = count
        """The rows that are acknowledged."""
        self.info = info or SessionInfo(id=name, created=0, last_active=0)
        """The session with them, as it is listed."""
        self.bytes_read = 0
        """Bytes of lines that were read so far."""

    def append(self, records: Sequence[Record]) -> None:
        """Add records and update the row of the session, in one statement that the server commits.

        Where the connection is lost, another one finds out whether they are there. Where that fails too, the next act
        finds it out and removes them: they were never acknowledged. Raises StoreFailed, SessionHeld or Refused.
        """
        if self._lock is None:
            raise Refused(f"{self.name} was opened to be read; open it to write")
        if not records:
            return
        columns = _columns(records, self._count)
        info = reduce(with_record, records, self.info)
        info = info.model_copy(update={"size": info.size + _size(columns)})
        given = {**columns, "number": self._number, "about": _dumped(info)}
        self._in_doubt.append(columns["body"])
        with self._server.translate_errors(f"write session {self.name}"):
            self._lock.attempt(partial(self._append, given))
        self._count, self.info, self._in_doubt = self._count + len(records), info, []

    def _append(self, given: dict[str, Any], connection: Connection) -> None:
        try:
            added = connection.execute(APPEND, given).rowcount
        except IntegrityError:  # there are rows behind those acknowledged: these very ones, or of an append that failed
            if self._roll_back(connection, but=given["body"]):
                return
            added = connection.execute(APPEND, given).rowcount
        if not added:
            raise _deleted(self._server, self.name)

    def _roll_back(self, connection: Connection, but: Sequence[bytes] = ()) -> bool:
        """Remove what failed appends added; whether these very lines are there, which stay. Raises Refused."""
        given = {"number": self._number, "count": self._count, "about": _dumped(self.info)}
        limit = max(map(len, self._in_doubt)) + 1
        found = [*connection.scalars(IN_DOUBT, {**given, "limit": limit})]
        if found and found not in self._in_doubt:
            raise Refused(f"session {self.name} was written by another process meanwhile; open it again")
        if found and found != but:
            connection.execute(ROLL_BACK, given)
        return found == but

    def lines_reversed(self) -> Iterator[RecordLine]:
        """The lines, the newest first."""
        return self._lines(PREVIOUS, MAX_POSITION)

    def lines(self, start: int = 0) -> Iterator[RecordLine]:
        """The lines, the oldest first, from a position on."""
        return self._lines(NEXT, start - 1)

    def _lines(self, wanted: TextClause, last: int) -> Iterator[RecordLine]:
        """Lines in batches that double. No transaction stays open in between: rows never change."""
        batch = FIRST_BATCH
        while rows := self._rows(wanted, {"number": self._number, "last": last, "batch": batch}):
            yield from (RecordLine(row.position, row.body.removesuffix(b"\n")) for row in rows)
            if len(rows) < batch:
                return
            last, batch = rows[-1].position, min(2 * batch, MAX_BATCH)

    def _rows(self, wanted: TextClause, given: dict[str, Any]) -> Sequence[Any]:
        with self._server.connected(f"read session {self.name}") as connection:
            rows = connection.execute(wanted, given).all()
        self.bytes_read += sum(len(row.body) for row in rows)
        return rows

    def warnings(self) -> Sequence[str]:
        """Nothing is ever repaired: a row is there whole, or not at all."""
        return ()

    def close(self) -> None:
        """Release the lock; what a failed append may have added is removed first."""
        if self._lock is None:
            return
        try:
            if self._in_doubt:
                with suppress(BrimError), self._server.translate_errors(f"write session {self.name}"):
                    self._lock.attempt(self._roll_back)
        finally:
            self._lock.release()


def create_log(
    server: Server, lock: SqlLock, first: SessionRecord, following: Sequence[Record], transcript: str
) -> SqlLog:
    """Make a session with these records, in one transaction, and take its lock.

    Where the connection is lost, another one finds out whether it was made, and makes it where it was not. Raises
    InvalidInput where there is a session of that id, and StoreFailed; `lock` is released then.
    """
    columns = _columns((first, *following))
    info = reduce(with_record, following, info_from_header(first, transcript, _size(columns)))
    about = {"name": first.session, "folder": folder_of(first.project), "about": _dumped(info), "note": lock.note}
    try:
        with server.translate_errors(f"make session {first.session}"):
            lock.attempt(partial(_create, lock, about | columns))
    except BaseException:
        lock.release()
        raise
    return SqlLog(server, lock.number, first.session, lock, count=1 + len(following), info=info)


def _create(lock: SqlLock, given: dict[str, Any], connection: Connection) -> None:
    connection.execute(SETTINGS)
    try:
        number = connection.scalar(CREATE, given)
    except IntegrityError as error:
        number = connection.scalar(SAME_SESSION, {"name": given["name"], "body": given["body"][0]})
        if number is None:
            raise InvalidInput(f"there is a session {given['name']} already; open it, or choose another id") from error
        lock.claim(number)  # it was made on the connection that was lost
    lock.number = number


def _columns(records: Sequence[Record], start: int = 0) -> dict[str, list[Any]]:
    """New rows from a position on. A kind or an id from elsewhere may hold any character: it is as JSON escapes it."""
    return {
        "position": [*range(start, start + len(records))],
        "kind": [json.dumps(getattr(one, "kind", ""))[1:-1] for one in records],
        "id": [json.dumps(one.id)[1:-1] for one in records],
        "time": [one.time for one in records],
        "body": [encode(one) for one in records],
    }


def _size(columns: dict[str, list[Any]]) -> int:
    return sum(map(len, columns["body"]))


def _deleted(server: Server, name: str) -> Refused:
    return Refused(f"session {name} was deleted from {server.name}; go on in another session")


def _dumped(info: SessionInfo) -> str:
    return json.dumps(info.model_dump())
