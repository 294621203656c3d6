"""The registry: which sessions there are, and the preferences of the user.

Specified by features/sessions/registry.feature (SES_02). It is an index of the logs: what it says of a log is taken as
far as the log has the size it was gathered from, and the rest is read from the log. Lost or damaged, it is rebuilt.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from brim.errors import InvalidInput, Refused, StoreFailed
from brim.sessions.disk.failures import telling
from brim.sessions.disk.files import make_folder, write_whole
from brim.sessions.records.infos import SessionInfo
from brim.sessions.summary_records import VERSION, known_version

PATIENCE: Final = 10.0
"""Seconds that are waited for another process that writes the registry."""


class Registry(BaseModel):
    """The sessions by id, and the preferences by name, such as default_model and permission_mode."""

    model_config = ConfigDict(frozen=True, extra="allow")

    v: int = Field(default=VERSION, description="The version of its form.")
    sessions: dict[str, SessionInfo] = Field(default={}, description="The sessions by id.")
    preferences: dict[str, str] = Field(default={}, description="The preferences by name.")


class RegistryFile:
    """The registry of a store in its file."""

    def __init__(self, path: Path, rebuild: Callable[[], Registry]) -> None:
        """`rebuild` makes it anew from the logs."""
        self.path, self._rebuild = path, rebuild
        self.reports: list[str] = []

    def read(self) -> Registry:
        """What it says; rebuilt where it is lost or damaged, and a damaged one is set aside. Raises Refused."""
        with suppress(ValueError, InvalidInput):
            told = self._told()
            if told is not None:
                return told
        if not self.path.exists() and _is_empty(found := self._rebuild()):
            return found
        with suppress(StoreFailed), self._alone():
            return self._read_alone()
        return self._report("cannot be made anew", self._rebuild())

    def begin(self) -> None:
        """Write an empty one where there is none and nothing to rebuild it from: what is not there later was lost."""
        if not self.path.exists():
            self.change(lambda registry: registry)

    def change(self, change: Callable[[Registry], Registry]) -> None:
        """Read it, change it and write it, while no other process does. Raises StoreFailed."""
        with self._alone():
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
        return self._parse(data)

    def _read_alone(self) -> Registry:
        """The same as `read`, for whoever holds the lock: another process may have made it anew meanwhile."""
        try:
            told = self._told()
        except (ValueError, InvalidInput) as error:
            return self._restore(f"could not be read ({_first_line(error)})")
        return told if told is not None else self._restore("was lost")

    @staticmethod
    def _parse(data: bytes) -> Registry:
        told = json.loads(data)
        if not isinstance(told, dict):
            raise InvalidInput("it is no object")
        known_version(told.get("v", VERSION), "registry")
        return Registry.model_validate(told)

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
            write_whole(self.path, registry.model_dump_json(indent=1).encode() + b"\n", lasting=True)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with telling(f"cannot lock {self.path}"):
            make_folder(self.path.parent)
            lock = FileLock(self.path.with_name(f"{self.path.name}.lock"), timeout=PATIENCE, mode=0o600)
            try:
                lock.acquire()
            except Timeout as error:
                raise Refused(f"another process has been writing {self.path} for {PATIENCE:g} s; end it") from error
        try:
            yield
        finally:
            lock.release()


def _is_empty(registry: Registry) -> bool:
    return not registry.sessions and not registry.preferences


def _first_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return str(error).partition("\n")[0]
