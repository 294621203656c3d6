"""Estimates hold for whatever a message may hold."""

import json
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.compaction.policy import CompactionPolicy
from brim.conversation.messages import read_message
from brim.engine.compactor import Compactor
from brim.errors import InvalidInput
from brim.tokens.estimation import (
    EMPTY_SIZE,
    MEDIA_TOKENS,
    FallbackCounter,
    Size,
    estimate_tokens,
    json_length,
    measure,
    measure_extras,
    measure_part,
    tokens_of,
)
from brim.tokens.usage import TokenUsage

ratios = st.fractions(min_value=Fraction(1, 10), max_value=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.text(), ratios)
def test_a_text_is_rounded_up_exactly(text, ratio):
    """The estimate is the least whole number of tokens that holds the text."""
    tokens = estimate_tokens(text, characters_per_token=ratio)
    assert tokens * ratio >= len(text) > (tokens - 1) * ratio


@given(st.text(), ratios)
def test_half_up_is_never_more_than_half_a_token_off(text, ratio):
    """And a half goes up."""
    tokens = estimate_tokens(text, "half_up", ratio)
    assert tokens == math.floor(len(text) / ratio + Fraction(1, 2))


@given(st.integers(0, 10**9), st.integers(0, 10**6), ratios)
def test_a_size_is_rounded_once(characters, media_tokens, ratio):
    """Media are added as they are."""
    assert tokens_of(Size(characters, media_tokens), ratio) == math.ceil(characters / ratio) + media_tokens


@given(values)
def test_json_is_counted_in_code_points(value):
    """As compact JSON is written, whatever bytes it takes."""
    assert json_length(value) == len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


@pytest.mark.parametrize(
    ("value", "length"),
    [
        ({"a": "\ud800"}, 9),
        ({"a": float("nan")}, 9),
        ({"a": {1: 2}}, 13),
        ({"a": object}, len("""{"a":"<class 'object'>"}""")),
    ],
)
def test_json_that_cannot_be_written_is_still_counted(value, length):
    """Half a surrogate pair, no number, keys that are none: a transcript may hold any of them."""
    assert json_length(value) == length


def nested(depth):
    """An object inside an object, so deep."""
    value = {}
    for _ in range(depth):
        value = {"a": value}
    return value


def test_deep_nesting_is_counted_as_far_as_it_can_be_read():
    """300 levels are more than the fast writer takes."""
    assert json_length(nested(300)) == 300 * 6 + 2


@given(st.lists(st.text(), max_size=4))
def test_a_message_is_the_sum_of_its_parts(texts):
    """Text by text, in code points."""
    message = read_message({"role": "user", "content": [{"type": "text", "text": text} for text in texts]})
    assert measure(message) == Size(sum(map(len, texts)))
    assert tokens_of(measure(message)) == math.ceil(sum(map(len, texts)) / 4)


def block(**content):
    """The size of a message of one block."""
    return measure(read_message({"role": "user", "content": [content]}))


@pytest.mark.parametrize(
    ("content", "size"),
    [
        ({"type": "tool_result", "tool_use_id": "a"}, Size(0)),
        ({"type": "tool_result", "tool_use_id": "a", "content": [{"type": "tool_reference", "n": 1}]}, Size(33)),
        ({"type": "web_search_tool_result", "tool_use_id": "a", "content": {"error_code": "x"}}, Size(18)),
        ({"type": "tool_use", "id": "a", "name": "Read", "input": {}}, Size(6)),
        ({"type": "server_tool_use", "id": "a", "name": "web", "input": {"q": "é"}}, Size(12)),
        ({"type": "image"}, Size(0, 1_600)),
        ({"type": "document"}, Size(0, 1_600)),
        ({"type": "document", "source": {"type": "text"}}, Size(0)),
        ({"type": "document", "source": {"type": "text", "data": "abc"}}, Size(3)),
        ({"type": "document", "source": {"type": "url", "url": "https://example.org"}}, Size(0, 1_600)),
        ({"type": "document", "source": {"type": "content", "content": "abc"}}, Size(3)),
        (
            {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "abc"}] * 2}},
            Size(6),
        ),
        ({"type": "document", "source": {"type": "content", "content": ["x", {"type": "image"}]}}, Size(0)),
        ({"type": "thinking", "thinking": "xxxx", "signature": "xxxxxx"}, Size(4)),
        ({"type": "redacted_thinking", "data": "xxxx"}, Size(0)),
        ({"type": "web_search_tool_result", "tool_use_id": "a", "content": [{"url": "a"}]}, Size(13)),
        ({"type": "patch", "hash": "xxxx"}, Size(0)),
        ({"type": "holo", "é": "é"}, Size(23)),
    ],
)
def test_every_kind_of_block_has_a_size(content, size):
    """Whatever it lacks (TOK_06)."""
    assert block(**content) == size


@pytest.mark.parametrize(
    ("system", "tools", "characters"),
    [
        (None, (), 0),
        ("abc", (), 3),
        ([{"type": "text", "text": "abc"}, {"type": "text"}], (), 3),
        (None, [{"name": "a"}, {"name": "é"}], 24),
        ("abc", iter([{"name": "a"}]), 15),
    ],
)
def test_extras_are_the_system_prompt_and_the_tools(system, tools, characters):
    """In whatever form they come."""
    assert measure_extras(system, tools) == Size(characters)


class Failing:
    """A tokenizer that fails with what it was given, until it is mended."""

    def __init__(self, error):
        self.error = error

    def count(self, text):
        """Fail, or count characters."""
        if self.error is not None:
            raise self.error
        return len(text)


def test_a_text_is_counted_once():
    """Nor is one that could not be counted tried again; another text is."""
    tokenizer = Failing(OSError("missing"))
    reports: list[str] = []
    counter = FallbackCounter(tokenizer, reports.append)
    assert counter.length("x" * 41) == 41
    tokenizer.error = None
    assert (counter.length("x" * 41), counter.length("x" * 40)) == (41, 160)
    assert reports == ["characters are counted in place of tokens: the tokenizer failed with OSError: missing"]


def test_every_kind_of_part_is_measured_by_the_counter():
    """Texts, names, JSON and documents; an image has no text."""
    content = [
        {"type": "text", "text": "ab"},
        {"type": "thinking", "thinking": "abc", "signature": ""},
        {"type": "tool_use", "id": "a", "name": "Read", "input": {}},
        {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "abcd"}, {"type": "image"}]},
        {"type": "document", "source": {"type": "text", "data": "abcde"}},
        {"type": "hologram"},
    ]
    message = read_message({"role": "user", "content": content})
    by_counter = measure(message, FallbackCounter(Failing(None), print).length)
    assert by_counter == Size(4 * measure(message).characters, MEDIA_TOKENS)
    assert by_counter == sum(
        (measure_part(part, FallbackCounter(Failing(None), print).length) for part in message.parts), EMPTY_SIZE
    )


def holding_itself():
    """An object that is its own value."""
    own: dict[str, object] = {}
    own["a"] = own
    return own


@pytest.mark.parametrize(
    ("value", "refusal"),
    [
        (nested(100_000), "a block is nested too deeply to be measured"),
        (holding_itself(), "a block cannot be written as JSON: Circular reference detected"),
        (
            {(1, 2): "\ud800"},
            "a block cannot be written as JSON: keys must be str, int, float, bool or None, not tuple",
        ),
    ],
)
def test_a_block_that_cannot_be_written_as_json_is_refused(value, refusal):
    """The error says why (TOK_06)."""
    with pytest.raises(InvalidInput) as refused:
        block(type="tool_use", id="a", name="Read", input=value)
    assert str(refused.value) == refusal


def test_a_response_that_states_its_usage_teaches_a_counter_nothing():
    """What is counted needs no ratio (TOK_07, TOK_09)."""
    counter = type("Counter", (), {"count": staticmethod(lambda text: -(-len(text) // 2))})()
    window = Compactor(policy=CompactionPolicy(token_counter=counter)).window()
    for number in range(1, 5):
        window.append({"role": "user", "content": "x" * 24_000})
        window.append({"role": "assistant", "content": "Done."})
        window.record(TokenUsage(input=number * 8_000), model="large")
    before = window.held
    window.append({"role": "user", "content": "x" * 300})
    assert window.held - before == 150
