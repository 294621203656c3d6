"""Clearing: pruned outputs read a placeholder; everything else of the conversation stays as it was.

Specified by features/pruning/tool_outputs.feature (PRN_07).
"""

from __future__ import annotations

from collections.abc import Iterable, MutableSequence, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final

from brim.conversation.messages import Message
from brim.conversation.parts import ToolResult, write_part
from brim.errors import InvalidInput
from brim.pruning.ledger import Output, Pruning

PLACEHOLDER: Final = "[Old tool result content cleared]"
"""What a pruned output reads (PRN_07); an output that reads so counts as already pruned (PRN_04)."""
MESSAGE: Final = attrgetter("message")


def apply_pruning(messages: Sequence[Message], pruning: Pruning) -> tuple[Message, ...]:
    """The conversation with these outputs cleared; every other message is the very same object. Raises InvalidInput."""
    pruned = list(messages)
    clear_in_place(pruned, pruning)
    return tuple(pruned)


def clear_in_place(messages: MutableSequence[Message], pruning: Pruning) -> None:
    """Put messages with cleared outputs in their places; only for a list of the caller's own. Raises InvalidInput."""
    cleared = [
        (index, _cleared(messages[index], outputs) if index < len(messages) else _refuse(index, messages))
        for index, outputs in groupby(pruning.outputs, MESSAGE)
    ]
    for index, message in cleared:
        messages[index] = message


def _refuse(index: int, messages: Sequence[Message]) -> Message:
    raise InvalidInput(f"the pruning speaks of message {index}; the conversation has {len(messages)} messages")


def _cleared(message: Message, outputs: Iterable[Output]) -> Message:
    """The message with these outputs cleared; written for speed, as a first pruning clears thousands."""
    parts = list(message.parts)
    for output in outputs:
        place = output.part
        part = parts[place] if place < len(parts) else None
        if type(part) is not ToolResult or part.call_id != output.call_id:
            raise InvalidInput(f"message {output.message} does not hold the output of call {output.call_id}")
        raw = {**part.raw, "content": PLACEHOLDER}
        parts[place] = ToolResult(part.call_id, PLACEHOLDER, False, (), raw)  # noqa: FBT003
    content = [raw] if len(parts) == 1 else [write_part(part) for part in parts]
    return Message(message.role, tuple(parts), {**message.raw, "content": content}, message.marks)
