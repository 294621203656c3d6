"""Replies: scripted answers made into messages of the API, with ids, counts and a reason to stop."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from brim.testing.answers import Answer, thinking_block
from brim.testing.failures import Failure
from brim.testing.messages_api.blocks import THOUGHTS
from brim.testing.messages_api.counting import Counter

CUT = frozenset({"text", "thinking"})
"""The blocks that can be cut off; their text goes by the same name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What goes back over the wire."""

    status: int = 200
    body: Mapping[str, Any] | None = None
    """The JSON of the body; where a failure ends it, only half of it is sent."""
    events: Sequence[tuple[str, Mapping[str, Any]]] | None = None
    """The events of a stream, in place of a body."""
    headers: Mapping[str, str] = field(default_factory=dict)
    ending: Failure | None = None
    """The drop or the silence in which it ends; with neither body nor events, there is nothing else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How much an answer may be, in tokens."""

    tokens: int
    reason: str
    """The reason to stop of an answer that needs more."""


def room_for(max_tokens: int, window: int, held: int) -> Room:
    """The room that is left for an answer: as much as was asked for, or what the window has left."""
    if window - held < max_tokens:
        return Room(tokens=window - held, reason="model_context_window_exceeded")
    return Room(tokens=max_tokens, reason="max_tokens")


def identify(kind: str, *seeds: object) -> str:
    """An id of a kind, the same for the same seeds."""
    return f"{kind}_01{hashlib.sha256(repr(seeds).encode()).hexdigest()[:22]}"


def content_of(answer: Answer, body: Mapping[str, Any], *seeds: object) -> list[dict[str, Any]]:
    """The blocks of an answer: calls have their ids, and where thinking has a budget the first block thinks."""
    blocks = answer.blocks
    thinks = (body.get("thinking") or {}).get("type") == "enabled"
    if blocks and thinks and blocks[0]["type"] not in THOUGHTS:
        blocks.insert(0, thinking_block("Let me think about this."))
    for index, block in enumerate(blocks):
        if block["type"] == "tool_use":
            block.setdefault("id", identify("toolu", *seeds, index))
            block.setdefault("input", {})
    return blocks


def fit(blocks: list[dict[str, Any]], room: Room, counter: Counter) -> tuple[list[dict[str, Any]], str | None]:
    """The blocks that there is room for, and why the answer stops where not all of them are there."""
    left = room.tokens * counter.characters_per_token
    kept: list[dict[str, Any]] = []
    for block in blocks:
        needed = counter.characters(block)
        if needed > left:
            kind = block["type"]
            return [*kept, *([{**block, kind: block[kind][:left]}] if kind in CUT and left else [])], room.reason
        left -= needed
        kept.append(block)
    return kept, None


def message_of(answer: Answer, content: list[dict[str, Any]], *, model: str, message_id: str) -> dict[str, Any]:
    """A message with this content; its usage is still to come."""
    calls = any(block["type"] == "tool_use" for block in content)
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": answer.stop_reason or ("tool_use" if calls else "end_turn"),
        "stop_sequence": None,
        "stop_details": answer.stop_details,
    }


def output_usage(content: Sequence[Mapping[str, Any]], counter: Counter) -> dict[str, Any]:
    """What an answer is counted as; even an empty one is not for nothing."""
    thoughts = [block for block in content if block["type"] in THOUGHTS]
    tokens = max(1, counter.content(content))
    return {"output_tokens": tokens, "output_tokens_details": {"thinking_tokens": counter.content(thoughts)}}
