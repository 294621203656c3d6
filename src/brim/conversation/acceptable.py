"""Acceptable: what the API would refuse in a conversation, and how what a compaction makes is kept free of it.

Specified by features/conversation/messages.feature (CNV_09).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Final

from brim.conversation.messages import CONTINUATION_OPENING, SYNTHETIC, Message, is_sendable, sendable_form, user_text
from brim.conversation.pair_watch import PairWatch
from brim.conversation.parts import Part, ToolCall, ToolResult, read_part

OPENING: Final = f"{CONTINUATION_OPENING}\n\nThe conversation goes on below."
"""The user message that stands first where the assistant would."""


def warnings_of(messages: Sequence[Message]) -> tuple[str, ...]:
    """What the API would refuse in these messages, in words that name the message."""
    return tuple(_warnings(messages))


def _warnings(messages: Sequence[Message]) -> Iterator[str]:
    first_sent = next((place for place, message in enumerate(messages) if sendable_form(message) is not None), None)
    if first_sent is not None and messages[first_sent].role != "user":
        yield f"message {first_sent} is the assistant's and comes first; the API takes a user's message first"
    for place, message in enumerate(messages):
        if not is_sendable(message):
            yield f"message {place} is empty, or holds a text without a visible character or a part that is never sent"
    first: dict[str, int] = {}
    watch = PairWatch()
    for place, message in enumerate(messages):
        watch.append(message)
        for part in message.parts:
            if type(part) is ToolCall and first.setdefault(part.id, place) != place:
                before = first[part.id]
                yield f"message {place} calls a tool with the id {part.id!r} of message {before}; each has its own"
    if not watch.whole:
        yield "a tool call has no result right behind it, or a result no call before it"


def acceptable(messages: Sequence[Message]) -> tuple[Message, ...]:
    """These messages with a user's first and each call's id its own; the very same where that holds already.

    Their calls are paired (CNV_04). A later call of an id that was used gets one of its own, and its result with it.
    """
    opened = [user_text(OPENING, SYNTHETIC), *messages] if messages and messages[0].role != "user" else [*messages]
    ids = [part.id for message in opened for part in message.parts if type(part) is ToolCall]
    return tuple(opened if len(ids) == len(set(ids)) else _renamed(opened, set(ids)))


def _renamed(messages: Sequence[Message], taken: set[str]) -> Iterator[Message]:
    met: set[str] = set()
    names: dict[str, str] = {}
    for message in messages:
        parts: list[Part] = []
        for part in message.parts:
            if type(part) is ToolCall:
                names[part.id] = _own(part.id, taken) if part.id in met else part.id
                met.add(part.id)
            parts.append(_with_id(part, names))
        same = all(old is new for old, new in zip(message.parts, parts, strict=True))
        yield message if same else message.with_parts(tuple(parts))


def _own(name: str, taken: set[str]) -> str:
    own = next(other for n in count(2) if (other := f"{name}-{n}") not in taken)
    taken.add(own)
    return own


def _with_id(part: Part, names: Mapping[str, str]) -> Part:
    """A call or a result under the id that its call has now."""
    if type(part) is ToolCall and names[part.id] != part.id:
        return read_part({**part.raw, "id": names[part.id]})
    if type(part) is ToolResult and names.get(part.call_id, part.call_id) != part.call_id:
        return read_part({**part.raw, "tool_use_id": names[part.call_id]})
    return part
