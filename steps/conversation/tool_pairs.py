"""Steps of features/conversation/tool_pairs.feature."""

from parse_type import TypeBuilder
from pytest_bdd import given, parsers, then, when

from brim.conversation.messages import read_conversation, read_message
from brim.conversation.tool_pairs import PairTracker, pair_tools, results_of
from steps.conversation_table import names
from steps.vocabulary import phrase

CALLS = {
    "a tool of the user": {"type": "tool_use", "id": "A", "name": "Bash", "input": {}},
    "a web search": {"type": "server_tool_use", "id": "A", "name": "web_search", "input": {}},
    "a search for tools": {"type": "server_tool_use", "id": "A", "name": "tool_search_tool_regex", "input": {}},
    "a connected server": {"type": "mcp_tool_use", "id": "A", "name": "tickets", "server_name": "desk", "input": {}},
}
RESULTS = {
    "result": "tool_result",
    "web search result": "web_search_tool_result",
    "tool search result": "tool_search_tool_result",
    "connected server result": "mcp_tool_result",
}
TERMS = {"Call": TypeBuilder.make_enum(CALLS), "Result": TypeBuilder.make_enum(RESULTS)}


@given(parsers.cfparse("a response that calls {call:Call} and is interrupted", TERMS), target_fixture="conversation")
def interrupted(call):
    return read_conversation([{"role": "user", "content": "Go."}, {"role": "assistant", "content": [call]}])


@when("calls and results are paired", target_fixture="sent")
def pair(conversation):
    return pair_tools(conversation)


@when("the conversation is watched as it grows", target_fixture="whole_after")
def watch(conversation):
    return whole_after_each(PairTracker(), conversation)


def whole_after_each(growing, conversation):
    """Whether the conversation was whole after each of its messages."""
    for message in conversation:
        growing.append(message)
        yield growing.is_paired


@then(phrase('it is whole after the messages "{places:Quoted}"'))
def check_whole(whole_after, places):
    assert [str(index) for index, whole in enumerate(whole_after) if whole] == names(places)


@then(phrase('the calls answered with an error are "{calls:Quoted}"'))
def check_answered(sent, calls):
    assert list(sent.answered) == names(calls)


@then(phrase('the results left out are "{calls:Quoted}"'))
def check_left_out(sent, calls):
    assert list(sent.left_out) == names(calls)


@then(phrase('the results moved up are of "{calls:Quoted}"'))
def check_moved(sent, calls):
    assert list(sent.moved) == names(calls)


@then(phrase('the calls left out are "{calls:Quoted}"'))
def check_unfit(sent, calls):
    assert list(sent.unsendable_calls) == names(calls)


@then(phrase('the messages stood before at "{places:Quoted}"'))
def check_sources(sent, places):
    assert ["new" if source is None else str(source) for source in sent.sources] == names(places)


@then("the messages are the very same")
def check_same(sent, conversation):
    assert [id(message) for message in sent.messages] == [id(message) for message in conversation]


@then(parsers.cfparse("the call is answered by a result of the kind {kind:Result}", TERMS), target_fixture="result")
def check_kind(sent, kind):
    (result,) = results_of(sent.messages[-1])
    assert result.raw["type"] == kind
    return result


@then(phrase('that result is an error that reads "{text:Quoted}"'))
def check_error(result, text):
    content = result.raw["content"]
    told = content if isinstance(content, str) else f"{content['type']}: {content['error_code']}"
    assert (result.failed, told) == (True, text)


@then("what is sent reads back as itself")
def check_reads_back(sent):
    assert tuple(read_message(message.raw, message.marks) for message in sent.messages) == sent.messages
