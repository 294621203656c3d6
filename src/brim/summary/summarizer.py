"""Summarizers: whoever writes a summary, what it is asked and what it answers.

The values that stand between the rules of a summary and the model that writes it; no rule is its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from brim.errors import BrimError
from brim.tokens.usage import TokenUsage

Form: TypeAlias = Literal["warm", "rendered"]
"""The conversation's own prefix with one instruction behind it, or the history rendered into one message (SUM_16)."""
Failure: TypeAlias = Literal["transient", "permanent", "prompt_too_long"]
"""What waiting may cure, what it cannot cure, and what a smaller prompt may cure (SUM_05, SUM_10)."""
Heard: TypeAlias = Callable[[str], None]
"""Told each piece of a summary while it is being written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRequest:
    """One call of a summarizer, in the form of the Messages API."""

    model: str
    """The model that is asked; empty where the summarizer knows itself."""
    system: Any = None
    """The system prompt: the conversation's own in the warm form, the summarizer's in the rendered one (SUM_17)."""
    tools: Sequence[Any] = ()
    """The conversation's tool definitions, in the warm form alone."""
    messages: tuple[Any, ...]
    """Message dictionaries, the last of them the instruction."""
    max_tokens: int
    """The longest answer, in tokens."""
    form: Form
    """How the history is handed over."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """What else the conversation's requests carry, in the warm form: without it nothing is read from the cache."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """The betas of the conversation's requests, as the header they are sent in, in the warm form alone."""
    tokens: int
    """The estimate of all that is sent, in tokens."""
    replaces_tokens: int
    """The estimate of what the answer is to stand for, in tokens, by the same measure (SUM_08)."""
    final: bool = True
    """Whether the answer is the whole summary; the summary of a piece is only handed to the next one (SUM_10)."""

    @property
    def thinking_budget(self) -> int:
        """Tokens that the model may think before it answers; 0 where no number is set."""
        thinking = self.parameters.get("thinking")
        budget = thinking.get("budget_tokens") if isinstance(thinking, Mapping) else None
        return budget if isinstance(budget, int) else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryAnswer:
    """What a summarizer answered, or why it could not. It never raises what can be told here."""

    text: str = ""
    """All text of the answer, as it came."""
    stop_reason: str | None = None
    """Why the model stopped, in the provider's words."""
    model: str = ""
    """The model that answered; empty where that is not known."""
    usage: TokenUsage | None = None
    """What the call was billed, where that is known."""
    failure: Failure | None = None
    """The kind of failure; None where there is an answer to judge."""
    reason: str = ""
    """What failed, in words."""
    retry_after: int | None = None
    """Milliseconds that the provider asks to wait before the next attempt."""
    error: BrimError | None = None
    """What to raise where whoever called wants errors raised; a SummaryFailed of the reason otherwise."""


class Summarizer(Protocol):
    """Writes summaries, one call at a time."""

    def summarize(self, request: SummaryRequest, heard: Heard) -> SummaryAnswer:
        """Answer a request; `heard` is told the text piece by piece, or at once. What goes wrong is in the answer."""
        ...


class AsyncSummarizer(Protocol):
    """Writes summaries, one call at a time, in an event loop."""

    async def summarize(self, request: SummaryRequest, heard: Heard) -> SummaryAnswer:
        """As Summarizer does it."""
        ...
