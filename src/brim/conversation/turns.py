"""Turns: where a user's turn begins and ends, and what was done in it.

Specified by features/conversation/turns.feature (CNV_02, CNV_03).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

from brim.conversation.harness_text import is_refreshed_text, words_in_result
from brim.conversation.messages import (
    COMPACTION,
    Marker,
    Message,
    Part,
    Text,
    ToolCall,
    ToolResult,
    is_closing,
    is_visible,
    without_cache_marks,
)


def is_refreshed(block: object) -> bool:
    """Whether a block is a text of reminders and states of the environment alone."""
    text = block.get("text") if isinstance(block, Mapping) and block.get("type") == "text" else None
    return isinstance(text, str) and is_refreshed_text(text)


def lasting(message: Any) -> Any:
    """The message without cache marks, reminders and environment texts, which agents change in each request.

    Its content is a string where it has one text alone.
    """
    message = without_cache_marks(message)
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, str) and is_refreshed_text(content):
        return {**message, "content": []}
    if not isinstance(content, (list, tuple)):
        return message
    blocks = [block for block in content if not is_refreshed(block)]
    texts = [block.get("text") for block in blocks if isinstance(block, Mapping) and block.keys() == {"type", "text"}]
    return {**message, "content": texts[0] if len(texts) == len(blocks) == 1 else blocks}


class ToolUse(NamedTuple):
    """A tool call with its result; `succeeded` is None while there is none."""

    name: str
    input: Mapping[str, Any]
    output: str = ""
    succeeded: bool | None = None

    @property
    def said(self) -> str:
        """What the user wrote in the result: words to a call that was declined, or answers to questions (CNV_10)."""
        return words_in_result(self.name, self.input, self.output, failed=self.succeeded is False)


class Response(NamedTuple):
    """One response of the model: its text, and the tools it used."""

    text: str
    tool_uses: tuple[ToolUse, ...] = ()


@dataclass(slots=True)
class Turn:
    """From a message that the user wrote to just before the next; messages `start` to `stop` (exclusive)."""

    index: Final[int]
    start: Final[int]
    stop: Final[int]
    request: Final[str]
    responses: Final[tuple[Response, ...]] = ()
    marked: Final[bool] = False
    """The user made a checkpoint in it, or marked one of its messages (ANC_07)."""

    @property
    def tool_uses(self) -> tuple[ToolUse, ...]:
        """Every tool use of the turn, in the order of time."""
        return tuple([use for response in self.responses for use in response.tool_uses])

    @property
    def words(self) -> tuple[str, ...]:
        """All that the user wrote: the request, and the words in results of tools, such as why a call was declined."""
        said = (self.request, *(use.said for use in self.tool_uses))
        return tuple(one.strip() for one in said if one.strip())

    @property
    def answer(self) -> str:
        """The last text of the model in the turn; empty where there is none."""
        return next((response.text for response in reversed(self.responses) if response.text), "")


def begins_turn(message: Message) -> bool:
    """Whether a user wrote this message: it has the role user, and more than tool results and harness texts."""
    marks = message.marks
    if message.role != "user" or marks.synthetic or marks.summary:
        return False
    return any(map(_is_written, message.parts))


def _is_written(part: Part) -> bool:
    """Whether a part of a user's message is the user's own: words, a file, and whatever kind is not known.

    A text that a harness injected is not.
    """
    if type(part) is Text:
        return is_visible(part.text) and not part.injected
    return type(part) is not ToolResult and not (type(part) is Marker and part.kind == COMPACTION)


def turn_starts(messages: Sequence[Message]) -> list[int]:
    """Indices of the messages that begin a turn, ascending."""
    return [index for index, message in enumerate(messages) if begins_turn(message)]


def find_turns(messages: Sequence[Message]) -> tuple[Turn, ...]:
    """All turns. Messages before the first user message belong to none (CNV_03)."""
    bounds = pairwise([*turn_starts(messages), len(messages)])
    return tuple(read_turn(messages, index, start, stop) for index, (start, stop) in enumerate(bounds))


def read_turn(messages: Sequence[Message], index: int, start: int, stop: int) -> Turn:
    """The turn of messages `start` to `stop` (exclusive), its calls joined with their results.

    A result may be in the message at `stop`, beside the words that begin the next turn.
    """
    inside = messages[start:stop]
    following = messages[stop].parts if stop < len(messages) else ()
    results = {part.call_id: part for part in reversed(following) if type(part) is ToolResult}
    responses: list[Response] = []
    marked = False
    for message in reversed(inside):  # from the end back, a call finds the nearest result that follows it
        marked = marked or message.marks.checkpoint
        for part in reversed(message.parts):
            if type(part) is ToolResult:
                results[part.call_id] = part
        if message.role == "assistant" and not is_closing(message):
            responses.append(Response(message.text, _tool_uses(message.parts, results)))
    request = request_of(inside[0]) if inside[0].role == "user" else ""
    return Turn(index, start, stop, request, tuple(reversed(responses)), marked)


def request_of(message: Message) -> str:
    """The user's words in a message: those of every text block, without what a harness put in."""
    return "\n".join([part.words for part in message.parts if type(part) is Text and not part.injected])


def _tool_uses(parts: Sequence[Part], results: dict[str, ToolResult]) -> tuple[ToolUse, ...]:
    """The calls among these parts with their results, which are removed from those that follow."""
    return tuple([_tool_use(part, results.pop(part.id, None)) for part in parts if type(part) is ToolCall])


def _tool_use(call: ToolCall, result: ToolResult | None) -> ToolUse:
    if result is None:
        return ToolUse(call.name, call.input)
    return ToolUse(call.name, call.input, result.text, not result.failed)
