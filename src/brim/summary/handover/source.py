"""The source of a summary: the conversation, what of it is to be summarised, and what the model that is asked can hold.

Part of the summariser's input; specified by features/summary/summariser_input.feature (SUM_10, SUM_16).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from brim.conversation.messages import Message
from brim.summary.prompts import summary_model
from brim.tokens.estimation import CHARACTERS_PER_TOKEN, NOTHING, Size, measure, tokens_of


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarySource:
    """What is to be summarised, and by whom. Positions are those in `messages`."""

    messages: tuple[Message, ...]
    """The whole conversation as it can be sent."""
    places: tuple[int, ...]
    """Positions of what is to be summarised, ascending."""
    system: Any = None
    """The conversation's system prompt, as it is sent."""
    tools: Sequence[Any] = ()
    """The conversation's tool definitions, as they are sent."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """What else the conversation's requests carry, such as `thinking`."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """The betas of the conversation's requests, as the header they are sent in."""
    hindrance: str = ""
    """Why the conversation's own prefix cannot be used, in words; empty where it can."""
    model: str = ""
    """The conversation's model."""
    summary_model: str = ""
    """The model that is asked; empty for the conversation's (SUM_11)."""
    prompt: str
    """What is asked for, as `prompt_for` gives it."""
    earlier: str = ""
    """The summary that stood for what came before (SUM_09)."""
    context_window: int = 0
    """Tokens that the model that is asked can hold, its answer included; 0 where that is not known."""
    max_tokens: int = 8_000
    """The longest summary, in tokens."""
    characters_per_token: int | Fraction = CHARACTERS_PER_TOKEN

    @property
    def writer(self) -> str:
        """The model that is asked."""
        return summary_model(self.model, self.summary_model)

    def tokens(self, size: Size) -> int:
        """The estimate of a size."""
        return tokens_of(size, self.characters_per_token)

    def characters(self, tokens: int) -> int:
        """How many characters are no more than so many tokens."""
        ratio = self.characters_per_token
        return tokens * ratio.numerator // ratio.denominator

    def size_of(self, places: Sequence[int]) -> Size:
        """The size of the messages at these positions."""
        return sum((measure(self.messages[place]) for place in places), NOTHING)

    def lack(self, tokens: int) -> str:
        """Why a request of so many tokens does not fit, in words; empty where it does."""
        if self.context_window == 0 or tokens + self.max_tokens <= self.context_window:
            return ""
        return f"{tokens:,} tokens and {self.max_tokens:,} for the answer do not fit into {self.context_window:,}"
