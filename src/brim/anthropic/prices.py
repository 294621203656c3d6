"""What a model costs: list prices by its name and a date, from the tables that genai-prices ships (CMP_09)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any, Final

from brim.compaction.cost import Prices
from brim.errors import Refused

PRICED: Final = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok")
"""The prices of a model by their names in the tables."""


def prices_of(model: str, *, input_tokens: int = 0, at: datetime | None = None) -> Prices:
    """Return the prices of a model, in USD per million tokens; nothing is asked over the network.

    Where no price for the cache is listed, it is read and written at the price of the input. Raises Refused where the
    model is not in the tables.

    Args:
        model: its name, as the provider's API takes it.
        input_tokens: tokens of a request, for models whose long requests cost more.
        at: the time of the request; today's prices without it.
    """
    return price_list(model, at)(input_tokens)


def price_list(model: str, at: datetime | None = None) -> Callable[[int], Prices]:
    """Return the prices of a model by the tokens of a request: prices_of for many requests. Raises Refused."""
    from genai_prices import Usage, calc_price  # noqa: PLC0415 -- loading its tables takes a while

    try:
        listed = calc_price(Usage(), model, genai_request_timestamp=at).model_price
    except LookupError as unlisted:
        raise Refused(f"no prices of {model!r} are known: {GIVEN}") from unlisted
    return partial(_prices, listed, model)


GIVEN: Final = "give them with prices=Prices(input=…, output=…, cache_read=…, cache_write=…)"


def _prices(listed: Any, model: str, tokens: int) -> Prices:
    entered, written, read_again, kept, kept_1h = (_at(getattr(listed, name, None), tokens) for name in PRICED)
    if entered is None or written is None:
        raise Refused(f"the prices of {model!r} are not for tokens read and written: {GIVEN}")
    return Prices(
        input=entered,
        output=written,
        cache_read=entered if read_again is None else read_again,
        cache_write=entered if kept is None else kept,
        cache_write_1h=kept_1h,
    )


def _at(price: Any, tokens: int) -> Decimal | None:
    """Return the price at a length of request: from the start of a tier on, its price holds for all of the request."""
    for tier in reversed(getattr(price, "tiers", ())):
        if tokens > tier.start:
            return Decimal(tier.price)
    base = getattr(price, "base", price)
    return None if base is None else Decimal(base)
