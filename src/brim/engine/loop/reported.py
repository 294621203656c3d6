"""Reported: what a response told of itself before its message came back in the caller's list (TOK_10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from brim.conversation.messages import Message
from brim.tokens.estimation import NOTHING, measure, tokens_of
from brim.tokens.usage import TokenUsage, completed


@dataclass(frozen=True, slots=True)
class Reported:
    """The usage of a response whose message the caller has not appended yet."""

    usage: TokenUsage
    model: str = ""
    finished: bool = True
    """Whether the response gave a stop reason; a stream that was closed early did not (TOK_10)."""

    def measured(self, answer: Sequence[Message], characters_per_token: int | Fraction) -> TokenUsage:
        """What it measures of the window; an answer that the caller did not append is not part of it."""
        if not answer:
            return self.usage.model_copy(update={"output": 0, "reasoning": 0})
        if self.finished:
            return self.usage
        size = sum(map(measure, answer), NOTHING)
        return completed(self.usage, tokens_of(size, characters_per_token), finished=False)
