"""Prices by a model's name, from the tables that genai-prices ships."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from brim.anthropic.prices import prices_of
from brim.errors import Refused


@pytest.mark.parametrize("model", ["claude-opus-5-5", "claude-sonnet-5-5", "claude-3-5-sonnet-20241022"])
def test_a_model_of_the_tables_has_exact_prices(model):
    """Each is a decimal, and reading from the cache is the cheapest."""
    found = prices_of(model)
    assert 0 < found.cache_read < found.input < found.cache_write < found.output


def test_an_unknown_model_is_refused_by_name():
    """Nothing is guessed: the refusal names the model and how its prices are given."""
    with pytest.raises(Refused, match=r"'claude-nonsense'.*prices=Prices\("):
        prices_of("claude-nonsense")


def test_a_long_request_is_priced_by_its_tier():
    """From its first token over the tier on, all of a request has the tier's price."""
    short, long = (prices_of("claude-sonnet-4-5", input_tokens=tokens) for tokens in (200_000, 200_001))
    assert short.input < long.input
    assert short.cache_read < long.cache_read


def test_the_price_is_that_of_the_day():
    """A model that became cheaper has its former price before, and the new one from that day on."""
    before, after = (prices_of("o3", at=datetime(2025, 6, day, tzinfo=UTC)).input for day in (1, 20))
    assert (before, after) == (Decimal(10), Decimal(2))
