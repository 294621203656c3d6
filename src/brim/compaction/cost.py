"""The cost of a compaction before it is spent: the summary, the cache write behind it, and when it has paid for itself.

Specified by features/compaction/cost.feature (CMP_09).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import takewhile
from math import ceil
from typing import Final

from brim.compaction.plan import Plan
from brim.compaction.result import apply_plan
from brim.errors import InvalidInput, Refused
from brim.summary.summarizer_input import Form, SummaryRequest
from brim.tokens.estimation import Size
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
        for name, price in asdict(self).items():
            if name == "cache_write_1h" and price is None:
                continue
            if not isinstance(price, Decimal):
                raise InvalidInput(f"the price {name} is {price!r}; write it exactly: Decimal({str(price)!r})")
            if not price.is_finite() or price < 0:
                raise InvalidInput(f"the price {name} is {price} USD; a price is 0 or more")


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
    writer = summary_prices or prices
    with localcontext(EXACT):
        before, after = (_usd(tokens, prices.cache_read) for tokens in (traffic.before, traffic.after))
        new = traffic.after - traffic.unchanged
        summary = _usd(traffic.instruction, writer.input) + _usd(traffic.summary, writer.output)
        if traffic.form == "warm":  # it reads the prefix from the cache (SUM_16)
            summary += _usd(traffic.before, writer.cache_read)
        spent = (summary if traffic.form else 0) + _usd(new, prices.cache_write - prices.cache_read)
        pays = max(ceil(Fraction(spent) / Fraction(before - after)), 1) if before > after else None
        return Cost(
            summary=summary if traffic.form else Decimal(0),
            cache_write=_usd(new, prices.cache_write),
            call_before=before,
            call_after=after,
            pays_after=pays,
        )


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
) -> Cost:
    """Estimate what a plan costs, before anything is spent (CMP_09). Raises Refused where no price is known.

    Args:
        plan: what would be done.
        request: the call that would write the summary; None where the plan needs none, or no model writes it.
        prices: of the conversation's model.
        summary_prices: of the model that writes the summary, where it is another.
        summary_tokens: how long the summary will be; as long as the request allows, where nobody knows.
    """
    if prices is None:
        model = repr(request.model) if request and request.form == "warm" else "the conversation's model"
        raise Refused(
            f"no price is known of {model}: give it with "
            "prices=Prices(input=…, output=…, cache_read=…, cache_write=…), USD per million tokens"
        )
    return price_traffic(traffic_of(plan, request, summary_tokens), prices, summary_prices)


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """The tokens that a compaction moves; all that is held now is in the provider's cache."""

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


def traffic_of(plan: Plan, request: SummaryRequest | None, summary_tokens: int | None = None) -> Traffic:
    """Estimate the tokens that a plan moves."""
    summary = summary_tokens or 0
    if request is not None:  # the summary is never longer than the call allows
        summary = min(request.replaces_tokens if summary_tokens is None else summary_tokens, request.max_tokens)
    context, done = plan.context, apply_plan(plan, ".")
    written = Size(max(int(summary * context.characters_per_token), 1) - context.length("."))
    after = context.estimate(context.size(done.conversation) + written) if plan.summarizes else done.tokens_after
    warm = request is not None and request.form == "warm"
    pairs = zip(context.messages, done.conversation, strict=False)
    unchanged = context.size(after for before, after in takewhile(lambda pair: pair[0] is pair[1], pairs))
    return Traffic(
        before=context.tokens_before,
        after=after,
        unchanged=min(context.estimate(unchanged), context.tokens_before, after),
        form=request.form if request else None,
        instruction=max(request.tokens - (context.tokens_before if warm else 0), 0) if request else 0,
        summary=summary,
    )
