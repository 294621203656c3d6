"""A verdict follows from its numbers alone."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.errors import Refused
from brim.models import ModelLimits
from brim.tokens.usage import TokenUsage
from brim.trigger.overflow import (
    Verdict,
    autocompact_disabled,
    check_target,
    should_compact,
    trigger_for,
    window_filled,
)
from brim.trigger.profiles import PROFILES, UserThreshold, share_of

SONNET = ModelLimits(context_window=200_000, max_output_tokens=8_192)
UNLIMITED = ModelLimits(context_window=0)
names = st.sampled_from(sorted(PROFILES))


def test_a_verdict_reads_as_it_is_written():
    """As the documentation shows it."""
    verdict = should_compact(TokenUsage(input=170_000, cache_read=20_000, output=5_000), SONNET)
    assert repr(verdict) == ("Verdict(due=True, reason='overflow (195000 > 191808)', held=195000, threshold=191808)")
    assert verdict == Verdict(True, "overflow (195000 > 191808)", 195_000, 191_808)


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


def test_what_was_set_reaches_the_verdict():
    """Share, basis and threshold of the user's, each by its own number."""
    assert should_compact(5, SONNET, profile="proactive", share=0.5).threshold == 95_904
    assert should_compact(5, SONNET, profile="proactive", basis="window").threshold == 184_000
    assert should_compact(5, SONNET, user_threshold=UserThreshold(7)).threshold == 7


def test_a_trigger_keeps_what_it_was_made_of():
    """The profile, the limits, and the usable context."""
    trigger = trigger_for("proactive", SONNET)
    assert (trigger.profile.name, trigger.limits, trigger.usable) == ("proactive", SONNET, 191_808)
    assert (trigger.share_base, trigger.due_from, trigger.notices) == (191_808, 176_464, ())
    assert trigger_for("usable", SONNET).share_base == 0


@given(st.integers(0, 10**7), st.integers(0, 10**7))
def test_a_full_window_is_shown_as_full_and_not_before(held, threshold):
    """100% from the threshold on."""
    assert (window_filled(held, threshold) >= 100) == (held >= threshold > 0)


@pytest.mark.parametrize("value", [" on ", "TRUE\n", "Yes", "1"])
@pytest.mark.parametrize("switch", ["BRIM_DISABLE_AUTOCOMPACT", "OPENCODE_DISABLE_AUTOCOMPACT"])
def test_blanks_around_a_switch_do_not_matter(switch, value):
    """What a shell or a file leaves around it is not part of it."""
    assert autocompact_disabled({switch: value, "PATH": "1"}) is True


@pytest.mark.parametrize("environ", [{}, {"DISABLE_AUTOCOMPACT": "1"}, {"brim_disable_autocompact": "1"}])
def test_other_names_are_no_switches(environ):
    """Only the two are."""
    assert autocompact_disabled(environ) is False


def test_a_share_of_the_window():
    """The tokens that it is named of are those of the window."""
    proactive = trigger_for("proactive", SONNET, share=share_of(0.5, "window"))
    assert (proactive.threshold, proactive.share_base) == (100_000, 200_000)


def test_every_warning_is_kept():
    """A deprecated profile, a threshold moved and a target moved are three."""
    checked = check_target(trigger_for("codelet-rust", SONNET, user_threshold=UserThreshold(195_000)), 195_000)
    assert checked.warnings == (
        f"the profile codelet-rust is deprecated: {PROFILES['codelet-rust'].deprecated}",
        "the threshold of 195000 is above the usable context of 191808: 191808 is used",
        (
            "the target of 195000 is not below the threshold of 191808, so that every compaction would be due again: "
            "71928 is used"
        ),
    )
    assert (checked.target, checked.trigger.threshold) == (71_928, 191_808)


def test_a_target_that_leaves_nothing_is_named():
    """With the threshold it was set under."""
    with pytest.raises(Refused) as refusal:
        check_target(trigger_for("usable", SONNET), 0)
    assert str(refusal.value) == "a target of 0 tokens under a threshold of 191808: nothing fits it"


def test_a_negative_target_is_refused():
    """It is no target at all."""
    with pytest.raises(Refused):
        check_target(trigger_for("usable", SONNET), -1)
