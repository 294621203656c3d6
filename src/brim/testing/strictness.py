"""Strictness: what the Messages API refuses about a request, found without a server.

Written apart from the rest of brim, so that it can judge what brim makes.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile
from typing import Any, Final

THOUGHTS = frozenset({"thinking", "redacted_thinking"})


@dataclass(frozen=True, slots=True)
class Placed:
    """A content block with its place in the request."""

    message: int
    index: int
    role: str
    block: Mapping[str, Any]

    @property
    def path(self) -> str:
        """The place, as the API's errors name it."""
        return f"messages.{self.message}.content.{self.index}"

    @property
    def kind(self) -> str:
        """The block's type."""
        return str(self.block["type"])


def blocks_of(content: Any) -> list[Mapping[str, Any]]:
    """Content as blocks: a string is one text block, and nothing is none."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content or ())


def placed_blocks(messages: Sequence[Mapping[str, Any]]) -> Iterator[Placed]:
    """Every block of a conversation, in order."""
    for number, message in enumerate(messages):
        for index, block in enumerate(blocks_of(message["content"])):
            yield Placed(number, index, message["role"], block)


def turns_of(messages: Sequence[Mapping[str, Any]]) -> list[tuple[Placed, ...]]:
    """The blocks by turns: neighbouring messages of one role are one turn."""
    return [tuple(turn) for _, turn in groupby(placed_blocks(messages), key=lambda placed: placed.role)]


def canonical(value: Any) -> str:
    """One text for all the ways to write the same content: without cache marks, absent fields and short forms."""
    return json.dumps(_plain(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        kept = {k: _plain(v) for k, v in value.items() if k != "cache_control" and v is not None}
        if kept.get("type") == "tool_result":
            kept["content"] = _plain(blocks_of(value.get("content")))
        return kept
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value


FIELDS: Final[Mapping[str, frozenset[str]]] = {
    kind: frozenset(fields.split())
    for kind, fields in {
        "text": "cache_control citations text",
        "image": "cache_control source transformations",
        "document": "cache_control citations context source title",
        "search_result": "cache_control citations content source title",
        "thinking": "signature thinking",
        "redacted_thinking": "data",
        "tool_use": "cache_control caller id input name toolset_name",
        "tool_result": "cache_control content is_error tool_use_id toolset_name",
        "server_tool_use": "cache_control caller id input name",
        "web_search_tool_result": "cache_control caller content tool_use_id",
        "web_fetch_tool_result": "cache_control caller content tool_use_id",
        "code_execution_tool_result": "cache_control content tool_use_id",
        "bash_code_execution_tool_result": "cache_control content tool_use_id",
        "text_editor_code_execution_tool_result": "cache_control content tool_use_id",
        "tool_search_tool_result": "cache_control content tool_use_id",
        "container_upload": "cache_control file_id",
        "mcp_tool_use": "cache_control id input name server_name",
        "mcp_tool_result": "cache_control content is_error tool_use_id",
        "compaction": "cache_control content encrypted_content signature tool_changes",
        "tool_reference": "cache_control tool_name",
        "tool_addition": "cache_control tool",
        "tool_removal": "cache_control tool",
    }.items()
}
"""The fields of each type of block besides `type`."""

REQUIRED: Final[Mapping[str, tuple[str, ...]]] = {
    "text": ("text",),
    "image": ("source",),
    "document": ("source",),
    "thinking": ("signature", "thinking"),
    "redacted_thinking": ("data",),
    "tool_use": ("id", "input", "name"),
    "tool_result": ("tool_use_id",),
    "server_tool_use": ("id", "input", "name"),
}
"""The fields that a block cannot do without."""

TEXTS: Final = frozenset({"text", "thinking", "signature", "data", "id", "name", "tool_use_id"})
IN_SYSTEM: Final = ("text", "tool_addition", "tool_removal")
"""What a message of the system holds; the last two stand in no other."""
ASSISTANT_ONLY: Final = frozenset({"tool_use", "thinking", "redacted_thinking", "server_tool_use"})
USER_ONLY: Final = frozenset({"tool_result"})
IN_RESULTS: Final = frozenset({"tool_reference"})
"""Types that stand inside a tool result alone."""
ID: Final = re.compile(r"[a-zA-Z0-9_-]+\Z")


def shape_faults(path: str, block: Any) -> Iterator[str]:
    """What is wrong with one block, apart from its neighbours."""
    if not isinstance(block, Mapping):
        yield f"{path}: Input should be a valid dictionary or object to extract fields from"
        return
    kind = block.get("type")
    if not isinstance(kind, str) or kind not in FIELDS or (kind in IN_RESULTS and ".tool_result." not in path):
        yield _unknown(path, block)
        return
    named = f"{path}.{kind}"
    yield from (f"{named}.{name}: Field required" for name in REQUIRED.get(kind, ()) if name not in block)
    extra = [name for name in block if name != "type" and name not in FIELDS[kind]]
    yield from (f"{named}.{name}: Extra inputs are not permitted" for name in extra)
    yield from _value_faults(named, block)


def _unknown(path: str, block: Mapping[str, Any]) -> str:
    if "type" not in block:
        return f"{path}: Unable to extract tag using discriminator 'type'"
    tags = ", ".join(f"'{kind}'" for kind in FIELDS)
    return f"{path}: Input tag '{block['type']}' found using 'type' does not match any of the expected tags: {tags}"


def _value_faults(named: str, block: Mapping[str, Any]) -> Iterator[str]:
    for name in TEXTS & block.keys():
        if not isinstance(block[name], str):
            yield f"{named}.{name}: Input should be a valid string"
        elif name in {"id", "tool_use_id"} and not ID.match(block[name]):
            yield f"{named}.{name}: String should match pattern '^[a-zA-Z0-9_-]+$'"
    if "input" in block and not isinstance(block["input"], Mapping):
        yield f"{named}.input: Input should be a valid dictionary"
    if block["type"] == "tool_result":
        yield from _result_faults(named, block)


def _result_faults(named: str, block: Mapping[str, Any]) -> Iterator[str]:
    content = block.get("content") or []
    if not isinstance(content, str | list):
        yield f"{named}.content: Input should be a valid string or list"
        return
    if block.get("is_error") and not content:
        yield f"{named}: content cannot be empty if `is_error` is true"
    if isinstance(content, list):
        for index, inner in enumerate(content):
            yield from shape_faults(f"{named}.content.{index}", inner)


def role_faults(placed: Placed) -> Iterator[str]:
    """Whether a block stands in a message of the wrong role."""
    if placed.role == "user" and placed.kind in ASSISTANT_ONLY:
        yield f"messages.{placed.message}: `{placed.kind}` blocks can only be in `assistant` messages"
    if placed.role == "assistant" and placed.kind in USER_ONLY:
        yield f"messages.{placed.message}: `{placed.kind}` blocks can only be in `user` messages"
    if placed.role == "system" and placed.kind not in IN_SYSTEM:
        yield f"messages.{placed.message}: role 'system' supports {', '.join(IN_SYSTEM)} blocks only"
    if placed.role != "system" and placed.kind in IN_SYSTEM[1:]:
        yield f"messages.{placed.message}: `{placed.kind}` blocks can only be in `system` messages"


def text_faults(blocks: list[Mapping[str, Any]], *, where: str = "messages") -> Iterator[str]:
    """Texts that hold nothing to read."""
    for block in blocks:
        if block["type"] != "text":
            continue
        if not block["text"]:
            yield f"{where}: text content blocks must be non-empty"
        elif not block["text"].strip():
            yield f"{where}: text content blocks must contain non-whitespace text"


def pairing_faults(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What is wrong with the tool calls and results of a conversation."""
    turns = turns_of(messages)
    yield from _repeated_calls(turns)
    for number, turn in enumerate(turns):
        before = turns[number - 1] if number else ()
        after = turns[number + 1] if number + 1 < len(turns) else ()
        if turn[0].role == "assistant":
            yield from _unanswered(turn, after)
            yield from _server_faults(turn, last=not after)
        else:
            yield from _stray(turn, before)


def _repeated_calls(turns: Sequence[Sequence[Placed]]) -> Iterator[str]:
    seen: set[str] = set()
    for placed in (one for turn in turns for one in turn if one.kind == "tool_use"):
        if placed.block["id"] in seen:
            yield f"{placed.path}: `tool_use` ids must be unique"
        seen.add(placed.block["id"])


def _unanswered(turn: Sequence[Placed], after: Sequence[Placed]) -> Iterator[str]:
    leading = takewhile(lambda placed: placed.kind == "tool_result", after)
    answered = {placed.block["tool_use_id"] for placed in leading}
    calls = [placed for placed in turn if placed.kind == "tool_use" and placed.block["id"] not in answered]
    if calls:
        ids = ", ".join(call.block["id"] for call in calls)
        yield (
            f"messages.{calls[0].message}: `tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next message."
        )


def _stray(turn: Sequence[Placed], before: Sequence[Placed]) -> Iterator[str]:
    calls = {placed.block["id"] for placed in before if placed.kind == "tool_use"}
    results = [placed for placed in turn if placed.kind == "tool_result"]
    yield from (_without_call(result) for result in results if result.block["tool_use_id"] not in calls)
    counts = Counter(result.block["tool_use_id"] for result in results)
    for result in results:
        if counts.pop(result.block["tool_use_id"], 0) > 1:
            yield (
                f"{result.path}: each tool_use must have a single result. "
                f"Found multiple `tool_result` blocks with id: {result.block['tool_use_id']}"
            )


def _without_call(result: Placed) -> str:
    return (
        f"{result.path}: unexpected `tool_use_id` found in `tool_result` blocks: {result.block['tool_use_id']}. "
        "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
    )


def _server_faults(turn: Sequence[Placed], *, last: bool) -> Iterator[str]:
    open_calls: dict[str, Placed] = {}
    for placed in turn:
        if placed.kind in {"server_tool_use", "mcp_tool_use"}:
            open_calls[placed.block["id"]] = placed
        elif placed.kind.endswith("_tool_result") and open_calls.pop(placed.block["tool_use_id"], None) is None:
            yield (
                f"{placed.path}: unexpected `tool_use_id` found in `{placed.kind}` blocks: "
                f"{placed.block['tool_use_id']}. Each `{placed.kind}` block must have a corresponding "
                "`server_tool_use` block before it."
            )
    for call, placed in () if last else open_calls.items():
        yield (
            f"messages.{placed.message}: `{placed.block['name']}` tool use with id `{call}` was found without a "
            f"corresponding `{placed.block['name']}_tool_result` block"
        )


KNOWN: Final = frozenset(
    {
        "cache_control",
        "container",
        "diagnostics",
        "inference_geo",
        "max_tokens",
        "messages",
        "metadata",
        "model",
        "output_config",
        "service_tier",
        "speed",
        "stop_sequences",
        "stream",
        "system",
        "thinking",
        "tool_choice",
        "tools",
    }
)
"""The parameters that every request may have."""
OLDER: Final = frozenset({"temperature", "top_k", "top_p"})
"""Parameters that the SDK sends no more, and earlier models still take."""
THINKING_TYPES: Final = ("enabled", "disabled", "adaptive", "between_tools")
OF_BETAS: Final[Mapping[str, str]] = {
    "context_management": "context-management-2025-06-27 compact-2026-01-12",
    "compaction": "compact-2026-09-04",
    "thread": "message-threads-2026-08-12",
    "mcp_servers": "mcp-client-2025-04-04 mcp-client-2025-11-20 mcp-client-2026-09-15",
}
"""Parameters that one of these betas brings."""
MARKS_MAX: Final = 4
BUDGET_MIN: Final = 1_024


def parameter_faults(body: Mapping[str, Any], betas: frozenset[str], *, counting: bool = False) -> Iterator[str]:
    """What is wrong with a request apart from its messages. Counting tokens needs no longest answer."""
    required = ("messages", "model") if counting else ("max_tokens", "messages", "model")
    yield from (f"{name}: Field required" for name in required if name not in body)
    yield from (f"{name}: Extra inputs are not permitted" for name in body if not _known(name, betas))
    yield from _plain_faults(body)
    yield from _system_faults(body.get("system"))
    yield from _tool_faults(body.get("tools") or [])
    yield from _thinking_faults(body)


def _known(name: str, betas: frozenset[str]) -> bool:
    return name in KNOWN | OLDER or bool(betas.intersection(OF_BETAS.get(name, "").split()))


def _plain_faults(body: Mapping[str, Any]) -> Iterator[str]:
    longest = body.get("max_tokens", 1)
    if isinstance(longest, bool) or not isinstance(longest, int):
        yield "max_tokens: Input should be a valid integer"
    elif longest < 1:
        yield "max_tokens: must be greater than or equal to 1"
    if not isinstance(body.get("model", ""), str):
        yield "model: Input should be a valid string"
    if not isinstance(body.get("stream", False), bool):
        yield "stream: Input should be a valid boolean"


def _system_faults(system: Any) -> Iterator[str]:
    if system is None or isinstance(system, str):
        return
    if not isinstance(system, list):
        yield "system: Input should be a valid string or list"
        return
    for index, block in enumerate(system):
        if not isinstance(block, Mapping) or block.get("type") != "text" or not isinstance(block.get("text"), str):
            yield f"system.{index}: Input should be a text block"
        else:
            yield from text_faults([block], where="system")


def _tool_faults(tools: Any) -> Iterator[str]:
    if not isinstance(tools, list) or not all(isinstance(tool, Mapping) for tool in tools):
        yield "tools: Input should be a valid list of tools"
        return
    names = [tool.get("name") for tool in tools if "name" in tool]
    if len(set(map(str, names))) < len(names):
        yield "tools: Tool names must be unique."
    for index, tool in enumerate(tools):
        custom = tool.get("type") in {None, "custom"}
        yield from (
            f"tools.{index}.custom.{name}: Field required"
            for name in ("name", "input_schema")
            if custom and name not in tool
        )


def _thinking_faults(body: Mapping[str, Any]) -> Iterator[str]:
    thinking = body.get("thinking")
    if thinking is None:
        return
    if not isinstance(thinking, Mapping) or thinking.get("type") not in THINKING_TYPES:
        yield f"thinking: Input tag should be one of {', '.join(map(repr, THINKING_TYPES))}"
    elif thinking["type"] == "enabled":
        yield from _budget_faults(thinking.get("budget_tokens"), body.get("max_tokens"))


def _budget_faults(budget: Any, longest: Any) -> Iterator[str]:
    if not isinstance(budget, int):
        yield "thinking.enabled.budget_tokens: Field required"
    elif budget < BUDGET_MIN:
        yield f"thinking.enabled.budget_tokens: Input should be greater than or equal to {BUDGET_MIN}"
    elif isinstance(longest, int) and longest <= budget:
        yield "`max_tokens` must be greater than `thinking.budget_tokens`."


def mark_faults(body: Mapping[str, Any]) -> Iterator[str]:
    """More cache marks than a request may carry, or marks of another form."""
    marked = list(_marks(body))
    if len(marked) > MARKS_MAX:
        yield f"A maximum of {MARKS_MAX} blocks with cache_control may be provided. Found {len(marked)}."
    for mark in marked:
        if not isinstance(mark, Mapping) or mark.get("type") != "ephemeral":
            yield "cache_control: Input tag should be 'ephemeral'"
        elif mark.get("ttl", "5m") not in {"5m", "1h", None}:
            yield "cache_control.ephemeral.ttl: Input should be '5m' or '1h'"


def _marks(body: Mapping[str, Any]) -> Iterator[Any]:
    holders = [body, *(body.get("tools") or []), *blocks_of(body.get("system"))]
    for message in body["messages"]:
        for block in blocks_of(message["content"]):
            holders.append(block)
            if block["type"] == "tool_result":
                holders += blocks_of(block.get("content"))
    yield from (holder["cache_control"] for holder in holders if holder.get("cache_control") is not None)


TEACHING = (
    "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost "
    "set of `tool_use` and `tool_result` blocks). To avoid this requirement, disable `thinking`."
)


def loop_faults(body: Mapping[str, Any], thoughtful: Collection[str]) -> Iterator[str]:
    """Whether the last answer of an unfinished tool loop has lost its thinking.

    `thoughtful` names the calls that were handed out behind thinking: those need it whenever thinking is not disabled,
    every other call only where thinking is enabled with a budget.
    """
    mode = (body.get("thinking") or {}).get("type", "adaptive")
    turn = _open_turn(turns_of(body["messages"]))
    calls = [placed.block["id"] for placed in turn if placed.kind == "tool_use"]
    bound = mode == "enabled" or (mode != "disabled" and any(call in thoughtful for call in calls))
    if calls and bound:
        first = next(placed for placed in turn if placed.kind != "compaction")
        if first.kind not in THOUGHTS:
            yield (
                f"{first.path}.type: Expected `thinking` or `redacted_thinking`, but found `{first.kind}`. {TEACHING}"
            )


def _open_turn(turns: Sequence[Sequence[Placed]]) -> Sequence[Placed]:
    said = [turn for turn in turns if turn[0].role != "system"]
    if len(said) > 1 and any(placed.kind == "tool_result" for placed in said[-1]):
        return said[-2]
    return ()


def prefill_faults(body: Mapping[str, Any], *, prefill: bool) -> Iterator[str]:
    """Whether a request ends with the beginning of its answer: no model takes it with a trailing space, and few at all.

    A turn that the server itself broke off, at a summary or at a call of its own, may come back to be carried on.
    """
    last = turns_of(body["messages"])[-1][-1]
    if last.role != "assistant" or last.kind not in {"text", *THOUGHTS}:
        return
    if not prefill:
        yield "This model does not support assistant message prefill. The conversation must end with a user message."
    elif last.kind == "text" and last.block["text"] != last.block["text"].rstrip():
        yield "messages: final assistant content cannot end with trailing whitespace"


MESSAGES_MAX = 100_000


def complaints(request: Mapping[str, Any] | Sequence[Mapping[str, Any]], *, betas: Sequence[str] = ()) -> list[str]:
    """Everything that the API would refuse about a request, in the API's words; empty where it is accepted.

    Args:
        request: the whole body of a request, or a list of messages alone: then only they are judged.
        betas: the betas that the request asks for.

    Limits of a model and the signatures of thinking blocks are for the server to check: they need to know more.
    """
    if not isinstance(request, Mapping):
        return message_faults(request) or list(mark_faults({"messages": request}))
    return body_faults(request, frozenset(betas))


def body_faults(body: Mapping[str, Any], betas: frozenset[str], *, counting: bool = False) -> list[str]:
    """The faults of a whole body; those of its messages only where its parameters are of the right form."""
    found = list(parameter_faults(body, betas, counting=counting))
    if found:
        return found
    return message_faults(body["messages"]) or list(mark_faults(body))


def message_faults(messages: Any) -> list[str]:
    """The faults of a list of messages; those between blocks only where each block is of the right form."""
    found = list(form_faults(messages))
    if found:
        return found
    found = [*_first_faults(messages), *_system_place_faults(messages)]
    return [*found, *_content_faults(messages), *pairing_faults(messages)]


def form_faults(messages: Any) -> Iterator[str]:
    """The faults of messages and blocks each by itself."""
    if not isinstance(messages, list | tuple):
        yield "messages: Input should be a valid list"
    elif not messages:
        yield "messages: at least one message is required"
    elif len(messages) > MESSAGES_MAX:
        yield f"messages: at most {MESSAGES_MAX} messages are allowed. Found {len(messages)}."
    else:
        for number, message in enumerate(messages):
            yield from _message_form(f"messages.{number}", message)


def _message_form(path: str, message: Any) -> Iterator[str]:
    if not isinstance(message, Mapping):
        yield f"{path}: Input should be a valid dictionary or object to extract fields from"
        return
    role = message.get("role", "user")
    known = {"role", "content", *(("clear_at", "output_config") if role == "system" else ())}
    yield from (f"{path}.{name}: Field required" for name in ("role", "content") if name not in message)
    yield from (f"{path}.{name}: Extra inputs are not permitted" for name in message if name not in known)
    if role not in ("user", "assistant", "system"):
        yield f"{path}.role: Input should be 'user', 'assistant' or 'system'"
    content = message.get("content", "")
    if not isinstance(content, str | list | tuple):
        yield f"{path}.content: Input should be a valid string or list"
    elif not isinstance(content, str):
        for index, block in enumerate(content):
            yield from shape_faults(f"{path}.content.{index}", block)


def _is_directive(message: Mapping[str, Any]) -> bool:
    """Whether a message of the system says nothing, and sets how the model answers alone."""
    return message.get("role") == "system" and not message.get("content") and bool(message.get("output_config"))


def _system_place_faults(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Messages of the system that stand elsewhere than between a user's and the model's; a run of them is one."""
    anywhere = "the directive-only form (content: [] with output_config) is accepted at any position"
    said = [(number, message) for number, message in enumerate(messages) if not _is_directive(message)]
    before: Mapping[str, Any] = {"role": "user", "content": ""}
    for (number, message), after in zip(said, [*(one for _, one in said[1:]), None], strict=True):
        if message["role"] == "system":
            if number == 0:
                yield f"messages.0: use the top-level 'system' parameter for the initial system prompt; {anywhere}"
            elif not _takes_system(before):
                yield (
                    f"messages.{number}: role 'system' must follow a 'user' message or an 'assistant' message ending "
                    f"in a server tool result; {anywhere}"
                )
            if after is not None and after["role"] == "user":
                yield (
                    f"messages.{number}: role 'system' must precede an 'assistant' message or end the array; {anywhere}"
                )
        before = message


def _takes_system(before: Mapping[str, Any]) -> bool:
    """Whether a message of the system may stand behind this one; a run of them begins behind the same."""
    blocks = blocks_of(before["content"])
    return before["role"] != "assistant" or (bool(blocks) and blocks[-1]["type"].endswith("_tool_result"))


def _first_faults(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    first = next((message for message in messages if message["role"] != "system"), {"role": "user", "content": ""})
    compacted = [block["type"] for block in blocks_of(first["content"])][:1] == ["compaction"]
    if first["role"] != "user" and not compacted:
        yield 'messages: first message must use the "user" role'


def _content_faults(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for number, message in enumerate(messages):
        blocks = blocks_of(message["content"])
        if not blocks and not _is_directive(message):
            yield (
                f"messages.{number}: all messages must have non-empty content "
                "except for the optional final assistant message"
            )
        yield from text_faults(blocks)
    for placed in placed_blocks(messages):
        yield from role_faults(placed)
