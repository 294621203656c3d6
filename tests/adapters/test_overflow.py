"""Which errors of providers' packages say that the prompt is too long."""

import pytest

from brim.adapters.compacting import is_context_overflow
from steps.langchain_agents import ProviderError


@pytest.mark.parametrize(
    ("words", "status", "expected"),
    [
        ("Error code: 400 - {'error': {'code': 'context_length_exceeded'}}", 400, True),
        ("This model's maximum context length is 128000 tokens.", 400, True),
        ("The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).", None, True),
        ("", 413, True),
        ("Rate limit: prompt is too long for your tokens per minute", 429, False),
        ("prompt is too long", 500, False),
        ("invalid api key", 401, False),
    ],
)
def test_an_overflow_is_known_by_words_and_status(words, status, expected):
    """The words decide, unless the status says that it is no refusal (ADP_01)."""
    assert is_context_overflow(ProviderError(words, status)) is expected


def test_the_cause_is_read_too():
    """A package may wrap the error of its client."""
    outer = RuntimeError("the model failed")
    outer.__cause__ = ProviderError("prompt is too long", 400)
    assert is_context_overflow(outer)
