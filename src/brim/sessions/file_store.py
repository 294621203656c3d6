"""Sessions in files: a folder a project, a file a session, all of them private to the user.

Specified by features/sessions/registry.feature (SES_02) and features/sessions/log.feature (SES_12).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from brim.errors import BrimError, InvalidInput, Refused, StoreFailed
from brim.sessions.files import translate_os_errors
from brim.sessions.ids import new_id, safe_id
from brim.sessions.lines import Damaged, read_records
from brim.sessions.locking import SessionLock
from brim.sessions.log import FileLog, create_log
from brim.sessions.paths import folder_of, system_clock, validated_path
from brim.sessions.records import InitialRecords, PreferenceRecord, Record, SessionRecord, build_record, no_records
from brim.sessions.registry import Registry, RegistryFile, SessionInfo, bytes_read, gathered
from brim.sessions.resume import Line
from brim.sessions.session import Session


class Preferences:
    """The preferences of a store in a log. Whoever sets one holds the lock of the registry."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.reports: list[str] = []
        """What could not be read, in sentences."""

    def set(self, name: str, value: str) -> None:
        """Set one. Raises InvalidInput for a name that is none, and for a value that is no text."""
        if not name.isidentifier():
            raise InvalidInput(f"no preference is called {name!r}: a name is made of letters, digits and underscores")
        now = system_clock()
        record = build_record(PreferenceRecord, id=new_id(now), time=now, name=name, value=value)
        if not self._path.exists():
            create_log(self._path, record)
            return
        log = FileLog(self._path, lambda: None)
        try:
            log.append([record])
        finally:
            log.close()

    def told(self) -> dict[str, str]:
        """Those that were set, as they are now. A line that cannot be read is told in `reports`, and costs itself."""
        self.reports.clear()
        if not self._path.exists():
            return {}
        try:
            log = FileLog(self._path)
        except (InvalidInput, StoreFailed) as error:
            self.reports.append(f"the preferences are not known: {error}")
            return {}
        try:
            records = [record for line in log.forth() for record in self._records(line)]
        finally:
            log.close()
        return {one.name: one.value for one in records if isinstance(one, PreferenceRecord)}

    def _records(self, line: Line) -> list[Record]:
        damaged: list[Damaged] = []
        try:
            records = list(read_records([line], damaged))
        except Refused as error:  # of a newer version
            records = []
            damaged.append(Damaged(line.place, str(error)))
        self.reports += [f"{self._path.name}: the line at {one.place} was set aside: {one.reason}" for one in damaged]
        return records


SUFFIX: Final = ".jsonl"


class Shelves:
    """Where the logs of a store lie: sessions/<project>/<session>.jsonl in its folder."""

    def __init__(self, root: Path, report: Callable[[str], None]) -> None:
        """`report` hears of what cannot be looked into, where that is no reason to stop."""
        self._root, self._report = root, report

    def place(self, project: str, session: str) -> Path:
        """Where the log of a new session goes."""
        return self._root / "sessions" / folder_of(project) / f"{session}{SUFFIX}"

    def logs(self) -> list[Path]:
        """The logs there are. A project that cannot be looked into is reported, and the others are listed."""
        found: list[Path] = []
        for folder in self._projects():
            try:
                with translate_os_errors(f"the sessions in {folder} are not listed"):
                    found += [Path(one) for one in os.scandir(folder) if one.name.endswith(SUFFIX)]
            except StoreFailed as failure:
                self._report(str(failure))
        return sorted(found)

    def log(self, name: str) -> Path:
        """The log of a session. Raises InvalidInput where there is none, or the name can be none."""
        path, closed = self._looked_up(safe_id(name))
        if path is None:
            beside = f"; {', '.join(closed)} could not be looked into: give yourself permission" if closed else ""
            raise InvalidInput(f"there is no session {name} in {self._root}{beside}")
        return path

    def holds(self, name: str) -> bool:
        """Whether a session of this name is seen in any project."""
        return self._looked_up(name)[0] is not None

    def _looked_up(self, name: str) -> tuple[Path | None, list[str]]:
        """The log of a session, and the projects on the way that could not be looked into."""
        closed: list[str] = []
        for folder in self._projects():
            try:
                os.lstat(path := folder / f"{name}{SUFFIX}")
            except FileNotFoundError:
                continue
            except PermissionError:
                closed.append(str(folder))
                continue
            return path, closed
        return None, closed

    def _projects(self) -> list[Path]:
        """The folders of the projects. Raises StoreFailed where nobody may look."""
        with translate_os_errors(f"cannot look into {self._root / 'sessions'}"), suppress(FileNotFoundError):
            return [Path(one) for one in os.scandir(self._root / "sessions") if one.is_dir()]
        return []


INDEX: Final = "index.sqlite"
MUCH: Final = 64 * 1024
"""Bytes of logs that a listing reads beyond what the registry knows, from which on it tells the registry."""


class FileStore:
    """Sessions in a folder: sessions/<project>/<session>.jsonl, and registry.json beside."""

    def __init__(self, root: Path) -> None:
        """Nothing is made in the folder before the first session. Raises InvalidInput for a name no folder can have."""
        self.root = validated_path(root)
        self._registry = RegistryFile(root / "registry.json", self._rebuilt)
        self._preferences = Preferences(root / "preferences.jsonl")
        self._reports: list[str] = []
        self._shelves = Shelves(root, self._report)

    @property
    def index_path(self) -> Path:
        """The file of the search index: it lies beside the sessions."""
        return self.root / INDEX

    def create(
        self,
        *,
        project: str = "",
        title: str = "",
        model: str = "",
        parent: str | None = None,
        name: str | None = None,
        records: InitialRecords = no_records,
    ) -> Session:
        """A new session, held to be written; see SessionStore.create. Raises Refused, InvalidInput, StoreFailed."""
        now = system_clock()
        session = safe_id(name) if name is not None else new_id(now)
        about = {"session": session, "project": project, "title": title, "model": model, "parent": parent}
        first = build_record(SessionRecord, id=new_id(now), time=now, **about)
        path, following = self._shelves.place(project, session), records(first)
        self._registry.begin(lambda: self._make(path, first, following))
        written = self._write(path)
        try:
            written.publish()
        except BaseException:
            written.journal.close()
            raise
        return written

    def _make(self, path: Path, first: SessionRecord, following: Iterable[Record]) -> None:
        if self._shelves.holds(first.session):
            raise InvalidInput(f"there is a session {first.session} already; open it, or choose another id")
        create_log(path, first, *following)

    def open(self, name: str) -> Session:
        """A session, held to be written. Raises SessionHeld where another has it, InvalidInput where there is none."""
        return self._write(self._shelves.log(name))

    def read(self, name: str) -> Session:
        """A session to be read alone; nobody is kept from writing it. Raises InvalidInput."""
        path = self._shelves.log(name)
        return Session(name, FileLog(path), lambda: self.info(name))

    def info(self, name: str) -> SessionInfo:
        """What is known of a session. Raises InvalidInput where there is none."""
        return gathered(self._shelves.log(name), self._registry.read().sessions.get(name), self._report)

    def sessions(self, project: str | None = None) -> list[SessionInfo]:
        """The sessions, of one project or of all, the one last active first."""
        known = self._registry.read().sessions
        listed = list(self._listed(known))
        self._hand_on(listed, known)
        found = [one for one in listed if project is None or _is_of(project, one)]
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
        lock.acquire(name, system_clock())
        try:
            log = FileLog(path, lock.release)
        except BaseException:
            lock.release()
            raise
        try:
            return Session(name, log, lambda: self.info(name), lambda info: self._publish(log, info))
        except BaseException:
            log.close()
            raise

    def _publish(self, log: FileLog, info: SessionInfo) -> None:
        told = info.model_copy(update={"size": log.size})

        def change(registry: Registry) -> Registry:
            return registry.model_copy(update={"sessions": {**registry.sessions, told.id: told}})

        try:
            self._registry.change(change)
        except BrimError as error:  # an index: the log has it all, and tells it when it is listed
            self._report(str(error))

    def _hand_on(self, listed: Iterable[SessionInfo], known: Mapping[str, SessionInfo]) -> None:
        """Tell the registry of what was read, where that was much; where it cannot be told, it is read once more."""
        news = [one for one in listed if known.get(one.id) is not one]
        if sum(bytes_read(one, known.get(one.id)) for one in news) >= MUCH:
            with suppress(BrimError):
                self._registry.learn(known, news)

    def _listed(self, known: Mapping[str, SessionInfo]) -> Iterator[SessionInfo]:
        for path in self._shelves.logs():
            try:
                yield gathered(path, known.get(path.stem), self._report)
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


def _is_of(project: str, one: SessionInfo) -> bool:
    """Whether a session is of a project: as it says, or where its first line is lost, as its folder is called."""
    return one.project == project if one.project else Path(one.transcript).parent.name == folder_of(project)
