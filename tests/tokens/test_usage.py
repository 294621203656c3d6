"""A usage is a frozen record of counts."""

import pytest
from anthropic.types import Usage as AnthropicUsage
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage
from openai.types import CompletionUsage
from openai.types.responses import ResponseUsage
from pydantic_ai.messages import ModelResponse
from pydantic_ai.usage import RequestUsage, RunUsage

from brim import Compactor, ContextWindow, ModelLimits, should_compact
from brim.errors import InvalidInput
from brim.tokens.usage import TokenUsage, billed, completed, is_measurement, read_usage

counts = st.integers(0, 10**9)
usages = st.builds(TokenUsage, input=counts, cache_read=counts, output=counts, cache_write=counts, reasoning=counts)


@given(usages)
def test_shares_never_enter_the_total(usage):
    """What was written to the cache and reasoning are inside input and output already."""
    assert usage.total == usage.model_copy(update={"cache_write": 0, "reasoning": 0}).total


@given(st.lists(usages, max_size=5))
def test_a_bill_is_the_sum_whatever_the_order(listed):
    """Forwards and backwards, and its total is the sum of the totals."""
    assert billed(listed) == billed(reversed(listed))
    assert billed(listed).total == sum(usage.total for usage in listed)


@given(usages, counts, st.booleans())
def test_completing_never_lowers_a_count(usage, text_tokens, finished):
    """Only an unfinished output grows, up to the estimate of its text; completing twice changes nothing."""
    whole = completed(usage, text_tokens, finished=finished)
    assert whole.output == (usage.output if finished else max(usage.output, text_tokens))
    assert whole.model_copy(update={"output": usage.output}) == usage
    assert completed(whole, text_tokens, finished=finished) == whole


READ = TokenUsage(input=60, cache_read=40, output=7)
CACHED = {"input_tokens": 100, "output_tokens": 7}
REPORTED = {
    "Messages API": AnthropicUsage(input_tokens=60, cache_read_input_tokens=40, output_tokens=7),
    "Chat Completions": CompletionUsage(
        prompt_tokens=100, completion_tokens=7, total_tokens=107, prompt_tokens_details={"cached_tokens": 40}
    ),
    "Responses": ResponseUsage.model_validate(
        {
            **CACHED,
            "total_tokens": 107,
            "input_tokens_details": {"cached_tokens": 40, "cache_write_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        }
    ),
    "pydantic-ai": RequestUsage(**CACHED, cache_read_tokens=40),
    "a response of pydantic-ai": ModelResponse(parts=[], usage=RequestUsage(**CACHED, cache_read_tokens=40)),
    "LangChain": {**CACHED, "total_tokens": 107, "input_token_details": {"cache_read": 40}},
    "a message of LangChain": AIMessage(
        "Done.", usage_metadata={**CACHED, "total_tokens": 107, "input_token_details": {"cache_read": 40}}
    ),
    "brim": READ,
}


@pytest.mark.parametrize("field", ["input", "cache_read", "output", "cache_write", "reasoning"])
def test_any_count_makes_a_measurement(field):
    """A usage is a placeholder only where all of it is zero."""
    assert is_measurement(TokenUsage(**{"input": 0, field: 1}))
    assert not is_measurement(TokenUsage(input=0))
    assert not is_measurement(TokenUsage(**{"input": 0, field: 1}), "<synthetic>")


@pytest.mark.parametrize("source", REPORTED)
def test_the_usage_of_every_library_is_taken_wherever_one_is_asked_for(source):
    """As the library gives it: by the functions, the window and the compactor."""
    reported, limits = REPORTED[source], ModelLimits(context_window=1_000, max_output_tokens=100)
    messages = [{"role": "user", "content": "Go on."}, {"role": "assistant", "content": "Done."}]
    window = ContextWindow(limits, messages=messages)
    assert read_usage(reported) == READ
    assert should_compact(reported, limits).held == READ.total
    assert window.record(reported)
    assert window.held == READ.total
    assert Compactor(limits=limits).should_compact(messages, usage=reported).held == READ.total


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (None, "a usage is what a response reported, not NoneType"),
        ({"tokens": 5}, "a usage states input_tokens or prompt_tokens; this one has tokens"),
        (RunUsage(requests=3, **CACHED), "this usage is the sum of 3 requests; pass that of the last response"),
    ],
)
def test_what_is_no_usage_of_a_response_is_refused_everywhere(wrong, words):
    """In one line that names what it met."""
    limits = ModelLimits(context_window=1_000, max_output_tokens=100)
    for take in (read_usage, ContextWindow(limits).record, lambda usage: should_compact(usage, limits)):
        with pytest.raises(InvalidInput, match=words):
            take(wrong)
