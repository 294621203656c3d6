"""Cache marks: what in a message only steers the provider's cache, and is no part of what was said.

Agents move these marks with every request, so they are left out wherever messages are known again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

CACHE_MARK: Final = "cache_control"


def without_cache_marks(message: Any) -> Any:
    """The message without what steers the cache: the very same where there is nothing of it."""
    content = message.get("content") if isinstance(message, Mapping) else None
    if not isinstance(content, (list, tuple)):
        return message
    blocks = [_unmarked(block) for block in content]
    if all(new is old for new, old in zip(blocks, content, strict=True)):
        return message
    return {**message, "content": blocks}


def _unmarked(block: Any) -> Any:
    bare = without_cache_marks(block)
    if isinstance(bare, Mapping) and CACHE_MARK in bare:
        return {key: value for key, value in bare.items() if key != CACHE_MARK}
    return bare
