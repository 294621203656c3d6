"""Server-side compaction: at a threshold as an edit of a request, and on demand as a request of its own."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from brim.testing.messages_api.api_errors import ApiError, invalid
from brim.testing.messages_api.blocks import Placed, blocks_of, placed_blocks, turns_of
from brim.testing.messages_api.clearing import COMPACT, edits_of

TRIGGER: Final = 150_000
SUMMARY_BETAS: Final = frozenset({"compact-2026-01-12", "compact-2026-09-04"})
REPLY_ONLY: Final = ("context_management", "stop_sequences")
"""What only shapes a reply, and a request for a summary has none."""

Body = Mapping[str, Any]


def compaction_edit(body: Body, tokens: int) -> Mapping[str, Any] | None:
    """The compaction that is due for a request of so many tokens."""
    for edit in edits_of(body):
        if edit["type"] == COMPACT and tokens >= (edit.get("trigger") or {}).get("value", TRIGGER):
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
    told = [placed for placed in placed_blocks(body["messages"]) if placed.kind == "compaction"]
    for placed in told:
        if not betas & SUMMARY_BETAS:
            raise invalid(f"{placed.path}: Input tag 'compaction' found using 'type' does not match the expected tags")
        if placed.block.get("content") == "":
            raise invalid(f"{placed.path}.compaction.content: compaction content must be non-empty")
    signed = [placed for placed in told if placed.block.get("signature")]
    if signed:
        _check_signed(signed, [placed for placed in told if placed.block.get("content")], body, key)


def _check_signed(signed: Sequence[Placed], told: Sequence[Placed], body: Body, key: str) -> None:
    if any(edit["type"] == COMPACT for edit in edits_of(body)):
        raise invalid("context_management: a compaction edit cannot be combined with a signed `compaction` block")
    if len(told) > 1:
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
