"""Steps of features/conversation/thinking.feature."""

from parse_type import TypeBuilder
from pytest_bdd import parsers, then, when

from brim.conversation.messages import Thinking
from brim.conversation.thinking import loop_needs_thinking, unfinished_loop, without_thinking
from steps.conversation_table import write_table

OWN_TERMS = {
    "Start": TypeBuilder.make_enum({"nowhere": None, **{str(index): index for index in range(7)}}),
    "Needs": TypeBuilder.make_enum({"needs": True, "does not need": False}),
}


@when("the thinking is left out", target_fixture="left")
def leave_out(conversation):
    return without_thinking(conversation)


@when("the unfinished loop is looked for", target_fixture="start")
def look_for_loop(conversation):
    return unfinished_loop(conversation)


@when("the unfinished loop is weighed", target_fixture="needed")
def weigh_loop(conversation):
    return loop_needs_thinking(conversation)


@then("what is left is")
def check_left(left, datatable):
    assert write_table(left, datatable[0]) == datatable


@then("the words and the rest are written as they came")
def check_written(left, conversation):
    kept = [[part.raw for part in message.parts if type(part) is not Thinking] for message in conversation]
    assert [message.raw["content"] for message in left] == kept


@then("the messages are the very same")
def check_same(left, conversation):
    assert [id(message) for message in left] == [id(message) for message in conversation]


@then(parsers.cfparse("it begins at {place:Start}", OWN_TERMS))
def check_start(start, place):
    assert start == place


@then(parsers.cfparse("it {needs:Needs} its thinking", OWN_TERMS))
def check_needed(needed, needs):
    assert needed is needs
