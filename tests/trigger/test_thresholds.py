"""Thresholds are exact, within the usable context where a rule says so, and refused where they cannot work."""

from fractions import Fraction
from math import floor

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from brim.errors import InvalidInput
from brim.models import ModelLimits
from brim.trigger.profiles import PROFILES, UserThreshold, profile_table, share_of, threshold
from brim.trigger.usable_context import usable_context

SONNET = ModelLimits(context_window=200_000, max_output_tokens=8_192)
windows = st.integers(33_000, 10**7)
shares = st.decimals("0.001", "1", places=3)


@given(windows, shares)
def test_a_share_is_floored_exactly(window, share):
    """Of the usable context, or of the window and no later than the usable context."""
    model = ModelLimits(context_window=window)
    usable = usable_context(model)
    assume(usable * share >= 1)
    assert threshold("proactive", model, share=share_of(share)) == floor(Fraction(share) * usable)
    of_window = min(floor(Fraction(share) * window), usable)
    assert threshold("proactive", model, share=share_of(share, "window")) == of_window


@given(windows, st.decimals("0.1", "100", places=1))
def test_a_percentage_is_floored_exactly_and_capped(window, percent):
    """A number of JSON and a decimal come to the same."""
    model = ModelLimits(context_window=window)
    expected = min(floor(Fraction(percent) * window / 100), usable_context(model))
    assert threshold("usable", model, user_threshold=UserThreshold(percent=percent)) == expected
    assert threshold("usable", model, user_threshold=UserThreshold(percent=float(percent))) == expected


@given(windows, st.integers(1, 10**7), st.sampled_from(sorted(PROFILES)))
def test_a_set_threshold_is_the_same_under_every_profile(window, tokens, profile):
    """And never later than the usable context."""
    model = ModelLimits(context_window=window)
    assert threshold(profile, model, user_threshold=UserThreshold(tokens)) == min(tokens, usable_context(model))


@pytest.mark.parametrize("set_to", [UserThreshold(), UserThreshold(5, 5)])
def test_a_threshold_is_set_in_one_way(set_to):
    """Either in tokens or as a percentage."""
    with pytest.raises(InvalidInput, match=r"^a threshold is set either in tokens or as a percentage of the window$"):
        threshold("usable", SONNET, user_threshold=set_to)


def test_a_share_is_taken_of_one_of_two():
    """Of the usable context or of the window."""
    assert share_of() == (Fraction(23, 25), "usable")
    assert share_of(1, "window") == (1, "window")
    with pytest.raises(InvalidInput, match=r"^the share is taken of 'tokens'; it is taken of usable or of window$"):
        share_of(1, "tokens")


def test_without_a_limit_the_table_has_nothing_to_refuse():
    """Every threshold is 0."""
    assert {row.threshold for row in profile_table(ModelLimits(context_window=0))} == {0}
