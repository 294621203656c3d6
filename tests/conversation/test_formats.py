"""Every form of a conversation in OpenAI's two formats, and what a compaction makes of it (ADP_03)."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from openai.types.chat import ChatCompletionMessage
from openai.types.responses import ResponseOutputMessage

from brim.errors import InvalidInput
from steps.conversation.formats import (
    CALLS,
    COMPLAINTS,
    GO,
    MORE,
    OLD,
    OUTPUT,
    SYSTEM,
    TOOL,
    compact,
    is_summary,
)
from steps.conversation.formats import LISTS as ORDINARY
from steps.openai_conversations import CHAT, WORK, bonds, function_call, item_call, turns

RESPONSES = "Responses"
FORMS = pytest.mark.parametrize("form", [CHAT, RESPONSES])

ADDRESS = "https://example.org/pier.png"
CHAT_WHAT = {
    "an unknown field of a call": {
        "role": "assistant",
        "content": None,
        "tool_calls": [{**function_call("new"), "extra_content": {"google": {"thought_signature": "s"}}}],
    },
    "a call without a type": {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "new", "function": {"name": "bash", "arguments": "{}"}}],
    },
    "reasoning content": {"role": "assistant", "content": "Done.", "reasoning_content": "Hm."},
    "an unknown part": {"role": "user", "content": [{"type": "hologram", "data": 1}]},
    "a text part without a text": {"role": "user", "content": [{"type": "text"}, {"type": "text", "text": "Well?"}]},
    "an image at an address": {"role": "user", "content": [{"type": "image_url", "image_url": {"url": ADDRESS}}]},
    "a sound": {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "UklG", "format": "wav"}}]},
    "an empty answer": {"role": "assistant", "content": ""},
    "a text of spaces": {"role": "user", "content": [{"type": "text", "text": " "}, {"type": "text", "text": "Well?"}]},
    "arguments that are no JSON": {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "new", "type": "function", "function": {"name": "bash", "arguments": '{"command": '}}],
    },
}
ITEM_WHAT = {
    "an unknown field of a call": {**item_call("new", 99), "namespace": "piers"},
    "an unknown item": {"type": "hologram_call", "data": {"x": [1]}},
    "an unknown item with a call's id": {"type": "program", "call_id": "z1", "code": "x"},
    "an output of an unknown call": {"type": "hologram_call_output", "call_id": "z1", "output": "x"},
    "an unknown part": {"role": "user", "content": [{"type": "hologram", "data": 1}]},
    "an image at an address": {"role": "user", "content": [{"type": "input_image", "image_url": ADDRESS}]},
    "an item reference": {"type": "item_reference", "id": "msg_elsewhere"},
    "arguments that are no JSON": {**item_call("new", 99), "arguments": '{"command": '},
    "a call without an input": {"type": "custom_tool_call", "call_id": "call_new", "name": "status"},
}
ANTHROPIC_CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "A", "name": "bash", "input": {}}]}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "A", "content": "ok"}]}
INPUT = {"role": "user", "content": [{"type": "input_text", "text": "Go. "}]}
LISTS: dict[str, Any] = {
    **ORDINARY,
    "a message of the model without content": [GO, {"role": "assistant", "content": None, "refusal": "No."}, MORE],
    "a call of a chat message beside words": [GO, MORE, {**CALLS, "content": "I look."}],
    "a text part of the Responses format": [INPUT, MORE],
    "a message of the user that has a type": [GO, {"type": "message", **MORE}],
    "a message of the model that has a type": [GO, {"type": "message", "role": "assistant", "content": "Done."}, MORE],
    "a response of Anthropic's API": [
        GO,
        {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Done."}]},
        MORE,
    ],
    "a tool call of Anthropic's format": [GO, ANTHROPIC_CALL, RESULT, MORE],
    "an Anthropic call among chat": [SYSTEM, GO, ANTHROPIC_CALL, RESULT],
    "two formats in one message": [SYSTEM, {**ANTHROPIC_CALL, "tool_calls": [function_call("A")]}],
    "an Anthropic call behind a system message alone": [SYSTEM, GO, ANTHROPIC_CALL],
    "an output without a call": [GO, OUTPUT],
    "two answers to one call": [GO, CALLS, TOOL, TOOL],
    "a tool message that names no call": [GO, {"role": "tool", "content": "ok"}],
    "a call without an id": [
        GO,
        {"role": "assistant", "tool_calls": [{"type": "function", "function": {"name": "x"}}]},
    ],
    "a text for a call": [GO, {"role": "assistant", "tool_calls": ["A"]}],
    "a call whose type is a number": [
        GO,
        {"role": "assistant", "tool_calls": [{"id": "A", "type": 7, 7: {"name": "bash"}}]},
    ],
    "a part without a type": [SYSTEM, {"role": "user", "content": [{"text": "Go."}]}],
    "a number for its content": [SYSTEM, {"role": "user", "content": 7}],
    "a role of nobody": [SYSTEM, {"role": "critic", "content": "Go."}],
    "a message of a function": [SYSTEM, {"role": "function", "name": "bash", "content": "ok"}],
    "a message of a function behind plain texts": [GO, {"role": "function", "name": "bash", "content": "ok"}],
    "an item of nobody": [INPUT, {"role": "critic", "content": "Go."}],
    "a number among chat": [SYSTEM, 7],
    "a number for its tool calls": [SYSTEM, {"role": "assistant", "tool_calls": 7}],
    "one text": "Go.",
}


DELETING = '{"command": "rm lex.py"}'
PATCH = "*** Begin Patch\n*** Add File: lex.py\n+x\n*** End Patch"
CHAT_CALLS: dict[str, Any] = {
    "a function that deletes": {"id": "A", "type": "function", "function": {"name": "bash", "arguments": DELETING}},
    "a call without a type that deletes": {"id": "A", "function": {"name": "bash", "arguments": DELETING}},
    "a custom tool that patches": {"id": "A", "type": "custom", "custom": {"name": "apply_patch", "input": PATCH}},
}
ITEM_CALLS: dict[str, Any] = {
    "an item that deletes": {"type": "function_call", "name": "bash", "arguments": DELETING},
    "a custom item that patches": {"type": "custom_tool_call", "name": "apply_patch", "input": PATCH},
    "a local shell that deletes": {"type": "local_shell_call", "action": {"command": ["rm", "lex.py"]}},
    "a shell that deletes": {"type": "shell_call", "action": {"commands": ["cd src", "rm lex.py"]}},
    "a patch of the provider's": {"type": "apply_patch_call", "operation": {"type": "update_file", "path": "lex.py"}},
}
LISTS |= {
    name: [GO, {"role": "assistant", "content": None, "tool_calls": [call]}, TOOL, MORE]
    for name, call in CHAT_CALLS.items()
}
LISTS |= {
    name: [GO, {**call, "call_id": "A"}, {"type": f"{call['type']}_output", "call_id": "A", "output": "ok"}, MORE]
    for name, call in ITEM_CALLS.items()
}


BROKEN: dict[str, Any] = {
    "a call of a chat message": function_call("A"),
    "a function's call": {"type": "function_call", "call_id": "A", "name": "bash", "arguments": "{}"},
    "a custom tool's call": {"type": "custom_tool_call", "call_id": "A", "name": "patch", "input": "*** a"},
    "a local shell's call": {"type": "local_shell_call", "call_id": "A", "action": {"command": ["ls"]}},
}


NO_OUTPUT = "[Tool execution was interrupted]"
OUTPUTS: dict[str, Any] = {
    "a call of a chat message": {"role": "tool", "tool_call_id": "A", "content": NO_OUTPUT},
    "a function's call": {"type": "function_call_output", "call_id": "A", "output": NO_OUTPUT},
    "a custom tool's call": {"type": "custom_tool_call_output", "call_id": "A", "output": NO_OUTPUT},
    "a local shell's call": {"type": "local_shell_call_output", "id": "A", "output": NO_OUTPUT},
}


def flat(made: list[list[Any]]) -> list[Any]:
    """Return turns as one list."""
    return [message for turn in made for message in turn]


@pytest.mark.parametrize("call", BROKEN)
def test_the_error_has_the_form_of_the_calls_own_output(call):
    """A call that was broken off is answered as one of its kind is (ADP_03)."""
    form = CHAT if call == "a call of a chat message" else RESPONSES
    asked = turns(form, 8)
    made = {"role": "assistant", "tool_calls": [BROKEN[call]]} if form == CHAT else BROKEN[call]
    asked[-1] = [asked[-1][0], made]
    assert compact(flat(asked)).messages[-1] == OUTPUTS[call]


def test_the_providers_own_compaction_stands_ahead_of_the_summary():
    """No summarizer can read it, so that it stays (ADP_03)."""
    sealed = {"type": "compaction", "id": "cmp_1", "encrypted_content": "sealed"}
    new = compact([sealed, *flat(turns(RESPONSES, 8))]).messages
    assert new[0] is sealed
    assert is_summary(new[1])


@pytest.mark.parametrize(
    ("form", "work"),
    [
        (CHAT, "a call"),
        (CHAT, "two calls at once"),
        (CHAT, "a custom call"),
        (CHAT, "calls of one id"),
        *[(RESPONSES, work) for work in WORK],
    ],
)
def test_what_belongs_together_is_kept_or_gone_together(form, work):
    """A call and its output, reasoning and the item behind it, wherever the conversation is cut (ADP_03)."""
    came, sizes = flat(turns(form, 8, work)), set()
    for keep in range(50, 5_001, 150):
        new = compact(came, keep=keep).messages
        assert COMPLAINTS[form](new) == []
        sizes.add(len(new))
        places = {id(message): index for index, message in enumerate(new)}
        for bond in bonds(came):
            there = [places[id(came[index])] for index in bond if id(came[index]) in places]
            assert len(there) in (0, len(bond))
            if came[bond[0]].get("type") == "reasoning" and there:
                assert there[1] == there[0] + 1
    assert len(sizes) > 2


@pytest.mark.parametrize(
    ("form", "what"), [*[(CHAT, what) for what in CHAT_WHAT], *[(RESPONSES, what) for what in ITEM_WHAT]]
)
def test_what_is_not_known_is_carried_as_it_came(form, what):
    """In a message that is kept; an item of an unknown type is no call and no output (ADP_03)."""
    held = (CHAT_WHAT if form == CHAT else ITEM_WHAT)[what]
    came = [*flat(turns(form, 8)), held]
    new = compact(came).messages
    assert any(message is held for message in new)
    if what in ("an unknown item with a call's id", "an output of an unknown call"):
        ids = {id(message) for message in came}
        (summary,) = [message for message in new if id(message) not in ids]
        assert is_summary(summary)


@FORMS
def test_a_value_of_the_sdk_comes_out_as_the_same_value(form):
    """It is kept as the object that it is (ADP_03)."""
    made = ChatCompletionMessage if form == CHAT else ResponseOutputMessage
    asked = flat(turns(form, 8))
    asked[-1] = made.model_validate(asked[-1])
    assert any(message is asked[-1] for message in compact(asked).messages)


@pytest.mark.parametrize(
    ("what", "files"),
    [
        ("a function that deletes", "deleted_file lex.py"),
        ("a call without a type that deletes", "deleted_file lex.py"),
        ("a custom tool that patches", "created_file lex.py"),
        ("an item that deletes", "deleted_file lex.py"),
        ("a custom item that patches", "created_file lex.py"),
        ("a local shell that deletes", "deleted_file lex.py"),
        ("a shell that deletes", "deleted_file src/lex.py"),
        ("a patch of the provider's", "modified_file lex.py"),
    ],
)
def test_what_a_call_of_any_kind_did_is_known_from_its_input(what, files):
    """The files that it wrote, moved or deleted (ADP_03)."""
    facts = compact([*OLD, *LISTS[what]], keep=300).plan.facts
    assert "; ".join(f"{fact.kind} {fact.text}" for fact in facts if fact.kind.endswith("_file")) == files


def shape(messages: list[Any], **options: Any) -> str:
    """Return in which format the summary of a list is."""
    (summary,) = [one for one in compact([*OLD, *messages], keep=300, **options).messages if is_summary(one)]
    if sorted(summary) == ["content", "role"]:
        return "a message"
    assert summary["type"] == "message"
    return "a Responses item"


@pytest.mark.parametrize(
    ("what", "summary"),
    [
        ("a message of the model without content", "a message"),
        ("a text part of the Responses format", "a Responses item"),
        ("a message of the user that has a type", "a Responses item"),
        ("a message of the model that has a type", "a Responses item"),
        ("a response of Anthropic's API", "a message"),
        ("a tool call of Anthropic's format", "a message"),
    ],
)
def test_a_list_shows_its_format(what, summary):
    """By what only the format has (ADP_03)."""
    assert shape(LISTS[what]) == summary


with (Path(__file__).parent / "data/openai_refusals.tsv").open(encoding="utf-8", newline="") as opened:
    REFUSALS = [(row["list"], row["format"], row["refusal"]) for row in csv.DictReader(opened, delimiter="\t")]


@pytest.mark.parametrize(("what", "named", "refusal"), REFUSALS)
def test_a_list_of_no_format_or_another_is_refused_with_the_message_at_fault(what, named, refusal):
    """The error names what it met; so it does where a format is named that the list has not, or none has (ADP_03)."""
    with pytest.raises(InvalidInput) as refused:
        compact(LISTS[what], **({"format": named} if named else {}))
    assert str(refused.value) == refusal
