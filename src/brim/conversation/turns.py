"""Turns: where a user's turn begins and ends, and what was done in it.

Specified by features/conversation/turns.feature (CNV_02, CNV_03).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

from brim.conversation.harness_text import SEALED_SUMMARY, is_refreshed_text, words_in_result
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


def has_sealed_summary(messages: Iterable[Message]) -> bool:
    """Return whether one of the messages is a summary that only its provider can read."""
    return any(one.text == SEALED_SUMMARY for one in messages)


def without_ephemeral(message: Any) -> Any:
    """Return the message without cache marks, reminders and environment texts, which agents change in each request.

    Its content is a string where it has one text alone.
    """
    message = without_cache_marks(message)
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, str) and is_refreshed_text(content):
        return {**message, "content": []}
    if not isinstance(content, (list, tuple)):
        return message
    blocks = [block for block in content if not is_refreshed_text(_text(block))]
    texts = [block["text"] for block in blocks if isinstance(block, Mapping) and block.keys() == {"type", "text"}]
    return {**message, "content": texts[0] if len(texts) == len(blocks) == 1 else blocks}


def _text(block: object) -> str:
    text = block.get("text") if isinstance(block, Mapping) and block.get("type") == "text" else None
    return text if isinstance(text, str) else ""


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
    """Return whether a user wrote this message: it has the role user, and more than tool results and harness texts."""
    marks = message.marks
    if message.role != "user" or marks.synthetic or marks.summary:
        return False
    return any(map(_is_written, message.parts))


def _is_written(part: Part) -> bool:
    """Return whether a part of a user's message is the user's own: words, a file, and whatever kind is not known.

    A text that a harness injected is not.
    """
    if type(part) is Text:
        return is_visible(part.text) and not part.injected
    return type(part) is not ToolResult and not (type(part) is Marker and part.kind == COMPACTION)


def turn_starts(messages: Sequence[Message]) -> list[int]:
    """Return the indices of the messages that begin a turn, ascending."""
    return [index for index, message in enumerate(messages) if begins_turn(message)]


def find_turns(messages: Sequence[Message]) -> tuple[Turn, ...]:
    """Return all turns. Messages before the first user message belong to none (CNV_03)."""
    bounds = pairwise([*turn_starts(messages), len(messages)])
    return tuple(read_turn(messages, index, start, stop) for index, (start, stop) in enumerate(bounds))


class TurnReader:
    """Reads a turn message by message, and joins each call with the result that follows it nearest (CNV_02)."""

    __slots__ = ("_calls", "marked", "request", "responses")

    def __init__(self) -> None:
        self.request: str | None = None
        """What the user wrote in its first message; None before that."""
        self.responses: list[tuple[int, str, list[ToolUse]]] = []
        """Each response so far: the index of its message, its text, and the tools it used."""
        self.marked: list[int] = []
        """Indices of the messages that the user marked (ANC_07)."""
        self._calls: dict[str, tuple[int, int]] = {}
        """The places of the calls that have no result yet, by id: the response, and the use in it."""

    def add(self, message: Message, index: int) -> list[tuple[int, int]]:
        """Take in the next message; return the places of the tool uses that it answers."""
        if self.request is None:
            self.request = user_text_of(message) if message.role == "user" else ""
        if message.marks.checkpoint:
            self.marked.append(index)
        if message.role == "assistant" and not (is_closing(message) or message.marks.summary):
            calls = [part for part in message.parts if type(part) is ToolCall]
            self._calls |= {call.id: (len(self.responses), n) for n, call in reversed([*enumerate(calls)])}
            self.responses.append((index, message.text, [ToolUse(call.name, call.input) for call in calls]))
        return self.take_results(message)

    def take_results(self, message: Message) -> list[tuple[int, int]]:
        """Join the results in a message alone, which may begin the next turn, with their calls; return the places."""
        places: list[tuple[int, int]] = []
        for part in message.parts:
            place = self._calls.pop(part.call_id, None) if type(part) is ToolResult else None
            if place is not None and type(part) is ToolResult:
                uses = self.responses[place[0]][2]
                use = uses[place[1]]
                uses[place[1]] = ToolUse(use.name, use.input, part.text, not part.failed)
                places.append(place)
        return places

    def turn(self, index: int, start: int, stop: int) -> Turn:
        """Return the turn of what was read, as far as the message at `stop` (exclusive)."""
        responses = tuple(Response(text, tuple(uses)) for at, text, uses in self.responses if at < stop)
        return Turn(index, start, stop, self.request or "", responses, any(at < stop for at in self.marked))


def read_turn(messages: Sequence[Message], index: int, start: int, stop: int) -> Turn:
    """Return the turn of messages `start` to `stop` (exclusive), its calls joined with their results.

    A result may be in the message at `stop`, beside the words that begin the next turn.
    """
    reader = TurnReader()
    for n in range(start, stop):
        reader.add(messages[n], n)
    if stop < len(messages):
        reader.take_results(messages[stop])
    return reader.turn(index, start, stop)


def user_text_of(message: Message) -> str:
    """Return the user's words in a message: those of every text block, without what a harness put in."""
    return "\n".join([part.words for part in message.parts if type(part) is Text and not part.injected])
