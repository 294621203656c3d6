"""Numbers are what they are written as."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.errors import InvalidInput
from brim.tokens.exact import exact, positive


@pytest.mark.parametrize(
    ("number", "fraction"),
    [
        (4, Fraction(4)),
        (0.29, Fraction(29, 100)),
        ("2.5", Fraction(5, 2)),
        (Decimal("0.92"), Fraction(23, 25)),
        (Fraction(2, 3), Fraction(2, 3)),
        (1e-05, Fraction(1, 100_000)),
    ],
)
def test_a_number_is_exactly_as_it_is_written(number, fraction):
    """Whatever form it comes in, no digit is bent."""
    assert exact(number) == fraction


@pytest.mark.parametrize(
    "number", [True, None, "many", float("nan"), float("inf"), Decimal("NaN"), [], b"4", "1e1000000"]
)
def test_what_is_no_finite_number_is_told(number):
    """A truth value is no number either; the message shows what was met."""
    with pytest.raises(InvalidInput) as told:
        exact(number)
    assert str(number) in str(told.value)
    assert "number" in str(told.value)


@given(st.decimals(-(10**8), 10**8, allow_nan=False, allow_infinity=False, places=6))
def test_every_decimal_is_kept(number):
    """A decimal goes in and comes out the same."""
    assert exact(number) == Fraction(number)


@pytest.mark.parametrize("number", [0, -1, Decimal("-0.1"), 0.0])
def test_what_has_to_be_positive_is_named(number):
    """Nothing and less is refused, by its name and its value."""
    with pytest.raises(InvalidInput, match=rf"^the ratio is {number}; it has to be above 0$"):
        positive(number, "the ratio")


def test_a_little_above_nothing_is_positive():
    """The smallest number above 0 passes."""
    assert positive("0.000001", "the ratio") == Fraction(1, 1_000_000)
