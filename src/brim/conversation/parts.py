"""Parts: what a message holds, one small value a kind, read from a content block and written back as it came.

Specified by features/conversation/messages.feature (CNV_01).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from brim.errors import InvalidInput

Raw: TypeAlias = Mapping[str, Any]
"""A dictionary in the Anthropic Messages form, kept as it came."""

COMPACTION: Final = "compaction_marker"
"""Where a compaction took place. The name is brim's own: the API has a `compaction` block, which is carried like any
unknown kind."""


@dataclass(frozen=True, slots=True)
class Text:
    """Words of the user or the model."""

    text: str
    """The words."""
    raw: Raw | None = None
    """The block that it was read from; None where it came as a bare string."""


@dataclass(frozen=True, slots=True)
class Thinking:
    """The model's reasoning; `text` is empty where the provider hides it."""

    text: str
    """What it reads; empty where the provider hides it."""
    raw: Raw
    """The block that it was read from."""


@dataclass(frozen=True, slots=True)
class Media:
    """An image or a document; `kind` says which."""

    kind: str
    """What it is: an image or a document."""
    raw: Raw
    """The block that it was read from."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The model's call of a tool; `server` where the provider itself runs the tool."""

    id: str
    """Its id: the result names it."""
    name: str
    """The tool."""
    input: Mapping[str, Any]
    """The arguments."""
    server: bool
    """Whether the provider itself runs the tool."""
    raw: Raw
    """The block that it was read from."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered: its texts joined by line breaks, and the media it sent."""

    call_id: str
    """The id of the call that it answers."""
    text: str
    """Its texts, joined by line breaks."""
    failed: bool
    """Whether the tool said that it failed."""
    media: tuple[Media, ...]
    """The images and documents that it holds."""
    raw: Raw
    """The block that it was read from."""


@dataclass(frozen=True, slots=True)
class Marker:
    """A part that only a harness knows: a compaction, a sub-task, a file or a patch. Never sent (CNV_09)."""

    kind: str
    """What it marks."""
    raw: Raw
    """What it was read from."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A part of a kind brim does not know: carried, and written back exactly as it came."""

    kind: str
    """Its type, in the words of the API."""
    raw: Raw
    """The block that it was read from."""


Part: TypeAlias = Text | Thinking | Media | ToolCall | ToolResult | Marker | Unknown
"""Anything that a message holds."""


def write_part(part: Part) -> Raw:
    """The dictionary of a part: the one it came from, or a text block where it came as a bare string."""
    if isinstance(part, Text):
        return {"type": "text", "text": part.text} if part.raw is None else part.raw
    return part.raw


def read_part(block: object, place: str = "message") -> Part:
    """Read one content block; a kind that is not known becomes Unknown. Raises InvalidInput."""
    if not (type(block) is dict or isinstance(block, Mapping)):
        raise InvalidInput(f"{place} holds {type(block).__name__} among its blocks; a block is an object with a type")
    kind = block.get("type")
    if type(kind) is not str:
        raise InvalidInput(f"{place} holds a block without a type; the type says what the block is")
    reader = READERS.get(kind)
    return reader(block, place) if reader is not None else _provider_part(kind, block, place)


def _provider_part(kind: str, block: Raw, place: str) -> Part:
    """A call or result of a tool that the provider runs, known by how its kind ends; any other kind is unknown."""
    if kind.endswith("_tool_use") and type(block.get("id")) is type(block.get("name")) is str:
        return _tool_call(block, place)
    if kind.endswith("_tool_result") and type(block.get("tool_use_id")) is str:
        return _tool_result(block, place)
    return Unknown(kind, block)


def _lacks(block: Raw, name: str, place: str) -> InvalidInput:
    return InvalidInput(f"{place} holds a block of type {block['type']} without the text {name!r}, which it must have")


def _text(block: Raw, place: str) -> Part:
    text = block.get("text")
    if type(text) is not str:
        raise _lacks(block, "text", place)
    return Text(text, block)


def _thinking(block: Raw, _place: str) -> Part:
    return Thinking(str(block.get("thinking") or ""), block)


def _media(block: Raw, _place: str) -> Part:
    return Media(block["type"], block)


def _marker(block: Raw, _place: str) -> Part:
    return Marker(block["type"], block)


def _tool_call(block: Raw, place: str) -> Part:
    call_id, name, given = block.get("id"), block.get("name"), block.get("input")
    if type(call_id) is not str:
        raise _lacks(block, "id", place)
    if type(name) is not str:
        raise _lacks(block, "name", place)
    known = given if type(given) is dict or isinstance(given, Mapping) else {}
    return ToolCall(call_id, name, known, block["type"] != "tool_use", block)


def _tool_result(block: Raw, place: str) -> Part:
    call_id, content = block.get("tool_use_id"), block.get("content")
    if type(call_id) is not str:
        raise _lacks(block, "tool_use_id", place)
    if type(content) is str:
        return ToolResult(call_id, content, block.get("is_error") is True, (), block)
    items = [item for item in content if isinstance(item, Mapping)] if isinstance(content, (list, tuple)) else []
    text = "\n".join(str(item["text"]) for item in items if item.get("type") == "text" and "text" in item)
    media = tuple(Media(item["type"], item) for item in items if item.get("type") in ("image", "document"))
    failed = block.get("is_error") is True or (isinstance(content, Mapping) and "error_code" in content)
    return ToolResult(call_id, text, failed, media, block)


READERS: Final[Mapping[str, Callable[[Raw, str], Part]]] = {
    "text": _text,
    "thinking": _thinking,
    "redacted_thinking": _thinking,
    "image": _media,
    "document": _media,
    "tool_use": _tool_call,
    "server_tool_use": _tool_call,
    "mcp_tool_use": _tool_call,
    "tool_result": _tool_result,
    COMPACTION: _marker,
    "subtask": _marker,
    "file": _marker,
    "patch": _marker,
}
"""Which function reads which kind of block."""
