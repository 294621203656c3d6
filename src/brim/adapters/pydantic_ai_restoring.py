"""What a compaction leaves, as messages of pydantic-ai's: those kept are the very ones that came in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from brim.adapters import places
from brim.adapters.places import place_of
from brim.adapters.pydantic_ai_messages import CARRIED, KEEPS_TOOLS, Unit
from brim.compaction.result import Compaction
from brim.conversation.messages import CONTINUATION_OPENING, Message, ToolCall, ToolResult


@dataclass(frozen=True, slots=True)
class History:
    """A history, and what brim read in it."""

    messages: Sequence[ModelMessage]
    units: Sequence[Unit]
    read_as: Sequence[Message]

    def after(self, compaction: Compaction) -> list[ModelMessage]:
        """The history that a compaction leaves.

        Copies are those that pruning cleared (PRN_07) and those that lost their thinking (CNV_06) or a call that
        cannot be sent (CNV_04). New are the summary, the continuation, the results of calls that had none, and ahead of
        all a request with the system prompt of messages that are gone (CNV_08).
        """
        new: list[ModelMessage] = []
        for index, group in groupby(compaction.conversation, self._index_of):
            if index is None:
                for message in group:
                    self._write(message, new)
            else:
                kept = {place: message for message in group if (place := place_of(message)) is not None}
                new.append(self._kept(index, kept, leading=not new))
        return [*self._carried(new), *new]

    def _index_of(self, message: Message) -> int | None:
        place = place_of(message)
        return None if place is None else self.units[place].index

    def _kept(self, index: int, kept: Mapping[int, Message], *, leading: bool) -> ModelMessage:
        """A message that is kept: itself, or a copy with what of it is kept.

        The first message holds the system prompt, which pydantic-ai takes for one only where it leads: behind a summary
        it is left out, and carried ahead of all.
        """
        original = self.messages[index]
        mine = [place for place, unit in enumerate(self.units) if unit.index == index]
        whole, moved = list(kept) == mine, index == 0 and not leading
        same = all(self.read_as[place] is message for place, message in kept.items())
        if whole and same and not (moved and any(map(_is_system, original.parts))):
            return original
        said = {n: message for place, message in kept.items() for n in self.units[place].parts}
        beside = set(range(len(original.parts))).difference(*(self.units[place].parts for place in mine))
        parts: list[Any] = []
        for n, part in enumerate(original.parts):
            if n in said:
                parts.extend([part] if same else _changed(part, said[n]))
            elif whole and n in beside and not (moved and _is_system(part)):
                parts.append(part)
        return _with_parts(original, parts)

    def _write(self, message: Message, new: list[ModelMessage]) -> None:
        """Add what brim wrote itself.

        What sends the model on is a part of the request before it: pydantic-ai merges neighbors at the beginning of the
        next run, and drops their metadata.
        """
        written, before = self._written(message), new[-1] if new else None
        if isinstance(before, ModelRequest) and message.text.startswith(CONTINUATION_OPENING):
            new[-1] = replace(before, parts=[*before.parts, *written.parts])
        else:
            new.append(written)

    def _written(self, message: Message) -> ModelMessage:
        if message.role == "assistant":
            return ModelResponse([TextPart(message.text)])
        answers = [part for part in message.parts if isinstance(part, ToolResult)]
        return ModelRequest([self._answer(part) for part in answers] or [UserPromptPart(message.text)])

    def _answer(self, answer: ToolResult) -> Any:
        """The part of a result that was moved, or the error that answers a call without one."""
        at = places.answers_of(self.read_as).get(id(answer.raw))
        if at is not None:
            parts = self.messages[self.units[at].index].parts
            return next(part for part in parts if _answers(part) == answer.call_id)
        calls = {part.id: part.name for message in self.read_as for part in message.parts if isinstance(part, ToolCall)}
        return ToolReturnPart(calls.get(answer.call_id, ""), answer.text, answer.call_id, outcome="interrupted")

    def _carried(self, new: Sequence[ModelMessage]) -> Iterator[ModelMessage]:
        held = {id(part) for message in new for part in message.parts}
        parts = (part for message in self.messages for part in message.parts)
        carried: list[Any] = [part for part in parts if part.part_kind in CARRIED and id(part) not in held]
        if carried:
            yield ModelRequest(carried)


def _is_system(part: Any) -> bool:
    return isinstance(part, SystemPromptPart)


def _with_parts(original: ModelMessage, parts: list[Any]) -> ModelMessage:
    if isinstance(original, ModelRequest):
        return replace(original, parts=parts)
    return replace(original, parts=parts)


def _answers(part: Any) -> str | None:
    """The call that a part of a request answers."""
    answers = isinstance(part, ToolReturnPart) or (part.part_kind == "retry-prompt" and part.tool_name is not None)
    return part.tool_call_id if answers else None


def _changed(part: Any, message: Message) -> Iterator[Any]:
    """A part as it is in a message that brim changed; nothing where it was left out."""
    if isinstance(part, ThinkingPart):
        return
    if isinstance(part, ToolCallPart) and all(one.id != part.tool_call_id for one in _calls(message)):
        return
    call_id = _answers(part)
    answer = places.results_in(message).get(call_id) if call_id else None
    if call_id and answer is None:
        return
    if answer is not None and places.is_cleared(answer) and getattr(part, "tool_kind", None) not in KEEPS_TOOLS:
        part = replace(part, content=answer.text)
    elif isinstance(part, (TextPart, ToolCallPart)) and part.id:
        part = replace(part, id=None)  # names an item that the provider holds together with the thinking left out
    yield part


def _calls(message: Message) -> list[ToolCall]:
    return [part for part in message.parts if isinstance(part, ToolCall)]
