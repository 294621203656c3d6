"""Counting tokens: a token for so many characters, by the same measure everywhere in the server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from brim.testing.strictness import blocks_of, canonical, placed_blocks

MEDIA_TOKENS = 1_600


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a request, in the order in which the model reads it."""

    source: Any
    """The tool or block, a message's with its role."""
    characters: int
    marked: bool
    """Whether it carries a cache mark."""


class Counter:
    """Tokens as characters over `characters_per_token`, rounded up; a picture or document counts 1,600 tokens."""

    def __init__(self, characters_per_token: int) -> None:
        self.characters_per_token = characters_per_token

    def tokens(self, characters: int) -> int:
        """Tokens of so many characters."""
        return -(-characters // self.characters_per_token)

    def content(self, content: Any) -> int:
        """Tokens of content."""
        return self.tokens(sum(self.characters(block) for block in blocks_of(content)))

    def request(self, body: Mapping[str, Any]) -> int:
        """Tokens of everything that a request gives to read."""
        return self.tokens(sum(part.characters for part in self.parts(body)))

    def parts(self, body: Mapping[str, Any]) -> Iterator[Part]:
        """Tools, system prompt and messages, block by block."""
        for tool in body.get("tools") or []:
            yield Part(tool, len(canonical(tool)), bool(tool.get("cache_control")))
        for block in blocks_of(body.get("system")):
            yield Part(block, len(block["text"]), bool(block.get("cache_control")))
        for placed in placed_blocks(body["messages"]):
            source = (placed.role, placed.block)
            yield Part(source, self.characters(placed.block), bool(placed.block.get("cache_control")))

    def characters(self, block: Mapping[str, Any]) -> int:
        """Characters of one block: of its text, or of the JSON that it is."""
        match block["type"]:
            case "text" | "thinking":
                return len(block[block["type"]])
            case "compaction":
                return len(block.get("content") or "")
            case "image" | "document":
                return MEDIA_TOKENS * self.characters_per_token
            case "tool_use" | "server_tool_use":
                return len(block["name"]) + len(canonical(block["input"]))
            case "tool_result":
                return sum(self.characters(inner) for inner in blocks_of(block.get("content")))
            case _:
                return len(canonical(block))
