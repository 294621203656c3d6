"""A store on PostgreSQL: a row for each session and one for each of its records, and a lock of the server to write it.

Specified by features/sessions/sql.feature (SES_13).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from sqlalchemy import text

from brim.errors import InvalidInput
from brim.sessions.ids import safe_id
from brim.sessions.paths import default_root, system_clock
from brim.sessions.records import Record, SessionRecord
from brim.sessions.registry import SessionInfo, info_from_lines, parse_info
from brim.sessions.session import Session
from brim.sessions.sql.log import SqlLock, SqlLog, create_log
from brim.sessions.sql.server import Server, store_fingerprint
from brim.sessions.store import SessionStore

ROWS: Final = "SELECT number, name, about FROM brim_sessions"
COUNT: Final = "SELECT coalesce(max(position) + 1, 0) FROM brim_records WHERE session = :number"
SIZE: Final = "SELECT coalesce(sum(octet_length(body)), 0) FROM brim_records WHERE session = :number"


class SqlStore(SessionStore):
    """Sessions in a database of PostgreSQL, which any number of machines may share."""

    def __init__(self, url: str) -> None:
        """Nothing is connected before its first use. Raises InvalidInput for a URL that cannot be read."""
        super().__init__()
        self.server, self._fingerprint = Server(url), store_fingerprint(url)

    @property
    def index_path(self) -> Path:
        """The file of the search index: in the user's own folder, by a name made from the address."""
        return default_root() / f"index-{self._fingerprint}.sqlite"

    def open(self, name: str) -> Session:
        """See SessionStore.open."""
        number, *_ = self._row(name)
        lock = SqlLock(self.server, name, system_clock())
        try:
            lock.acquire(number)
            # as they are now that no other process writes
            log = SqlLog(self.server, number, name, lock, count=self._figure(COUNT, number), info=self.info(name))
            return self._written(log)
        except BaseException:
            lock.release()
            raise

    def read(self, name: str) -> Session:
        """See SessionStore.read."""
        return Session(name, SqlLog(self.server, self._row(name)[0], name), self)

    def info(self, name: str) -> SessionInfo:
        """See SessionStore.info."""
        return self._info(*self._row(name))

    def close(self) -> None:
        """Close the connections that no session holds."""
        self.server.close()

    def _create(self, first: SessionRecord, following: Sequence[Record], now: int) -> Session:
        name = first.session
        lock = SqlLock(self.server, name, now, "make")
        return self._written(create_log(self.server, lock, first, following, self._transcript(name)))

    def _written(self, log: SqlLog) -> Session:
        """The session of a log; each append of it updates the row."""
        try:
            return Session(log.name, log, self, is_writable=True)
        except BaseException:
            log.close()
            raise

    def _listed(self) -> Iterator[SessionInfo]:
        with self.server.connected("list the sessions") as connection:
            rows = connection.execute(text(ROWS)).all()
        for row in rows:
            with self._warned(row.name):
                yield self._info(*row)

    def _row(self, name: str) -> Any:
        """Number, name and what is known of a session. Raises InvalidInput where there is none."""
        safe_id(name)
        with self.server.connected(f"find session {name}") as connection:
            row = connection.execute(text(f"{ROWS} WHERE name = :name"), {"name": name}).one_or_none()
        if row is None:
            raise InvalidInput(f"there is no session {name} at {self.server.name}")
        return row

    def _info(self, number: int, name: str, about: str | None) -> SessionInfo:
        """Return what the row says of a session, or its lines, where the row cannot be read."""
        info = parse_info(name, about)
        if info is not None:
            return info
        info = info_from_lines(SqlLog(self.server, number, name), name, self._transcript(name), self._warn)
        return info.model_copy(update={"size": self._figure(SIZE, number)})

    def _figure(self, wanted: str, number: int) -> int:
        with self.server.connected("read the sessions") as connection:
            return int(connection.execute(text(wanted), {"number": number}).scalar_one())

    def _transcript(self, name: str) -> str:
        return f"{self.server.name}#{name}"
