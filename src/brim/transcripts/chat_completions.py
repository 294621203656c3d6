"""Messages as chat completions have them: system, user, assistant with calls, and tools that answer by a call's id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from brim.errors import InvalidInput
from brim.transcripts.accumulator import Told, measured
from brim.transcripts.blocks import Block, Given, arguments, call_block, image_of, text_block
from brim.transcripts.decoding import Json, moment, string

OBSERVED: Final = "no content of a text or of parts"


def content_blocks(content: Json) -> list[Block]:
    """The texts and images of a message. Raises InvalidInput where the content is neither a text nor parts."""
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [text_block(content)]
    if not isinstance(content, list):
        raise InvalidInput(f"a message has {OBSERVED}")
    blocks = (_part(part) for part in content if isinstance(part, Mapping))
    return [block for block in blocks if block is not None]


def _part(part: Given) -> Block | None:
    if isinstance(part.get("text"), str):
        return text_block(part["text"]) if part["text"] else None
    image = part.get("image_url")
    return image_of(image.get("url") if isinstance(image, Mapping) else image)


def text_of(content: Json) -> str:
    """The texts of a message, joined by line breaks. Raises InvalidInput."""
    return "\n".join(block["text"] for block in content_blocks(content) if block["type"] == "text")


def tool_calls(given: Json) -> list[Block]:
    """The calls of an answer; one without a name or an id is none."""
    calls = [call for call in given if isinstance(call, Mapping)] if isinstance(given, list) else []
    return [block for call in calls if (block := _call(call)) is not None]


def _call(call: Given) -> Block | None:
    function = call.get("function")
    function = function if isinstance(function, Mapping) else {}
    name, given = string(function.get("name")), arguments(function.get("arguments"))
    known = string(call.get("id"))
    return call_block(known, name, given) if known is not None and name is not None else None


def told_by(response: Json) -> Told:
    """What a whole response of the API tells of itself."""
    if not isinstance(response, Mapping):
        return Told(None)
    model = string(response.get("model"))
    return Told(measured("openai", response.get("usage"), model), model, time=moment(response.get("created")))


def first_message(response: Json) -> Given:
    """The message of a whole response of the API; empty where there is none."""
    choices = response.get("choices") if isinstance(response, Mapping) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, Mapping) else None
    return message if isinstance(message, Mapping) else {}
