"""Compression is exact, however large the counts."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from brim.summary.compression import compression

COUNTS = st.integers(min_value=0, max_value=10**12)


@given(COUNTS, COUNTS)
def test_it_lies_between_nothing_and_all(before, after):
    """The ratio lies between 0 and 1, and its warning appears exactly below 60% of something."""
    found = compression(before, after)
    assert 0 <= found.ratio <= 1
    assert (found.warning is not None) == (before > 0 and found.ratio < Fraction(3, 5))
