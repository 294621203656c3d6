"""Prefixes: recognise a growing list of messages by its content, not by its objects.

Specified by features/engine/requests.feature (TRG_24).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final

from brim.conversation.messages import without_cache_marks
from brim.conversation.turns import is_refreshed_text
from brim.errors import InvalidInput

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


@dataclass(frozen=True, slots=True, eq=False)
class Prefix:
    """The messages that a conversation begins with; a later request is recognised by them."""

    digests: list[bytes]
    """One digest for each message, of the content that does not change from request to request."""
    messages: list[Any]
    """Copies of the messages without cache marks. Comparing with a copy is faster than computing a digest."""

    def __len__(self) -> int:
        return len(self.digests)

    def first(self, count: int) -> Prefix:
        """The prefix of the first `count` messages."""
        return Prefix(self.digests[:count], self.messages[:count])

    def common(self, other: Prefix) -> int:
        """The number of messages that both prefixes begin with."""
        if self.digests == other.digests[: len(self.digests)]:
            return len(self.digests)
        pairs = zip(self.digests, other.digests, strict=False)
        return next((place for place, (one, two) in enumerate(pairs) if one != two), len(other.digests))

    def begins(self, messages: Sequence[Any]) -> bool:
        """Whether `messages` begin with the messages of this prefix and carry no cache mark in them."""
        return (
            bool(self.messages) and self.messages[:1] == [*messages[:1]] and self.messages == [*messages[: len(self)]]
        )

    def is_like(self, messages: Sequence[Any]) -> bool:
        """Whether `messages` have the first message of this prefix, or its last message at the same position."""
        first, last = [*messages[:1]], [*messages[len(self) - 1 : len(self)]]
        return self.messages[:1] == first or self.messages[-1:] == last

    def extended(self, messages: Sequence[Any]) -> Prefix:
        """This prefix followed by `messages`. Raises InvalidInput for a message that JSON cannot represent."""
        return Prefix(self.digests + digests_of(messages), self.messages + [_copy(message) for message in messages])


def prefix_of(messages: Sequence[Any], known: Prefix | None = None) -> Prefix:
    """The prefix of plain messages. Reuses the digests of messages that have not changed since `known`.

    Raises InvalidInput for a message that JSON cannot represent.
    """
    if known is None:
        return Prefix([], []).extended(messages)
    old = [*known.digests[: len(messages)]]
    copies = [*known.messages[: len(messages)]]
    if copies != messages[: len(copies)]:
        for place, message in enumerate(messages[: len(copies)]):
            if copies[place] != message and copies[place] != without_cache_marks(message):
                old[place], copies[place] = _digest(message), _copy(message)
    return Prefix(old, copies).extended(messages[len(copies) :])


def _copy(message: Any) -> Any:
    """A deep copy without cache marks; None for a message nested too deeply to copy."""
    try:
        return _copied(without_cache_marks(message))
    except RecursionError:
        return None


def _copied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _copied(one) for name, one in value.items()}
    if isinstance(value, tuple):
        return tuple(map(_copied, value))
    return [_copied(one) for one in value] if isinstance(value, list) else value


def digests_of(messages: Iterable[Any]) -> list[bytes]:
    """One digest for each plain message. Raises InvalidInput for a message that JSON cannot represent."""
    return [_digest(message) for message in messages]


def _digest(message: Any) -> bytes:
    try:
        written = json.dumps(_lasting(message), sort_keys=True, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"a message cannot be written as JSON ({error}); hand in plain messages") from error
    return blake2b(written.encode(), digest_size=DIGEST_BYTES).digest()


def _lasting(message: Any) -> Any:
    """The message without cache marks, reminders and environment texts, which agents change in each request."""
    message = without_cache_marks(message)
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, str) and is_refreshed_text(content):
        return {**message, "content": []}
    if not isinstance(content, (list, tuple)):
        return message
    blocks = [block for block in content if not is_refreshed(block)]
    texts = [block.get("text") for block in blocks if isinstance(block, Mapping) and block.keys() == {"type", "text"}]
    return {**message, "content": texts[0] if len(texts) == len(blocks) == 1 else blocks}


def is_refreshed(block: Any) -> bool:
    """Whether a block is a reminder or a state of the environment."""
    text = block.get("text") if isinstance(block, Mapping) and block.get("type") == "text" else None
    return isinstance(text, str) and is_refreshed_text(text)
