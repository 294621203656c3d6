"""Sessions in files: a folder a project, a file a session, all of them private to the user.

Specified by features/sessions/registry.feature (SES_02) and features/sessions/log.feature (SES_12, SES_15).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from functools import reduce
from itertools import chain
from pathlib import Path
from typing import Final

from brim.errors import BrimError, InvalidInput, StoreFailed, shown
from brim.sessions.files import clear_left, no_links, regular_size, translate_os_errors
from brim.sessions.ids import is_safe, safe_id
from brim.sessions.index import IndexFile
from brim.sessions.lines import first_record
from brim.sessions.locking import SessionLock
from brim.sessions.log import FileLog, create_log
from brim.sessions.paths import folder_of, system_clock, validated_path
from brim.sessions.records import MessageRecord, Record, SessionRecord
from brim.sessions.registry import Registry, Row, SessionInfo, info_from_header, info_from_log, with_record
from brim.sessions.session import Session
from brim.sessions.store import SessionStore

INDEX: Final = "index.sqlite"
SUFFIX: Final = ".jsonl"


class DescribedLog(FileLog):
    """The log of a session that is written, and what is known of the session while it grows."""

    def __init__(self, path: Path, release: Callable[[], None], describe: Callable[[], SessionInfo]) -> None:
        """`describe` says what is known, when that is first asked for."""
        super().__init__(path, release)
        self._describe = describe
        self._info: SessionInfo | None = None
        self._last_active = 0

    def describe(self) -> SessionInfo:
        """What is known of the session now."""
        info = self._info = self._info if self._info is not None else self._describe()
        return info.model_copy(update={"size": self._size, "last_active": max(info.last_active, self._last_active)})

    def append(self, records: Sequence[Record]) -> None:
        """See FileLog.append."""
        super().append(records)
        for record in records:
            self._last_active = max(self._last_active, record.time)
            if self._info is not None and type(record) is not MessageRecord:  # most are
                self._info = with_record(self._info, record)


class FileStore(SessionStore):
    """Sessions in a folder: sessions/<project>/<session>.jsonl; derived data lies in index.sqlite, locks in locks/."""

    def __init__(self, root: Path) -> None:
        """Nothing is made in the folder before the first session. Raises InvalidInput for a name no folder can have."""
        super().__init__()
        self.root = validated_path(root)
        self._registry = Registry(IndexFile(self.index_path, own=True, warn=self._warn), self._warn)

    @property
    def index_path(self) -> Path:
        """The file of the index: it lies beside the sessions."""
        return self.root / INDEX

    def open(self, name: str) -> Session:
        """See SessionStore.open."""
        path, row = self._located(name)
        lock = self._lock(name)
        lock.acquire(name, system_clock())
        return self._held(path, lock, lambda: self._of_log(str(path), row))

    def read(self, name: str) -> Session:
        """See SessionStore.read."""
        path, row = self._located(name)
        return Session(name, FileLog(path), lambda: self._of_log(str(path), row), store=self)

    def info(self, name: str) -> SessionInfo:
        """See SessionStore.info."""
        path, row = self._located(name)
        return self._of_log(str(path), row)

    def close(self) -> None:
        """Nothing is held between acts."""

    def _create(self, first: SessionRecord, following: Sequence[Record], now: int, *, is_named: bool) -> Session:
        name = first.session
        path = self.root / "sessions" / folder_of(first.project) / f"{name}{SUFFIX}"
        lock = self._lock(name)
        lock.acquire(name, now)  # by id: two processes cannot make one in two projects at the same time
        try:
            if is_named:
                self._require_free(name)
            with translate_os_errors(f"cannot make {path}"):
                no_links(self.root, path.parent)
            create_log(path, first, *following)
        except BaseException:
            lock.release()
            raise
        info = reduce(with_record, following, info_from_header(first, str(path)))
        return self._held(path, lock, lambda: info, is_published=False)

    def _require_free(self, name: str) -> None:
        if self._found(name, self._row(name))[0] is not None:
            raise InvalidInput(f"there is a session {name} already; open it, or choose another id")

    def _lock(self, name: str) -> SessionLock:
        folder = self.root / "locks"
        with translate_os_errors(f"cannot lock session {name}"):
            no_links(self.root, folder)
        return SessionLock(folder / f"{name}.lock")

    def _held(
        self, path: Path, lock: SessionLock, describe: Callable[[], SessionInfo], *, is_published: bool = True
    ) -> Session:
        """The session of a log; `lock` is held, and released with it."""
        try:
            log = DescribedLog(path, lock.release, describe)
        except BaseException:
            lock.release()
            raise
        try:
            if not is_published:
                log.describe()
            return Session(
                path.stem,
                log,
                log.describe,
                lambda info: self._registry.update([info]),
                is_published=is_published,
                store=self,
            )
        except BaseException:
            log.close()
            raise

    def _row(self, name: str) -> Row | None:
        return self._registry.rows(name).get(name)

    def _of_log(self, path: str, row: Row | None) -> SessionInfo:
        """What is known of a log. Raises StoreFailed, InvalidInput and Refused, as `info_from_log` does."""
        with translate_os_errors(f"cannot read {path}"):
            size = regular_size(path)
        folder, known = row if row is not None else ("", None)
        if known is not None and known.transcript != path:  # the store was moved, or is named in another way
            same = folder == os.path.basename(os.path.dirname(path))  # noqa: PTH119, PTH120  5,000 times a listing
            known = known.model_copy(update={"transcript": path}) if same else None
        return known if known is not None and known.size == size else info_from_log(Path(path), known, self._warn)

    def _located(self, name: str) -> tuple[Path, Row | None]:
        """The log of a session, and its row. Raises InvalidInput where there is no log, or the name can be none."""
        row = self._row(safe_id(name))
        path, closed = self._found(name, row)
        if path is None:
            beside = f"; {', '.join(closed)} could not be looked into: give yourself permission" if closed else ""
            raise InvalidInput(f"there is no session {name} in {self.root}{beside}")
        return path, row

    def _found(self, name: str, row: Row | None) -> tuple[Path | None, list[str]]:
        """The log of a session, first where its row says; and the projects that could not be looked into.

        Of copies in several projects it is the first in the order of `_rank`, whatever the index says.
        """
        closed: list[str] = []
        elsewhere: list[str] = []
        said = [self.root / "sessions" / row[0]] if row is not None and is_safe(row[0]) else []
        with translate_os_errors(f"cannot look for session {name}"):
            for folder in said:
                no_links(self.root, folder)
        for folder in chain(said, self._projects()):
            try:
                os.lstat(path := folder / f"{name}{SUFFIX}")
            except (FileNotFoundError, NotADirectoryError):
                continue
            except PermissionError:
                closed.append(str(folder))
                continue
            if _is_at_home(path):
                return path, closed
            elsewhere.append(str(path))
        return Path(min(elsewhere)) if elsewhere else None, closed

    def _projects(self) -> Iterator[Path]:
        """The folders of the projects; links are reported. Raises StoreFailed where the folder cannot be read."""
        folder = self.root / "sessions"
        with translate_os_errors(f"cannot look into {folder}"):
            no_links(self.root, folder)
            try:
                found = [*os.scandir(folder)]
            except FileNotFoundError:
                return
        for one in found:
            if one.is_symlink():
                self._warn(f"{one.path} is a link: what is inside a store is not followed outside it")
            elif one.is_dir() and is_safe(one.name):
                yield Path(one.path)
            elif one.is_dir():
                self._warn(f"{shown(one.path)} has no name that brim gives a project: its sessions are not found there")

    def _listed(self) -> Iterable[SessionInfo]:
        rows = self._registry.rows()
        logs: dict[str, str] = {}
        for folder, name in self._logs():
            path, session = f"{folder}{os.sep}{name}", name.removesuffix(SUFFIX)
            if (other := logs.setdefault(session, path)) is not path:
                logs[session] = chosen = min(other, path, key=_rank)
                copy = path if chosen is other else other
                self._warn(f"session {session} is listed once: {copy} is a copy of {chosen}; remove or rename it")
        found: dict[str, SessionInfo] = {}
        for session, path in logs.items():
            with self._warned(session):
                safe_id(session)
                found[session] = self._of_log(path, rows.get(session))
        news = [one for one in found.values() if one.id not in rows or rows[one.id][1].size != one.size]
        self._registry.update(news, rows.keys() - found.keys())
        return found.values()

    def _logs(self) -> list[tuple[Path, str]]:
        """The logs: folder and name. A project that cannot be looked into is reported, and the others are listed."""
        found: list[tuple[Path, str]] = []
        for folder in self._projects():
            try:
                with translate_os_errors(f"the sessions in {folder} are not listed"):
                    names = [one.name for one in os.scandir(folder)]
                    clear_left(folder, names)
            except StoreFailed as failure:
                self._warn(str(failure))
                continue
            found += [(folder, name) for name in sorted(names) if name.endswith(SUFFIX) and name[0] != "."]
        return found


def _rank(path: str) -> tuple[bool, str]:
    """Which of the logs of one session counts: the one in the folder of its own project, else the first by its path."""
    return not _is_at_home(Path(path)), path


def _is_at_home(path: Path) -> bool:
    """Whether a log lies in the folder of the project that its first line names."""
    try:
        with closing(FileLog(path)) as log:
            return folder_of(first_record(log, path.name).project) == path.parent.name
    except BrimError:
        return False
