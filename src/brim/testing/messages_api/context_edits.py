"""The edits of a context that the provider makes itself: clearing of tool results and thinking, and compaction."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from brim.testing.messages_api.counting import Counter
from brim.testing.messages_api.exchange import ApiError, invalid
from brim.testing.strictness import THOUGHTS, Placed, blocks_of, placed_blocks, turns_of

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
        body, edits = cleared(body, edit, counter)
        applied += edits
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


COMPACT_TRIGGER: Final = 150_000
SUMMARY_BETAS: Final = frozenset({"compact-2026-01-12", "compact-2026-09-04"})
REPLY_ONLY: Final = ("context_management", "stop_sequences")
"""What only shapes a reply, and a request for a summary has none."""


def compaction_edit(body: Body, tokens: int) -> Mapping[str, Any] | None:
    """The compaction that is due for a request of so many tokens."""
    for edit in edits_of(body):
        if edit["type"] == COMPACT and tokens >= (edit.get("trigger") or {}).get("value", COMPACT_TRIGGER):
            return edit
    return None


def compacted(body: Body) -> Body:
    """The request from its last summary on: the messages before it are empty. A summary of null is passed over."""
    kept: list[dict[str, Any]] = []
    for message in body["messages"]:
        blocks = [block for block in blocks_of(message["content"]) if not _is_null(block)]
        starts = [index for index, block in enumerate(blocks) if block["type"] == "compaction"]
        if starts:
            kept, blocks = [{**earlier, "content": []} for earlier in kept], blocks[starts[-1] :]
        kept.append({**message, "content": blocks})
    return {**body, "messages": kept}


def _is_null(block: Mapping[str, Any]) -> bool:
    return block["type"] == "compaction" and block.get("content") is None


def threshold_block(summary: str | None) -> dict[str, Any]:
    """What a compaction at a threshold answers; a summary of None says that it failed."""
    return {"type": "compaction", "content": summary, "encrypted_content": None}


def signed_block(summary: str | None, key: str) -> dict[str, Any]:
    """What a compaction on demand answers."""
    signature = None if summary is None else _signature(summary, key)
    return {**threshold_block(summary), "signature": signature, "tool_changes": []}


def _signature(summary: str, key: str) -> str:
    return "cmp_" + hmac.new(key.encode(), summary.encode(), hashlib.sha256).hexdigest()


def check_summaries(body: Body, key: str, betas: frozenset[str]) -> None:
    """Raise the API's error for a summary that no beta allows, or a signed one that is not what, or where, it was."""
    compactions = [placed for placed in placed_blocks(body["messages"]) if placed.kind == "compaction"]
    for placed in compactions:
        if not betas & SUMMARY_BETAS:
            raise invalid(f"{placed.path}: Input tag 'compaction' found using 'type' does not match the expected tags")
        if placed.block.get("content") == "":
            raise invalid(f"{placed.path}.compaction.content: compaction content must be non-empty")
    signed = [placed for placed in compactions if placed.block.get("signature")]
    if signed:
        _check_signed(signed, [placed for placed in compactions if placed.block.get("content")], body, key)


def _check_signed(signed: Sequence[Placed], compactions: Sequence[Placed], body: Body, key: str) -> None:
    if any(edit["type"] == COMPACT for edit in edits_of(body)):
        raise invalid("context_management: a compaction edit cannot be combined with a signed `compaction` block")
    if len(compactions) > 1:
        raise invalid("messages: more than one `compaction` block with content", code="compaction_block_ambiguous")
    for placed in signed:
        _check_place(placed)
        genuine = str(placed.block["signature"])
        if not genuine.startswith("cmp_"):
            raise invalid(f"{placed.path}: Invalid `signature`", code="compaction_signature_invalid")
        if not hmac.compare_digest(genuine, _signature(placed.block.get("content") or "", key)):
            message = f"{placed.path}: `content` differs from what the signature recorded"
            raise invalid(message, code="compaction_content_mismatch")


def _check_place(placed: Placed) -> None:
    if (placed.message, placed.index) != (0, 0):
        message = f"{placed.path}: a `compaction` block must be the first block of the conversation"
        raise invalid(message, code="compaction_block_misplaced")


def check_finished(body: Body) -> None:
    """Raise the API's error for a conversation that ends in a call without its result."""
    last = next(iter(turns_of(body["messages"])[-1:]), ())
    answered = {placed.block.get("tool_use_id") for placed in last}
    calls = [placed for placed in last if placed.kind in {"tool_use", "server_tool_use"}]
    if any(call.block["id"] not in answered for call in calls):
        message = "compaction: the conversation ends on an unfinished `assistant` turn"
        raise invalid(message, code="compaction_incomplete_turn")


def check_on_demand(body: Body) -> None:
    """Raise the API's error for a request that cannot be compacted as it is."""
    for fault in _on_demand_faults(body):
        raise fault


def _on_demand_faults(body: Body) -> Iterator[ApiError]:
    if body["compaction"].get("type") != "summarize":
        yield invalid("compaction: Input tag should be 'summarize'")
    yield from (
        invalid(f"compaction: cannot be combined with `{name}`") for name in REPLY_ONLY if body.get(name) is not None
    )
    if (body.get("tool_choice") or {}).get("type") in {"any", "tool"}:
        yield invalid("compaction: cannot be combined with a forced `tool_choice`")
    if all(placed.kind == "compaction" for placed in placed_blocks(body["messages"])):
        message = "compaction: there is nothing to summarize"
        yield invalid(message, code="compaction_nothing_to_summarize")
