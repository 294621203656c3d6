"""The registry: which sessions there are, and the preferences of the user.

Specified by features/sessions/registry.feature (SES_02). It is an index of the logs: what it says of a log is taken as
far as the log has the size it was gathered from, and the rest is read from the log. Lost or damaged, it is rebuilt.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from brim.errors import InvalidInput, Refused, StoreFailed
from brim.sessions.disk.failures import telling
from brim.sessions.disk.files import make_folder, write_whole
from brim.sessions.disk.registry_form import Registry, parsed, written
from brim.sessions.records.infos import SessionInfo

__all__ = ["PATIENCE", "Registry", "RegistryFile"]

PATIENCE: Final = 10.0
"""Seconds that are waited for another process that writes the registry."""


class RegistryFile:
    """The registry of a store in its file."""

    def __init__(self, path: Path, rebuild: Callable[[], Registry]) -> None:
        """`rebuild` makes it anew from the logs."""
        self.path, self._rebuild = path, rebuild
        self.reports: list[str] = []

    def read(self) -> Registry:
        """What it says; rebuilt where it is lost or damaged, and a damaged one is set aside. Raises Refused."""
        with suppress(InvalidInput):
            told = self._told()
            if told is not None:
                return told
        if not self.path.exists() and _is_empty(found := self._rebuild()):
            return found
        with suppress(StoreFailed), self._alone():
            return self._read_alone()
        return self._report("cannot be made anew", self._rebuild())

    def begin(self, make: Callable[[], None]) -> None:
        """Make a session while no other process makes one. Raises what `make` does, StoreFailed, and Refused.

        An empty registry is written where there is none and nothing to rebuild it from: what is not there later was
        lost.
        """
        with self._alone():
            if not self.path.exists():
                self._write(self._read_alone())
            make()

    def learn(self, before: Mapping[str, SessionInfo], gathered: Iterable[SessionInfo]) -> None:
        """Take over what was gathered from logs, where nobody told of them since `before`; nobody is waited for.

        Where the registry is another user's it is left alone: whoever lists must not take it away from its owner.
        Raises StoreFailed and Refused.
        """
        if not _is_ones_own(self.path):
            return

        def change(registry: Registry) -> Registry:
            known = registry.sessions
            news = {one.id: one for one in gathered if known.get(one.id) == before.get(one.id)}
            return registry.model_copy(update={"sessions": {**known, **news}})

        self.change(change, patience=0)

    def change(self, change: Callable[[Registry], Registry], *, patience: float = PATIENCE) -> None:
        """Read it, change it and write it, while no other process does. Raises StoreFailed and Refused."""
        with self._alone(patience):
            for left in self.path.parent.glob(f".{self.path.name}.*"):  # by a process that died while it wrote
                left.unlink(missing_ok=True)
            self._write(change(self._read_alone()))

    def _told(self) -> Registry | None:
        """What it says; None where there is none."""
        with telling(f"cannot read {self.path}"):
            try:
                data = self.path.read_bytes()
            except FileNotFoundError:
                return None
        return parsed(data)

    def _read_alone(self) -> Registry:
        """The same as `read`, for whoever holds the lock: another process may have made it anew meanwhile."""
        try:
            told = self._told()
        except InvalidInput as error:
            return self._restore(f"could not be read ({error})")
        return told if told is not None else self._restore("was lost")

    def _restore(self, why: str) -> Registry:
        registry = self._rebuild()
        if not self.path.exists() and _is_empty(registry):
            return registry
        try:
            aside = self._set_aside()
            self._write(registry)
        except (OSError, StoreFailed):
            aside = ""
        return self._report(why, registry, aside)

    def _report(self, why: str, registry: Registry, aside: str = "") -> Registry:
        self.reports.append(f"the registry {why}; rebuilt from {len(registry.sessions)} sessions{aside}")
        return registry

    def _set_aside(self) -> str:
        """Keep what is damaged under another name."""
        if not self.path.exists():
            return ""
        taken = (self.path.with_name(f"{self.path.name}.damaged-{n}") for n in range(1, 10_000))
        aside = next(path for path in taken if not path.exists())
        self.path.rename(aside)
        return f", the old one is kept as {aside.name}"

    def _write(self, registry: Registry) -> None:
        with telling(f"cannot write {self.path}"):
            make_folder(self.path.parent)
            write_whole(self.path, written(registry) + b"\n", lasting=True)

    @contextmanager
    def _alone(self, patience: float = PATIENCE) -> Iterator[None]:
        with telling(f"cannot lock {self.path}"):
            make_folder(self.path.parent)
            lock = FileLock(self.path.with_name(f"{self.path.name}.lock"), timeout=patience, mode=0o600)
            try:
                lock.acquire()
            except Timeout as error:
                raise Refused(f"another process has been writing {self.path} for {patience:g} s; end it") from error
        try:
            yield
        finally:
            lock.release()


def _is_ones_own(path: Path) -> bool:
    """Whether a file is there and belongs to this user, as far as the system knows users."""
    try:
        return not hasattr(os, "geteuid") or path.stat().st_uid == os.geteuid()
    except OSError:
        return False


def _is_empty(registry: Registry) -> bool:
    return not registry.sessions and not registry.preferences
