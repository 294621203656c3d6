"""Cline sessions: told apart from plain messages, files and results as they are sent, compactions."""

import pytest

from brim.conversation.messages import ToolResult
from brim.conversation.turns import find_turns
from brim.transcripts import read_transcript, view
from brim.transcripts.inspection import inspect_transcript

METRICS = {"inputTokens": 100, "outputTokens": 10, "cacheReadTokens": 70, "cacheWriteTokens": 20}
MODEL = {"id": "anthropic/claude-opus-4.8", "provider": "cline"}


def message(role, *blocks, **fields):
    """A message."""
    return {"id": "m", "role": role, "content": list(blocks), "ts": 1, **fields}


def text(words):
    """A block of words."""
    return {"type": "text", "text": words}


def answer(*blocks):
    """An answer with what it cost."""
    return message("assistant", *blocks, modelInfo=MODEL, metrics=METRICS)


@pytest.fixture
def session(written):
    """Reads a session of messages."""
    return lambda *messages: read_transcript(written({"system_prompt": "You are Cline.", "messages": list(messages)}))


def test_a_session(session):
    """A session tells its system prompt, and of each answer model and usage, whose input holds the cache."""
    transcript = session(message("user", text("go")), answer(text("Done.")))
    assert (transcript.format, transcript.system) == ("cline", "You are Cline.")
    assert transcript.model == "anthropic/claude-opus-4.8"
    usage = transcript.responses[0].usage
    assert (usage.input, usage.cache_read, usage.cache_write, usage.total) == (30, 70, 20, 110)
    assert transcript.messages[0].raw == {"role": "user", "content": [text("go")]}


def test_a_file_the_user_named(session):
    """A file goes along as a text of its own, its path with it, and is no word of the user's."""
    named = {"type": "file", "path": "/x/a.py", "content": "x = 1"}
    transcript = session(message("user", text("see"), named), answer(text("Seen.")))
    assert [message.marks.synthetic for message in transcript.messages] == [False, True, False]
    assert transcript.messages[1].text == '<file_content path="/x/a.py">\nx = 1\n</file_content>'
    assert [turn.request for turn in find_turns(transcript.messages)] == ["see"]


def test_results(session):
    """A result is a text, or blocks; an answer to several queries is JSON, and failed where one of them did."""
    calls = [{"type": "tool_use", "id": name, "name": "read", "input": {}} for name in ("c1", "c2", "c3")]
    queries = [{"query": "a", "result": "x", "success": True}, {"query": "b", "result": "", "success": False}]
    results = [
        {"type": "tool_result", "tool_use_id": "c1", "name": "read", "content": "one"},
        {"type": "tool_result", "tool_use_id": "c2", "name": "read", "content": queries},
        {"type": "tool_result", "tool_use_id": "c3", "content": [text("three")], "is_error": True},
    ]
    transcript = session(message("user", text("go")), answer(*calls), *(message("user", one) for one in results))
    parts = transcript.messages[2].parts
    assert [type(part) for part in parts] == [ToolResult] * 3
    assert [part.failed for part in parts] == [False, True, True]
    assert parts[1].text.startswith('{"query":"a","result":"x","success":true}\n')
    assert "name" not in parts[0].raw


def test_a_summary(session):
    """A file that begins with a summary was compacted: at how many tokens it says, what stood before it does not."""
    note = {"kind": "compaction_summary", "tokensBefore": 21_919}
    transcript = session(message("user", text("Context summary: …"), metadata=note), message("user", text("go")))
    made = transcript.compactions[0]
    assert (made.kind, made.recorded, made.after_message, made.line) == ("compaction", 21_919, 0, 1)
    assert transcript.messages[0].marks.summary
    assert [one.text for one in view(transcript).messages] == ["Context summary: …", "go"]
    assert "21,919" in transcript.notes[0]


@pytest.mark.parametrize(("reason", "kind"), [("manual_compaction", "manual"), ("auto", "auto"), (None, "compaction")])
def test_a_compaction_that_kept_messages(session, reason, kind):
    """Who asked for a compaction is told where the file says it."""
    note = {"kind": "compaction", "reason": reason, "messagesRemoved": 22}
    transcript = session(message("user", text("go"), text("<SYSTEM_NOTICE>\nx"), metadata=note), answer(text("Done.")))
    assert [made.kind for made in transcript.compactions] == [kind]
    assert len(find_turns(transcript.messages)) == 1
    assert view(transcript).messages == transcript.messages


def test_what_the_file_cannot_tell_is_inspected(session):
    """An inspection hands on what the file cannot tell, and says what it tells of a compaction before it."""
    note = {"kind": "compaction_summary", "tokensBefore": 21_919}
    found = inspect_transcript(session(message("user", text("s"), metadata=note), message("user", text("go"))))
    assert found.notes == ("the file was compacted by Cline at 21,919 tokens; what stood before is not in it",)
    assert (found.compactions[0].recorded, found.compactions[0].held) == (21_919, 21_919)


def test_a_call_that_the_provider_ran_keeps_its_id(session):
    """A call of a provider's tool and its result stand in one answer, and keep the id that binds them."""
    call = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    result = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
    transcript = session(message("user", text("go")), answer(call, result), answer(call, result))
    assert [[part.raw for part in one.parts] for one in transcript.messages[1:]] == [[call, result], [call, result]]
