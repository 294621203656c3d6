"""The registry: which sessions there are, and the preferences of the user.

Specified by features/sessions/registry.feature (SES_02). It is an index of the logs: what it says of a log is taken as
far as the log has the size it was gathered from, and the rest is read from the log. Lost or damaged, it is rebuilt.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, Field

from brim.errors import InvalidInput, Refused, StoreFailed
from brim.sessions.files import make_folder, translate_os_errors, write_whole
from brim.sessions.lines import Damaged, first_record, read_records
from brim.sessions.log import FileLog
from brim.sessions.records import (
    VERSION,
    CarriedRecord,
    ModelRecord,
    PreferenceRecord,
    Record,
    RenameRecord,
    SessionRecord,
    first_fault,
    known_version,
)
from brim.sessions.resume import Line


class SessionInfo(BaseModel):
    """A session as it is listed. Times are milliseconds since 1970."""

    model_config = ConfigDict(frozen=True, extra="allow")

    id: str = Field(description="The id of the session.")
    title: str = Field(default="", description="What the user calls it.")
    project: str = Field(default="", description="The directory of the project.")
    model: str = Field(default="", description="The model it goes on with.")
    parent: str | None = Field(default=None, description="The id of the session it came from.")
    created: int = Field(description="When it was made.")
    last_active: int = Field(description="When its newest record was made.")
    transcript: str = Field(default="", description="Where its log lies.")
    size: int = Field(default=0, ge=0, description="Bytes of the log that this was gathered from.")


def begun(record: SessionRecord, transcript: str = "", size: int = 0) -> SessionInfo:
    """What the first record of a log tells."""
    return SessionInfo(
        id=record.session,
        title=record.title,
        project=record.project,
        model=record.model,
        parent=record.parent,
        created=record.time,
        last_active=record.time,
        transcript=transcript,
        size=size,
    )


def with_record(info: SessionInfo, record: Record) -> SessionInfo:
    """What is known after the next record."""
    if record.time <= info.last_active and not isinstance(record, RenameRecord | ModelRecord):
        return info
    update: dict[str, object] = {"last_active": max(info.last_active, record.time)}
    if isinstance(record, RenameRecord):
        update["title"] = record.title
    elif isinstance(record, ModelRecord):
        update["model"] = record.model
    return info.model_copy(update=update)


def with_lines(info: SessionInfo, lines: Iterable[Line], end: int | None = None) -> SessionInfo:
    """What is known after more lines of the log. Raises Refused where the last is of a newer version.

    A line as brim writes it tells at its head what kind it is of and when it was made. Only where that says more than
    the time is it decoded, and where it is the last; so is every line of another form. Where some lines of the log are
    left out, `end` is the place of its last one.
    """
    newest, last = info.last_active, None
    for line in lines:
        head = OWN.match(line.data)
        last = line if head is not None and end in {None, line.place} else None
        if head is None or head["kind"] in TELLING:
            info = _after(info, line)
        else:
            newest = max(newest, int(head["time"]))
    info = info if last is None else _after(info, last)
    return info.model_copy(update={"last_active": newest}) if newest > info.last_active else info


def _after(info: SessionInfo, line: Line) -> SessionInfo:
    damaged: list[Damaged] = []
    for record in read_records([line], damaged):
        info = with_record(info, record)
    return info


OWN: Final = re.compile(rb'\{"v":\d+,"kind":"(?P<kind>[a-z]+)","id":"[^"\\]*","time":(?P<time>\d{1,18})[,}]')
"""The head of a line as every version of brim writes it."""
TELLING: Final = (b"rename", b"model")
"""Kinds that say more of a session than when it was active."""


def gathered(path: Path, known: SessionInfo | None, report: Callable[[str], None]) -> SessionInfo:
    """What is known of a log: as the registry says, and what was added to it since; the very same where nothing was.

    Raises InvalidInput where it is no log of a session, StoreFailed, and Refused where it is of a newer version.
    """
    with translate_os_errors(f"cannot read {path}"):
        size = path.stat().st_size
    known = known if known is not None and _is_of(known, str(path), size) else None
    if known is not None and known.size == size:
        return known
    log = FileLog(path)
    try:
        end = log.size  # what is added while it is read is read once more, the next time
        known = known or _begun(log, report)
        return with_lines(known, log.forth(known.size)).model_copy(update={"size": end})
    finally:
        log.close()


def bytes_read(one: SessionInfo, known: SessionInfo | None) -> int:
    """How many bytes of a log were read beyond what the registry knew."""
    return one.size - known.size if known is not None and _is_of(known, one.transcript, one.size) else one.size


def _is_of(known: SessionInfo, transcript: str, size: int) -> bool:
    """Whether what is known was gathered from this very log, which only grows, by whatever path it was told."""
    return known.size <= size and Path(known.transcript).absolute() == Path(transcript).absolute()


def _begun(log: FileLog, report: Callable[[str], None]) -> SessionInfo:
    """What the first record tells; where that is damaged, the name of the log and the first line that can be read."""
    try:
        return begun(first_record(log, log.path.name), str(log.path))
    except InvalidInput:
        told = (one for one in read_records(log.forth(), []) if not isinstance(one, CarriedRecord | PreferenceRecord))
        first = next(told, None)
        if first is None:
            raise
    report(f"session {log.path.stem} is listed without what its first line told: that is damaged or lost")
    return SessionInfo(id=log.path.stem, created=first.time, last_active=first.time, transcript=str(log.path))


class Registry(BaseModel):
    """The sessions by id, and the preferences by name, such as default_model and permission_mode."""

    model_config = ConfigDict(frozen=True, extra="allow")

    v: int = Field(default=VERSION, description="The version of its form.")
    sessions: dict[str, SessionInfo] = Field(default={}, description="The sessions by id.")
    preferences: dict[str, str] = Field(default={}, description="The preferences by name.")


def written(registry: Registry) -> bytes:
    """Its JSON; escaped where it holds a lone surrogate, as the name of a folder that is no UTF-8 does."""
    try:
        return registry.model_dump_json(indent=1).encode()
    except ValueError:
        return json.dumps(registry.model_dump()).encode()


def parsed(data: bytes) -> Registry:
    """What a registry says. Raises InvalidInput where it is damaged, and Refused where it is of a newer version."""
    try:
        told = json.loads(data)
        if not isinstance(told, dict):
            raise InvalidInput("it is no object")
        known_version(told.get("v", VERSION), "registry")
        return Registry.model_validate(told)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(first_fault(error)) from error


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
        with translate_os_errors(f"cannot read {self.path}"):
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
        with translate_os_errors(f"cannot write {self.path}"):
            make_folder(self.path.parent)
            write_whole(self.path, written(registry) + b"\n", lasting=True)

    @contextmanager
    def _alone(self, patience: float = PATIENCE) -> Iterator[None]:
        with translate_os_errors(f"cannot lock {self.path}"):
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
