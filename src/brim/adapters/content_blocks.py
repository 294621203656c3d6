"""A library's message as one of brim's that knows its index, and the content blocks it is read as.

A library's message is never rebuilt from these: it is found again by its index, and only what brim changed or added is
written in the library's own form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from brim.conversation.messages import Message, ToolResult, address_of, is_visible

Block: TypeAlias = dict[str, Any]
"""A content block in the Anthropic Messages form."""


def text(words: str) -> Iterator[Block]:
    """Yield a text block; none without a visible character (CNV_09)."""
    if is_visible(words):
        yield {"type": "text", "text": words}


def thinking(words: str) -> Block:
    """Build a thinking block."""
    return {"type": "thinking", "thinking": words}


def media(kind: Literal["image", "document"], media_type: str, address: Any = None, **fields: Any) -> Block:
    """Build the block of a picture or a file: its kind and its address on the web, not its content."""
    source = {"type": "elsewhere", "media_type": media_type, "url": address}
    return {"type": kind, "source": {**source, "url": address_of({"source": source})}} | fields


def call(call_id: str, name: str, arguments: Mapping[str, Any]) -> Block:
    """Build a tool call."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def result(call_id: str, content: str | Sequence[Block], *, failed: bool) -> Block:
    """Build a tool result."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": failed}


def other(item: Any) -> Block:
    """Build a block of a kind that brim does not know: it is kept and counted."""
    return {"type": "other", "item": item}


def results_in(message: Message) -> dict[str, ToolResult]:
    """Return the results of a message by the ids of their calls."""
    return {part.call_id: part for part in message.parts if isinstance(part, ToolResult)}
