"""What a registry knows of a session, gathered from the session's own log.

Part of the registry; specified by features/sessions/registry.feature (SES_02).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from brim.sessions.records.journal import read_records
from brim.sessions.records.kinds import ModelRecord, Record, RenameRecord, SessionRecord
from brim.sessions.records.lines import Damaged
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
