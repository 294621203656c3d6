"""Events: the steps of a compaction, each with its numbers.

Specified by features/compaction/events.feature (CMP_06).
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from brim.errors import shown
from brim.models import Tokens


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Started(_Event):
    """A compaction begins."""

    kind: Literal["started"] = "started"
    automatic: bool = Field(description="Whether it was due, or was asked for by hand.")
    reason: str = Field(description="What is done and why, in words.")
    tokens_before: Tokens = Field(description="The estimate of all that is sent now.")
    summarized: int = Field(ge=0, description="Messages that a summary will replace.")

    def __str__(self) -> str:
        how = "automatic" if self.automatic else "by hand"
        return f"started, {how}: {self.summarized:,} messages leave, of {self.tokens_before:,} tokens"


class SummaryAhead(_Event):
    """A summary is written in the background, before compaction is due (CMP_13)."""

    kind: Literal["summary_ahead"] = "summary_ahead"
    step: Literal["started", "used", "discarded"] = Field(description="What becomes of it.")
    reason: str = Field(description="Why, in words and numbers.")
    tokens: Tokens = Field(description="The estimate of what was sent for it so far; of a discarded one, paid in vain.")

    def __str__(self) -> str:
        return f"summary ahead: {self.step}, {self.reason}, {self.tokens:,} tokens asked"


class Pruned(_Event):
    """Old tool outputs are cleared."""

    kind: Literal["pruned"] = "pruned"
    outputs: int = Field(ge=0, description="Tool outputs that are cleared.")
    saved: Tokens = Field(description="Tokens that this saves, the placeholders subtracted.")
    reread: Tokens = Field(default=0, description="Cached tokens that the next request has to read again (PRN_09).")

    def __str__(self) -> str:
        again = f"; {self.reread:,} cached tokens are read again" if self.reread else ""
        outputs = f"{self.outputs:,} output{'' if self.outputs == 1 else 's'}"
        return f"pruned: {outputs}, {self.saved:,} tokens{again}"


class Summarizing(_Event):
    """A summarizer is asked."""

    kind: Literal["summarizing"] = "summarizing"
    attempt: int = Field(ge=1, description="The number of the attempt at this request, from 1.")
    waited: int = Field(ge=0, description="Milliseconds waited before it.")
    strategy: str = Field(description="What is sent: warm prefix, rendered, in pieces, last five turns.")
    model: str = Field(description="The model that is asked; empty where the summarizer knows itself.")
    tokens: Tokens = Field(description="The estimate of what is sent to it.")

    def __str__(self) -> str:
        return f"summarizing: attempt {self.attempt} after {self.waited:,} ms, {self.strategy}, {self.tokens:,} tokens"


class SummaryDelta(_Event):
    """A piece of the summary arrived. It counts for nothing until the whole is accepted."""

    kind: Literal["summary_delta"] = "summary_delta"
    text: str = Field(repr=False, description="The piece.")

    def __str__(self) -> str:
        return f"writing: {self.text.strip()}"


class AttemptRejected(_Event):
    """An attempt at a summary gave nothing that may stand for the history."""

    kind: Literal["attempt_rejected"] = "attempt_rejected"
    attempt: int = Field(ge=1, description="The number of the attempt.")
    outcome: str = Field(description="What it came to, such as empty or error_text.")
    reason: str = Field(description="Why, in words and numbers.")

    def __str__(self) -> str:
        return f"rejected: attempt {self.attempt}, {self.outcome.replace('_', ' ')}: {self.reason}"


class Compacted(_Event):
    """The new conversation is there."""

    kind: Literal["compacted"] = "compacted"
    tokens_before: Tokens = Field(description="The estimate of all that was sent before.")
    tokens_after: Tokens = Field(description="The estimate of all that is sent now, by the same measure.")
    saved: int = Field(description="Tokens that are no longer sent.")
    share: float = Field(ge=0, le=1, description="The share that is no longer sent.")
    summary_source: str = Field(
        description="Who wrote the summary: model, template, truncate or fallback; empty without one."
    )
    summary: str = Field(repr=False, description="The summary that replaces the history, for the user to read.")
    compaction: Any = Field(
        default=None, exclude=True, repr=False, description="The compaction, for listeners; no part of a dump."
    )

    def __str__(self) -> str:
        by = f", by {self.summary_source}" if self.summary_source else ""
        return f"compacted: {self.tokens_after:,} tokens of {self.tokens_before:,}, {self.share:.1%} saved{by}"


class Failed(_Event):
    """No attempt gave a summary, or the compaction was cancelled."""

    kind: Literal["failed"] = "failed"
    reason: str = Field(description="What went wrong.")
    attempts: int = Field(ge=0, description="How many attempts were made.")
    then: str = Field(description="What is done about it: template, truncate, fallback, or nothing.")

    def __str__(self) -> str:
        return f"failed: {self.reason}; then {self.then}"


class ThinkingLeftOut(_Event):
    """The provider refused thinking that is bound to other messages than are sent, so it is left out (CNV_06)."""

    kind: Literal["thinking_left_out"] = "thinking_left_out"
    messages: int = Field(ge=1, description="Messages whose thinking is no longer sent.")

    def __str__(self) -> str:
        answers = f"{self.messages:,} answer{'' if self.messages == 1 else 's'}"
        return f"thinking left out: of {answers}, bound to messages that are not sent"


class RecallAnswered(_Event):
    """The model searched what was compacted away (REC_01)."""

    kind: Literal["recall_answered"] = "recall_answered"
    query: str = Field(description="What was looked for, as the model wrote it.")
    hits: int = Field(ge=0, description="Passages that the model receives.")
    tokens: Tokens = Field(description="The estimate of the whole result.")
    failed: bool = Field(default=False, description="Whether the call could not be answered; the result says why.")

    def __str__(self) -> str:
        found = f"{self.hits:,} passage{'' if self.hits == 1 else 's'}, {self.tokens:,} tokens"
        how = "recall failed" if self.failed else "recalled"
        return f"{how}: {shown(self.query)}: {found}"


class MemoryUpdated(_Event):
    """Lines were added to a memory file (MEM_05); the listener that migrates emits it, and no compactor does."""

    kind: Literal["memory_updated"] = "memory_updated"
    path: str = Field(description="The file.")
    lines: int = Field(ge=0, description="Lines that were added.")

    def __str__(self) -> str:
        return f"memory updated: {self.lines:,} line{'' if self.lines == 1 else 's'} in {self.path}"


CompactionEvent: TypeAlias = (
    Started
    | SummaryAhead
    | Pruned
    | Summarizing
    | SummaryDelta
    | AttemptRejected
    | Compacted
    | Failed
    | ThinkingLeftOut
    | RecallAnswered
    | MemoryUpdated
)
"""Every event; `str` of one is a line for a terminal or a log."""
