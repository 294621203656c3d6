"""Places: a library's message as one of brim's, that knows which one it was, and the blocks it is told in.

The other library's message is never built anew from these: it is found again by its place, and only what brim changed
or added is written in the library's own form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from brim.conversation.messages import Marks, Message, ToolResult, is_visible, read_message
from brim.pruning.tool_outputs import PLACEHOLDER

Block: TypeAlias = dict[str, Any]
"""A content block in the Anthropic Messages form."""
Role: TypeAlias = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True)
class Placed(Marks):
    """Marks of a message that came from a library's list."""

    place: int = -1
    """Its index in that list."""


def read_placed(
    place: int,
    role: Role,
    blocks: Sequence[Block],
    *,
    synthetic: bool = False,
    pinned: bool = False,
    summary: bool = False,
) -> Message:
    """The message of a place; brim's own summaries and continuations are known by their first line."""
    marks = Placed(place=place, synthetic=synthetic or summary, pinned=pinned, summary=summary)
    return read_message({"role": role, "content": blocks}, marks)


def place_of(message: Message) -> int | None:
    """The place a message was read from, None where brim wrote it."""
    return message.marks.place if isinstance(message.marks, Placed) else None


def text(words: str) -> Iterator[Block]:
    """What the user or the model says; nothing where no character shows, as beside many a call (CNV_09)."""
    if is_visible(words):
        yield {"type": "text", "text": words}


def thinking(words: str) -> Block:
    """What the model thinks."""
    return {"type": "thinking", "thinking": words}


def media(kind: Literal["image", "document"], media_type: str, **about: Any) -> Block:
    """A picture or a file: what it is, not what it holds."""
    return {"type": kind, "source": {"type": "elsewhere", "media_type": media_type}} | about


def call(call_id: str, name: str, arguments: Mapping[str, Any]) -> Block:
    """A call of a tool."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def result(call_id: str, content: str | Sequence[Block], *, failed: bool) -> Block:
    """What a tool answered."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": failed}


def other(item: Any) -> Block:
    """Whatever brim has no word for: it is carried and counted."""
    return {"type": "other", "item": item}


def results_in(message: Message) -> dict[str, ToolResult]:
    """The results of a message by the ids of their calls."""
    return {part.call_id: part for part in message.parts if isinstance(part, ToolResult)}


def is_cleared(answer: ToolResult) -> bool:
    """Whether pruning cleared it (PRN_07)."""
    return answer.text == PLACEHOLDER


def answers_of(messages: Iterable[Message]) -> dict[int, int]:
    """For the identity of every result's block the place of its message: a result that is moved is found by it."""
    placed = ((message, place_of(message)) for message in messages)
    return {
        id(part.raw): place
        for message, place in placed
        if place is not None
        for part in message.parts
        if isinstance(part, ToolResult)
    }
