"""The cost of a compaction before it is spent: the summary, the cache write behind it, and when it has paid for itself.

Specified by features/compaction/cost.feature (CMP_09).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import ceil
from typing import Final

from brim.compaction.plan import Plan
from brim.compaction.result import Compaction, apply_plan
from brim.errors import InvalidInput, Refused
from brim.summary.summarizer_input import Form, SummaryRequest
from brim.tokens.estimation import EMPTY_SIZE, Size, measure
from brim.tokens.usage import TokenUsage

EXACT: Final = Context(prec=100)
"""More digits than a price times a number of tokens has: nothing is rounded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What a model costs, in USD per million tokens. Raises InvalidInput for a float, and for less than nothing."""

    input: Decimal
    """Read, and not from the cache."""
    output: Decimal
    """Written by the model."""
    cache_read: Decimal
    """Read from the cache."""
    cache_write: Decimal
    """Read, and written to the cache."""
    cache_write_1h: Decimal | None = None
    """Read, and written to the cache for an hour; None for twice the input, the provider's list price:
    https://platform.claude.com/docs/en/build-with-claude/prompt-caching#pricing"""

    def __post_init__(self) -> None:
        for field in fields(self):
            price = getattr(self, field.name)
            if price is None and field.default is None:
                continue
            if not isinstance(price, Decimal):
                raise InvalidInput(f"the price {field.name} is {price!r}; write it exactly: Decimal({str(price)!r})")
            if not price.is_finite() or price < 0:
                raise InvalidInput(f"the price {field.name} is {price} USD; a price is 0 or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a compaction costs, in USD, and what it saves. What is said from now on costs the same either way."""

    summary: Decimal
    """The call that writes the summary."""
    cache_write: Decimal
    """Writing what is new of the conversation to the cache, once, in the first call that follows."""
    call_before: Decimal
    """Every further call, uncompacted: what is held now is read from the cache."""
    call_after: Decimal
    """Every further call, compacted: what is held then is read from the cache."""
    pays_after: int | None
    """Calls after which it has cost no more than going on would have; None where it never does."""


def price_traffic(traffic: Traffic, prices: Prices, summary_prices: Prices | None = None) -> Cost:
    """Return the cost of moving these tokens (CMP_09); `summary_prices` where another model writes the summary."""
    with localcontext(EXACT):
        summary = _summary_call_cost(traffic, summary_prices or prices)
        before, after = (_usd(tokens, prices.cache_read) for tokens in (traffic.before, traffic.after))
        new = traffic.after - traffic.cached_after
        surcharge = prices.cache_write - prices.cache_read
        spent = summary + _usd(new, surcharge) - _usd(traffic.before - traffic.held, surcharge)
        pays = max(ceil(Fraction(spent) / Fraction(before - after)), 1) if before > after else None
        write = _usd(new, prices.cache_write)
    return Cost(summary=summary, cache_write=write, call_before=before, call_after=after, pays_after=pays)


def _summary_call_cost(traffic: Traffic, prices: Prices) -> Decimal:
    """Return the price of the summary call in USD; of a warm one with the prefix, read from the cache as far as it is
    there, and else written to it (SUM_16).
    """
    if traffic.form is None:
        return Decimal(0)
    spent = _usd(traffic.instruction, prices.input) + _usd(traffic.summary, prices.output)
    if traffic.form == "rendered":
        return spent
    missing = traffic.before - traffic.held
    return spent + _usd(traffic.held, prices.cache_read) + _usd(missing, prices.cache_write)


def _usd(tokens: int, price: Decimal) -> Decimal:
    return (tokens * price).scaleb(-6)  # prices are for a million tokens


def price_tokens(usage: TokenUsage, prices: Prices) -> dict[str, Decimal]:
    """Return the price of one request and its response in USD, by what is paid for: the names are those of Prices."""
    with localcontext(EXACT):
        hour = 2 * prices.input if prices.cache_write_1h is None else prices.cache_write_1h
        written = _usd(usage.cache_write - usage.cache_write_1h, prices.cache_write) + _usd(usage.cache_write_1h, hour)
        return {
            "input": _usd(usage.input - usage.cache_write, prices.input),
            "output": _usd(usage.output, prices.output),
            "cache_read": _usd(usage.cache_read, prices.cache_read),
            "cache_write": written,
        }


def cost_of(
    plan: Plan,
    request: SummaryRequest | None,
    prices: Prices | None,
    *,
    summary_prices: Prices | None = None,
    summary_tokens: int | None = None,
    cached: int | None = None,
) -> Cost:
    """Estimate what a plan costs, before anything is spent (CMP_09). Raises Refused where no price is known.

    Args:
        plan: what would be done.
        request: the call that would write the summary; None where the plan needs none, or no model writes it.
        prices: of the conversation's model.
        summary_prices: of the model that writes the summary, where it is another.
        summary_tokens: how long the summary will be; as long as the request allows, where nobody knows.
        cached: the tokens, from the beginning on, that the provider still holds; None for all of them.
    """
    if prices is None:
        model = repr(request.model) if request and request.form == "warm" else "the conversation's model"
        raise Refused(
            f"no price is known of {model}: give it with "
            "prices=Prices(input=…, output=…, cache_read=…, cache_write=…), USD per million tokens"
        )
    return price_traffic(traffic_of(plan, request, summary_tokens, cached), prices, summary_prices)


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """The tokens that a compaction moves. Raises InvalidInput for less than none, or for more cached than held."""

    before: int
    """Tokens held now, system prompt and tools included: each call without a compaction reads them."""
    after: int
    """Held once it is compacted."""
    unchanged: int = 0
    """Of those, from the beginning on, the tokens that stay as they are and need not be written to the cache again."""
    form: Form | None = None
    """Warm: the summary call reads the tokens held now from the cache; rendered: it reads a new text; None: no call."""
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
    def cached_after(self) -> int:
        """Tokens that the first call after it reads from the cache: a warm summary call has just written them."""
        return self.unchanged if self.form == "warm" else min(self.unchanged, self.held)


def traffic_of(
    plan: Plan, request: SummaryRequest | None, summary_tokens: int | None = None, cached: int | None = None
) -> Traffic:
    """Estimate the tokens that a plan moves. Raises InvalidInput for counts below 0, or more cached than held."""
    summary = summary_tokens or 0
    if request is not None:  # the summary is never longer than the call allows
        summary = min(request.replaces_tokens if summary_tokens is None else summary_tokens, request.max_tokens)
    done = apply_plan(plan, ".")
    written = Size(max(int(summary * plan.context.characters_per_token), 1) - plan.context.length("."))
    after = (
        plan.context.estimate(plan.context.size(done.conversation) + written) if plan.summarizes else done.tokens_after
    )
    warm = request is not None and request.form == "warm"
    return Traffic(
        before=plan.context.tokens_before,
        after=after,
        unchanged=min(_unchanged(done), plan.context.tokens_before, after),
        form=request.form if request else None,
        instruction=max(request.tokens - (plan.context.tokens_before if warm else 0), 0) if request else 0,
        summary=summary,
        cached=None if cached is None else min(cached, plan.context.tokens_before),
    )


def _unchanged(done: Compaction) -> int:
    """Count the tokens of the system prompt, the tools and the messages that stay in front."""
    size = EMPTY_SIZE
    for before, after in zip(done.plan.context.messages, done.conversation, strict=False):
        if before is not after:
            break
        size = size + measure(after, done.plan.context.length)
    return done.plan.context.estimate(size)
