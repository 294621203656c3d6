"""The operations of the rooms tokens and trigger take what their rules need, and say what they miss."""

import pytest

from brim.errors import InvalidInput
from brim.portable.operations import perform

MODEL = {"context_window": 200_000, "max_output_tokens": 8_192}


@pytest.mark.parametrize(
    ("operation", "given"),
    [
        ("token_total", {"usage": {"cache_read": 5}}),
        ("normalize_usage", {"provider": "anthropic"}),
        ("billing_equivalent", {"input_with_cache": 5, "discount": 1}),
        ("estimate_tokens", {"text": "x", "rounding": "down"}),
        ("window_held", {"appended_text": "x"}),
        ("usable_context", {"context_window": -1}),
        ("threshold", MODEL | {"user_threshold": {"tokens": 5, "percent": 5}}),
        ("threshold", MODEL | {"basis": "tokens"}),
        ("threshold", MODEL | {"share": "0.9"}),
        ("should_compact", MODEL),
        ("should_compact", MODEL | {"held": 1, "usage": {"input": 1}}),
        ("summarization_budget", {"context_window": -1}),
        ("window_filled", {"held": 1}),
    ],
)
def test_what_is_not_of_the_form_is_told(operation, given):
    """The message begins with whose input it was, or names what there is."""
    with pytest.raises(InvalidInput):
        perform(operation, given)


def test_a_usage_of_nothing_is_a_usage():
    """Zeros are judged as held, not taken for missing."""
    assert perform("should_compact", MODEL | {"usage": {"input": 0}})["held"] == 0
    assert perform("window_held", {"last_usage": {"input": 0}, "appended_text": "12345"}) == 2
