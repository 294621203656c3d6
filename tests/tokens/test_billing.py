"""The billing equivalent is exact at any size."""

from fractions import Fraction
from math import floor

from hypothesis import given
from hypothesis import strategies as st

from brim.tokens.billing import billing_equivalent

counts = st.integers(0, 10**18)


@given(counts, counts)
def test_the_discount_is_floored_exactly(read, cached):
    """Nine tenths of the cache, floored, and nothing goes below nothing."""
    assert billing_equivalent(read, cached) == max(read - floor(Fraction(9, 10) * cached), 0)
