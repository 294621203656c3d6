"""Whether the provider says that a prompt is too long: by its errors, and by what middleware sees of them."""

import json

import pytest

from brim.anthropic.errors import is_overflow, is_overflow_response
from steps.api_answers import error_body
from tests.anthropic_sdk.answers import status_error

TOO_LONG = "prompt is too long: 208310 tokens > 200000 maximum"
NO_ROOM = "input length and `max_tokens` exceed context limit: 195000 + 8000 > 200000, decrease input length"
OVERFLOWS = [
    (400, error_body("invalid_request_error", TOO_LONG)),
    (400, error_body("invalid_request_error", NO_ROOM)),
    (400, {"message": "Input is too long for requested model.", "error": "Input is too long"}),
    (400, json.dumps(error_body("invalid_request_error", TOO_LONG)).encode()),
    (200, error_body("invalid_request_error", TOO_LONG)),
    (413, error_body("request_too_large", "Request exceeds the maximum size")),
    (413, None),
    (200, {"type": "message", "stop_reason": "model_context_window_exceeded"}),
]
OTHERS = [
    (400, error_body("invalid_request_error", "max_tokens: Field required")),
    (400, None),
    (400, b"\xff"),
    (401, error_body("authentication_error", "invalid x-api-key")),
    (429, error_body("rate_limit_error", "prompt is too long for your rate limit")),
    (500, error_body("api_error", TOO_LONG)),
    (200, {"type": "message", "stop_reason": "end_turn", "content": [{"type": "text", "text": TOO_LONG}]}),
]


@pytest.mark.parametrize(("status", "body"), OVERFLOWS)
def test_an_overflow_is_known_by_its_status_and_its_words(status, body):
    """Every way in which the provider says that the prompt is too long."""
    assert is_overflow_response(status, body)


@pytest.mark.parametrize(("status", "body"), OTHERS)
def test_other_answers_are_no_overflow(status, body):
    """An answer that quotes the words, and an error that waiting cures, are none."""
    assert not is_overflow_response(status, body)


@pytest.mark.parametrize(("status", "body"), OVERFLOWS[:7])
def test_an_error_of_the_sdk_is_an_overflow_where_its_answer_is(status, body):
    """The same judgement of the SDK's own error, mid-stream too."""
    assert is_overflow(status_error(status, body))


@pytest.mark.parametrize("met", [ValueError(TOO_LONG), None, "prompt is too long", (400, TOO_LONG)])
def test_what_is_no_error_of_the_provider_is_no_overflow(met):
    """Words alone are not enough."""
    assert not is_overflow(met)
