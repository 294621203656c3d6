from __future__ import annotations

import copy
import dataclasses
import json
import unicodedata
from collections import UserDict

from hypothesis import given
from hypothesis import strategies as st

from brim.conversation.messages import (
    CONTINUATION,
    SUMMARY_OPENING,
    Marker,
    Marks,
    Text,
    is_visible,
    read_conversation,
    read_message,
    read_part,
    sendable,
    user_text,
    write_part,
)
from brim.conversation.thinking import without_thinking
from brim.conversation.tool_pairs import pair_tools
from brim.conversation.turns import find_turns
from brim.errors import InvalidInput
from tests.conversation.cutting import legal_cuts
from tests.conversation.strategies import conversations, messages, raw_conversations

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@given(raw_conversations)
def test_what_is_read_is_written_back_identical(raws):
    """A message keeps the very dictionary that it came as, every block included."""
    for raw, message in zip(raws, read_conversation(raws), strict=True):
        assert message.raw is raw
        if isinstance(raw["content"], list):
            assert all(write_part(part) is block for part, block in zip(message.parts, raw["content"], strict=True))
        else:
            assert [write_part(part) for part in message.parts] == [{"type": "text", "text": raw["content"]}]


@given(raw_conversations)
def test_nothing_changes_what_was_handed_in(raws):
    """Reading, pairing, leaving out, cutting and finding turns all leave the caller's messages as they were."""
    before = copy.deepcopy(raws)
    conversation = read_conversation(raws)
    for message in sendable(without_thinking(pair_tools(conversation).messages)).messages:
        message.with_parts(message.parts)
    legal_cuts(conversation)
    find_turns(conversation)
    assert json.dumps(raws) == json.dumps(before)


@given(conversations)
def test_what_can_be_sent_holds_nothing_empty(drawn):
    """No message without parts, no text that does not show, no part that only a harness knows; the rest is there."""
    sent = sendable(drawn)
    for message in sent.messages:
        assert message.parts
        assert not any(type(part) is Text and not is_visible(part.text) for part in message.parts)
        assert not any(type(part) is Marker for part in message.parts)
    kept = [id(part) for message in sent.messages for part in message.parts]
    gone = [id(part) for part in sent.left_out]
    assert sorted(kept + gone) == sorted(id(part) for message in drawn for part in message.parts)


@given(conversations)
def test_leaving_out_twice_is_leaving_out_once(drawn):
    """What can be sent is left untouched, message by message."""
    once = sendable(drawn).messages
    twice = sendable(once)
    assert [id(message) for message in twice.messages] == [id(message) for message in once]
    assert twice.left_out == ()


@given(messages)
def test_what_is_left_of_a_message_is_as_it_came(message):
    """A message without one of its parts keeps its role, its marks and every other block and field."""
    for part in message.parts:
        left = message.without([part])
        assert (left.role, left.marks) == (message.role, message.marks)
        assert left.parts == tuple(other for other in message.parts if other is not part)
        assert left.raw["content"] == [write_part(other) for other in left.parts]
        assert {**left.raw, "content": None} == {**message.raw, "content": None}


@given(st.text(st.characters()))
def test_a_text_shows_where_a_character_does(text):
    """Whitespace, controls, formats and half a character do not show, whatever else there is does (CNV_09)."""
    hidden = {"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"}
    assert is_visible(text) == any(unicodedata.category(character) not in hidden for character in text)


@given(JSON)
def test_any_json_is_read_or_refused(value):
    """Whatever stands for a conversation, a message or a block is read, or refused with an error of brim's own."""
    for act in (lambda: read_conversation(value), lambda: read_message(value), lambda: read_part(value)):
        try:
            act()
        except InvalidInput as refusal:
            assert str(refusal)


@given(st.sampled_from(["tool_use", "tool_result", "text", "x_tool_use", "x_tool_result"]), JSON, JSON, JSON)
def test_any_field_of_a_known_block_is_read_or_refused(kind, first, second, third):
    """A known block whose fields are anything at all is read, or refused."""
    block = {"type": kind, "id": first, "name": second, "text": third, "tool_use_id": first, "content": second}
    try:
        assert write_part(read_part(block)) is block
    except InvalidInput as refusal:
        assert kind in str(refusal)


def test_mappings_and_tuples_are_read_like_dictionaries_and_lists():
    """A message may be any mapping, its content any sequence of them."""
    block = UserDict({"type": "tool_use", "id": "A", "name": "Bash", "input": UserDict(command="ls")})
    message = read_message(UserDict({"role": "assistant", "content": (block,)}))
    assert message.parts[0].input == {"command": "ls"}
    assert write_part(message.parts[0]) is block
    assert read_conversation((message.raw,)) == (message,)


def test_marks_that_a_reader_gave_stay_beside_those_of_brim():
    """A summary of brim is known as one, whatever else a reader knows of the message."""
    known = Marks(checkpoint=True, response="r")
    summary = read_message(user_text(f"{SUMMARY_OPENING}\nFixed.").raw, known)
    assert summary.marks == dataclasses.replace(known, synthetic=True, summary=True)
    continuation = read_message(user_text(CONTINUATION).raw, known)
    assert continuation.marks == dataclasses.replace(known, synthetic=True)
    assert read_message(user_text(SUMMARY_OPENING).raw).marks == Marks(synthetic=True, summary=True)
