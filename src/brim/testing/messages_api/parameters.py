"""Parameters of a request: which there are, of which form, and how many cache marks a request may carry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from brim.testing.messages_api.block_shapes import text_faults
from brim.testing.messages_api.blocks import blocks_of

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
    return name in KNOWN or bool(betas.intersection(OF_BETAS.get(name, "").split()))


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
