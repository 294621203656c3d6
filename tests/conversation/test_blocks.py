"""Every form of a message and of a block, and what is read of it (CNV_01, CNV_08, CNV_09)."""

from __future__ import annotations

import json

import pytest

from brim.conversation.messages import (
    Text,
    ToolCall,
    ToolResult,
    Unknown,
    read_conversation,
    read_message,
    read_part,
)
from brim.engine.compactor import Compactor
from brim.errors import InvalidInput
from brim.models import ModelLimits
from brim.testing import complaints
from steps.compaction_windows import raw_turns

CALL = {"type": "tool_use", "id": "A", "name": "Bash", "input": {"command": "ls"}}
RESULT = {"type": "tool_result", "tool_use_id": "A", "content": "Two files."}
DOCUMENT = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "A page."}}
NO_FILE = {"type": "text", "text": "No such file"}
SEARCH = {"type": "web_search_tool_result", "tool_use_id": "A"}


@pytest.mark.parametrize(
    ("block", "kind"),
    [
        (CALL | {"type": "mcp_tool_use"}, ToolCall),
        (CALL | {"type": "robot_tool_use"}, ToolCall),
        (RESULT | {"type": "mcp_tool_result"}, ToolResult),
        ({"type": "robot_tool_use", "name": "Bash"}, Unknown),
        ({"type": "robot_tool_use", "id": "A"}, Unknown),
        ({"type": "robot_tool_result"}, Unknown),
    ],
)
def test_the_type_of_a_block_decides_the_kind_of_its_part(block, kind):
    """A later kind of call or result is one if it has what makes it one; the block is written as it came (CNV_01)."""
    part = read_part(block)
    assert type(part) is kind
    assert part.raw is block


@pytest.mark.parametrize(
    ("block", "text", "media", "failed"),
    [
        ({"type": "tool_result", "tool_use_id": "A"}, "", 0, False),
        (RESULT | {"content": [DOCUMENT]}, "", 1, False),
        (RESULT | {"content": ["bare", {"type": "hologram", "text": "Hidden."}]}, "", 0, False),
        (RESULT | {"is_error": False}, "Two files.", 0, False),
        (SEARCH | {"content": [{"type": "web_search_result", "title": "A page"}]}, "", 0, False),
        (RESULT | {"content": (NO_FILE,), "is_error": True}, "No such file", 0, True),
        (SEARCH | {"content": {"type": "web_search_tool_result_error", "error_code": "unavailable"}}, "", 0, True),
    ],
)
def test_a_result_tells_what_the_tool_wrote(block, text, media, failed):
    """Its texts, its media, and whether the tool failed, in each form (CNV_01)."""
    result = read_part(block)
    assert (result.text, len(result.media), result.failed) == (text, media, failed)


def test_a_message_without_a_part_keeps_every_other_field():
    """The order of the fields and of their values too, byte for byte (CNV_01)."""
    hologram = {"type": "hologram", "depth": 3, "layers": [None, 1.50, {"b": 1, "a": 2}]}
    thinking = {"type": "thinking", "thinking": "", "signature": "abc=="}
    text = {"type": "text", "text": "Look at this.", "citations": None}
    message = read_message({"role": "assistant", "id": "m1", "content": [hologram, text, thinking]})
    left = message.without([part for part in message.parts if type(part) is Text])
    assert json.dumps(left.raw) == json.dumps({"role": "assistant", "id": "m1", "content": [hologram, thinking]})


def test_a_content_that_is_a_string_is_written_as_a_text():
    """Where a message is written anew, its other fields stay (CNV_01)."""
    message = read_message({"role": "user", "content": "Hello.", "name": "Ada"})
    written = {"role": "user", "content": [{"type": "text", "text": "Hello."}], "name": "Ada"}
    assert json.dumps(message.with_parts(message.parts).raw) == json.dumps(written)


BLOCK = "message 1 holds a block of type "


@pytest.mark.parametrize(
    ("message", "refusal"),
    [
        ("Hello.", "message 1 is str, not an object"),
        ({"content": "Hello."}, "message 1 has the role "),
        ({"role": [], "content": "Hello."}, "message 1 has the role "),
        ({"role": "user"}, "message 1 has no content"),
        ({"role": "user", "content": b"Hello."}, "message 1 has no content"),
        ({"role": "user", "content": {"type": "text", "text": "Hello."}}, "message 1 has no content"),
        ({"role": "user", "content": [{"type": [], "text": "a"}]}, "message 1 holds a block without a type"),
        (
            {"role": "assistant", "content": [{"type": "server_tool_use", "name": "a"}]},
            f"{BLOCK}server_tool_use without the text 'id'",
        ),
        (
            {"role": "assistant", "content": [{"type": "mcp_tool_use", "id": "A"}]},
            f"{BLOCK}mcp_tool_use without the text 'name'",
        ),
    ],
)
def test_a_malformed_message_is_refused_with_its_place(message, refusal):
    """The error names the message and what of it is wrong (CNV_01)."""
    with pytest.raises(InvalidInput) as refused:
        read_conversation([{"role": "user", "content": "Go on."}, message])
    assert refusal in str(refused.value)


def test_a_tool_that_the_system_adds_is_where_the_api_takes_it():
    """A compaction returns what the API accepts, without a warning (CNV_09)."""
    tool = {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "Look"}}
    question, *others = raw_turns(30, 200)
    compactor = Compactor(limits=ModelLimits(context_window=4_000, max_output_tokens=400))
    done = compactor.compact([question, {"role": "system", "content": [tool]}, *others], cause="automatic")
    assert done.plan.changes_anything
    assert (complaints(done.messages), done.warnings) == ([], ())
