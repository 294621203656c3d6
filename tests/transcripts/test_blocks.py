"""Blocks that are made of what other tools write: what the API would refuse of them is never made."""

import pytest

from brim.testing import complaints
from brim.transcripts import opencode
from brim.transcripts.blocks import WORDLESS, call_block, result_block
from brim.transcripts.openhands import anthropic_tools


@pytest.mark.parametrize("content", ["", None, []])
def test_a_failure_without_a_word(content):
    """A result that failed says something, as the API wants it; one that went well may be empty."""
    assert result_block("c", content, failed=True) == {
        "type": "tool_result",
        "tool_use_id": "c",
        "content": WORDLESS,
        "is_error": True,
    }
    assert result_block("c", content) == {"type": "tool_result", "tool_use_id": "c", "content": content}


def test_an_error_of_opencode_without_a_word():
    """The same where OpenCode recorded an error and not which."""
    part = {"type": "tool", "callID": "c", "state": {"status": "error"}}
    assert opencode.result_block(part) == result_block("c", "", failed=True)


@pytest.mark.parametrize("failed", [True, False])
def test_a_pair_is_accepted(failed):
    """A call of no input and an empty result are what the API takes."""
    messages = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": [call_block("c", "run", None)]},
        {"role": "user", "content": [result_block("c", "", failed=failed)]},
    ]
    assert complaints(messages) == []


def test_a_tool_without_description_or_schema():
    """A definition has a schema always, a description only where there is one."""
    bare = [{"name": "finish"}]
    assert anthropic_tools(bare) == [{"name": "finish", "input_schema": {"type": "object"}}]
    request = {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "Go."}]}
    assert complaints({**request, "tools": anthropic_tools(bare)}) == []
