"""What the records of a Claude Code session come to: responses with their results, other messages, boundaries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from brim.conversation.messages import Marks, Part, Raw
from brim.transcripts.decoding import Json

Record: TypeAlias = Mapping[str, Json]


@dataclass(slots=True)
class Results:
    """The results of one response: however many records brought them, they are one user message."""

    line: int
    raw: Raw
    """The message of the first record, for as long as there is no other."""
    results: list[Part] = field(default_factory=list)
    others: list[Part] = field(default_factory=list)
    """What stood in the same records and is no result."""
    records: int = 0
    time: datetime | None = None


@dataclass(slots=True)
class Answer:
    """One response of the API: however many records it was written in, it is one message."""

    line: int
    id: str | None
    parts: list[Part] = field(default_factory=list)
    usage: Json = None
    model: str | None = None
    stop_reason: str | None = None
    results: Results | None = None
    time: datetime | None = None


@dataclass(slots=True)
class Entry:
    """Json other message: the user's, or what the harness put in."""

    line: int
    role: str
    parts: tuple[Part, ...]
    raw: Raw
    marks: Marks
    sent: bool = True
    time: datetime | None = None


@dataclass(slots=True)
class Boundary:
    """A compaction or a micro-compaction."""

    line: int
    record: Record

    @property
    def micro(self) -> bool:
        """Whether it only cleared tool results."""
        return self.record.get("subtype") == "microcompact_boundary"

    @property
    def metadata(self) -> Record:
        """What the record says of the compaction."""
        given = self.record.get("microcompactMetadata" if self.micro else "compactMetadata")
        return given if isinstance(given, Mapping) else {}


Node: TypeAlias = Answer | Entry | Boundary
