"""A verdict follows from its numbers alone."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.models import ModelLimits
from brim.tokens.usage import TokenUsage
from brim.trigger.overflow import (
    autocompact_disabled,
    should_compact,
    trigger_for,
    window_filled,
)
from brim.trigger.profiles import PROFILES

SONNET = ModelLimits(context_window=200_000, max_output_tokens=8_192)
UNLIMITED = ModelLimits(context_window=0)
names = st.sampled_from(sorted(PROFILES))


def test_a_verdict_is_a_value():
    """It is frozen, and can be a key."""
    verdict = should_compact(5, SONNET)
    assert {verdict: 1}[should_compact(5, SONNET)] == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        verdict.due = True


@given(names, st.integers(0, 300_000))
def test_more_tokens_never_turn_a_verdict_back(name, held):
    """What is due stays due, and due means past the threshold by the profile's comparison."""
    trigger = trigger_for(name, SONNET)
    verdict = trigger.judge(held)
    past = held >= trigger.threshold if trigger.profile.comparison == ">=" else held > trigger.threshold
    assert verdict.due == past
    assert trigger.judge(held + 1).due >= verdict.due
    assert (verdict.held, verdict.threshold) == (held, trigger.threshold)
    assert verdict == should_compact(held, SONNET, profile=name)


@given(names, st.integers(0, 10**6), st.booleans(), st.booleans(), st.sampled_from([SONNET, UNLIMITED]))
def test_what_holds_compaction_back_is_named_in_order(name, held, disabled, empty, limits):
    """Whatever is held, and whatever the profile."""
    verdict = should_compact(held, limits, profile=name, disabled=disabled, empty=empty)
    back = [
        reason
        for holds, reason in (
            (disabled, "disabled"),
            (limits is UNLIMITED, "no limit"),
            (empty, "nothing to compact"),
        )
        if holds
    ]
    assert (
        (verdict.reason == back[0] and not verdict.due)
        if back
        else verdict.due == (verdict.reason != "under threshold")
    )


@given(names, st.integers(0, 10**5), st.integers(0, 10**5), st.integers(0, 10**5))
def test_a_usage_counts_what_its_profile_measures(name, fresh, cached, output):
    """Handing over the usage or the measured tokens comes to the same."""
    usage = TokenUsage(input=fresh, cache_read=cached, output=output)
    measured = trigger_for(name, SONNET).measure(usage)
    assert should_compact(usage, SONNET, profile=name) == should_compact(measured, SONNET, profile=name)


@given(st.integers(0, 10**7), st.integers(0, 10**7))
def test_a_full_window_is_shown_as_full_and_not_before(held, threshold):
    """100% from the threshold on."""
    assert (window_filled(held, threshold) >= 100) == (held >= threshold > 0)


@pytest.mark.parametrize("environ", [{}, {"DISABLE_AUTOCOMPACT": "1"}, {"brim_disable_autocompact": "1"}])
def test_other_names_are_no_switches(environ):
    """Only the two are."""
    assert autocompact_disabled(environ) is False
