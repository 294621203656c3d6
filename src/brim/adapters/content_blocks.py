"""A library's message as one of brim's that knows its index, and the content blocks it is read as.

A library's message is never rebuilt from these: it is found again by its index, and only what brim changed or added is
written in the library's own form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from brim.conversation.messages import Marks, Message, ToolResult, is_visible, read_message
from brim.pruning.tool_outputs import PLACEHOLDER

Block: TypeAlias = dict[str, Any]
"""A content block in the Anthropic Messages form."""


@dataclass(frozen=True, slots=True)
class Indexed(Marks):
    """Marks of a message that came from a library's list."""

    index: int = -1
    """Its index in that list."""


def read_indexed(
    index: int,
    role: Literal["user", "assistant"],
    blocks: Sequence[Block],
    *,
    synthetic: bool = False,
    pinned: bool = False,
    summary: bool = False,
) -> Message:
    """The message at an index; brim's own summaries and continuations are recognized by their first line."""
    marks = Indexed(index=index, synthetic=synthetic or summary, pinned=pinned, summary=summary)
    return read_message({"role": role, "content": blocks}, marks)


def index_of(message: Message) -> int | None:
    """The index that a message was read from, None where brim wrote it."""
    return message.marks.index if isinstance(message.marks, Indexed) else None


def text(words: str) -> Iterator[Block]:
    """A text block; none without a visible character (CNV_09)."""
    if is_visible(words):
        yield {"type": "text", "text": words}


def thinking(words: str) -> Block:
    """A thinking block."""
    return {"type": "thinking", "thinking": words}


def media(kind: Literal["image", "document"], media_type: str, **fields: Any) -> Block:
    """A picture or a file: its kind, not its content."""
    return {"type": kind, "source": {"type": "elsewhere", "media_type": media_type}} | fields


def call(call_id: str, name: str, arguments: Mapping[str, Any]) -> Block:
    """A tool call."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def result(call_id: str, content: str | Sequence[Block], *, failed: bool) -> Block:
    """A tool result."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": failed}


def other(item: Any) -> Block:
    """A block of a kind that brim does not know: it is kept and counted."""
    return {"type": "other", "item": item}


def results_in(message: Message) -> dict[str, ToolResult]:
    """The results of a message by the ids of their calls."""
    return {part.call_id: part for part in message.parts if isinstance(part, ToolResult)}


def is_cleared(answer: ToolResult) -> bool:
    """Whether pruning cleared it (PRN_07)."""
    return answer.text == PLACEHOLDER


def indices_of_results(messages: Iterable[Message]) -> dict[int, int]:
    """For the identity of each result's block the index of its message: a result that was moved is found by it."""
    indexed = ((message, index_of(message)) for message in messages)
    return {
        id(part.raw): index
        for message, index in indexed
        if index is not None
        for part in message.parts
        if isinstance(part, ToolResult)
    }
