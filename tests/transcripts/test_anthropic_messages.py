"""Messages in Anthropic's form."""

import json

import pytest

from brim.conversation.turns import find_turns
from brim.errors import InvalidInput
from brim.transcripts import read_transcript, view

MESSAGES = [
    {"role": "user", "content": "hello"},
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "Let me look."},
            {"type": "tool_use", "id": "c1", "name": "Read", "input": {"path": "a.py"}},
        ],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "x = 1"}]},
]


def lines(records):
    """Records as JSON lines."""
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(MESSAGES),
        json.dumps(MESSAGES, indent=2),
        json.dumps({"messages": MESSAGES}),
        json.dumps({"system": "Be brief.", "messages": MESSAGES}, indent=2),
        lines(MESSAGES),
    ],
    ids=["array", "array over lines", "object", "object over lines", "JSON lines"],
)
def test_the_same_messages_in_every_form(written, content):
    """An array, an object with messages and JSON lines hold the same messages, as they came."""
    transcript = read_transcript(written(content))
    assert transcript.format == "anthropic-messages"
    assert [message.raw for message in transcript.messages] == MESSAGES
    assert (transcript.lines, transcript.damaged) == ((1, 2, 3), ())


def test_system_and_tools(written):
    """An object's system prompt, tools and model are taken along."""
    tools = [{"name": "Read", "input_schema": {"type": "object"}}]
    transcript = read_transcript(
        written({"model": "claude-opus-5", "system": "Be brief.", "tools": tools, "messages": MESSAGES})
    )
    assert (transcript.model, transcript.system, transcript.tools) == ("claude-opus-5", "Be brief.", tools)


def test_timestamps_of_lines_are_the_records(written):
    """Of a record in JSON lines, role and content are the message: a timestamp is not sent."""
    transcript = read_transcript(written(lines([{**message, "timestamp": 1} for message in MESSAGES])))
    assert [message.raw for message in transcript.messages] == MESSAGES


def test_unknown_fields_of_a_list_stay(written):
    """A message of a list is kept with every field it came with."""
    message = {"role": "user", "content": "hello", "note": 1}
    assert read_transcript(written([message])).messages[0].raw == message


def test_whole_responses_in_a_list(written):
    """A response kept whole, as the API gave it, tells its id, model and usage."""
    response = {
        **MESSAGES[1],
        "id": "msg_1",
        "type": "message",
        "model": "claude-opus-5",
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 5},
    }
    transcript = read_transcript(written([MESSAGES[0], response]))
    told = transcript.responses[0]
    assert (told.usage.total, told.model, told.finished) == (105, "claude-opus-5", True)
    assert transcript.messages[1].marks.response == "msg_1"
    assert transcript.model == "claude-opus-5"


def test_calls_without_ids(written):
    """A call that was recorded without an id takes the id of the next result that no call named."""
    call = {"role": "assistant", "content": [{"type": "tool_use", "name": "Read", "input": {}}]}
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "123", "content": "..."}]}
    transcript = read_transcript(written(lines([MESSAGES[0], call, result, call])))
    assert [part.id for message in transcript.messages for part in message.parts if hasattr(part, "input")] == [
        "123",
        "call-2",
    ]


def test_a_result_that_a_call_named_is_not_taken(written):
    """A call without id leaves alone the results of the calls that have one."""
    calls = [{"type": "tool_use", "name": "A", "input": {}}, {"type": "tool_use", "id": "c1", "name": "B", "input": {}}]
    results = [{"type": "tool_result", "tool_use_id": name, "content": "x"} for name in ("c1", "c9")]
    messages = [{"role": "assistant", "content": calls}, {"role": "user", "content": results}]
    transcript = read_transcript(written(messages))
    assert [part.id for part in transcript.messages[0].parts] == ["c9", "c1"]


def test_texts_of_a_harness_begin_no_turn(written):
    """What Claude Code puts in the user's place is known in the plain messages of its requests too."""
    texts = [
        "<system-reminder>x</system-reminder>",
        "[Request interrupted by user]",
        "This session is being continued from a previous conversation that ran out of context. …",
        "go",
    ]
    transcript = read_transcript(written([{"role": "user", "content": text} for text in texts]))
    assert [turn.request for turn in find_turns(transcript.messages)] == ["go"]
    assert [message.marks.summary for message in transcript.messages] == [False, False, True, False]


@pytest.mark.parametrize("at", [-1, 1])
def test_a_response_that_is_not_there(written, at):
    """A view after a response that is not there is refused with those that are."""
    transcript = read_transcript(written(MESSAGES))
    with pytest.raises(InvalidInput, match="responses 0 to 0"):
        view(transcript, at)


def test_a_view_where_there_is_no_response(written):
    """A view after a response is refused where the transcript holds none."""
    with pytest.raises(InvalidInput, match="no response"):
        view(read_transcript(written(MESSAGES[:1])), 0)


SAID = {"role": "system", "content": "It is late."}


@pytest.mark.parametrize("written_as", [json.dumps, lines], ids=["array", "JSON lines"])
def test_messages_of_the_system_stay_where_they_stand(written, written_as):
    """A list with such a message in its middle is Anthropic's, and it begins no turn."""
    messages = [MESSAGES[0], SAID, *MESSAGES[1:], SAID]
    transcript = read_transcript(written(written_as(messages)))
    assert transcript.format == "anthropic-messages"
    assert [message.raw for message in transcript.messages] == messages
    assert len(find_turns(transcript.messages)) == 1
    assert transcript.damaged == ()


def test_a_system_message_at_the_beginning_is_of_openai(written):
    """Anthropic's API takes none there."""
    assert read_transcript(written(json.dumps([SAID, MESSAGES[0]]))).format == "openai-chat"


def test_claude_code_may_record_one(claude):
    """It is neither the user's words nor a damaged line."""
    claude.user("Go.")
    claude.add({"type": "user", "message": SAID})
    claude.text("one", "Done.")
    transcript = claude.read()
    assert [message.role for message in transcript.messages] == ["user", "system", "assistant"]
    assert len(find_turns(transcript.messages)) == 1
