from __future__ import annotations

from collections import Counter

from hypothesis import given

from brim.conversation.messages import Marks, ToolCall, ToolResult, read_message, read_part
from brim.conversation.tool_pairs import PairTracker, error_result, pair_tools
from tests.conversation.pairing import faults
from tests.conversation.strategies import conversations


@given(conversations)
def test_whatever_comes_in_what_goes_out_is_whole(messages):
    """A paired conversation has no fault that a provider would refuse, whatever it was before."""
    assert faults(pair_tools(messages).messages) == []


@given(conversations)
def test_pairing_twice_is_pairing_once(messages):
    """What was paired is left untouched."""
    once = pair_tools(messages).messages
    twice = pair_tools(once)
    assert [id(message) for message in twice.messages] == [id(message) for message in once]
    assert (twice.answered, twice.moved, twice.left_out, twice.unsendable_calls) == ((), (), (), ())


@given(conversations)
def test_a_whole_conversation_is_left_untouched(messages):
    """A conversation without a fault comes back as the very same messages, and only such a one does."""
    paired = pair_tools(messages)
    untouched = [id(message) for message in paired.messages] == [id(message) for message in messages]
    assert untouched == (faults(messages) == [])


@given(conversations)
def test_the_watch_and_the_check_agree(messages):
    """The running watch calls a conversation whole exactly where the check of the whole finds no fault."""
    watch = PairTracker()
    for message in messages:
        watch.append(message)
    assert watch.is_paired == (faults(messages) == [])


@given(conversations)
def test_a_result_that_has_its_call_is_never_lost(messages):
    """A result is sent or named as left out; the one result of the one call before it is never left out."""
    paired = pair_tools(messages)
    before = [part for message in messages for part in message.parts if type(part) is ToolResult]
    after = {id(part) for message in paired.messages for part in message.parts}
    lost = [result.call_id for result in before if id(result) not in after]
    assert lost == list(paired.left_out)
    if lost:
        assert not set(paired.left_out) & _waiting_at_the_end_of(messages, paired.left_out)


def _waiting_at_the_end_of(messages, left_out):
    """Ids that one call alone names, which a later user's message answers: their result has its call."""
    placed = [(n, message.role, part) for n, message in enumerate(messages) for part in message.parts]
    calls = Counter(part.id for _, _, part in placed if type(part) is ToolCall)
    results = Counter(part.call_id for _, _, part in placed if type(part) is ToolResult)
    return {
        call.id
        for n, role, call in placed
        for m, answering, result in placed
        if type(call) is ToolCall
        and type(result) is ToolResult
        and not call.server
        and (role, answering) == ("assistant", "user")
        and calls[call.id] == results[call.id] == 1
        and call.id == result.call_id
        and n < m
    }


@given(conversations)
def test_nothing_but_calls_and_results_is_touched(messages):
    """Every other part goes out as it came in, in its order."""
    paired = pair_tools(messages)

    def others(of):
        return [id(part) for message in of for part in message.parts if type(part) not in (ToolCall, ToolResult)]

    assert others(paired.messages) == others(messages)


@given(conversations)
def test_sources_tell_where_each_message_came_from(messages):
    """A message with a source keeps its role and marks; those without were added for results alone."""
    paired = pair_tools(messages)
    for message, source in zip(paired.messages, paired.sources, strict=True):
        if source is None:
            assert all(type(part) is ToolResult for part in message.parts)
            assert message.role == "user"
            assert message.marks == Marks(synthetic=True)
        else:
            assert (message.role, message.marks) == (messages[source].role, messages[source].marks)
    known = [source for source in paired.sources if source is not None]
    assert known == sorted(set(known))


@given(conversations)
def test_raw_and_parts_tell_the_same(messages):
    """What is sent of a message reads back as its parts."""
    for message in pair_tools(messages).messages:
        assert [type(part) for part in read_message(message.raw).parts] == [type(part) for part in message.parts]


def test_the_error_has_the_form_of_its_kind():
    """A user's tool is answered in words, a provider's with the code that all of its tools know (CNV_04)."""

    def answer(kind, name):
        return error_result(read_part({"type": kind, "id": "A", "name": name, "input": {}})).raw

    words = {"tool_use_id": "A", "content": "[Tool execution was interrupted]", "is_error": True}
    assert answer("tool_use", "Bash") == {"type": "tool_result", **words}
    assert answer("mcp_tool_use", "tickets") == {"type": "mcp_tool_result", **words}
    code = {"type": "web_search_tool_result_error", "error_code": "unavailable"}
    assert answer("server_tool_use", "web_search") == {
        "type": "web_search_tool_result",
        "tool_use_id": "A",
        "content": code,
    }
    assert answer("server_tool_use", "tool_search_tool_bm25") == {
        "type": "tool_search_tool_result",
        "tool_use_id": "A",
        "content": {"type": "tool_search_tool_result_error", "error_code": "unavailable"},
    }
