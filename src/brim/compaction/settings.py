"""Settings of a compaction that asks a model: who writes the summary, how, and what is done where nobody can."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from brim.models import Tokens

OnFailure: TypeAlias = Literal["template", "truncate", "fallback", "raise"]
"""What is done where no attempt gave a summary (SUM_06)."""
LONGEST_SUMMARY: Final = 8_000
"""Tokens that a model may write for a summary; fewer where its longest answer or a fifth of its window is less."""


class SummarySettings(BaseModel):
    """Who writes the summary, what it is asked, and what is done where no attempt succeeds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = Field(default="", description="The conversation's model.")
    summary_model: str = Field(default="", description="The model for summaries; empty for the same (SUM_11).")
    prompt: str = Field(default="structured", description="The name of a prompt, or a text of one's own (SUM_02).")
    focus: str | None = Field(default=None, description="What the summary is to dwell on (CMP_07).")
    on_failure: OnFailure = Field(default="template", description="What is done where no attempt succeeds (SUM_06).")
    pinned_facts: tuple[str, ...] = Field(default=(), description="Texts that a summary has to hold (SUM_08).")
    max_tokens: Tokens = Field(default=LONGEST_SUMMARY, gt=0, description="The longest summary, in tokens.")
    context_window: Tokens = Field(default=0, description="What the summary model can hold; 0 for the conversation's.")
