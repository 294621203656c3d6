"""A store on PostgreSQL: the registry, the lines and the preferences in tables, and a lock of the server a session.

Specified by features/sessions/sql.feature (SES_13).
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from brim.errors import InvalidInput, Refused, StoreFailed
from brim.sessions.ids import new_id, safe_id
from brim.sessions.paths import default_root, system_clock
from brim.sessions.postgres.addresses import mark_of, read_address
from brim.sessions.postgres.journal import SqlJournal
from brim.sessions.postgres.locking import Hold
from brim.sessions.postgres.making import make_session
from brim.sessions.postgres.registry import SqlRegistry
from brim.sessions.postgres.server import Server
from brim.sessions.records import InitialRecords, SessionRecord, build_record, no_records
from brim.sessions.registry import SessionInfo
from brim.sessions.session import Session


class SqlStore:
    """Sessions in a database of PostgreSQL, which any number of machines may share."""

    def __init__(self, url: str) -> None:
        """Nothing is connected before it is first used. Raises InvalidInput for a URL that cannot be read."""
        self.server, self._mark = Server(url), mark_of(read_address(url))
        self._registry = SqlRegistry(self.server)
        self._reports: list[str] = []

    @property
    def index_path(self) -> Path:
        """The file of the search index: in the user's own folder, called by a name made from the address."""
        return default_root() / f"index-{self._mark}.sqlite"

    def create(
        self,
        *,
        project: str = "",
        title: str = "",
        model: str = "",
        parent: str | None = None,
        name: str | None = None,
        records: InitialRecords = no_records,
        created: int | None = None,
    ) -> Session:
        """A new session, held to be written; see SessionStore.create. Raises Refused, InvalidInput, StoreFailed."""
        now = system_clock()
        session = safe_id(name) if name is not None else new_id(now)
        about = {"session": session, "project": project, "title": title, "model": model, "parent": parent}
        time = now if created is None else created
        first = build_record(SessionRecord, id=new_id(time), time=time, **about)
        hold = make_session(self.server, first, records(first), f"{self.server.name}#{session}", now)
        return self._written(session, hold)

    def open(self, name: str) -> Session:
        """A session, held to be written. Raises SessionHeld where another has it, InvalidInput where there is none."""
        number = self._number(name)
        hold = Hold(self.server, self.server.connect(f"open session {name}"), name, system_clock(), number)
        try:
            hold.take()
        except BaseException:
            hold.release()
            raise
        return self._written(name, hold)

    def read(self, name: str) -> Session:
        """A session to be read alone; nobody is kept from writing it. Raises InvalidInput."""
        return Session(name, SqlJournal(self.server, self._number(name), name), lambda: self.info(name))

    def info(self, name: str) -> SessionInfo:
        """What is known of a session. Raises InvalidInput where there is none."""
        return self._registry.info(self._number(name))

    def sessions(self, project: str | None = None) -> list[SessionInfo]:
        """The sessions, of one project or of all, the one last active first."""
        found = self._registry.listed(project, self._report)
        return sorted(found, key=lambda one: (one.last_active, one.id), reverse=True)

    def reports(self) -> tuple[str, ...]:
        """What was mended so far, in sentences."""
        return tuple(self._reports)

    def close(self) -> None:
        """Let go of the connections that no session holds."""
        self.server.close()

    def _written(self, name: str, hold: Hold) -> Session:
        try:
            journal = SqlJournal(self.server, hold.number, name, hold)
            describe = partial(self._registry.info, hold.number)
            return Session(name, journal, describe, partial(self._publish, hold.number, journal))
        except BaseException:
            hold.release()
            raise

    def _publish(self, number: int, journal: SqlJournal, info: SessionInfo) -> None:
        try:
            self._registry.tell(number, info, journal.count)
        except (Refused, StoreFailed) as error:  # an index: the lines have it all, and tell it when they are listed
            self._report(str(error))

    def _report(self, sentence: str) -> None:
        if sentence not in self._reports:
            self._reports.append(sentence)

    def _number(self, name: str) -> int:
        number = self._registry.number(safe_id(name))
        if number is None:
            raise InvalidInput(f"there is no session {name} at {self.server.name}")
        return number
