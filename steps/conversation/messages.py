"""Steps of features/conversation/messages.feature."""

import copy
import json

import pytest
from parse_type import TypeBuilder
from pytest_bdd import given, parsers, then, when

from brim.conversation.messages import (
    CONTINUATION,
    SUMMARY_OPENING,
    Marker,
    Marks,
    Media,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    read_conversation,
    read_message,
    sendable,
    user_text,
    write_part,
)
from brim.conversation.tool_pairs import calls_of
from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation
from brim.models import ModelLimits
from brim.testing import complaints
from steps.compaction_windows import raw_turns, turns
from steps.conversation_table import write_table
from steps.vocabulary import TERMS, attempt, phrase

CALL = {"type": "tool_use", "id": "A", "name": "Bash", "input": {"command": "ls"}}
RESULT = {"type": "tool_result", "tool_use_id": "A", "content": "Two files."}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
DOCUMENT = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "A page."}}
NO_FILE = {"type": "text", "text": "No such file"}
SEARCH = {"type": "web_search_tool_result", "tool_use_id": "A"}
SEARCH_ERROR = {"type": "web_search_tool_result_error", "error_code": "unavailable"}

BLOCKS = {
    "words": {"type": "text", "text": "Some words.", "citations": None},
    "thinking": {"type": "thinking", "thinking": "Hm.", "signature": "signed"},
    "thinking without words": {"type": "thinking", "thinking": None, "signature": "signed"},
    "hidden thinking": {"type": "redacted_thinking", "data": "AAAA"},
    "an image": IMAGE,
    "a document": DOCUMENT,
    "a tool call": CALL,
    "a call without input": {name: CALL[name] for name in ("type", "id", "name")},
    "a call whose input is a bare text": CALL | {"input": "ls"},
    "a web search": CALL | {"type": "server_tool_use"},
    "a connected server's call": CALL | {"type": "mcp_tool_use"},
    "a call of a later kind": CALL | {"type": "robot_tool_use"},
    "a later call without an id": {"type": "robot_tool_use", "name": "Bash"},
    "a later call without a name": {"type": "robot_tool_use", "id": "A"},
    "a later result without an id": {"type": "robot_tool_result"},
    "a tool result": RESULT,
    "a result without content": {"type": "tool_result", "tool_use_id": "A"},
    "a result of two texts and an image": RESULT
    | {"content": [{"type": "text", "text": "One."}, IMAGE, {"type": "text", "text": "Two."}]},
    "a result of a document": RESULT | {"content": [DOCUMENT]},
    "a result of a document and an image": RESULT | {"content": [DOCUMENT, IMAGE]},
    "a result of another kind of item": RESULT | {"content": ["bare", {"type": "hologram", "text": "Hidden."}]},
    "a result marked as no error": RESULT | {"is_error": False},
    "a result marked as an error": RESULT | {"content": "No such file", "is_error": True},
    "a list marked as an error": RESULT | {"content": (NO_FILE,), "is_error": True},
    "a web search's result": SEARCH | {"content": [{"type": "web_search_result", "title": "A page"}]},
    "a web search that failed": SEARCH | {"content": SEARCH_ERROR},
    "a connected server's result": RESULT | {"type": "mcp_tool_result"},
    "a compaction marker": {"type": "compaction_marker"},
    "a sub-task": {"type": "subtask"},
    "a file": {"type": "file"},
    "a patch": {"type": "patch"},
    "a hologram": {"type": "hologram"},
    "the interface's own compaction": {"type": "compaction", "content": None},
}
KINDS = {
    "text": Text,
    "thinking": Thinking,
    "media": Media,
    "tool call": ToolCall,
    "tool result": ToolResult,
    "marker": Marker,
    "unknown": Unknown,
}
CHARACTERS = {
    "nothing": "",
    "a space": " ",
    "line breaks": "\r\n\n",
    "a no-break space": "\u00a0",
    "a line separator": "\u2028",
    "a paragraph separator": "\u2029",
    "a zero-width space": "\u200b",
    "a control character": "\x07",
    "half a character": "\ud83d",
    "a letter": "a",
    "a digit after spaces": "  1",
    "a full stop": ".",
    "an emoji": "\N{GRINNING FACE}",
    "an icon of a font": "\ue0b0",
}
FAULTS = {
    "is a bare text": "Hello.",
    "has a moderator's role": {"role": "moderator", "content": "Hello."},
    "has no role": {"content": "Hello."},
    "has a list as its role": {"role": [], "content": "Hello."},
    "has no content": {"role": "user"},
    "has bytes as its content": {"role": "user", "content": b"Hello."},
    "has an object as its content": {"role": "user", "content": BLOCKS["words"]},
    "has a bare text among its blocks": {"role": "user", "content": ["Hello."]},
    "has a block without a type": {"role": "user", "content": [{"text": "Hello."}]},
    "has a list as a block's type": {"role": "user", "content": [{"type": [], "text": "Hello."}]},
    "has a text without its words": {"role": "user", "content": [{"type": "text"}]},
    "has a call without an id": {"role": "assistant", "content": [{"type": "tool_use", "name": "Bash"}]},
    "has a call without a name": {"role": "assistant", "content": [{"type": "tool_use", "id": "A"}]},
    "has a web search without an id": {"role": "assistant", "content": [{"type": "server_tool_use", "name": "Bash"}]},
    "has a server's call without a name": {"role": "assistant", "content": [{"type": "mcp_tool_use", "id": "A"}]},
    "has a result without a call's id": {"role": "user", "content": [{"type": "tool_result", "content": "Done."}]},
}
WHAT = {
    "its form": "message 1 is str, not an object",
    "its role": "message 1 has the role ",
    "its content": "message 1 has no content",
    "a block's form": "message 1 holds str among its blocks",
    "a block's type": "message 1 holds a block without a type",
    "the words": "message 1 holds a block of type text without the text 'text'",
    "the id of a call": "_use without the text 'id'",
    "the name of a call": "_use without the text 'name'",
    "the call of a result": "message 1 holds a block of type tool_result without the text 'tool_use_id'",
}
NO_LISTS = {"a bare text": "Hello.", "bytes": b"Hello.", "one message": {"role": "user"}, "nothing": None}


OWN_TERMS = TERMS | {
    "Block": TypeBuilder.make_enum(BLOCKS),
    "Kind": TypeBuilder.make_enum(KINDS),
    "Characters": TypeBuilder.make_enum(CHARACTERS),
    "Fault": TypeBuilder.make_enum(FAULTS),
    "What": TypeBuilder.make_enum(WHAT),
    "NoList": TypeBuilder.make_enum(NO_LISTS),
    "Speaker": TypeBuilder.make_enum({"user": "user", "assistant": "assistant"}),
    "Opening": TypeBuilder.make_enum({"summary": SUMMARY_OPENING, "continuation": CONTINUATION}),
    "Runner": TypeBuilder.make_enum({"the user's to run": False, "the provider's to run": True}),
    "Input": TypeBuilder.make_enum({"a command": {"command": "ls"}, "nothing": {}}),
    "Failure": TypeBuilder.make_enum({"succeeded": False, "failed": True}),
    "Pin": TypeBuilder.make_enum({str(pin): pin for pin in range(-1, 10)}),
}


def wording(text):
    """A step's wording, in which {name:Term} is a term of the domain or of this feature alone."""
    return parsers.cfparse(text, OWN_TERMS)


def numbers(listed):
    return [int(number) for number in listed.split(",") if number]


@given(wording("a message of the {role:Speaker} that holds {blocks:Block+}"), target_fixture="raws")
def message_of_blocks(role, blocks):
    return [{"role": role, "content": blocks}]


@given(wording('a message of the user that is the bare text "{text:Quoted}"'), target_fixture="raws")
def bare_message(text):
    return [{"role": "user", "content": text}]


@given(wording("a message of the user that is the text of {text:Characters}"), target_fixture="raws")
def characters_message(text):
    return [{"role": "user", "content": text}]


@given(wording('the text "{text:Quoted}"'), target_fixture="text")
def given_text(text):
    return text


@given("the messages", target_fixture="raws")
def given_messages(docstring):
    return json.loads(docstring)


@given(wording("a conversation of {count:Count} messages"), target_fixture="raws")
def counted_messages(count):
    return [{"role": "user", "content": "Go on."}] * count


@given(wording("a conversation that opens with a {opening:Opening} of brim"), target_fixture="raws")
def opened_messages(opening):
    return [user_text(opening).raw]


@given(wording("a conversation whose second message {fault:Fault}"), target_fixture="raws")
def faulty_messages(fault):
    return [{"role": "user", "content": "Go on."}, fault]


@given(wording("{something:NoList} in place of a conversation"), target_fixture="raws")
def no_messages(something):
    return something


@pytest.fixture
def caller_messages(raws):
    """The messages as they were before anything was done."""
    return copy.deepcopy(raws)


@pytest.fixture
def conversation(raws):
    """The messages as brim reads them, where no table says it."""
    return read_conversation(raws)


@when("the message is read", target_fixture="message")
def read_one(raws):
    return read_message(raws[0])


@when("a pinned message of the user is made of it", target_fixture="message")
def make_message(text):
    return user_text(text, Marks(pinned=True))


@when("the messages are read", target_fixture="outcome")
def read_all(raws, caller_messages):
    return attempt(read_conversation, raws)


@when(wording('the messages "{pins:Quoted}" are pinned'), target_fixture="outcome")
def pin(raws, pins):
    return attempt(read_conversation, raws, pinned=numbers(pins))


@when("the text is taken out of the first message", target_fixture="written")
def take_text_out(conversation):
    (message,) = conversation
    return message.without([part for part in message.parts if type(part) is Text]).raw


@when("the first message is written again", target_fixture="written")
def write_again(conversation):
    return conversation[0].with_parts(conversation[0].parts).raw


@when("what can be sent of the conversation is worked out", target_fixture="sent")
def send(conversation):
    return sendable(conversation)


@when("what can be sent of the messages is worked out", target_fixture="sent")
def send_messages(caller_messages, conversation):
    return sendable(conversation)


@then(wording("its parts are {kinds:Kind+}"))
def check_kinds(message, kinds):
    assert [type(part) for part in message.parts] == kinds


@then("they are written as they came")
def check_blocks_written(message, raws):
    assert [write_part(part) for part in message.parts] == raws[0]["content"]


@then(wording('its part is called "{name:Quoted}"'))
def check_name(message, name):
    assert message.parts[0].kind == name


@then(wording('its thinking reads "{text:Quoted}"'))
def check_thinking(message, text):
    assert message.parts[0].text == text


@then(wording("the media of the result are {blocks:Block+}"))
def check_media(message, blocks):
    assert [medium.raw for medium in message.parts[0].media] == blocks
    assert [medium.kind for medium in message.parts[0].media] == [block["type"] for block in blocks]


@then("the message reads back as itself, pinned")
def check_read_back(message):
    assert read_message(message.raw, Marks(pinned=True)) == message


@then(wording('its text reads "{text:Quoted}"'))
def check_text(message, text):
    assert message.text == text


@then(wording("the call is {server:Runner}"))
def check_runner(message, server):
    assert message.parts[0].server is server


@then(wording("the call was given {given_to_it:Input}"))
def check_input(message, given_to_it):
    assert message.parts[0].input == given_to_it


@then(wording('the result reads "{text:Quoted}", with {media:Count} media, and the tool {failed:Failure}'))
def check_result(message, text, media, failed):
    (result,) = message.parts
    assert (result.text, len(result.media), result.failed) == (text, media, failed)


@then("it is written back as")
def check_written(written, docstring):
    assert json.dumps(written) == json.dumps(json.loads(docstring))


@then("they are written back byte for byte")
def check_written_back(outcome, raws):
    assert json.dumps([message.raw for message in outcome]) == json.dumps(raws)


@then("the caller's messages are unchanged")
def check_handed_in(raws, caller_messages):
    assert json.dumps(raws) == json.dumps(caller_messages)


@then(wording('the pinned messages are "{pins:Quoted}"'))
def check_pinned(outcome, pins):
    assert [index for index, message in enumerate(outcome) if message.marks.pinned] == numbers(pins)


@then(wording('the first message is marked "{marks:Quoted}"'))
def check_marks(outcome, marks):
    assert write_table(outcome[:1], ["mark"])[1] == [marks]


@then("nothing is sent")
def check_nothing(sent):
    assert sent.messages == ()


@then("it is sent")
def check_it(sent, conversation):
    assert sent.messages == conversation


@then("what is sent is the very same messages")
def check_same(sent, conversation):
    assert [id(message) for message in sent.messages] == [id(message) for message in conversation]


@then(wording("what is sent of the message is {blocks:Block+}"))
def check_blocks(sent, blocks):
    assert [part.raw for part in sent.messages[0].parts] == blocks


@then(wording("left out is {kinds:Kind+}"))
def check_left_out(sent, kinds):
    assert [type(part) for part in sent.left_out] == kinds


@then("left out is nothing")
def check_none_left_out(sent):
    assert sent.left_out == ()


@then(wording("the refusal names the second message and {what:What}"))
def check_place(outcome, what):
    assert "message 1 " in str(outcome)
    assert what in str(outcome)


@then(wording('the refusal asks for a list of messages, not "{kind:Quoted}"'))
def check_list(outcome, kind):
    assert str(outcome) == f"a conversation is a list of messages, not {kind}"


@then(wording("the refusal names pin {pin:Pin} and {count:Count} messages"))
def check_pin(outcome, pin, count):
    assert f"message {pin}: there are {count} messages" in str(outcome)


@given(parsers.parse("an agent whose requests name its first message as pinned: {named}"), target_fixture="named")
def naming(named):
    return [answer == "yes" for answer in named.split(", ")]


@when("each of its later requests makes a compaction due", target_fixture="last")
def make_requests(named):
    compactor = Compactor(limits=ModelLimits(context_window=12_000, max_output_tokens=500))
    conversation, first = Conversation(compactor), {"role": "user", "content": "Mend the door. " * 20}
    conversation.append(first)
    for request, pinned in enumerate(named):
        last = conversation.prepare(pinned=[0] if pinned else [])
        for number in range(20):
            words = f"Build pier {request} {number}. " + "Mind the tide. " * 200
            conversation.extend([{"role": "assistant", "content": "Done."}, {"role": "user", "content": words}])
    return first, last


@then("its first message is kept in the last")
def check_first_kept(last):
    message, outgoing = last
    assert message in outgoing.messages


@then("its first message is summarized in the last")
def check_first_summarized(last):
    message, outgoing = last
    assert message not in outgoing.messages


@given(parsers.cfparse("an agent that names message {pin:d} of {count:d} as pinned"), target_fixture="request_made")
def naming_outside(pin, count):
    return {"messages": [{"role": "user", "content": f"Message {n}."} for n in range(count)], "pinned": [pin]}


@when(parsers.parse("its request is prepared {way}"), target_fixture="outcome")
def prepare_request(request_made, way):
    compactor = Compactor()
    if way != "in a loop of its own":
        return attempt(compactor.plan, **request_made)
    conversation = Conversation(compactor)
    conversation.extend(request_made["messages"])
    return attempt(conversation.prepare, pinned=request_made["pinned"])


ANSWER = {"role": "assistant", "content": "Hello."}
EMPTY = {"role": "user", "content": ""}


def without_a_result(count, output):
    """Turns of which the first lacks its tool result."""
    question, call, _result, *others = raw_turns(count, output)
    return [question, call, *others]


def with_a_late_result(count, output):
    """Turns of which the first has its tool result behind the user's next words."""
    question, call, result, *others = raw_turns(count, output)
    return [question, call, question, result, *others]


def without_a_call(count, output):
    """Turns of which the first lacks its tool call."""
    question, _call, result, *others = raw_turns(count, output)
    return [question, result, *others]


def with_one_call_twice(count, output):
    """Turns of which the first makes its tool call twice."""
    question, call, *others = raw_turns(count, output)
    return [question, {**call, "content": call["content"] * 2}, *others]


def with_system(count, output):
    """Turns in which a message of the system follows each of the user's."""
    said = {"role": "system", "content": "The sea is calm."}
    return [one for raw in raw_turns(count, output) for one in ([raw, said] if raw["role"] == "user" else [raw])]


def with_a_tool_more(count, output):
    """Turns of which the first has a message of the system that adds a tool."""
    tool = {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "Look"}}
    question, *others = raw_turns(count, output)
    return [question, {"role": "system", "content": [tool]}, *others]


FAULTY = {
    "nothing is wrong": raw_turns,
    "every tool call has the same id": lambda count, output: [message.raw for message in turns(count, output)],
    "the assistant speaks first": lambda count, output: [ANSWER, *raw_turns(count, output)],
    "a tool call has no result": without_a_result,
    "a tool call has its result too late": with_a_late_result,
    "a result has no tool call": without_a_call,
    "a response makes one call twice": with_one_call_twice,
    "the user's first message is empty": lambda count, output: [EMPTY, ANSWER, *raw_turns(count, output)],
    "the system speaks behind each user's": with_system,
    "the system adds a tool in the middle": with_a_tool_more,
}
HOW = {"a summary": (4_000, 400, 30, 200), "pruning": (200_000, 32_000, 9, 20_000), "nothing": (200_000, 32_000, 2, 1)}
"""The window, the longest answer, how many turns, and the tokens of each output."""


def compacted(fault, how):
    """A conversation with a fault, and its compaction where that is due."""
    window, longest, count, output = HOW[how]
    compactor = Compactor(limits=ModelLimits(context_window=window, max_output_tokens=longest))
    caller_messages = FAULTY[fault](count, output)
    return caller_messages, compactor.compact(caller_messages, cause="automatic")


@given(phrase("messages in which {fault}"), target_fixture="fault")
def with_a_fault(fault):
    return fault


@when(phrase("{how} makes room in it"), target_fixture="faulty")
def compact_by(fault, how):
    return compacted(fault, how)


@when("it is small enough to stay as it is", target_fixture="faulty")
def stay(fault):
    return compacted(fault, "nothing")


@then("the API would refuse nothing in it")
def check_strictly(faulty):
    assert faulty[1].plan.acts
    assert complaints(faulty[1].messages) == []


@then("there are no warnings")
def check_no_warnings(faulty):
    assert faulty[1].warnings == ()


@then(phrase('its tool calls have the ids "{ids:Quoted}"'))
def check_ids(faulty, ids):
    assert [call.id for message in faulty[1].conversation for call in calls_of(message)] == ids.split(", ")


@then("every message is the very one that came")
def check_very_same(faulty):
    assert [id(message) for message in faulty[1].messages] == [id(message) for message in faulty[0]]


@then(phrase('the warnings are "{text:Quoted}"'))
def check_warnings(faulty, text):
    assert "; ".join(faulty[1].warnings) == text
