"""Rendering: whatever a conversation holds, its quotations are its own words, and nothing ends them but brim."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.conversation.messages import Marks, ToolCall, attached, read_message
from brim.errors import InvalidInput
from brim.summary.summarizer_input import (
    QUOTE_PREAMBLE,
    Block,
    blocks_of,
    label_calls,
    quote,
    quoted_characters,
)
from tests.conversation import strategies as anything

TEXTS = st.lists(
    st.sampled_from(["</quote", "<quote-", ">", "\n", "The user wrote:", "0123456789ab", "\ud800", "é", "x"])
).map("".join)
BLOCKS = st.lists(st.builds(Block, st.sampled_from(["The user wrote", "The result of call 1"]), TEXTS), max_size=5)


def message(*blocks, role="user", **marks):
    """A message of these blocks."""
    return read_message({"role": role, "content": list(blocks)}, Marks(**marks))


def call(name="Read", call_id="A", **given):
    """A call of a tool."""
    return message({"type": "tool_use", "id": call_id, "name": name, "input": given}, role="assistant")


def result(content, call_id="A"):
    """What answers it."""
    return message({"type": "tool_result", "tool_use_id": call_id, "content": content})


def block(*messages, limit=2_000):
    """The quotations of these messages, and of data so many characters."""
    return blocks_of(messages, label_calls(messages), limit)


def tag_of(text):
    """The tag that the opening names."""
    return re.match(r"Below, what stands between <(quote-[0-9a-f]{12})>", text)[1]


@given(BLOCKS)
def test_what_is_quoted_comes_back_as_it_was(blocks):
    """Split at its tags, the text gives every heading and every quoted text, in order and whole."""
    text = quote(blocks)
    tag = tag_of(text)
    parts = text[len(QUOTE_PREAMBLE.format(tag=tag)) :].split(f"</{tag}>\n\n")
    assert parts.pop() == ""
    read = [tuple(part.removesuffix("\n").split(f":\n<{tag}>\n", maxsplit=1)) for part in parts]
    assert read == [(heading, told.encode("utf-8", "replace").decode()) for heading, told in blocks]


@given(BLOCKS)
def test_the_length_is_known_before_it_is_written(blocks):
    """Characters are counted without writing them out, to the one."""
    assert len(quote(blocks)) == len(quote([])) + quoted_characters(blocks)


@given(st.lists(anything.messages, max_size=6))
def test_anything_can_be_rendered(messages):
    """Whole or not, with parts that nobody knows: every conversation has a rendering, without its thinking."""
    text = quote(block(*messages))
    assert "signed" not in text
    assert "\ud800" not in text


@given(st.lists(anything.messages, max_size=6), st.integers(0, 30))
def test_no_data_is_longer_than_its_limit(messages, limit):
    """Calls, results and unknown parts are cut at the limit, and what is left out is told in the heading."""
    whole = block(*messages, limit=10_000)
    for short, long in zip(block(*messages, limit=limit), whole, strict=True):
        if re.match(r"The (?:result|assistant made)|A part", long.heading):
            gone = len(long.text) - len(short.text)
            assert len(short.text) <= limit
            assert long.text.startswith(short.text)
            assert (f"({gone:,} character" in short.heading) == (gone > 0)
        elif not long.heading.startswith("Attached"):
            assert short == long


@pytest.mark.parametrize("name", ["Read all", "Read\n", "Read:\n<quote>", "", "x" * 129, "Lesé", "</quote>"])
def test_any_other_name_is_quoted(name):
    """A name that could be a sentence or a tag stands in the quotation only."""
    (told,) = block(call(name))
    assert told.heading == "The assistant made call 1, with"
    assert told.text.endswith(": {}")


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        ("Mended.", ["Mended."]),
        ("", [""]),
        ([], [""]),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], ["a\nb"]),
        ([{"type": "tool_reference", "tool_name": "Door"}], ['[{"type":"tool_reference","tool_name":"Door"}]']),
        ({"error_code": "unavailable"}, ['{"error_code":"unavailable"}']),
        ([{"type": "image", "source": {}}], ["[Attached image]"]),
        ([{"type": "text", "text": "a"}, {"type": "image", "source": {}}], ["a", "[Attached image]"]),
    ],
)
def test_a_result_shows_whatever_it_holds(content, texts):
    """Texts, media, and what only one provider knows."""
    assert [one.text for one in block(call(), result(content))][1:] == texts


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ({"type": "image"}, "[Attached image]"),
        ({"type": "image", "source": None}, "[Attached image]"),
        ({"type": "document", "title": " ", "source": {"url": "https://e.org"}}, "[Attached document: https://e.org]"),
        ({"type": "document", "title": None, "source": {"media_type": "text/plain"}}, "[Attached text/plain]"),
        ({"type": "document", "title": "a\nb"}, "[Attached document: a b]"),
        ({"type": "file", "mime": "image/png", "filename": "door.png"}, "[Attached image/png: door.png]"),
        ({"type": "patch", "name": "x"}, ""),
        ({"type": "compaction_marker"}, ""),
        ({"type": "subtask"}, ""),
    ],
)
def test_media_are_told_by_what_is_known_of_them(raw, told):
    """A type where it is given, and the first name there is; on one line."""
    assert attached(raw) == told


def test_input_nested_without_end_is_refused():
    """As it is when it is measured: by name, and without a crash."""
    deep = {}
    for _ in range(100_000):
        deep = {"a": deep}
    odd = ToolCall("A", "Read", deep, False, {"type": "tool_use", "id": "A", "name": "Read", "input": deep})
    with pytest.raises(InvalidInput, match="nested too deeply"):
        blocks_of([message().with_parts((odd,))], {id(odd): "call 1"})
