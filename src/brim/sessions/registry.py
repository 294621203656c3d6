"""The registry: which sessions there are, and what is known of each.

Specified by features/sessions/registry.feature (SES_02). Its rows are derived data in the store's index.sqlite, each
taken from a log as far as that was read. What a log holds beyond its row is read from the log.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from brim.errors import InvalidInput, Refused
from brim.sessions.files import regular_size, translate_os_errors
from brim.sessions.lines import Journal, first_record, read_records
from brim.sessions.log import FileLog
from brim.sessions.records import MAX_TIME_MS, CarriedRecord, ModelRecord, Record, RenameRecord, SessionRecord
from brim.sessions.resume import RecordLine


class SessionInfo(BaseModel):
    """A session as it is listed (SES_02). Times are milliseconds since 1970."""

    model_config = ConfigDict(frozen=True, extra="allow")

    id: str = Field(description="The id of the session.")
    title: str = Field(default="", description="What the user calls it.")
    project: str = Field(default="", description="The directory of the project.")
    model: str = Field(default="", description="The model it goes on with.")
    window: int | None = Field(default=None, description="Tokens of its window, where that is not its model's.")
    parent: str | None = Field(default=None, description="The id of the session it came from.")
    created: int = Field(ge=0, le=MAX_TIME_MS, description="When it was made.")
    last_active: int = Field(ge=0, le=MAX_TIME_MS, description="When its newest record was made.")
    transcript: str = Field(default="", description="Where its log lies.")
    size: int = Field(default=0, ge=0, description="Bytes of the log that this was gathered from.")


def info_from_header(record: SessionRecord, transcript: str = "", size: int = 0) -> SessionInfo:
    """Return what the first record of a log says."""
    return SessionInfo(
        id=record.session,
        title=record.title,
        project=record.project,
        model=record.model,
        window=record.window,
        parent=record.parent,
        created=record.time,
        last_active=record.time,
        transcript=transcript,
        size=size,
    )


def with_record(info: SessionInfo, record: Record) -> SessionInfo:
    """Return what is known after the next record."""
    if record.time <= info.last_active and not isinstance(record, RenameRecord | ModelRecord):
        return info
    update: dict[str, object] = {"last_active": max(info.last_active, record.time)}
    if isinstance(record, RenameRecord):
        update["title"] = record.title
    elif isinstance(record, ModelRecord):
        update |= {"model": record.model, "window": None}
    return info.model_copy(update=update)


def with_lines(info: SessionInfo, lines: Iterable[RecordLine]) -> SessionInfo:
    """Return what is known after more lines of the log, as far as they are of this version."""
    with suppress(Refused):
        for record in read_records(lines, []):
            info = with_record(info, record)
    return info


def of_project(infos: Iterable[SessionInfo], project: str | None) -> list[SessionInfo]:
    """The sessions of a project, by its name as they have it or by a path from the current folder; all for None."""
    names = {project, os.path.abspath(project)} if project is not None else set[str]()  # noqa: PTH100  it need not be there
    return [one for one in infos if project is None or one.project in names]


def parse_info(name: str, about: object) -> SessionInfo | None:
    """Return what a row says of a session; None where brim did not write it, so that the log is read instead."""
    try:
        info = SessionInfo.model_validate(json.loads(about if isinstance(about, str) else ""))
    except (ValueError, RecursionError):
        return None
    return info if info.id == name else None


def info_from_log(path: Path, known: SessionInfo | None, warn: Callable[[str], None]) -> SessionInfo:
    """Return what is known of a log: what was known of this very file before, and what was added to it since.

    Raises InvalidInput where it is no log of a session, StoreFailed, and Refused where its head is of a newer version.
    """
    with translate_os_errors(f"cannot read {path}"):
        size = regular_size(path)
    if known is not None and known.transcript != str(path):
        known = None
    if known is not None and known.size == size:
        return known
    with closing(FileLog(path)) as log:
        end = log.size  # what is added while it is read is read the next time
        if known is None or known.size > end:
            info = info_from_lines(log, path.stem, str(path), warn)
        else:
            info = with_lines(known, log.lines(known.size))
    return info.model_copy(update={"size": end})


def info_from_lines(journal: Journal, name: str, transcript: str, warn: Callable[[str], None]) -> SessionInfo:
    """Return what the lines of a session say of it; without its first record, its name and when the others were made.

    Raises InvalidInput where no line can be read, and Refused where the first is of a newer version.
    """
    try:
        header = first_record(journal, name)
        if header.session != name:
            warn(f"{transcript} says that it is session {header.session!r}; it is listed as {name}, as it is stored")
        known = info_from_header(header, transcript).model_copy(update={"id": name})
    except InvalidInput:
        first = next((one for one in read_records(journal.lines(), []) if not isinstance(one, CarriedRecord)), None)
        if first is None:
            raise
        warn(f"session {name} is listed without what its first line said: that is damaged or lost")
        known = SessionInfo(id=name, created=first.time, last_active=first.time, transcript=transcript)
    return with_lines(known, journal.lines())
