from __future__ import annotations

from hypothesis import given

from brim.conversation.messages import ToolCall
from brim.conversation.turns import begins_turn, find_turns, turn_starts
from tests.conversation.strategies import conversations


@given(conversations)
def test_turns_follow_each_other_without_a_gap(messages):
    """From the first message of a user on, every message belongs to exactly one turn."""
    turns = find_turns(messages)
    starts = [index for index, message in enumerate(messages) if begins_turn(message)]
    assert [turn.start for turn in turns] == starts == turn_starts(messages)
    assert [turn.stop for turn in turns] == [*starts[1:], *([len(messages)] if starts else [])]
    assert [turn.index for turn in turns] == list(range(len(turns)))


@given(conversations)
def test_a_turn_tells_of_every_response_and_call_in_it(messages):
    """Each assistant message is a response, each of its calls a use of the tool."""
    for turn in find_turns(messages):
        inside = [message for message in messages[turn.start : turn.stop] if message.role == "assistant"]
        assert [response.text for response in turn.responses] == [message.text for message in inside]
        for response, message in zip(turn.responses, inside, strict=True):
            calls = [part for part in message.parts if type(part) is ToolCall]
            assert [use.name for use in response.tool_uses] == [call.name for call in calls]
