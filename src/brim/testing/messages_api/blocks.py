"""Content blocks in their places: a conversation as the flat sequence that the API reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

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
