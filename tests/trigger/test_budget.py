"""A budget lies within its window, and what has to stay is never dropped for it."""

from hypothesis import given
from hypothesis import strategies as st

from brim.trigger.budget import summarization_budget, target_for

counts = st.integers(0, 10**9)


@given(counts, counts)
def test_a_budget_lies_within_its_window(window, buffer):
    """Four fifths, floored, up to the buffer; all but the buffer beyond it."""
    budget = summarization_budget(window, buffer)
    assert 0 <= budget <= window
    assert budget == (window - buffer if window > buffer else window * 4 // 5)


@given(counts, counts)
def test_a_target_holds_what_has_to_stay(budget, needed):
    """It is the larger of the two, and a shortfall is reported."""
    target = target_for(budget, needed)
    assert target.tokens == max(budget, needed)
    assert target.shortfall == target.tokens - budget
    assert (target.warning is not None) == (needed > budget)
