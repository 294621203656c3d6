"""Strictness for OpenAI: what its APIs refuse about chat messages and about Responses items, found without a server.

Written apart from the rest of brim, so that it can judge what brim makes. Fields that the APIs do not name are
accepted: servers of the same form have fields of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

CHAT_PARTS: Final[Mapping[str, frozenset[str]]] = {
    "system": frozenset({"text"}),
    "developer": frozenset({"text"}),
    "user": frozenset({"text", "image_url", "input_audio", "file"}),
    "assistant": frozenset({"text", "refusal"}),
    "tool": frozenset({"text"}),
}
"""The types of parts that a chat message of each role may hold."""
PART_FIELDS: Final = {
    "text": "text",
    "refusal": "refusal",
    "image_url": "image_url",
    "input_audio": "input_audio",
    "file": "file",
    "input_text": "text",
    "output_text": "text",
}
"""The field that a part of this type must have."""
CALL_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {"function": ("name", "arguments"), "custom": ("name", "input")}
"""Texts that a chat message's tool call of each type must have."""


def openai_chat_complaints(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Everything that the chat completions API would refuse about these messages; empty where it accepts them."""
    if not isinstance(messages, list | tuple) or not messages:
        return ["messages: expected an array with at least one message"]
    messages = [_fields(message) for message in messages]
    found = [fault for n, message in enumerate(messages) for fault in _message_faults(f"messages[{n}]", message)]
    return found or list(_unpaired_messages(messages))


def _fields(message: Any) -> Any:
    """The fields of a value of the SDK; anything else as it is."""
    dump = getattr(message, "model_dump", None)
    return dump(exclude_unset=True) if callable(dump) else message


def _message_faults(path: str, message: Any) -> Iterator[str]:
    if not isinstance(message, Mapping):
        yield f"{path}: expected an object"
        return
    role = str(message.get("role"))
    if role not in CHAT_PARTS:
        yield f"{path}.role: invalid value {role!r}; supported are {', '.join(CHAT_PARTS)}"
        return
    calls = message.get("tool_calls")
    optional = role == "assistant" and (calls or message.get("refusal") or message.get("audio"))
    if message.get("content") is None and not optional:
        yield f"{path}.content: expected a string or an array, got null"
    yield from _content_faults(f"{path}.content", message.get("content"), CHAT_PARTS[role])
    if role == "tool" and not isinstance(message.get("tool_call_id"), str):
        yield f"{path}.tool_call_id: missing"
    if calls is not None:
        yield from _calls_faults(f"{path}.tool_calls", role, calls)


def _content_faults(path: str, content: Any, types: frozenset[str]) -> Iterator[str]:
    if content is None or isinstance(content, str):
        return
    if not isinstance(content, list | tuple) or not content:
        yield f"{path}: expected a string or an array with at least one part"
        return
    for n, part in enumerate(content):
        kind = part.get("type") if isinstance(part, Mapping) else None
        if str(kind) not in types:
            yield f"{path}[{n}].type: invalid value {kind!r}; supported are {', '.join(sorted(types))}"
        elif part.get(field := PART_FIELDS.get(str(kind), "type")) is None:
            yield f"{path}[{n}].{field}: missing"


def _calls_faults(path: str, role: str, calls: Any) -> Iterator[str]:
    if role != "assistant":
        yield f"{path}: only an assistant message has tool calls"
    if not isinstance(calls, list | tuple) or not calls:
        yield f"{path}: expected an array with at least one call"
        return
    for n, call in enumerate(calls):
        kind = str(call.get("type")) if isinstance(call, Mapping) else ""
        if kind not in CALL_FIELDS:
            yield f"{path}[{n}].type: invalid value {kind!r}; supported are function, custom"
            continue
        called = call.get(kind)
        fields = CALL_FIELDS[kind] if isinstance(called, Mapping) else ()
        if not isinstance(call.get("id"), str) or not fields:
            yield f"{path}[{n}]: missing the id or {kind!r}"
        yield from (f"{path}[{n}].{kind}.{name}: expected a string" for name in fields if not _is_text(called, name))


def _is_text(value: Any, name: str) -> bool:
    return isinstance(value.get(name), str)


def _unpaired_messages(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Tool messages follow the assistant message whose calls they answer at once, each call has one."""
    waiting: list[str] = []
    for n, message in enumerate(messages):
        if message["role"] == "tool":
            if message["tool_call_id"] in waiting:
                waiting.remove(message["tool_call_id"])
            else:
                yield f"messages[{n}]: a tool message must answer a call of the assistant message that it follows"
            continue
        yield from _unanswered(n, waiting)
        waiting = [call["id"] for call in message.get("tool_calls") or ()]
        if len(set(waiting)) < len(waiting):
            yield f"messages[{n}].tool_calls: duplicate ids"
    yield from _unanswered(len(messages), waiting)


def _unanswered(n: int, waiting: Sequence[str]) -> Iterator[str]:
    if waiting:
        yield f"messages[{n}]: tool messages must answer these calls first: {', '.join(waiting)}"


INPUT_PARTS: Final = frozenset({"input_text", "input_image", "input_file", "input_audio"})
OUTPUT_PARTS: Final = frozenset({"output_text", "refusal"})
ROLES: Final = {"user": INPUT_PARTS, "system": INPUT_PARTS, "developer": INPUT_PARTS, "assistant": OUTPUT_PARTS}
"""The types of parts that a message item of each role may hold."""
TEXT_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "function_call": ("call_id", "name", "arguments"),
    "custom_tool_call": ("call_id", "name", "input"),
    "function_call_output": ("call_id",),
    "custom_tool_call_output": ("call_id",),
    "local_shell_call": ("call_id",),
    "local_shell_call_output": ("output",),
    "computer_call": ("call_id",),
    "computer_call_output": ("call_id",),
    "shell_call": ("call_id",),
    "shell_call_output": ("call_id",),
    "apply_patch_call": ("call_id",),
    "apply_patch_call_output": ("call_id",),
    "compaction": ("encrypted_content",),
    "item_reference": ("id",),
}
"""Texts that an item of this type must have."""
HOSTED: Final = frozenset(
    {
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
        "mcp_list_tools",
        "mcp_approval_request",
        "tool_search_call",
    }
)
"""Items of tools that the provider runs: they hold their result themselves."""
TYPES: Final = frozenset({"message", "reasoning", "mcp_approval_response", "tool_search_output", *TEXT_FIELDS, *HOSTED})
ANSWERED: Final = frozenset(kind for kind in TEXT_FIELDS if kind.endswith("_call"))
"""Calls that the caller answers with an output."""


def openai_responses_complaints(items: Sequence[Mapping[str, Any]]) -> list[str]:
    """Everything that the Responses API would refuse about these input items; empty where it accepts them."""
    if not isinstance(items, list | tuple) or not items:
        return ["input: expected an array with at least one item"]
    items = [_fields(item) for item in items]
    found = [fault for n, item in enumerate(items) for fault in _item_faults(f"input[{n}]", item)]
    return found or [*_unpaired_items(items), *_reasoning_faults(items), *_repeated(items)]


def _kind(item: Mapping[str, Any]) -> Any:
    return item.get("type", "message")


def _item_faults(path: str, item: Any) -> Iterator[str]:
    if not isinstance(item, Mapping):
        yield f"{path}: expected an object"
        return
    kind = _kind(item)
    if str(kind) not in TYPES:
        yield f"{path}.type: invalid value {kind!r}"
    elif kind == "message":
        yield from _message_item_faults(path, item)
    elif kind == "reasoning" and not isinstance(item.get("summary"), list | tuple):
        yield f"{path}.summary: expected an array"
    for name in TEXT_FIELDS.get(str(kind), ()):
        if not _is_text(item, name):
            yield f"{path}.{name}: expected a string"
    if kind in ("function_call_output", "custom_tool_call_output"):
        yield from _output_faults(f"{path}.output", item.get("output"))


def _message_item_faults(path: str, item: Mapping[str, Any]) -> Iterator[str]:
    role = item.get("role")
    if str(role) not in ROLES:
        yield f"{path}.role: invalid value {role!r}; supported are {', '.join(ROLES)}"
    elif item.get("content") is None:
        yield f"{path}.content: missing"
    else:
        yield from _content_faults(f"{path}.content", item["content"], ROLES[str(role)])


def _output_faults(path: str, output: Any) -> Iterator[str]:
    if output is None:
        yield f"{path}: missing"
    yield from _content_faults(path, output, INPUT_PARTS)


def _call_of(item: Mapping[str, Any]) -> str:
    return str(item["call_id"] if isinstance(item.get("call_id"), str) else item.get("id"))


def _unpaired_items(items: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Each call has one output of its kind, behind it."""
    waiting: dict[str, str] = {}
    for n, item in enumerate(items):
        kind = str(_kind(item))
        if kind in ANSWERED:
            if _call_of(item) in waiting:
                yield f"input[{n}]: a second call of the id {_call_of(item)}"
            waiting[_call_of(item)] = kind
        elif kind.removesuffix("_output") in ANSWERED:
            called = waiting.pop(_call_of(item), None)
            if called is None or (called != kind.removesuffix("_output") and called != "local_shell_call"):
                yield f"input[{n}]: no call found for the {kind} with the id {_call_of(item)}"
    yield from (f"input: no output found for the {kind} {call}" for call, kind in waiting.items())


def _reasoning_faults(items: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What the model reasoned is followed by what it then said or called."""
    for n, item in enumerate(items):
        after = items[n + 1] if n + 1 < len(items) else {}
        said = _kind(after) == "message" and after.get("role") == "assistant"
        called = _kind(after) in ANSWERED | HOSTED | {"reasoning", "compaction", "item_reference"}
        if _kind(item) == "reasoning" and not (said or called):
            yield f"input[{n}]: the item {item.get('id')!r} of type reasoning lacks the item that follows it"


def _repeated(items: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    ids = Counter(item["id"] for item in items if isinstance(item.get("id"), str) and _kind(item) != "item_reference")
    yield from (f"input: the id {one!r} occurs {number} times" for one, number in ids.items() if number > 1)
