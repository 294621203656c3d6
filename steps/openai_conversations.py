"""Conversations as OpenAI's two formats have them, a turn at a time: what features and tests compact."""

from __future__ import annotations

import json
from typing import Any

CHAT = "chat"
Messages = list[dict[str, Any]]


def turns(form: str, number: int, work: str = "a call", output: str = "ok\n" * 200) -> list[Messages]:
    """So many turns, each with a request, some work and an answer."""
    make = chat_turn if form == CHAT else responses_turn
    return [make(n, work, output) for n in range(number)]


def request(n: int) -> str:
    """What the user asks in a turn."""
    return f"Build pier {n}. Never block the channel."


def chat_turn(n: int, work: str, output: str) -> Messages:
    """A turn of chat messages."""
    names = {"two calls at once": ("a", "b"), "calls of one id": ("",)}.get(work, ("a",))
    ids = [f"call_{name}{n}" if name else "call" for name in names]
    call = custom_call if work == "a custom call" else function_call
    answers = [{"role": "tool", "tool_call_id": one, "content": output} for one in ids]
    return [
        {"role": "user", "content": request(n)},
        {"role": "assistant", "content": None, "tool_calls": [call(one) for one in ids]},
        *answers,
        {"role": "assistant", "content": f"Pier {n} stands."},
    ]


def function_call(call: str) -> dict[str, Any]:
    """A function call of a chat message."""
    arguments = json.dumps({"command": f"make {call}"})
    return {"id": call, "type": "function", "function": {"name": "bash", "arguments": arguments}}


def custom_call(call: str) -> dict[str, Any]:
    """A call of a custom tool, whose input is a text."""
    return {"id": call, "type": "custom", "custom": {"name": "apply_patch", "input": "*** Begin Patch"}}


def responses_turn(n: int, work: str, output: str) -> Messages:
    """A turn of Responses items."""
    items = [ITEMS[name](n) for name in WORK[work]]
    calls = [item for item in items if "call_id" in item]
    outputs = [output_of(call, output) for call in calls]
    return [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": request(n)}]},
        *items,
        *outputs,
        answer(n, f"Pier {n} stands."),
    ]


def output_of(call: dict[str, Any], text: str) -> dict[str, Any]:
    """What comes of a call, in the form of its kind."""
    forms = {
        "shell_call": [{"stdout": text, "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}],
        "computer_call": {"type": "computer_screenshot", "image_url": "data:image/png;base64,iVBORw0KGgo="},
    }
    named = "id" if call["type"] == "local_shell_call" else "call_id"
    return {"type": f"{call['type']}_output", named: call["call_id"], "output": forms.get(call["type"], text)}


def answer(n: int, text: str) -> dict[str, Any]:
    """What the model says in a turn."""
    part = {"type": "output_text", "text": text, "annotations": []}
    return {
        "type": "message",
        "id": f"msg_{n}_{len(text)}",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }


def item_call(name: str, n: int) -> dict[str, Any]:
    """A function call item."""
    call = f"{name}{n}"
    return {
        "type": "function_call",
        "id": f"fc_{call}",
        "call_id": call,
        "name": "bash",
        "arguments": '{"command": "ls"}',
    }


def reasoning(name: str, n: int) -> dict[str, Any]:
    """A reasoning item that only the provider can read."""
    return {"type": "reasoning", "id": f"rs_{name}{n}", "summary": [], "encrypted_content": f"sealed {name}{n}"}


ITEMS = {
    "call": lambda n: item_call("call_a", n),
    "second call": lambda n: item_call("call_b", n),
    "custom call": lambda n: {
        "type": "custom_tool_call",
        "call_id": f"call_c{n}",
        "name": "apply_patch",
        "input": "*** Begin Patch",
    },
    "reasoning": lambda n: reasoning("a", n),
    "second reasoning": lambda n: reasoning("b", n),
    "words": lambda n: answer(n, "I look first."),
    "shell": lambda n: {"type": "shell_call", "call_id": f"call_s{n}", "action": {"commands": ["ls"]}},
    "computer": lambda n: {
        "type": "computer_call",
        "id": f"cu_{n}",
        "call_id": f"call_u{n}",
        "action": {"type": "screenshot"},
        "pending_safety_checks": [],
        "status": "completed",
    },
    "local shell": lambda n: {
        "type": "local_shell_call",
        "id": f"lsh_{n}",
        "call_id": f"call_l{n}",
        "action": {"type": "exec", "command": ["ls"], "env": {}},
        "status": "completed",
    },
    "search": lambda n: {
        "type": "web_search_call",
        "id": f"ws_{n}",
        "status": "completed",
        "action": {"type": "search"},
    },
}
"""The items that a model answers with, of a turn."""
WORK = {
    "a call": ["call"],
    "two calls at once": ["call", "second call"],
    "a custom call": ["custom call"],
    "reasoning and a call": ["reasoning", "call"],
    "reasoning, words and two calls": ["reasoning", "words", "call", "second call"],
    "reasoning and a hosted search": ["reasoning", "search"],
    "a shell call": ["shell"],
    "a local shell's call": ["local shell"],
    "a computer call": ["computer"],
    "reasoning between two calls": ["call", "reasoning", "second call"],
}
"""What the model does in a turn, by what a feature calls it."""


def bonds(messages: list[Any]) -> list[list[int]]:
    """Indices of what belongs together: a call and its output, reasoning and the item behind it."""
    found: list[list[int]] = []
    waiting: dict[str, int] = {}
    for index, message in enumerate(messages):
        answered = message.get("tool_call_id") or (
            message.get("call_id") or message.get("id") if "output" in message else None
        )
        if answered is not None:
            found.append([waiting[answered], index])
        elif message.get("type") == "reasoning":
            found.append([index, index + 1])
        calls = [call["id"] for call in message.get("tool_calls") or ()]
        waiting.update(dict.fromkeys([*calls, *([message["call_id"]] if "call_id" in message else [])], index))
    return found
