from __future__ import annotations

from hypothesis import given

from brim.conversation.messages import Thinking
from brim.conversation.thinking import unfinished_loop, without_thinking
from brim.conversation.tool_pairs import pair_tools
from brim.conversation.turns import begins_turn
from tests.conversation.pairing import faults
from tests.conversation.strategies import conversations


@given(conversations)
def test_only_thinking_is_left_out(messages):
    """Every other part stays, in its order; a message without thinking stays the very same."""
    left = without_thinking(messages)
    kept = [id(part) for message in left for part in message.parts]
    assert kept == [id(part) for message in messages for part in message.parts if type(part) is not Thinking]
    untouched = [id(message) for message in messages if not any(type(part) is Thinking for part in message.parts)]
    assert untouched == [id(message) for message in left if any(message is one for one in messages)]


@given(conversations)
def test_a_whole_conversation_stays_whole_without_its_thinking(messages):
    """Leaving thinking out parts no call from its result."""
    whole = [message for message in pair_tools(messages).messages if message.marks.response is None]
    if not faults(whole):
        assert faults(without_thinking(whole)) == []


@given(conversations)
def test_an_unfinished_loop_begins_after_the_last_word_of_a_user(messages):
    """No turn begins within an unfinished loop, and one begins before it, or a summary stands there, or nothing."""
    start = unfinished_loop(messages)
    if start is None:
        return
    assert not any(begins_turn(message) for message in messages[start:-1])
    before = messages[start - 1] if start else None
    assert before is None or begins_turn(before) or before.marks.summary
