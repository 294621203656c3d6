"""A usage is a frozen record of counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from brim.errors import InvalidInput
from brim.tokens.usage import TokenUsage, billed, completed, is_measurement

counts = st.integers(0, 10**9)
usages = st.builds(TokenUsage, input=counts, cache_read=counts, output=counts, cache_write=counts, reasoning=counts)


@pytest.mark.parametrize(
    "wrong",
    [{}, {"input": -1}, {"input": 1.0}, {"input": "1"}, {"input": 1, "inptu": 2}, {"input": 1, "reasoning": -1}],
)
def test_what_is_no_usage_is_not_made(wrong):
    """The input has to be there, and every count is a whole number from 0 under a name it has."""
    with pytest.raises(InvalidInput, match="TokenUsage"):
        TokenUsage(**wrong)


def test_a_usage_is_frozen_and_equal_by_its_counts():
    """It can be a key, and cannot be changed."""
    usage = TokenUsage(input=1, output=2)
    assert {usage: 1}[TokenUsage(input=1, output=2)] == 1
    with pytest.raises(ValidationError):
        usage.input = 5


@given(usages)
def test_shares_never_enter_the_total(usage):
    """What was written to the cache and reasoning are inside input and output already."""
    assert usage.total == usage.model_copy(update={"cache_write": 0, "reasoning": 0}).total


@given(st.lists(usages, max_size=5))
def test_a_bill_is_the_sum_whatever_the_order(listed):
    """Forwards and backwards, and its total is the sum of the totals."""
    assert billed(listed) == billed(reversed(listed))
    assert billed(listed).total == sum(usage.total for usage in listed)


@given(usages, counts, st.booleans())
def test_completing_never_lowers_a_count(usage, text_tokens, finished):
    """Only an unfinished output grows, up to the estimate of its text; completing twice changes nothing."""
    whole = completed(usage, text_tokens, finished=finished)
    assert whole.output == (usage.output if finished else max(usage.output, text_tokens))
    assert whole.model_copy(update={"output": usage.output}) == usage
    assert completed(whole, text_tokens, finished=finished) == whole


@pytest.mark.parametrize("field", ["input", "cache_read", "output", "cache_write", "reasoning"])
def test_any_count_makes_a_measurement(field):
    """A usage is a placeholder only where all of it is zero."""
    assert is_measurement(TokenUsage(**{"input": 0, field: 1}))
    assert not is_measurement(TokenUsage(input=0))
    assert not is_measurement(TokenUsage(**{"input": 0, field: 1}), "<synthetic>")
