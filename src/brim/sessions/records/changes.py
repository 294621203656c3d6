"""Records of what changes the view: compactions, prunings, rewinds and undos.

Part of the records; specified by features/sessions/log.feature (SES_01) and summary_records.feature (SES_05).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from brim.conversation.messages import PLAIN, Marks, Message, read_message
from brim.sessions.records.record import Record
from brim.sessions.summary_records import SummaryRecord
from brim.summary.facts import Fact


class Copy(BaseModel):
    """A message that stands in a conversation after a compaction, as it reads there."""

    model_config = ConfigDict(frozen=True)

    of: str | None = Field(default=None, description="The record it stands for; None for one that brim wrote.")
    message: dict[str, Any] = Field(description="The dictionary.")
    marks: Marks = Field(default=PLAIN, description="Synthetic, pinned, and so on.")

    @cached_property
    def value(self) -> Message:
        """The message as a value. Raises InvalidInput."""
        return read_message(self.message, self.marks, source=f"a copy of message {self.of}")


class Source(BaseModel):
    """The compaction that a summary was handed on from, in the session that a fork came from (SES_10)."""

    model_config = ConfigDict(frozen=True, extra="allow")

    session: str = Field(description="The id of that session.")
    compaction: str = Field(description="The record there.")


class Cleared(BaseModel):
    """A tool output that reads a placeholder from here on."""

    model_config = ConfigDict(frozen=True)

    call: str = Field(description="The id of its call.")
    message: str | None = Field(default=None, description="The record that holds it; None for wherever it stands.")


class CompactingRecord(Record):
    """A compaction began. Where no finished one follows, nothing came of it."""

    kind: Literal["compacting"] = "compacting"
    automatic: bool = Field(default=False, description="Whether it was due, or was asked for by hand.")
    reason: str = Field(default="", description="Why, in words.")


class CompactionRecord(Record):
    """A compaction: the summary, and how the new conversation is made from it and from what was kept (SES_05)."""

    kind: Literal["compaction"] = "compaction"
    summary: SummaryRecord | None = Field(default=None, description="The summary; None where there is none.")
    error: str | None = Field(default=None, description="What went wrong; None where it is finished.")
    opening: tuple[Copy, ...] = Field(default=(), description="What stands ahead of the tail: pins, the summary.")
    tail: str | None = Field(default=None, description="The first record that is kept; None where none is.")
    closing: tuple[Copy, ...] = Field(default=(), description="What stands behind the tail: the continuation.")
    cleared: tuple[Cleared, ...] = Field(default=(), description="Outputs of the tail that read a placeholder.")
    facts: tuple[Fact, ...] = Field(default=(), description="What must survive, to be handed on (SUM_09).")
    replaces: tuple[str, str] | None = Field(default=None, description="First and last record it stands for.")
    earlier: str | None = Field(default=None, description="The compaction whose summary it replaced.")
    source: Source | None = Field(default=None, description="Where the summary was made; None where it was here.")

    @property
    def counts(self) -> bool:
        """Whether it is finished, with a summary that carries no error (SES_04)."""
        return self.error is None and self.summary is not None


class PruningRecord(Record):
    """Old tool outputs were cleared."""

    kind: Literal["pruning"] = "pruning"
    cleared: tuple[Cleared, ...] = Field(description="Which.")
    saved: int = Field(default=0, description="Tokens that they took.")


class RewindRecord(Record):
    """The conversation went back to a record, and goes on from it; what came after stays in the log (CHK_09)."""

    kind: Literal["rewind"] = "rewind"
    to: str = Field(description="The last record that still counts.")


class UndoRecord(Record):
    """A compaction, a pruning or an earlier undo counts no more (SES_11)."""

    kind: Literal["undo"] = "undo"
    of: str = Field(description="The record that counts no more.")
