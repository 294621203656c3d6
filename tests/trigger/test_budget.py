"""A budget lies within its window."""

from hypothesis import given
from hypothesis import strategies as st

from brim.trigger.budget import summarization_budget

counts = st.integers(0, 10**9)


@given(counts, counts)
def test_a_budget_lies_within_its_window(window, buffer):
    """Four fifths, floored, up to the buffer; all but the buffer beyond it."""
    budget = summarization_budget(window, buffer)
    assert 0 <= budget <= window
    assert budget == (window - buffer if window > buffer else window * 4 // 5)
