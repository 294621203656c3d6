"""Traffic: the tokens that a compaction moves, of those that are cached and those that are not.

Specified by features/compaction/cost.feature (CMP_09).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from brim.compaction.plan import Plan
from brim.compaction.result import Compaction, apply_plan
from brim.errors import InvalidInput
from brim.summary.summarizer import Form, SummaryRequest
from brim.tokens.estimation import measure, tokens_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """The tokens that a compaction moves. Raises InvalidInput for less than none, or for more cached than held."""

    before: int
    """Held now, system prompt and tools included: what every call reads that goes on uncompacted."""
    after: int
    """Held once it is compacted."""
    unchanged: int = 0
    """Of those, from the beginning on, the tokens that stay as they are and need not be written to the cache again."""
    form: Form | None = None
    """Warm: the summary call reads what is held now, from the cache; rendered: a text of its own; None: no call."""
    instruction: int = 0
    """What a warm call reads besides, and all that a rendered one reads."""
    summary: int = 0
    """What it writes."""
    cached: int | None = None
    """The tokens, from the beginning on, that the provider still holds in its cache; None for all that is held."""

    def __post_init__(self) -> None:
        for field in fields(self):
            count = getattr(self, field.name)
            if type(count) is int and count < 0:
                raise InvalidInput(f"{field.name} is {count}; it is a number of tokens, 0 or more")
        if self.unchanged > min(self.before, self.after):
            raise InvalidInput(f"{self.unchanged} tokens cannot stay of {self.before} that become {self.after}")
        if self.cached is not None and self.cached > self.before:
            raise InvalidInput(f"{self.cached} tokens cannot be cached of {self.before} that are held")

    @property
    def held(self) -> int:
        """Tokens that are read from the cache; the rest of what is held has to be written to it."""
        return self.before if self.cached is None else self.cached

    @property
    def standing(self) -> int:
        """Tokens that the first call after it reads from the cache: a warm summary call has just written them."""
        return self.unchanged if self.form == "warm" else min(self.unchanged, self.held)


def traffic_of(
    plan: Plan, request: SummaryRequest | None, summary_tokens: int | None = None, cached: int | None = None
) -> Traffic:
    """The tokens that a plan moves, by estimate. Raises InvalidInput for counts below 0, or more cached than held."""
    summary = _summary_tokens(request, summary_tokens)
    done = apply_plan(plan, "x" * max(int(summary * plan.characters_per_token), 1))
    warm = request is not None and request.form == "warm"
    return Traffic(
        before=plan.tokens_before,
        after=done.tokens_after,
        unchanged=min(_unchanged(done), plan.tokens_before, done.tokens_after),
        form=request.form if request else None,
        instruction=max(request.tokens - (plan.tokens_before if warm else 0), 0) if request else 0,
        summary=summary,
        cached=None if cached is None else min(cached, plan.tokens_before),
    )


def _summary_tokens(request: SummaryRequest | None, told: int | None) -> int:
    """How long the summary will be: as told, and never longer than the call allows."""
    if request is None:
        return told or 0
    return min(request.replaces_tokens if told is None else told, request.max_tokens)


def _unchanged(done: Compaction) -> int:
    """Tokens of the system prompt, the tools and the messages that open the conversation before and after."""
    size = done.plan.extras
    for before, after in zip(done.plan.messages, done.conversation, strict=False):
        if before is not after:
            break
        size = size + measure(after)
    return tokens_of(size, done.plan.characters_per_token)
