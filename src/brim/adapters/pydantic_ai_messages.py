"""Messages of pydantic-ai as brim reads them.

A request of pydantic-ai's may hold what was several messages: it puts neighbours into one at the beginning of a run.
So a message is read in units: brim's own summary in a request is one, and what the user said behind it another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic_ai import messages as pai
from pydantic_ai.messages import ModelMessage, ModelRequestPart, ModelResponse, ModelResponsePart

from brim.adapters import places
from brim.adapters.places import Block, read_placed
from brim.conversation.messages import CONTINUATION_OPENING, SUMMARY_OPENING, Message

FAILED: Final = frozenset({"failed", "retried"})
"""How a tool's answer ended where the provider is told of an error."""
KEEPS_TOOLS: Final = frozenset({"tool-search", "capability-load"})
"""Tools whose answers pydantic-ai reads again from the history: what they made known is lost with them."""
CARRIED: Final = frozenset(
    {"system-prompt", "tool-availability-delta", "capability-load-delta", "model-settings-delta"}
)
"""Parts of a request that are no message: the system prompt, and what the run's setup rests on (CNV_08)."""
OURS: Final = (SUMMARY_OPENING, CONTINUATION_OPENING)


@dataclass(frozen=True, slots=True)
class Unit:
    """The parts of one message of pydantic-ai's that are one message of brim's."""

    index: int
    """Which message."""
    parts: tuple[int, ...]
    """Which of its parts."""


def read(messages: Sequence[ModelMessage]) -> tuple[list[Unit], list[Message]]:
    """The units of a history, and what brim reads in each; what holds nothing to send is no unit."""
    units: list[Unit] = []
    read_as: list[Message] = []
    for index, message in enumerate(messages):
        for parts in _units(message):
            made = _read(len(units), message, [message.parts[n] for n in parts])
            if made.parts:
                units.append(Unit(index, tuple(parts)))
                read_as.append(made)
    return units, read_as


def _units(message: ModelMessage) -> Iterator[list[int]]:
    if isinstance(message, ModelResponse):
        yield list(range(len(message.parts)))
        return
    said: list[int] = []
    for n, part in enumerate(message.parts):
        if is_ours(part):
            yield said
            yield [n]
            said = []
        elif part.part_kind not in CARRIED and not part.part_kind.startswith("instruction-"):
            said.append(n)
    yield said


def is_ours(part: Any) -> bool:
    """Whether it is a summary, or sends the model on after one."""
    return isinstance(part, pai.CompactionPart) or (
        isinstance(part, pai.UserPromptPart) and isinstance(part.content, str) and part.content.startswith(OURS)
    )


def _read(place: int, message: ModelMessage, parts: Sequence[Any]) -> Message:
    blocks = [block for part in parts for block in _blocks(part)]
    pinned = any(getattr(part, "tool_kind", None) in KEEPS_TOOLS for part in parts)
    if isinstance(message, ModelResponse):
        return read_placed(place, "assistant", blocks, pinned=pinned)
    summary = any(isinstance(part, pai.CompactionPart) for part in parts)
    synthetic = not any(isinstance(part, (pai.UserPromptPart, pai.SpeechPart)) for part in parts)
    return read_placed(place, "user", blocks, synthetic=synthetic, pinned=pinned, summary=summary)


def _blocks(part: ModelRequestPart | ModelResponsePart) -> Iterator[Block]:  # noqa: C901 -- one case a kind
    match part:
        case pai.UserPromptPart(content=str(words)) | pai.TextPart(content=words):
            yield from places.text(words)
        case pai.UserPromptPart(content=items):
            yield from (block for item in items for block in _item(item))
        case pai.ThinkingPart(content=words):
            yield places.thinking(words)
        case pai.ToolCallPart():
            yield places.call(part.tool_call_id, part.tool_name, part.args_as_dict())
        case pai.ToolReturnPart():
            yield _answer(part)
        case pai.RetryFeedbackPart():
            yield from places.text(part.model_response())
        case pai.CompactionPart(content=str(words)):
            yield from places.text(words)
        case pai.FilePart(content=file):
            yield from _item(file)
        case pai.SpeechPart(transcript=str(words)):
            yield from places.text(words)
        case pai.SpeechPart(audio=audio) if audio is not None:
            yield from _item(audio)
        case _:
            yield from _rest(part)


def _rest(part: Any) -> Iterator[Block]:
    """A retry of the older form, and what the provider's own tools were asked and answered."""
    if part.part_kind != "retry-prompt":
        yield places.other(part)
    elif part.tool_name is None:
        yield from places.text(part.model_response())
    else:
        yield places.result(part.tool_call_id, part.model_response(), failed=True)


def _answer(part: pai.ToolReturnPart) -> Block:
    words = part.model_response_str(wrap_if_error=False)
    files = [block for item in part.files for block in _item(item)]
    content = [*places.text(words), *files] if files else words
    return places.result(part.tool_call_id, content, failed=part.outcome in FAILED)


def _item(item: Any) -> Iterator[Block]:
    if isinstance(item, str):
        yield from places.text(item)
    elif isinstance(item, pai.TextContent):
        yield from places.text(item.content)
    elif not isinstance(item, pai.CachePoint):
        media_type = str(getattr(item, "media_type", "") or item.kind)
        picture = isinstance(item, pai.ImageUrl) or media_type.startswith("image/")
        yield places.media("image" if picture else "document", media_type, title=str(getattr(item, "identifier", "")))
