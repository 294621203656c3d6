"""Prefixes: a growing list of messages known again by what it holds, not by which objects hold it.

What only steers the provider's cache is not looked at: agents move those marks with every request.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final

from brim.conversation.cache_marks import without_cache_marks
from brim.errors import InvalidInput

Chain = list[bytes]
"""For each message a digest of it and of all before it."""
DIGEST_BYTES: Final = 16


def plain(messages: Iterable[Any]) -> list[Any]:
    """The messages as plain dictionaries; blocks that a response of the SDK holds are written out.

    A message that is plain is the very one that came in. Raises InvalidInput where it is no list.
    """
    if isinstance(messages, (str, bytes)) or not isinstance(messages, Iterable):
        raise InvalidInput(f"a conversation is a list of messages, not {type(messages).__name__}")
    return [_plain_message(message) for message in messages]


def _plain_message(message: Any) -> Any:
    message = _written(message)
    if not isinstance(message, Mapping):
        return message
    content = message.get("content")
    if not isinstance(content, (list, tuple)) or not any(hasattr(block, "model_dump") for block in content):
        return message
    return {**message, "content": [_written(block) for block in content]}


def _written(value: Any) -> Any:
    """A value of the SDK as it is sent; anything else as it is."""
    if not hasattr(value, "model_dump"):
        return value
    unsent = getattr(value, "__api_exclude__", None)
    return value.model_dump(mode="json", exclude_unset=True, exclude=unsent)


def chain_of(messages: Sequence[Any]) -> Chain:
    """The digests of plain messages, each with all that is before it."""
    chain: Chain = []
    last = b""
    for message in messages:
        last = blake2b(last + _canonical(message), digest_size=DIGEST_BYTES).digest()
        chain.append(last)
    return chain


def _canonical(message: Any) -> bytes:
    try:
        return json.dumps(without_cache_marks(message), sort_keys=True, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"a message cannot be written as JSON ({error}); hand in plain messages") from error


def common(first: Chain, second: Chain) -> int:
    """How many messages two conversations have in common, from the first on."""
    shorter = min(len(first), len(second))
    return bisect_left(range(shorter), 1, key=lambda place: first[place] != second[place])
