"""Every profile is whole: a name, a sentence, a threshold, a measure."""

import pytest

from brim.compaction.policy import CompactionPolicy
from brim.engine.compactor import Compactor
from brim.errors import Refused
from brim.models import ModelLimits
from brim.tokens.usage import TokenUsage
from brim.trigger.profiles import (
    PROFILES,
    Profile,
    billing_equivalent_of_usage,
    profile_named,
    threshold,
    total_without_cache_write,
)

SONNET = ModelLimits(context_window=200_000, max_output_tokens=8_192)


def test_every_profile_is_found_by_its_name():
    """And says in a sentence what it waits for."""
    for name, profile in PROFILES.items():
        assert profile_named(name) is profile
        assert profile.name == name
        assert profile.description.endswith(".")


def test_a_measure_is_never_below_nothing():
    """Even where the shares contradict the whole."""
    assert total_without_cache_write(TokenUsage(input=5, cache_write=9)) == 0
    assert total_without_cache_write(TokenUsage(input=9, cache_write=8)) == 1
    assert billing_equivalent_of_usage(TokenUsage(input=0, cache_read=10, output=50)) == 1


def test_a_profile_itself_does_as_well_as_its_name():
    """For whoever brings a profile of their own."""
    own = Profile(name="own", description="12 tokens.", tokens=12)
    assert threshold(own, SONNET) == 12
    with pytest.raises(Refused, match="own comes to a threshold of 0 for a context window of 200000"):
        threshold(Profile(name="own", description="All of it.", buffer=200_001), SONNET)


def test_a_deprecated_profile_warns_as_what_is_deprecated():
    """Python shows it to who runs the program, and a test may turn it into an error (TRG_15)."""
    with pytest.warns(DeprecationWarning, match="codelet-rust is deprecated"):
        Compactor(policy=CompactionPolicy(profile="codelet-rust"))
