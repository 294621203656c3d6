"""Blocks of Anthropic's form, made of what other tools write: texts, thinking, calls, results, images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from brim.transcripts.decoding import Json, Undecodable, decode

Block: TypeAlias = dict[str, Json]
Given: TypeAlias = Mapping[str, Json]

WORDLESS: Final = "(no output)"
"""What stands for the output of a tool that failed without a word."""


def text_block(text: str) -> Block:
    """Words."""
    return {"type": "text", "text": text}


def thinking_block(text: str, signature: Json = None) -> Block:
    """Reasoning, with its signature where there is one."""
    block: Block = {"type": "thinking", "thinking": text}
    return {**block, "signature": signature} if isinstance(signature, str) else block


def call_block(call: str, name: str, given: Json) -> Block:
    """A call of a tool. What it was given is an object; anything else stands in one under `input`."""
    return {
        "type": "tool_use",
        "id": call,
        "name": name,
        "input": given if isinstance(given, dict) else _wrapped(given),
    }


def _wrapped(given: Json) -> Block:
    return {} if given is None else {"input": given}


def result_block(call: str, content: Json, *, failed: bool = False) -> Block:
    """A call's result: a text or blocks, and whether the tool failed. A failure says something: the API wants that."""
    block: Block = {"type": "tool_result", "tool_use_id": call, "content": content}
    return {**block, "content": content or WORDLESS, "is_error": True} if failed else block


def media_block(kind: str, data: str) -> Block:
    """An image, or a document of another kind, by its media type and its data in base64."""
    source = {"type": "base64", "media_type": kind, "data": data}
    return {"type": "image" if kind.startswith("image/") else "document", "source": source}


def image_of(url: Json) -> Block | None:
    """An image by its address, or by the data that the address itself is; None where there is none."""
    if not isinstance(url, str) or not url:
        return None
    if not url.startswith("data:"):
        return {"type": "image", "source": {"type": "url", "url": url}}
    head, _, data = url.partition(",")
    return media_block(head.removeprefix("data:").partition(";")[0] or "image/png", data)


def arguments(given: Json) -> Json:
    """What a call was given: the value that a text of JSON holds, else the text itself."""
    if not isinstance(given, str):
        return given
    try:
        return decode(given.encode(errors="replace"))
    except Undecodable:
        return given or None
