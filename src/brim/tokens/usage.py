"""Usage: what a response cost and what the window held when it was done, in one form for every provider.

Specified by features/tokens/usage.feature (TOK_01, TOK_02, TOK_03, TOK_05, TOK_10).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from brim.tokens.providers import normalise_counts

__all__ = ["SYNTHETIC_MODEL", "TokenUsage", "billed", "completed", "is_measurement", "normalise"]

Tokens = Annotated[int, Field(ge=0)]

SYNTHETIC_MODEL: Final = "<synthetic>"
"""The model that Claude Code names for notices of its own, which no model wrote."""


class TokenUsage(BaseModel):
    """The tokens of one response. Only input, cache read and output fill the window (TOK_01)."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    input: Tokens = Field(description="Read, and not from the cache; what was written to the cache is part of it.")
    cache_read: Tokens = Field(default=0, description="Read from the cache.")
    output: Tokens = Field(default=0, description="Written by the model, its reasoning included.")
    cache_write: Tokens = Field(default=0, description="The share of the input that was written to the cache.")
    reasoning: Tokens = Field(default=0, description="The share of the output that is reasoning.")

    @property
    def total(self) -> int:
        """Tokens held by the window when the response was done (TOK_01)."""
        return self.input + self.cache_read + self.output


def normalise(provider: str, raw_usage: object) -> TokenUsage:
    """Read a provider's own usage, a mapping with its names (TOK_02).

    The providers: anthropic, opencode, openai, codex, gemini, cline, pi.
    Raises InvalidInput for another provider, or for a count that is no whole number from 0.
    """
    return TokenUsage(**normalise_counts(provider, raw_usage))


def is_measurement(usage: TokenUsage, model: str | None = None) -> bool:
    """Whether a usage measures anything: it is not all zero, and a real model reported it (TOK_10)."""
    return model != SYNTHETIC_MODEL and (usage.total > 0 or usage.cache_write > 0 or usage.reasoning > 0)


def completed(usage: TokenUsage, text_tokens: int, *, finished: bool) -> TokenUsage:
    """The usage with an unfinished output count replaced by `text_tokens`, the estimate of the text (TOK_10).

    `finished` says that the response gave a stop reason: then its count stands, whatever its text would be.
    """
    if finished or usage.output >= text_tokens:
        return usage
    return usage.model_copy(update={"output": text_tokens})


def billed(usages: Iterable[TokenUsage]) -> TokenUsage:
    """The usages added up, share by share: what was paid for, never what the window holds (TOK_05)."""
    sums = dict.fromkeys(TokenUsage.model_fields, 0)
    for usage in usages:
        for name in sums:
            sums[name] += getattr(usage, name)
    return TokenUsage(**sums)
