"""Cache marks: what in a message only steers the provider's cache, and is no part of what was said.

Agents move these marks with every request, so they are left out wherever messages are known again: in a growing list
(features/engine/requests.feature) and in a session (features/sessions/summary_records.feature, SES_05).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

CACHE_MARK: Final = "cache_control"


def without_cache_marks(message: Any) -> Any:
    """The message without what steers the cache, as it can be sent: the very same where there is nothing of it."""
    content = message.get("content") if isinstance(message, Mapping) else None
    if not isinstance(content, (list, tuple)):
        return message
    blocks = [_unmarked(block) for block in content]
    if all(new is old for new, old in zip(blocks, content, strict=True)):
        return message
    return {**message, "content": blocks}


def bare(value: Any) -> Any:
    """A copy of a value without what steers the cache, wherever it stands: to be compared, and not to be sent."""
    if isinstance(value, Mapping):
        return {name: bare(one) for name, one in value.items() if name != CACHE_MARK}
    return [bare(one) for one in value] if isinstance(value, (list, tuple)) else value


def _unmarked(block: Any) -> Any:
    inner = without_cache_marks(block)
    if isinstance(inner, Mapping) and CACHE_MARK in inner:
        return {key: value for key, value in inner.items() if key != CACHE_MARK}
    return inner
