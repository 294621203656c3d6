"""Records: the lines of a session's log, one value a line, none of them ever rewritten.

Specified by features/sessions/log.feature (SES_01). Each has an id that ascends with time and the time it was made, in
milliseconds since 1970. Kinds that are not known here are carried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

from pydantic import Field

from brim.conversation.messages import PLAIN, Marks, Message, read_message
from brim.sessions.records.changes import (
    Cleared,
    CompactingRecord,
    CompactionRecord,
    Copy,
    PruningRecord,
    RewindRecord,
    Source,
    UndoRecord,
)
from brim.sessions.records.record import Record
from brim.tokens.usage import TokenUsage

__all__ = [
    "KINDS",
    "AnyRecord",
    "CarriedRecord",
    "Cleared",
    "CompactingRecord",
    "CompactionRecord",
    "Copy",
    "Following",
    "MessageRecord",
    "ModelRecord",
    "PreferenceRecord",
    "PruningRecord",
    "Record",
    "RenameRecord",
    "RewindRecord",
    "SessionRecord",
    "Source",
    "UndoRecord",
    "UsageRecord",
    "nothing",
]


class SessionRecord(Record):
    """The first record of a log: what the session is."""

    kind: Literal["session"] = "session"
    session: str = Field(description="The id of the session.")
    project: str = Field(default="", description="The directory of the project.")
    title: str = Field(default="", description="What the user calls it.")
    model: str = Field(default="", description="The model it begins with.")
    parent: str | None = Field(default=None, description="The id of the session it came from.")


class MessageRecord(Record):
    """A message as it came, and what a harness knows of it."""

    kind: Literal["message"] = "message"
    message: dict[str, Any] = Field(description="The very dictionary.")
    marks: Marks = Field(default=PLAIN, description="Synthetic, pinned, and so on.")

    @cached_property
    def value(self) -> Message:
        """The message as a value. Raises InvalidInput."""
        return read_message(self.message, self.marks, source=f"message {self.id}")


class UsageRecord(Record):
    """What the API counted for the response recorded before it."""

    kind: Literal["usage"] = "usage"
    usage: TokenUsage = Field(description="The counts.")
    model: str = Field(default="", description="The model that answered.")


class RenameRecord(Record):
    """The session is called something else."""

    kind: Literal["rename"] = "rename"
    title: str = Field(description="The new title.")


class ModelRecord(Record):
    """The session goes on with another model."""

    kind: Literal["model"] = "model"
    model: str = Field(description="The model.")


class PreferenceRecord(Record):
    """A preference of the user was set; of the store, not of one session."""

    kind: Literal["preference"] = "preference"
    name: str = Field(description="Which.")
    value: str = Field(description="What it is from here on.")


class CarriedRecord(Record):
    """A record of a kind that is not known here: carried, and it changes nothing."""

    kind: str


AnyRecord: TypeAlias = (
    SessionRecord
    | MessageRecord
    | UsageRecord
    | CompactingRecord
    | CompactionRecord
    | PruningRecord
    | RewindRecord
    | UndoRecord
    | RenameRecord
    | ModelRecord
    | PreferenceRecord
    | CarriedRecord
)
KINDS: Final[dict[str, type[Record]]] = {
    "session": SessionRecord,
    "message": MessageRecord,
    "usage": UsageRecord,
    "compacting": CompactingRecord,
    "compaction": CompactionRecord,
    "pruning": PruningRecord,
    "rewind": RewindRecord,
    "undo": UndoRecord,
    "rename": RenameRecord,
    "model": ModelRecord,
    "preference": PreferenceRecord,
}
"""Which model reads which kind."""
Following: TypeAlias = Callable[[SessionRecord], Sequence[Record]]
"""Tells the records that a new session begins with, when it is told the first one."""


def nothing(_first: SessionRecord) -> Sequence[Record]:
    """No further record."""
    return ()
