"""Spending: what the requests of agents came to, and what they would have come to without brim, by list prices.

What was sent is what the provider reported. Without brim an agent sends its whole history with each request: what brim
has removed by then stands in it, and is read from the cache where the rest of it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

from brim.anthropic.prices import price_list
from brim.errors import Refused
from brim.replay.comparison import sums_of
from brim.replay.page import dollars
from brim.replay.simulation import ReplayTraffic
from brim.tokens.estimation import estimate_tokens
from brim.tokens.usage import TokenUsage

NOTHING: Final = ReplayTraffic.of(())
_prices: Final = lru_cache(64)(price_list)


class Last(NamedTuple):
    """What is known of the last request of a conversation."""

    whole: int
    """Tokens that it had, or would have had, without brim."""
    removed: int
    """Tokens of the history that were not sent, or would not have been."""
    caches: bool
    """Whether the provider keeps the conversation in a cache."""


@dataclass(frozen=True, slots=True)
class Spending:
    """What requests came to."""

    with_brim: ReplayTraffic = NOTHING
    """The agent's requests, and those for summaries."""
    without_brim: ReplayTraffic = NOTHING
    """The agent's requests."""
    too_long: int = 0
    """Of the latter, those that are longer than the model's window: the provider would have refused them."""

    def __add__(self, other: Spending) -> Spending:
        """Return the sums of both."""
        sums = (self.with_brim + other.with_brim, self.without_brim + other.without_brim)
        return Spending(*sums, self.too_long + other.too_long)

    def figures(self) -> dict[str, Any]:
        """Return them as JSON."""
        sums = {"with_brim": sums_of(self.with_brim), "without_brim": sums_of(self.without_brim)}
        return {**sums, "too_long_without_brim": self.too_long}


def outcome(figures: dict[str, Any]) -> str:
    """Return in a sentence what was done, or would have been, and saved."""
    ours, theirs, count = figures["with_brim"], figures["without_brim"], figures["compactions"]
    made = f"{count:,} {'compaction' if count == 1 else 'compactions'}{' would have been made' * figures['shadow']}"
    sent = f"{ours['sent']:,} tokens sent in place of {theirs['sent']:,}"
    cost = f"{dollars(ours['cost'])} in place of {dollars(theirs['cost'])} by list prices"
    many = f"{figures['too_long_without_brim']:,} of {theirs['requests']:,}"
    longer = f"; without brim {many} requests are longer than the window" if figures["too_long_without_brim"] else ""
    return f"{made}: {sent}, {cost}{longer}"


def priced(model: str, usages: Sequence[TokenUsage]) -> ReplayTraffic:
    """Return the sums of requests to a model; without costs where its prices are not known."""
    try:
        prices = _prices(model)
        return ReplayTraffic.of([(usage, prices(usage.input + usage.cache_read)) for usage in usages])
    except Refused:
        return ReplayTraffic.of([(usage, None) for usage in usages])


def spent(
    model: str, usage: TokenUsage, removed: int, last: Last | None, *, window: int, shadow: bool
) -> tuple[Spending, Last]:
    """Return what a request came to with and without brim, which has `removed` so many tokens; `shadow`: would have.

    `window` is the model's, in tokens.
    """
    last = last or Last(0, removed, caches=False)
    caches, cached = last.caches or usage.cache_read + usage.cache_write > 0, usage.cache_read
    moved = -removed if shadow else removed
    if removed != last.removed:  # with brim the conversation is new to the cache, without it goes on
        cached = last.whole if caches and not shadow else 0
    elif cached:
        cached += moved
    other = _with_more(usage, moved, cached)
    ours, theirs = (other, usage) if shadow else (usage, other)
    whole = theirs.input + theirs.cache_read
    without = priced(model, [theirs])
    spending = Spending(priced(model, [ours]) if ours != theirs else without, without, int(whole > window))
    return spending, Last(whole, removed, caches)


def summary_usage(tokens: int, summary: str, last: Last | None) -> TokenUsage:
    """Return the estimate of a call that summarizes so many tokens, read from the cache where the provider has one."""
    cached = tokens if last is not None and last.caches else 0
    return TokenUsage(input=tokens - cached, cache_read=cached, output=estimate_tokens(summary))


def _with_more(usage: TokenUsage, tokens: int, cached: int) -> TokenUsage:
    """Return the usage of a request with so many tokens more, which reads so many from the cache."""
    whole = max(usage.input + usage.cache_read + tokens, 0)
    cached = min(max(cached, 0), whole)
    new = whole - cached
    written = max(new - (usage.input - usage.cache_write), 0) if usage.cache_write else 0
    hour = written * usage.cache_write_1h // max(usage.cache_write, 1)
    counts = {"input": new, "cache_read": cached, "cache_write": written, "cache_write_1h": hour}
    return usage.model_copy(update=counts)
