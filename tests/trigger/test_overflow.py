"""A verdict follows from its numbers alone."""

from hypothesis import given
from hypothesis import strategies as st

from brim.models import ModelLimits
from brim.tokens.usage import TokenUsage
from brim.trigger.overflow import (
    should_compact,
    trigger_for,
)
from brim.trigger.profiles import PROFILES

SONNET = ModelLimits(context_window=200_000, max_output_tokens=8_192)
names = st.sampled_from(sorted(PROFILES))


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


@given(names, st.integers(0, 10**5), st.integers(0, 10**5), st.integers(0, 10**5))
def test_a_usage_counts_what_its_profile_measures(name, fresh, cached, output):
    """Handing over the usage or the measured tokens comes to the same."""
    usage = TokenUsage(input=fresh, cache_read=cached, output=output)
    measured = trigger_for(name, SONNET).measure(usage)
    assert should_compact(usage, SONNET, profile=name) == should_compact(measured, SONNET, profile=name)
