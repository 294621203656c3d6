"""Sessions in files: a folder a project, a file a session, all of them private to the user.

Specified by features/sessions/registry.feature (SES_02) and features/sessions/log.feature (SES_12).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from brim.errors import InvalidInput, Refused, StoreFailed
from brim.sessions.disk.failures import telling
from brim.sessions.disk.preferences import Preferences
from brim.sessions.disk.shelves import Shelves
from brim.sessions.locking import SessionLock
from brim.sessions.log import FileLog, create_log
from brim.sessions.places import Clock, system_clock
from brim.sessions.records.ids import new_id, safe_id
from brim.sessions.records.infos import SessionInfo, begun, with_lines
from brim.sessions.records.journal import first_record
from brim.sessions.records.kinds import SessionRecord
from brim.sessions.registry import Registry, RegistryFile
from brim.sessions.session import Session

INDEX: Final = "index.sqlite"


class FileStore:
    """Sessions in a folder: sessions/<project>/<session>.jsonl, and registry.json beside."""

    def __init__(self, root: Path, *, clock: Clock = system_clock) -> None:
        """Nothing is made in the folder before the first session."""
        self.root, self._clock = root, clock
        self._registry = RegistryFile(root / "registry.json", self._rebuilt)
        self._preferences = Preferences(root / "preferences.jsonl", clock)
        self._reports: list[str] = []
        self._shelves = Shelves(root, self._report)

    @property
    def index_path(self) -> Path:
        """The file of the search index: it lies beside the sessions."""
        return self.root / INDEX

    def create(
        self, *, project: str = "", title: str = "", model: str = "", parent: str | None = None, name: str | None = None
    ) -> Session:
        """A new session, held to be written; `name` is its id where brim makes none. Raises Refused, InvalidInput."""
        now = self._clock()
        session = safe_id(name) if name is not None else new_id(now)
        if self._shelves.holds(session):
            raise InvalidInput(f"there is a session {session} already; open it, or choose another id")
        self._registry.begin()
        first = SessionRecord(
            id=new_id(now), time=now, session=session, project=project, title=title, model=model, parent=parent
        )
        create_log(path := self._shelves.place(project, session), first)
        written = self._write(path)
        written.publish()
        return written

    def open(self, name: str) -> Session:
        """A session, held to be written. Raises SessionHeld where another has it, InvalidInput where there is none."""
        return self._write(self._shelves.log(name))

    def read(self, name: str) -> Session:
        """A session to be read alone; nobody is kept from writing it. Raises InvalidInput."""
        path = self._shelves.log(name)
        return Session(name, FileLog(path), self._clock, lambda: self.info(name))

    def info(self, name: str) -> SessionInfo:
        """What is known of a session. Raises InvalidInput where there is none."""
        return self._gathered(self._shelves.log(name), self._registry.read().sessions.get(name))

    def sessions(self, project: str | None = None) -> list[SessionInfo]:
        """The sessions, of one project or of all, the one last active first."""
        listed = self._listed(self._registry.read().sessions)
        found = [one for one in listed if project is None or one.project == project]
        return sorted(found, key=lambda one: (one.last_active, one.id), reverse=True)

    def preferences(self) -> Mapping[str, str]:
        """The preferences of the user: those that the registry knows, and what their own log says since."""
        return {**self._registry.read().preferences, **self._preferences.told()}

    def prefer(self, preference: str, value: str) -> None:
        """Set a preference."""

        def change(registry: Registry) -> Registry:
            self._preferences.set(preference, value)
            return registry.model_copy(update={"preferences": {**registry.preferences, preference: value}})

        self._registry.change(change)

    def reports(self) -> tuple[str, ...]:
        """What was mended so far, in sentences."""
        return (*self._registry.reports, *self._preferences.reports, *self._reports)

    def close(self) -> None:
        """Nothing is held between acts."""

    def _write(self, path: Path) -> Session:
        lock, name = SessionLock(path.with_suffix(".lock")), path.stem
        lock.acquire(name, self._clock())
        try:
            log = FileLog(path, lock.release)
        except BaseException:
            lock.release()
            raise
        try:
            return Session(name, log, self._clock, lambda: self.info(name), lambda info: self._publish(log, info))
        except BaseException:
            log.close()
            raise

    def _publish(self, log: FileLog, info: SessionInfo) -> None:
        told = info.model_copy(update={"size": log.size})

        def change(registry: Registry) -> Registry:
            return registry.model_copy(update={"sessions": {**registry.sessions, told.id: told}})

        try:
            self._registry.change(change)
        except (Refused, StoreFailed) as error:  # an index: the log has it all, and tells it when it is listed
            self._report(str(error))

    def _gathered(self, path: Path, known: SessionInfo | None) -> SessionInfo:
        """What is known of a log: as the registry says, and what was added to it since."""
        with telling(f"cannot read {path}"):
            size = path.stat().st_size
        if known is not None and known.size == size and known.transcript == str(path):
            return known
        log = FileLog(path)
        try:
            if known is None or known.size > size or known.transcript != str(path):
                known = begun(first_record(log, path.name), str(path))
            return with_lines(known, log.forth(known.size)).model_copy(update={"size": log.size})
        finally:
            log.close()

    def _listed(self, known: Mapping[str, SessionInfo]) -> Iterator[SessionInfo]:
        for path in self._shelves.logs():
            try:
                yield self._gathered(path, known.get(path.stem))
            except (InvalidInput, StoreFailed) as error:
                self._report(str(error))
            except Refused as error:  # of a newer version
                self._report(f"session {path.stem} is not listed: {error}")

    def _report(self, sentence: str) -> None:
        if sentence not in self._reports:
            self._reports.append(sentence)

    def _rebuilt(self) -> Registry:
        sessions = {info.id: info for info in self._listed({})}
        return Registry(sessions=sessions, preferences=self._preferences.told())
