"""Sessions in files: a folder a project, a file a session, all of them private to the user.

Specified by features/sessions/registry.feature (SES_02) and features/sessions/log.feature (SES_12, SES_15).
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from brim.errors import BrimError, InvalidInput, StoreFailed
from brim.sessions.files import no_links, translate_os_errors
from brim.sessions.ids import safe_id
from brim.sessions.index import IndexFile, in_one_transaction
from brim.sessions.locking import SessionLock
from brim.sessions.log import FileLog, create_log
from brim.sessions.paths import folder_of, system_clock, validated_path
from brim.sessions.records import Record, SessionRecord
from brim.sessions.registry import SessionInfo, info_from_log, parse_info
from brim.sessions.session import Session
from brim.sessions.store import SessionStore

SUFFIX: Final = ".jsonl"


class FileStore(SessionStore):
    """Sessions in a folder: sessions/<project>/<session>.jsonl; derived data lies in index.sqlite, locks in locks/."""

    def __init__(self, root: Path) -> None:
        """Nothing is made in the folder before the first session. Raises InvalidInput for a name no folder can have."""
        super().__init__()
        self.root = validated_path(root)
        self._index = IndexFile(self.index_path, self._warn)

    @property
    def index_path(self) -> Path:
        """The file of the index: it lies beside the sessions."""
        return self.root / "index.sqlite"

    def open(self, name: str) -> Session:
        """See SessionStore.open."""
        path = self._located(name)
        lock = self._lock(name)
        lock.acquire(name, system_clock())
        return self._held(path, lock)

    def read(self, name: str) -> Session:
        """See SessionStore.read."""
        path = self._located(name)
        return Session(name, FileLog(path), self)

    def info(self, name: str) -> SessionInfo:
        """See SessionStore.info."""
        path, known = self._located(name), self._rows(name).get(name)
        info = info_from_log(path, known, self._warn)
        if info != known:
            self._update_rows([info])
        return info

    def close(self) -> None:
        """Nothing is held between acts."""

    def _create(self, first: SessionRecord, following: Sequence[Record], now: int) -> Session:
        name = first.session
        path = self.root / "sessions" / folder_of(first.project) / f"{name}{SUFFIX}"
        lock = self._lock(name)
        lock.acquire(name, now)  # by id: two processes cannot make one in two projects at the same time
        try:
            self._require_free(name)
            with translate_os_errors(f"cannot make {path}"):
                no_links(self.root, path.parent)
            create_log(path, first, *following)
        except BaseException:
            lock.release()
            raise
        return self._held(path, lock)

    def _require_free(self, name: str) -> None:
        if self._found(name):
            raise InvalidInput(f"there is a session {name} already; open it, or choose another id")

    def _lock(self, name: str) -> SessionLock:
        folder = self.root / "locks"
        with translate_os_errors(f"cannot lock session {name} in {folder}"):
            no_links(self.root, folder)
        return SessionLock(folder / f"{name}.lock")

    def _held(self, path: Path, lock: SessionLock) -> Session:
        """The session of a log; `lock` is held, and released with it."""
        try:
            log = FileLog(path, lock.release)
        except BaseException:
            lock.release()
            raise
        try:
            return Session(path.stem, log, self, is_writable=True)
        except BaseException:
            log.close()
            raise

    def _rows(self, name: str | None = None) -> dict[str, SessionInfo]:
        """Return the rows of the registry, all or one. Where that fails it is reported, and logs are read."""
        if not (self._index.path.exists() and self._index.is_writable):
            return {}
        wanted = "SELECT id, about FROM registry WHERE id = coalesce(?, id)"
        try:
            rows = self._index.use(lambda base: base.execute(wanted, (name,)).fetchall())
        except BrimError as error:
            self._warn(str(error))
            return {}
        parsed = {session: parse_info(session, about) for session, about in rows}
        return {session: info for session, info in parsed.items() if info is not None}

    def _update_rows(self, infos: Iterable[SessionInfo], gone: Collection[str] = ()) -> None:
        """Write rows of the registry, and delete those of sessions that are gone."""
        rows = [(one.id, json.dumps(one.model_dump())) for one in infos]

        def write(base: sqlite3.Connection) -> None:
            base.executemany("INSERT OR REPLACE INTO registry VALUES (?, ?)", rows)
            base.executemany("DELETE FROM registry WHERE id = ?", [(name,) for name in gone])

        if (rows or gone) and self._index.is_writable:  # a store of another user is left alone
            try:
                self._index.use(lambda base: in_one_transaction(base, lambda: write(base)))
            except BrimError as error:
                self._warn(str(error))

    def _located(self, name: str) -> Path:
        """The log of a session. Raises InvalidInput where there is none, or the name can be none."""
        if not (found := self._found(safe_id(name))):
            raise InvalidInput(f"there is no session {name} in {self.root}")
        return self._chosen(found)

    def _found(self, name: str) -> list[Path]:
        """The logs of a session, in the projects that can be looked into."""
        return [path for folder in self._projects() if os.path.lexists(path := folder / f"{name}{SUFFIX}")]

    def _chosen(self, paths: Sequence[Path]) -> Path:
        """Of several logs of one id the first; the others are copies."""
        chosen, *copies = sorted(paths)
        for copy in copies:
            self._warn(f"session {chosen.stem} is listed once: {copy} is a copy of {chosen}; remove or rename it")
        return chosen

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
            elif one.is_dir():
                yield Path(one.path)

    def _listed(self) -> Iterable[SessionInfo]:
        rows = self._rows()
        found: dict[str, SessionInfo] = {}
        for session, paths in self._logs().items():
            with self._warned(session):
                path = self._chosen(paths)
                safe_id(session)
                found[session] = info_from_log(path, rows.get(session), self._warn)
        news = [one for one in found.values() if one != rows.get(one.id)]
        self._update_rows(news, rows.keys() - found.keys())
        return found.values()

    def _logs(self) -> dict[str, list[Path]]:
        """The logs by session. A project that cannot be looked into is reported, and the others are listed."""
        found: dict[str, list[Path]] = defaultdict(list)
        for folder in self._projects():
            try:
                with translate_os_errors(f"the sessions in {folder} are not listed"):
                    names = [one.name for one in os.scandir(folder)]
            except StoreFailed as failure:
                self._warn(str(failure))
                continue
            for name in sorted(names):
                if name.endswith(SUFFIX) and name[0] != ".":
                    found[name.removesuffix(SUFFIX)].append(folder / name)
        return found
