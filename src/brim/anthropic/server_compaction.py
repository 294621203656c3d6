"""The provider's own compaction: the edit that asks for it, the request on demand, and the block that it answers with.

Part of the back ends; specified by features/engine/backends.feature (CMP_10).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from brim.anthropic.context_edits import Parameters, messages_of, with_beta
from brim.conversation.messages import read_conversation
from brim.conversation.tool_pairs import pair_tools
from brim.conversation.turns import begins_turn
from brim.errors import Refused

EDIT: Final = "compact_20260112"
BETA: Final = "compact-2026-01-12"
ON_DEMAND_BETA: Final = "compact-2026-09-04"
LEAST_TRIGGER: Final = 50_000
"""Tokens from which on the provider can be told to compact."""
DEFAULT_TRIGGER: Final = 150_000
"""Tokens from which on the provider compacts where nothing is told."""
NO_SUMMARY: Final = "the provider's compaction gave no summary, and nothing has changed: it tries again by itself"
ONLY_A_REPLY: Final = ("context_management", "stop_sequences", "output_format", "stream", "compaction")
"""What a request for a compaction alone may not carry."""


def compaction_edit(trigger: int, instructions: str = "", *, pause: bool = False) -> dict[str, Any]:
    """The edit that has the provider compact once a request holds so many tokens. Raises Refused below the least."""
    if trigger < LEAST_TRIGGER:
        raise Refused(
            f"a trigger of {trigger:,} tokens: the provider compacts from {LEAST_TRIGGER:,} on; "
            "set that or more, or take the back end 'brim', which has no least"
        )
    edit: dict[str, Any] = {"type": EDIT, "trigger": {"type": "input_tokens", "value": trigger}}
    if instructions:
        edit["instructions"] = instructions
    if pause:
        edit["pause_after_compaction"] = True
    return edit


def on_demand(parameters: Parameters, instructions: str = "") -> tuple[dict[str, Any], list[Any]]:
    """The request that compacts the conversation now, and the messages that stay behind its answer.

    What a reply alone needs is left out, calls without a result are answered (CNV_04), and the user's last message
    stays where nothing has answered it yet (SEL_06).
    """
    told, asked = _parted(since_compaction(messages_of(parameters)))
    kept = {name: value for name, value in parameters.items() if name not in ONLY_A_REPLY}
    if (kept.get("tool_choice") or {}).get("type") in ("any", "tool"):
        del kept["tool_choice"]
    if isinstance(kept.get("output_config"), Mapping):
        kept["output_config"] = {name: value for name, value in kept["output_config"].items() if name != "format"}
    config: dict[str, Any] = {"type": "summarize"}
    if instructions:
        config["instructions"] = instructions
    return with_beta({**kept, "messages": told, "compaction": config}, ON_DEMAND_BETA), asked


def _parted(messages: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """What is compacted, every call answered, and the user's last message where it is still unanswered."""
    read = read_conversation(messages)
    last = len(read) - 1 if len(read) > 1 and begins_turn(read[-1]) else len(read)
    return [message.raw for message in pair_tools(read[:last]).messages], list(messages[last:])


def since_compaction(messages: Sequence[Any]) -> list[Any]:
    """The messages from the newest compaction on: the provider reads nothing of what stands before it.

    What follows a compaction was written behind it, so its thinking is as it was (CNV_06). A compaction that failed
    has replaced nothing.
    """
    for place in range(len(messages) - 1, -1, -1):
        blocks = list(blocks_of(messages[place]))
        found = [n for n, block in enumerate(blocks) if _replaces(block)]
        if found:
            first = {**messages[place], "content": blocks[found[-1] :]} if found[-1] else messages[place]
            return [first, *messages[place + 1 :]]
    return list(messages)


def _replaces(block: Any) -> bool:
    return is_compaction(block) and bool(block.get("content"))


def is_compaction(block: Any) -> bool:
    """Whether a block is a compaction of the provider, failed or not."""
    return isinstance(block, Mapping) and block.get("type") == "compaction"


def made_on_demand(messages: Sequence[Any]) -> bool:
    """Whether a conversation begins with a compaction that was asked for: the provider takes no edit beside that."""
    blocks = blocks_of(messages[0]) if messages else ()
    return any(_replaces(block) and bool(block.get("signature")) for block in blocks)


def with_beta_of_blocks(request: Parameters) -> dict[str, Any]:
    """The request with the beta that a compaction of the provider in its history needs, whoever compacts now."""
    messages = request["messages"]
    if not any(is_compaction(block) for message in messages for block in blocks_of(message)):
        return dict(request)
    return with_beta(request, ON_DEMAND_BETA if made_on_demand(messages) else BETA)


def blocks_of(message: Mapping[str, Any]) -> Sequence[Any]:
    """The blocks of a message; none where it is a text."""
    content = message.get("content")
    return content if isinstance(content, Sequence) and not isinstance(content, str) else ()


def only_compacted(messages: Sequence[Any]) -> bool:
    """Whether nothing has happened since the last compaction, or at all: there is nothing to summarise (SEL_07)."""
    return len(messages) <= 1 and all(is_compaction(block) for message in messages for block in message["content"])


def summaries(blocks: Sequence[Any]) -> list[str | None]:
    """For each compaction in an answer its summary, None for one that failed."""
    return [block.get("content") or None for block in blocks if is_compaction(block)]
