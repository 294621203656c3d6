"""The strict checks of OpenAI's formats: each thing that the APIs refuse, and what they accept."""

from __future__ import annotations

from typing import Any

import pytest
from openai.types.chat import ChatCompletionMessage
from openai.types.responses import ResponseReasoningItem

from brim.testing import openai_chat_complaints, openai_responses_complaints
from steps.openai_conversations import WORK, answer, function_call, item_call, reasoning, turns

GO = {"role": "user", "content": "Go."}
CALLS = {"role": "assistant", "content": None, "tool_calls": [function_call("A"), function_call("B")]}
A, B = ({"role": "tool", "tool_call_id": name, "content": "ok"} for name in "AB")
DONE = {"role": "assistant", "content": "Done."}
CALL = item_call("A", 1)
OUTPUT = {"type": "function_call_output", "call_id": "A1", "output": "ok"}


def said(role: str, content: Any, **fields: Any) -> dict[str, Any]:
    """A message."""
    return {"role": role, "content": content, **fields}


@pytest.mark.parametrize(
    "messages",
    [
        turns("chat", 2)[0],
        [said("system", "You build."), said("developer", [{"type": "text", "text": "x"}]), GO, CALLS, B, A, DONE, GO],
        [GO, said("assistant", None, refusal="I cannot.")],
        [GO, said("assistant", [{"type": "refusal", "refusal": "No."}], reasoning_content="Hm.", name="x")],
        [said("user", [{"type": "image_url", "image_url": {"url": "x"}}, {"type": "file", "file": {"file_id": "f"}}])],
    ],
)
def test_chat_that_is_accepted(messages: Any) -> None:
    """Calls answered in any order, parts of the role's own types, fields of servers."""
    assert openai_chat_complaints(messages) == []


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([], "at least one message"),
        (["Go."], "messages[0]: expected an object"),
        ([said("critic", "x")], "messages[0].role: invalid value 'critic'"),
        ([said("user", None)], "messages[0].content"),
        ([said("user", [])], "at least one part"),
        ([said("user", [{"type": "input_text", "text": "x"}])], "invalid value 'input_text'"),
        ([said("user", [{"type": "text"}])], "messages[0].content[0].text: missing"),
        ([said("tool", "ok")], "messages[0].tool_call_id: missing"),
        ([said("user", "x", tool_calls=[function_call("A")]), A], "only an assistant message"),
        ([said("assistant", "x", tool_calls=[{"type": "magic", "id": "A"}]), A], "invalid value 'magic'"),
        ([said("assistant", "x", tool_calls=[{"type": "function", "id": "A"}]), A], "missing the id or 'function'"),
        (
            [
                said(
                    "assistant",
                    "x",
                    tool_calls=[{"type": "function", "id": "A", "function": {"name": "x", "arguments": {}}}],
                )
            ],
            "function.arguments: expected a string",
        ),
        ([said("assistant", "x", tool_calls=[function_call("A")] * 2), A, A], "duplicate ids"),
        ([GO, CALLS, A], "messages[3]: tool messages must answer these calls first: B"),
        ([GO, A], "messages[1]: a tool message must answer a call"),
        ([GO, CALLS, A, B, A], "messages[4]: a tool message must answer a call"),
    ],
)
def test_chat_that_is_refused(messages: Any, words: str) -> None:
    """The first complaint names the place and what is wrong."""
    assert words in openai_chat_complaints(messages)[0]


@pytest.mark.parametrize("work", WORK)
def test_items_that_are_accepted(work: str) -> None:
    """Whatever the model does in a turn."""
    assert openai_responses_complaints([item for turn in turns("Responses", 2, work) for item in turn]) == []


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([], "at least one item"),
        (["Go."], "input[0]: expected an object"),
        ([{"type": "hologram"}], "input[0].type: invalid value 'hologram'"),
        ([said("user", None)], "input[0].content: missing"),
        ([said("user", [{"type": "output_text", "text": "x"}])], "invalid value 'output_text'"),
        ([{**CALL, "arguments": {}}, OUTPUT], "input[0].arguments: expected a string"),
        ([CALL, {**OUTPUT, "output": None}], "input[1].output: missing"),
        ([{"type": "reasoning", "id": "rs"}, CALL, OUTPUT], "input[0].summary: expected an array"),
        ([CALL], "no output found for the function_call A1"),
        ([OUTPUT], "no call found for the function_call_output with the id A1"),
        ([CALL, OUTPUT, OUTPUT], "no call found"),
        ([CALL, CALL, OUTPUT], "a second call of the id A1"),
        ([CALL, {**OUTPUT, "type": "custom_tool_call_output"}], "no call found for the custom_tool_call_output"),
        ([reasoning("a", 1)], "input[0]: the item 'rs_a1' of type reasoning lacks"),
        ([CALL, reasoning("a", 1), OUTPUT, answer(1, "Done.")], "input[1]: the item 'rs_a1'"),
        ([answer(1, "Done."), answer(1, "Done.")], "the id 'msg_1_5' occurs 2 times"),
    ],
)
def test_items_that_are_refused(items: Any, words: str) -> None:
    """The first complaint names the place and what is wrong."""
    assert words in openai_responses_complaints(items)[0]


@pytest.mark.parametrize("strange", [[], {}, 1])
def test_a_type_or_a_role_of_another_type(strange: Any) -> None:
    """It is complained about like any other."""
    part = {"role": "user", "content": [{"type": strange}]}
    assert "messages[0].content[0].type: invalid value" in openai_chat_complaints([part])[0]
    assert "input[0].content[0].type: invalid value" in openai_responses_complaints([part])[0]
    assert "input[0].type: invalid value" in openai_responses_complaints([{"type": strange}])[0]
    assert "input[0].role: invalid value" in openai_responses_complaints([{"role": strange, "content": "x"}])[0]


def test_values_of_the_sdk() -> None:
    """They are what an answer holds, and are sent as they are."""
    go = {"role": "user", "content": "Go."}
    assert openai_chat_complaints([go, ChatCompletionMessage(role="assistant", content="Well.", refusal=None)]) == []
    reasoning_item = ResponseReasoningItem(id="r", type="reasoning", summary=[])
    assert "lacks the item that follows" in openai_responses_complaints([go, reasoning_item])[0]
