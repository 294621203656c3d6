"""Rendering: a conversation as quotations in one text, which nothing that is quoted can end.

Specified by features/summary/summariser_input.feature (SUM_10, SUM_15).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Final, NamedTuple

from pydantic_core import PydanticSerializationError, to_json

from brim.conversation.messages import Message, is_visible
from brim.conversation.parts import Marker, Media, Part, Raw, Text, Thinking, ToolCall, ToolResult, Unknown
from brim.errors import InvalidInput
from brim.summary.handover.quoting import USER, Block, quote
from brim.summary.telling.sentences import shortened

OUTPUT_CHARACTERS: Final = 2_000
"""Characters of a tool's output, or of what it was called with, that are quoted at most (SUM_10)."""
PLAIN_NAME: Final = re.compile(r"[\w.:/-]{1,128}", re.ASCII)
"""What a name of a tool or a kind looks like; any other could be a sentence, and stands in a quotation only."""


class Limits(NamedTuple):
    """Characters that are quoted of one part at most; None for no limit."""

    data: int = OUTPUT_CHARACTERS
    """Of what a tool was called with, of what it answered, and of parts whose kind nobody knows."""
    words: int | None = None
    """Of what the user, the model or the harness wrote."""


NORMAL: Final = Limits()


def render(messages: Sequence[Message], *, output_characters: int = OUTPUT_CHARACTERS) -> str:
    """The conversation as quotations, thinking left out: data of tools cut, media as `[Attached image/png: name]`."""
    return quote(blocks_of(messages, label_calls(messages), Limits(output_characters)))


def label_calls(messages: Iterable[Message]) -> Mapping[int, str]:
    """For every call and result, by its identity, the name it is told by: a number, and its tool where that is plain.

    A result has the name of the last call of its id before it.
    """
    labels: dict[int, str] = {}
    waiting: dict[str, str] = {}
    numbers = count(1)
    for message in messages:
        for part in message.parts:
            if type(part) is ToolCall:
                name = f", {part.name}" if PLAIN_NAME.fullmatch(part.name) else ""
                labels[id(part)] = waiting[part.id] = f"call {next(numbers):,}{name}"
            elif type(part) is ToolResult:
                labels[id(part)] = waiting.get(part.call_id, "a call that is not here")
    return labels


def blocks_of(messages: Iterable[Message], labels: Mapping[int, str], limits: Limits = NORMAL) -> list[Block]:
    """A quotation for every part that has something to show; `labels` are those of the whole conversation."""
    return [block for message in messages for part in message.parts for block in _blocks(message, part, labels, limits)]


def _blocks(message: Message, part: Part, labels: Mapping[int, str], limits: Limits) -> Iterator[Block]:
    if isinstance(part, Text):
        if is_visible(part.text):
            yield _cut(_writer(message), part.text, limits.words)
    elif isinstance(part, ToolCall):
        yield _cut(f"The assistant made {labels[id(part)]}, with", _input(part), limits.data)
    elif isinstance(part, ToolResult):
        failed = ", which failed" if part.failed else ""
        if part.text or not part.media:
            yield _cut(f"The result of {labels[id(part)]}{failed}", _output(part), limits.data)
        yield from (Block(f"Attached to the result of {labels[id(part)]}", attached(one.raw)) for one in part.media)
    elif isinstance(part, (Media, Marker)):
        if told := attached(part.raw):
            yield _cut(f"Attached to what the {_side(message)} wrote", told, limits.words)
    elif not isinstance(part, Thinking):
        yield _unknown(part, limits)


def _cut(heading: str, text: str, limit: int | None) -> Block:
    """What is left out is told in the heading, where no quoted text can forge it."""
    if limit is None or len(text) <= limit:
        return Block(heading, text)
    gone = len(text) - limit
    return Block(f"{heading} ({gone:,} character{'s' if gone > 1 else ''} left out behind these)", text[:limit])


def _writer(message: Message) -> str:
    if message.marks.summary:
        return "An earlier summary"
    if message.role == "user":
        return "The program around the conversation wrote" if message.marks.synthetic else USER
    return "The assistant wrote, and was broken off" if message.marks.aborted else "The assistant wrote"


def _side(message: Message) -> str:
    return "user" if message.role == "user" else "assistant"


def _input(call: ToolCall) -> str:
    """Name and input as JSON; where it is long, the short values first, so that paths are not cut off."""
    given = _json(call.input)
    if len(given) > OUTPUT_CHARACTERS:
        given = _json(dict(sorted(call.input.items(), key=lambda item: len(_json(item[1])))))
    return given if PLAIN_NAME.fullmatch(call.name) else f"{shortened(call.name)}: {given}"


def _output(result: ToolResult) -> str:
    content = result.raw.get("content")
    return result.text if result.text or not content else _json(content)


def _unknown(part: Unknown, limits: Limits) -> Block:
    kind = part.kind if PLAIN_NAME.fullmatch(part.kind) else "unknown"
    content = part.raw.get("content")
    if kind == "compaction" and isinstance(content, str):
        return _cut("An earlier summary, by the provider", content, limits.words)
    return _cut(f"A part of the kind {kind}", _json(part.raw), limits.data)


def attached(raw: Raw) -> str:
    """What stands for an image, a document or a file: its type, and its name where it has one."""
    source = raw.get("source")
    fields: Mapping[str, Any] = {**raw, **source} if isinstance(source, Mapping) else raw
    kind = fields.get("media_type") or raw.get("mime") or raw.get("type")
    if kind in NOT_ATTACHED:
        return ""
    names = (fields.get(key) for key in ("title", "filename", "name", "file_id", "url"))
    name = next((name for name in names if isinstance(name, str) and is_visible(name)), "")
    return f"[Attached {shortened(str(kind))}: {shortened(name)}]" if name else f"[Attached {shortened(str(kind))}]"


NOT_ATTACHED: Final = ("compaction_marker", "subtask", "patch")
"""Markers that stand for no file."""


def _json(value: object) -> str:
    try:
        return to_json(value).decode()
    except (PydanticSerializationError, ValueError):
        return _json_by_hand(value)


def _json_by_hand(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    except (RecursionError, ValueError) as error:
        raise InvalidInput("a block is nested too deeply to be rendered") from error
