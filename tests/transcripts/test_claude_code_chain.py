"""Claude Code: from records to the messages of the main chain, and the traps on the way."""

import pytest

from brim.conversation.messages import Text, ToolCall, ToolResult
from brim.conversation.turns import find_turns


def kinds(message):
    """The kinds of the parts of a message."""
    return [type(part) for part in message.parts]


def test_records_of_one_response_are_one_message(claude):
    """Records that share a message id are one message, its blocks in the order of the file, its usage counted once."""
    claude.user("go")
    claude.assistant("m1", {"type": "thinking", "thinking": "hm", "signature": "x"})
    claude.text("m1", "Let me look.")
    claude.call("m1", "c1")
    transcript = claude.read()
    assert [message.role for message in transcript.messages] == ["user", "assistant"]
    assert [block["type"] for block in transcript.messages[1].raw["content"]] == ["thinking", "text", "tool_use"]
    assert [(one.index, one.message, one.line) for one in transcript.responses] == [(0, 1, 2)]


def test_the_last_record_holds_the_usage(claude):
    """Where the copies of a usage differ, the last record's is taken, and its stop reason."""
    claude.user("go")
    claude.text("m1", "One", usage={"input_tokens": 10, "output_tokens": 1})
    claude.text("m1", "Two", usage={"input_tokens": 10, "output_tokens": 430}, stop="end_turn")
    response = claude.read().responses[0]
    assert (response.usage.output, response.finished) == (430, True)


def test_a_placeholder_output_is_told(claude):
    """A response without a stop reason is unfinished: its output may be a placeholder, its words are counted."""
    claude.user("go")
    claude.text("m1", "Hello", usage={"input_tokens": 10, "output_tokens": 1})
    response = claude.read().responses[0]
    assert (response.usage.output, response.finished, response.characters) == (1, False, 5)


def test_several_requests_in_one_response(claude):
    """Where one response took several requests, the last one's usage measures the window."""
    steps = [{"input_tokens": 500, "output_tokens": 5}, {"input_tokens": 700, "output_tokens": 7}]
    claude.user("go")
    claude.text("m1", "Hello", usage={"input_tokens": 1200, "output_tokens": 12, "iterations": steps})
    assert claude.read().responses[0].usage.total == 707


def test_interleaved_results_go_behind_the_response(claude):
    """A result that stands between two records of one response goes behind all of it, and joins the other results."""
    claude.user("go")
    claude.call("m1", "c1")
    claude.result("c1", "first")
    claude.call("m1", "c2")
    claude.result("c2", "second")
    claude.text("m2", "Done.")
    messages = claude.read().messages
    assert [message.role for message in messages] == ["user", "assistant", "user", "assistant"]
    assert kinds(messages[1]) == [ToolCall, ToolCall]
    assert [part.text for part in messages[2].parts] == ["first", "second"]


def test_blocks_that_only_claude_code_knows(claude):
    """A note of Claude Code that the model changed is no part of the message, and is counted."""
    changed = {"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}}
    claude.user("hi")
    claude.assistant("m1", changed, {"type": "text", "text": "ok"})
    claude.user("go")
    claude.assistant("m2", changed)
    transcript = claude.read()
    assert [message.raw["content"] for message in transcript.messages] == ["hi", [{"type": "text", "text": "ok"}], "go"]
    assert transcript.left_out == {"fallback block": 2}


def test_what_comes_with_a_result_stays_with_it(claude):
    """A text in the record of a result follows the results in their message."""
    claude.user("go")
    claude.call("m1", "c1")
    claude.call("m1", "c2")
    claude.user([{"type": "tool_result", "tool_use_id": "c1", "content": "no"}, {"type": "text", "text": "Stop"}])
    claude.result("c2")
    assert kinds(claude.read().messages[2]) == [ToolResult, ToolResult, Text]


def test_a_single_result_keeps_its_dictionary(claude):
    """A user message that one record holds is the very message of that record."""
    claude.user("go")
    claude.call("m1", "c1")
    claude.result("c1", "text")
    content = [{"type": "tool_result", "tool_use_id": "c1", "content": "text"}]
    assert claude.read().messages[2].raw == {"role": "user", "content": content}


def test_tool_use_result_is_never_read(claude):
    """The copy of a result that the terminal uses is no part of the message."""
    claude.user("go")
    claude.call("m1", "c1")
    claude.result("c1", "short", toolUseResult={"originalFile": "x" * 1000})
    assert "x" * 1000 not in str(claude.read().messages)


def test_sidechains_and_progress_are_left_out(claude):
    """Sub-agents' records and progress are no part of the main chain, and are counted."""
    claude.user("go")
    claude.user("sub task", isSidechain=True)
    claude.text("side", "sub answer", isSidechain=True)
    claude.add({"type": "progress", "data": {"type": "agent_progress", "message": {"usage": {"input_tokens": 9}}}})
    claude.add({"type": "file-history-snapshot"}, uuid=..., sessionId=...)
    claude.text("m1", "Done.")
    transcript = claude.read()
    assert [message.text for message in transcript.messages] == ["go", "Done."]
    assert len(transcript.responses) == 1
    assert transcript.left_out == {"sidechain": 2, "progress": 1, "file-history-snapshot": 1}


def test_error_notices_are_not_sent(claude):
    """A notice of an API error carries the error, is no response, and is no part of what is sent."""
    claude.user("go")
    claude.text("e1", "API Error: 529", model="<synthetic>", isApiErrorMessage=True, usage={"input_tokens": 0})
    claude.text("m1", "Hello")
    transcript = claude.read()
    assert transcript.messages[1].marks.error == "API Error: 529"
    assert (transcript.unsent, len(transcript.responses)) == (frozenset({1}), 1)
    assert transcript.model == "claude-opus-4-5"


def test_the_model_that_answered_most(claude):
    """The model of a transcript is the one that gave most responses, whatever notices there are."""
    claude.user("go")
    claude.text("m1", "a", model="claude-haiku")
    claude.text("m2", "b")
    claude.text("m3", "c")
    assert claude.read().model == "claude-opus-4-5"


def test_repeated_history_is_read_once(claude):
    """Records that a fork copied, by their uuid or under new ones with the same response id, are read once."""
    claude.user("go", uuid="a")
    claude.call("m1", "c1", uuid="b")
    claude.result("c1", uuid="c")
    claude.user("go", uuid="a")
    claude.call("m1", "c1", uuid="d")
    claude.result("c1", uuid="e")
    claude.text("m2", "Done.")
    transcript = claude.read()
    assert [message.role for message in transcript.messages] == ["user", "assistant", "user", "assistant"]
    assert len(transcript.responses) == 2


def test_equal_blocks_of_one_response_both_stay(claude):
    """Two equal texts that one response holds one after the other are two texts."""
    claude.user("go")
    claude.text("m1", "\n\n")
    claude.text("m1", "\n\n")
    assert kinds(claude.read().messages[1]) == [Text, Text]


def test_masked_ids_join_nothing(claude):
    """Responses whose ids were masked alike are told apart by the request, and else are one a record."""
    claude.user("go")
    claude.text("REDACTED", "one", requestId="r1")
    claude.user("more")
    claude.text("REDACTED", "two", requestId="r2")
    claude.text("REDACTED", "three", requestId="REDACTED")
    assert len(claude.read().responses) == 3


def test_records_without_uuid(claude):
    """Records without an id of their own are read like any other."""
    claude.user("go", uuid=...)
    claude.text("m1", "Hello", uuid=...)
    assert len(claude.read().messages) == 2


@pytest.mark.parametrize(
    "text",
    [
        "<command-message>init is running</command-message>\n<command-name>/init</command-name>",
        "<bash-stdout>a.py</bash-stdout><bash-stderr></bash-stderr>",
        "[Request interrupted by user]",
    ],
)
def test_what_the_harness_writes_begins_no_turn(claude, text):
    """The unmarked texts of the harness are synthetic, as a string and as a block."""
    claude.user(text)
    claude.user([{"type": "text", "text": text}])
    assert [message.marks.synthetic for message in claude.read().messages] == [True, True]


def test_meta_records_and_foreign_origins_begin_no_turn(claude):
    """A record marked meta, or that came from no human, begins no turn; a human's does."""
    claude.user("Caveat", isMeta=True)
    claude.user("an agent is done", origin={"kind": "task-notification"})
    claude.user("go", origin={"kind": "human"})
    assert [turn.start for turn in find_turns(claude.read().messages)] == [2]


def test_a_record_that_is_no_message(claude):
    """A record whose message is not of the form is damaged, and skipped with its line."""
    claude.user("go")
    claude.add({"type": "assistant"})
    claude.add({"type": "user", "message": {"role": "user", "content": [{"text": "no type"}]}})
    transcript = claude.read()
    assert [damaged.line for damaged in transcript.damaged] == [2, 3]
    assert len(transcript.messages) == 1
