"""Blocks of Anthropic's form, made of what other tools write, and of the messages of chat completions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from brim.errors import InvalidInput
from brim.transcripts.source import Json, Undecodable, decode, mapping, objects, string

Block: TypeAlias = dict[str, Json]
Given: TypeAlias = Mapping[str, Json]

WORDLESS: Final = "(no output)"
"""The output of a tool that failed without a word."""


def text_block(text: Json) -> Block:
    """Words."""
    return {"type": "text", "text": text}


def thinking_block(text: Json, signature: Json = None) -> Block:
    """Reasoning, with its signature where there is one."""
    block: Block = {"type": "thinking", "thinking": text}
    return {**block, "signature": signature} if isinstance(signature, str) else block


def call_block(call: str, name: str, given: Json) -> Block:
    """Return a call of a tool. Its input is an object; any other value becomes one, under `input`."""
    value = given if isinstance(given, dict) else {} if given is None else {"input": given}
    return {"type": "tool_use", "id": call, "name": name, "input": value}


def result_block(call: str, content: Json, *, failed: bool = False) -> Block:
    """A call's result: a text or blocks, and whether the tool failed. A failure says something: the API wants that."""
    block: Block = {"type": "tool_result", "tool_use_id": call, "content": content}
    return {**block, "content": content or WORDLESS, "is_error": True} if failed else block


def media_block(kind: str, data: str) -> Block:
    """Return an image, or a document of another kind, by its media type and its data in base64."""
    source = {"type": "base64", "media_type": kind, "data": data}
    return {"type": "image" if kind.startswith("image/") else "document", "source": source}


def image_of(url: Json) -> Block | None:
    """Return an image by its address, or by the data that the address itself is; None where there is none."""
    if not isinstance(url, str) or not url:
        return None
    if not url.startswith("data:"):
        return {"type": "image", "source": {"type": "url", "url": url}}
    head, _, data = url.partition(",")
    return media_block(head.removeprefix("data:").partition(";")[0] or "image/png", data)


def arguments(given: Json) -> Json:
    """Return what a call was given: the value that a text of JSON holds, else the text itself."""
    if not isinstance(given, str):
        return given
    try:
        return decode(given.encode(errors="replace"))
    except Undecodable:
        return given or None


def content_blocks(content: Json) -> list[Block]:
    """Return the texts and images of a message. Raises InvalidInput where the content is neither a text nor parts."""
    return [] if content is None else blocks_of(content, _part)


def blocks_of(content: Json, read: Callable[[Given], Block | None]) -> list[Block]:
    """The block of a text, or those of the parts that are read to one. Raises InvalidInput for another content."""
    if isinstance(content, str):
        return [text_block(content)] if content else []
    if not isinstance(content, list):
        raise InvalidInput("a message without content")
    return [block for part in objects(content) if (block := read(part)) is not None]


def _part(part: Given) -> Block | None:
    if isinstance(part.get("text"), str):
        return text_block(part["text"]) if part["text"] else None
    image = part.get("image_url")
    return image_of(image.get("url") if isinstance(image, Mapping) else image)


def text_of(content: Json) -> str:
    """Return the texts of a message, joined by line breaks. Raises InvalidInput."""
    return "\n".join(block["text"] for block in content_blocks(content) if block["type"] == "text")


def tool_calls(given: Json) -> list[Block]:
    """Return the calls of an answer; one without a name or an id is none."""
    calls = [(string(call.get("id")), mapping(call.get("function"))) for call in objects(given)]
    return [
        call_block(call, function["name"], arguments(function.get("arguments")))
        for call, function in calls
        if call is not None and isinstance(function.get("name"), str)
    ]


def first_message(response: Json) -> Given:
    """Return the message of a whole response of the API; empty where there is none."""
    choices = objects(mapping(response).get("choices"))
    return mapping(choices[0].get("message")) if choices else {}
