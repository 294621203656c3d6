"""Every profile is whole: a name, a sentence, a threshold, a measure."""

import pytest
from pydantic import ValidationError

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
USAGE = TokenUsage(input=10_000, cache_read=80_000, output=2_000, cache_write=9_000, reasoning=1_000)


def test_every_profile_is_found_by_its_name():
    """And says in a sentence what it waits for."""
    for name, profile in PROFILES.items():
        assert profile_named(name) is profile
        assert profile.name == name
        assert profile.description.endswith(".")


def test_the_table_of_profiles_cannot_be_changed():
    """Nor can a profile."""
    with pytest.raises(TypeError):
        PROFILES["usable"] = PROFILES["windowing"]
    with pytest.raises(ValidationError):
        PROFILES["usable"].comparison = ">="


@pytest.mark.parametrize(
    ("name", "measured"),
    [
        ("usable", 92_000),
        ("opencode-2025", 83_000),
        ("codelet-typescript", 18_000),
        ("codelet-rust", 18_000),
        ("proactive", 92_000),
        ("anthropic-sdk", 92_000),
        ("windowing", 92_000),
        ("claude-code-2.0", 92_000),
        ("claude-code-2.1", 92_000),
    ],
)
def test_every_profile_measures_a_usage(name, measured):
    """OpenCode at first without what was written to the cache, the codelets what was billed for reading."""
    assert profile_named(name).measure(USAGE) == measured


def test_a_measure_is_never_below_nothing():
    """Even where the shares contradict the whole."""
    assert total_without_cache_write(TokenUsage(input=5, cache_write=9)) == 0
    assert total_without_cache_write(TokenUsage(input=9, cache_write=8)) == 1
    assert billing_equivalent_of_usage(TokenUsage(input=0, cache_read=10, output=50)) == 1


def test_which_profiles_look_at_the_last_response_alone():
    """Those whose originals had no estimate of what came after it."""
    assert {name for name, profile in PROFILES.items() if not profile.counts_appended} == {
        "codelet-typescript",
        "codelet-rust",
        "anthropic-sdk",
    }


def test_which_profiles_fix_the_ratio_of_estimates():
    """Claude Code's edges were observed at exactly 4 characters a token."""
    fixed = {name: profile.characters_per_token for name, profile in PROFILES.items() if profile.characters_per_token}
    assert fixed == {"claude-code-2.0": 4, "claude-code-2.1": 4}


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
