"""The provider's own compaction and clearing: what a request asks for, and what its response says was done.

Part of the back ends; specified by features/engine/backends.feature (CMP_10).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from brim.anthropic.requests import BETA_HEADER, read_betas, read_headers
from brim.conversation.formats import as_dictionary
from brim.conversation.messages import read_conversation
from brim.conversation.tool_pairs import pair_tools
from brim.conversation.turns import begins_turn
from brim.errors import InvalidInput, Refused, text_of

Parameters: TypeAlias = Mapping[str, Any]
"""The arguments of `client.beta.messages.create`."""
COMPACTION_KINDS: Final = "compact_"
"""The prefix of the types of a compaction edit."""
CLEARING_KINDS: Final = "clear_tool_uses_"
"""The prefix of the types of an edit that clears tool results."""
COMPACTION_BETA: Final = "compact-2026-01-12"
ON_DEMAND_BETA: Final = "compact-2026-09-04"
CLEARING_BETA: Final = "context-management-2025-06-27"


def with_edit(parameters: Parameters, edit: Mapping[str, Any], beta: str) -> dict[str, Any]:
    """Return the request with an edit behind its own, and the beta it needs; nothing of the request is changed."""
    edits = [*edits_of(parameters), dict(edit)]
    managed = {**(parameters.get("context_management") or {}), "edits": edits}
    return with_beta({**parameters, "context_management": managed}, beta)


def with_beta(parameters: Parameters, beta: str) -> dict[str, Any]:
    """Return the request with a beta named once: in its header where the request sets that, else among its betas."""
    headers = read_headers(parameters.get("extra_headers"))
    name = next((name for name in headers if name.lower() == BETA_HEADER), None)
    if name is None:
        return {**parameters, "betas": list(dict.fromkeys([*read_betas(parameters.get("betas")), beta]))}
    named = [word.strip() for word in text_of(headers[name]).split(",") if word.strip()]
    return {**parameters, "extra_headers": {**headers, name: ",".join(dict.fromkeys([*named, beta]))}}


def edits_of(parameters: Parameters) -> list[Any]:
    """Return the edits that a request brings. Raises InvalidInput where they are none."""
    managed = parameters.get("context_management") or {}
    edits = managed.get("edits") or () if isinstance(managed, Mapping) else None
    if not isinstance(edits, Sequence) or not all(isinstance(edit, Mapping) for edit in edits):
        raise InvalidInput("the context management of a request is an object with a list of edits")
    return list(edits)


def refuse_second(parameters: Parameters, kinds: str, backend: str) -> None:
    """Raise Refused for a request that brings an edit whose type begins with `kinds`, or a compaction (CMP_10)."""
    types = [text_of(edit.get("type")) for edit in edits_of(parameters)]
    found = [kind for kind in types if kind.startswith(kinds)]
    if parameters.get("compaction"):
        found.append("a compaction on demand")
    if found:
        raise Refused(
            f"the request brings {found[0]} of its own, and the back end {backend!r} does the same work: "
            "take one of the two out, they are never used at once"
        )


def messages_of(parameters: Parameters) -> list[dict[str, Any]]:
    """Return a request's messages as dictionaries, a new list.

    Raises InvalidInput where it has none, or something else among them.
    """
    messages = field_of(parameters, "messages")
    if not isinstance(messages, Sequence) or isinstance(messages, str | bytes):
        raise InvalidInput("a request has a list of messages; pass the arguments of client.beta.messages.create")
    return [as_message(message, f"message {index}") for index, message in enumerate(messages)]


def as_message(message: Any, name: str = "a message") -> dict[str, Any]:
    """Return a message as a dictionary whose blocks are dictionaries: a response of the SDK, or what a request takes.

    Raises InvalidInput, by its name, where it is no message.
    """
    content = field_of(message, "content")
    if not isinstance(content, Sequence) or isinstance(content, bytes):
        raise InvalidInput(
            f"{name} is {type(message).__name__} with {type(content).__name__} as its content; a message has a text "
            "or a list of blocks"
        )
    own = message if isinstance(message, Mapping) else {"role": field_of(message, "role"), "content": content}
    return {**as_dictionary(own)}


def answer_of(response: Any) -> dict[str, Any]:
    """Return the message that a response is, as it goes back to the API. Raises InvalidInput where it is none."""
    role, content = field_of(response, "role"), field_of(response, "content")
    if role != "assistant" or content is None:
        raise InvalidInput(f"a response is what client.beta.messages.create returns, not {type(response).__name__}")
    return as_message({"role": role, "content": content})


def field_of(response: Any, name: str) -> Any:
    """Return a field of a response, which may be a dictionary; None where it has none of this name."""
    return response.get(name) if isinstance(response, Mapping) else getattr(response, name, None)


def usage_of(response: Any) -> dict[str, Any]:
    """Return the usage of a response as a dictionary; empty where it reports none."""
    usage = as_dictionary(field_of(response, "usage"))
    return dict(usage) if isinstance(usage, Mapping) else {}


def on_demand(parameters: Parameters, instructions: str = "") -> tuple[dict[str, Any], list[Any]]:
    """Return the request that compacts the conversation now, and the messages that stay behind its response.

    What a reply alone needs is left out, calls without a result are answered (CNV_04), and the user's last message
    stays where nothing has answered it yet (SEL_06).
    """
    messages = since_compaction(messages_of(parameters))
    read = read_conversation(messages)
    last = len(read) - 1 if len(read) > 1 and begins_turn(read[-1]) else len(read)
    of_a_reply = ("context_management", "stop_sequences", "output_format", "stream", "compaction")
    kept = {name: value for name, value in parameters.items() if name not in of_a_reply}
    if (kept.get("tool_choice") or {}).get("type") in ("any", "tool"):
        del kept["tool_choice"]
    if isinstance(kept.get("output_config"), Mapping):
        kept["output_config"] = {name: value for name, value in kept["output_config"].items() if name != "format"}
    compaction = {"type": "summarize", **({"instructions": instructions} if instructions else {})}
    compacted = [message.raw for message in pair_tools(read[:last]).messages]
    return with_beta({**kept, "messages": compacted, "compaction": compaction}, ON_DEMAND_BETA), messages[last:]


def since_compaction(messages: Sequence[Any]) -> list[Any]:
    """Return the messages from the newest compaction on: the provider reads nothing of what precedes it.

    What follows a compaction was written behind it, so its thinking is as it was (CNV_06). A compaction that failed
    has replaced nothing.
    """
    for index in range(len(messages) - 1, -1, -1):
        blocks = blocks_of(messages[index])
        found = [n for n, block in enumerate(blocks) if _replaces(block)]
        if found:
            return [{**messages[index], "content": [*blocks[found[-1] :]]}, *messages[index + 1 :]]
    return list(messages)


def _replaces(block: Any) -> bool:
    return is_compaction(block) and bool(block.get("content"))


def is_compaction(block: Any) -> bool:
    """Return whether a block is a compaction of the provider, failed or not."""
    return isinstance(block, Mapping) and block.get("type") == "compaction"


def made_on_demand(messages: Sequence[Any]) -> bool:
    """Return whether a conversation begins with a compaction on demand: the provider takes no edit beside that."""
    blocks = blocks_of(messages[0]) if messages else ()
    return any(_replaces(block) and bool(block.get("signature")) for block in blocks)


def with_beta_of_blocks(request: Parameters) -> dict[str, Any]:
    """Return the request with the beta that a compaction of the provider in its history needs, with any back end."""
    messages = request["messages"]
    if not any(is_compaction(block) for message in messages for block in blocks_of(message)):
        return dict(request)
    return with_beta(request, ON_DEMAND_BETA if made_on_demand(messages) else COMPACTION_BETA)


def blocks_of(message: Mapping[str, Any]) -> Sequence[Any]:
    """Return the blocks of a message; none where its content is a text."""
    content = message.get("content")
    return content if isinstance(content, Sequence) and not isinstance(content, str) else ()


def summaries(blocks: Sequence[Any]) -> list[str | None]:
    """Return for each compaction in a response its summary, None for one that failed."""
    return [block.get("content") or None for block in blocks if is_compaction(block)]
