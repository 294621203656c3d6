"""Clearing: the edits of a request by which the server leaves out old tool results and old thinking."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

from brim.testing.messages_api.blocks import THOUGHTS, blocks_of, placed_blocks, turns_of
from brim.testing.messages_api.counting import Counter

TOOL_USES: Final = "clear_tool_uses_20250919"
THINKING: Final = "clear_thinking_20251015"
COMPACT: Final = "compact_20260112"
BETAS: Final[Mapping[str, str]] = {
    TOOL_USES: "context-management-2025-06-27",
    THINKING: "context-management-2025-06-27",
    COMPACT: "compact-2026-01-12",
}
COMPACT_TRIGGER_MIN: Final = 50_000
TRIGGER: Final = 100_000
KEEP: Final = 3
CLEARED: Final = "[cleared to save context]"

Body = Mapping[str, Any]
Change = Callable[[Mapping[str, Any]], "dict[str, Any] | None"]
"""A block as it is after an edit; None for one that goes."""


def edits_of(body: Body) -> list[Mapping[str, Any]]:
    """The edits that a request asks for."""
    return list((body.get("context_management") or {}).get("edits") or [])


def edit_faults(body: Body, betas: frozenset[str]) -> Iterator[str]:
    """What is wrong with the edits of a request."""
    for index, edit in enumerate(edits_of(body)):
        path, kind = f"context_management.edits.{index}", str(edit.get("type"))
        if kind not in BETAS or BETAS[kind] not in betas:
            yield f"{path}: Input tag '{kind}' found using 'type' does not match any of the expected tags"
        elif kind == COMPACT and (edit.get("trigger") or {}).get("value", COMPACT_TRIGGER_MIN) < COMPACT_TRIGGER_MIN:
            yield f"{path}.{kind}.trigger.value: Input should be greater than or equal to {COMPACT_TRIGGER_MIN}"
        elif kind == THINKING and index:
            yield f"{path}: `{THINKING}` must be the first edit"


def clear(body: Body, counter: Counter) -> tuple[Body, list[dict[str, Any]]]:
    """The request as the model reads it, and what was cleared from it."""
    applied = []
    for edit in edits_of(body):
        cleared = {TOOL_USES: _clear_tool_uses, THINKING: _clear_thinking}.get(edit["type"], _nothing)
        body, told = cleared(body, edit, counter)
        applied += told
    return body, applied


def _nothing(body: Body, _edit: Body, _counter: Counter) -> tuple[Body, list[dict[str, Any]]]:
    return body, []


def _clear_tool_uses(body: Body, edit: Body, counter: Counter) -> tuple[Body, list[dict[str, Any]]]:
    uses = [placed.block for placed in placed_blocks(body["messages"]) if placed.kind == "tool_use"]
    if not _is_due(edit.get("trigger") or {}, body, len(uses), counter):
        return body, []
    keep = (edit.get("keep") or {}).get("value", KEEP)
    spared = set(edit.get("exclude_tools") or ())
    gone = {use["id"]: use["name"] for use in uses[: max(0, len(uses) - keep)] if use["name"] not in spared}
    inputs = edit.get("clear_tool_inputs") or ()
    after = _changed(body, _tool_use_change(gone, set(gone.values()) if inputs is True else set(inputs)))
    tokens = counter.request(body) - counter.request(after)
    if not gone or tokens < (edit.get("clear_at_least") or {}).get("value", 0):
        return body, []
    return after, [{"type": TOOL_USES, "cleared_tool_uses": len(gone), "cleared_input_tokens": tokens}]


def _is_due(trigger: Body, body: Body, uses: int, counter: Counter) -> bool:
    if trigger.get("type") == "tool_uses":
        return uses > int(trigger["value"])
    return counter.request(body) > int(trigger.get("value", TRIGGER))


def _tool_use_change(gone: Mapping[str, str], inputs: Collection[str]) -> Change:
    def change(block: Mapping[str, Any]) -> dict[str, Any]:
        if block["type"] == "tool_result" and block["tool_use_id"] in gone:
            return {**block, "content": CLEARED}
        if block["type"] == "tool_use" and block["id"] in gone and block["name"] in inputs:
            return {**block, "input": {}}
        return dict(block)

    return change


def _clear_thinking(body: Body, edit: Body, counter: Counter) -> tuple[Body, list[dict[str, Any]]]:
    keep = edit.get("keep") or {"type": "thinking_turns", "value": 1}
    if keep == "all" or keep["type"] == "all":
        return body, []
    turns = [[placed.block for placed in turn if placed.kind in THOUGHTS] for turn in turns_of(body["messages"])]
    thoughts = [turn for turn in turns if turn]
    cleared = max(0, len(thoughts) - keep["value"])
    gone = {id(block) for turn in thoughts[:cleared] for block in turn}
    after = _changed(body, lambda block: None if id(block) in gone else dict(block))
    tokens = counter.request(body) - counter.request(after)
    return after, [{"type": THINKING, "cleared_thinking_turns": cleared, "cleared_input_tokens": tokens}]


def _changed(body: Body, change: Change) -> Body:
    messages = []
    for message in body["messages"]:
        blocks = [change(block) for block in blocks_of(message["content"])]
        messages.append({**message, "content": [block for block in blocks if block is not None]})
    return {**body, "messages": messages}
