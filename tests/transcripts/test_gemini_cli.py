"""Gemini CLI chats: one JSON value or lines, calls with their results in the answer."""

import json

import pytest

from brim.conversation.messages import Media, Text, Thinking, ToolCall
from brim.transcripts import read_transcript

TOKENS = {"input": 100, "output": 10, "cached": 60, "thoughts": 5, "tool": 0, "total": 115}
CHAT = {"sessionId": "s", "projectHash": "p", "startTime": "t"}


def user(content, name="u"):
    """A message of the user."""
    return {"id": name, "type": "user", "content": content}


def answer(content="", name="g", **fields):
    """An answer."""
    return {"id": name, "type": "gemini", "content": content, "model": "gemini-3", "tokens": TOKENS, **fields}


def call(name, response, status="success"):
    """A call with its result."""
    told = [] if response is None else [{"functionResponse": {"id": name, "name": "read", "response": response}}]
    return {"id": name, "name": "read", "args": {"path": "a.py"}, "status": status, "result": told}


@pytest.fixture
def chat(written):
    """Reads a chat of messages."""
    return lambda *messages: read_transcript(written({**CHAT, "messages": list(messages)}))


def test_a_chat(chat):
    """An answer holds its thoughts, its words and its calls, whose results follow; its input holds the cache."""
    thoughts = [{"subject": "Look", "description": "at it"}]
    calls = [call("c1", {"output": "x"}), call("c2", {"error": "no"}, "error"), call("c3", None, "cancelled")]
    transcript = chat(user([{"text": "go"}]), answer("Sure.", thoughts=thoughts, toolCalls=calls))
    assert (transcript.format, transcript.model) == ("gemini-cli", "gemini-3")
    assert [type(part) for part in transcript.messages[1].parts] == [Thinking, Text, ToolCall, ToolCall, ToolCall]
    assert [(part.text, part.failed) for part in transcript.messages[2].parts] == [("x", False), ("no", True)]
    usage = transcript.responses[0].usage
    assert (usage.input, usage.cache_read, usage.output, usage.reasoning) == (40, 60, 15, 5)


def test_contents(chat):
    """A content is a text, a part or a list of parts; data inside a part is media."""
    image = {"inlineData": {"mimeType": "image/png", "data": "QUJD"}}
    transcript = chat(user("one"), user({"text": "two"}), user([{"text": "three"}, image, {"other": 1}]))
    assert [message.text for message in transcript.messages] == ["one", "two", "three"]
    assert type(transcript.messages[2].parts[1]) is Media


def test_other_results(chat):
    """A response of other names is told as JSON; media beside it go along; a call without an id gets one."""
    whole = call("c1", {"content": "x"})
    mixed = call("c2", {"output": "y"})
    mixed["result"].append({"inlineData": {"mimeType": "image/png", "data": "QUJD"}})
    del whole["id"]
    results = chat(user("go"), answer(toolCalls=[whole, mixed])).messages[2].parts
    assert (results[0].call_id, results[0].text) == ("call-2-0", '{"content": "x"}')
    assert (results[1].text, len(results[1].media)) == ("y", 1)


def test_chats_of_lines(written):
    """In a chat of lines a message may be written again as it grows, and all from one on be taken back."""
    lines = [
        CHAT, user("one", "a"), answer("al", "b"), answer("all", "b"), user("two", "c"), answer("no", "d"),
        {"$rewindTo": "c"}, {"$set": {"lastUpdated": "t"}}, user("three", "e"), {"id": "i", "type": "info"},
    ]  # fmt: skip
    transcript = read_transcript(written("\n".join(map(json.dumps, lines))))
    assert [message.text for message in transcript.messages] == ["one", "all", "three"]
    assert (transcript.lines, transcript.left_out) == ((2, 3, 9), {"info notices": 1})


def test_damage(chat):
    """Messages without a type or a content are damaged; notices and empty answers are counted."""
    transcript = chat(7, {"type": "user"}, {"type": "error", "content": "x"}, answer(), user("go"))
    assert [damaged.line for damaged in transcript.damaged] == [1, 2]
    assert transcript.left_out == {"error notices": 1, "answers without content": 1}
    assert any("compressed" in note for note in transcript.notes)
