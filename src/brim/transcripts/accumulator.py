"""Collecting a transcript, message by message: indices, lines, responses and compactions side by side."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from brim.conversation.messages import Message, Text
from brim.errors import InvalidInput
from brim.tokens.usage import TokenUsage, is_measurement, normalize
from brim.transcripts.decoding import Json
from brim.transcripts.values import CompactionRecord, ResponseRecord


@dataclass(frozen=True, slots=True)
class Told:
    """What a file tells of a response beside its content."""

    usage: TokenUsage | None
    model: str | None = None
    finished: bool = True
    """Whether it gave a stop reason."""
    time: datetime | None = None


@dataclass(slots=True)
class Collected:
    """What a reader has put together so far."""

    messages: list[Message] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    responses: list[ResponseRecord] = field(default_factory=list)
    compactions: list[CompactionRecord] = field(default_factory=list)
    unsent: set[int] = field(default_factory=set)
    times: list[datetime | None] = field(default_factory=list)

    def append(self, line: int, message: Message, *, sent: bool = True, time: datetime | None = None) -> int:
        """Add a message; its index."""
        self.messages.append(message)
        self.lines.append(line)
        self.times.append(time)
        if not sent:
            self.unsent.add(len(self.messages) - 1)
        return len(self.messages) - 1

    def respond(self, line: int, message: Message, told: Told, *, sent: bool = True) -> int:
        """Add a message that is one response of the API; its index."""
        index = self.append(line, message, sent=sent, time=told.time)
        characters = sum(len(part.text) for part in message.parts if type(part) is Text)
        self.responses.append(
            ResponseRecord(
                index=len(self.responses),
                first=index,
                last=index,
                line=line,
                usage=told.usage,
                model=told.model,
                finished=told.finished,
                characters=characters,
                summary=message.marks.summary,
                time=told.time,
            )
        )
        return index

    @property
    def model(self) -> str | None:
        """The model that answered most often."""
        models = Counter(response.model for response in self.responses if response.model)
        return models.most_common(1)[0][0] if models else None


def measured(provider: str, raw: Json, model: str | None) -> TokenUsage | None:
    """The usage of a response, None where the file has none or it is no measurement (TOK_10)."""
    try:
        usage = normalize(provider, raw)
    except InvalidInput:
        return None
    return usage if is_measurement(usage, model) else None
