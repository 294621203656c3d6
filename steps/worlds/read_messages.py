"""Messages as brim reads them from the dictionaries that a program has."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from pytest_bdd import given, parsers, when

from brim.conversation.messages import (
    Marker,
    Media,
    Message,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    read_conversation,
    write_part,
)
from brim.errors import BrimError
from steps.vocabulary import attempt

KINDS = {Text: "text", Thinking: "thinking", ToolCall: "call", ToolResult: "result", Marker: "marker"}
CALL = {"type": "tool_use", "id": "A", "name": "Bash", "input": {"command": "ls"}}
RESULT = {"type": "tool_result", "tool_use_id": "A", "content": "Two files."}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
DOCUMENT = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "A page."}}
TEXTS = [{"type": "text", "text": "One."}, IMAGE, {"type": "text", "text": "Two."}]
BLOCKS: dict[str, Any] = {
    "words": {"type": "text", "text": "Some words.", "citations": None},
    "thinking": {"type": "thinking", "thinking": "Hm.", "signature": "signed"},
    "hidden thinking": {"type": "redacted_thinking", "data": "AAAA"},
    "an image": IMAGE,
    "a document": DOCUMENT,
    "a tool call": CALL,
    "a web search": CALL | {"type": "server_tool_use"},
    "a tool result": RESULT,
    "a result of two texts and an image": RESULT | {"content": TEXTS},
    "a compaction marker": {"type": "compaction_marker"},
    "a sub-task": {"type": "subtask"},
    "a file": {"type": "file"},
    "a patch": {"type": "patch"},
    "a hologram": {"type": "hologram", "depth": 3, "layers": [None, 1.50, {"b": 1, "a": 2}]},
    "a sealed compaction": {"type": "compaction", "content": None},
    "a block without a type": {"text": "Hello."},
    "a result of no call": {"type": "tool_result", "content": "Done."},
}


@given(parsers.re("a message of the (?P<role>[a-z]+) that holds (?P<blocks>.+)"), target_fixture="conversation")
def message_of(role, blocks):
    if blocks == "nothing but a string":
        return [{"role": role, "content": "Fix the bug."}]
    return [{"role": role, "content": [BLOCKS[name] for name in blocks.split(", ")]}]


@when(parsers.re('the messages are read(?:, pinning "(?P<pins>[^"]*)")?'), target_fixture="outcome")
def read(conversation, pins):
    """From their dictionaries, which stay as they are, without the marks that a line gave them."""
    raws = [getattr(one, "raw", one) for one in conversation]
    before = json.dumps(raws)
    messages = attempt(read_conversation, raws, pinned=[int(pin) for pin in pins.split(", ")] if pins else ())
    assert json.dumps(raws) == before
    if isinstance(messages, BrimError):
        return messages
    assert json.dumps([message.raw for message in messages]) == before
    return SimpleNamespace(conversation=messages, **told(messages[0]))


def told(message: Message) -> dict[str, Any]:
    """Return what a feature says of a message."""
    results = [part for part in message.parts if type(part) is ToolResult]
    result = (
        {
            "text_of_the_result": results[0].text,
            "media": [one.kind for one in results[0].media],
            "failed": results[0].failed,
        }
        if results
        else {}
    )
    parts = [kind_of(part) for part in message.parts]
    return {"parts": parts, "text": message.text, "blocks": names_of(message.parts), **result}


def kind_of(part: Part) -> str:
    """Return the kind of a part, with its name if that is the only thing known of it."""
    if type(part) in (Media, Unknown):
        return part.kind  # type: ignore[union-attr]
    return f"marker {part.kind}" if type(part) is Marker else KINDS[type(part)]


def names_of(parts: Sequence[Part]) -> list[str]:
    """Return what the blocks of parts are called here; those that are none of these are no blocks of a feature."""
    names = {json.dumps(block): name for name, block in BLOCKS.items()}
    return [names.get(json.dumps(write_part(part)), "another block") for part in parts]
