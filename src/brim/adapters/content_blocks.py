"""A library's message as one of brim's that knows its index, and the content blocks it is read as.

A library's message is never rebuilt from these: it is found again by its index, and only what brim changed or added is
written in the library's own form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypeAlias

from brim.conversation.messages import address_of, is_visible

Block: TypeAlias = dict[str, Any]
"""A content block in the Anthropic Messages form."""


def text(words: str) -> Iterator[Block]:
    """Yield a text block; none without a visible character (CNV_09)."""
    if is_visible(words):
        yield {"type": "text", "text": words}


def media(kind: Literal["image", "document"], media_type: str, address: Any = None, **fields: Any) -> Block:
    """Build the block of a picture or a file: its kind and its address on the web, not its content."""
    source = {"type": "elsewhere", "media_type": media_type, "url": address}
    return {"type": kind, "source": {**source, "url": address_of({"source": source})}} | fields


def result(call_id: str, content: str | Sequence[Block], *, failed: bool) -> Block:
    """Build a tool result."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": failed}
