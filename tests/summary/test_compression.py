"""Compression is exact, however large the counts."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.errors import InvalidInput
from brim.summary.compression import compression

COUNTS = st.integers(min_value=0, max_value=10**12)


@given(COUNTS, COUNTS)
def test_it_lies_between_nothing_and_all(before, after):
    """The ratio lies between 0 and 1, and its warning appears exactly below 60% of something."""
    found = compression(before, after)
    assert 0 <= found.ratio <= 1
    assert (found.warning is not None) == (before > 0 and found.ratio < Fraction(3, 5))


def test_a_third_is_exact():
    """The ratio is the very fraction, not its nearest float."""
    assert compression(3, 2).ratio == Fraction(1, 3)


@pytest.mark.parametrize(
    ("before", "after", "met"), [(-1, 5, "-1 tokens before and 5 after"), (5, -1, "5 tokens before and -1 after")]
)
def test_a_count_below_nothing_names_both_counts(before, after, met):
    """A negative count is no input, and the message gives both."""
    with pytest.raises(InvalidInput, match=met):
        compression(before, after)
