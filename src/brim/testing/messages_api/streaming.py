"""Streaming: a message as the events by which the API sends it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

Event: TypeAlias = "tuple[str, Mapping[str, Any]]"

PIECE = 24
"""Characters in one delta."""

FINAL = ("stop_reason", "stop_sequence", "stop_details")
TAIL = ("context_management",)


def events_of(message: Mapping[str, Any]) -> Iterator[Event]:
    """All events of a message, from its start to its stop."""
    yield from opening(message)
    for index, block in enumerate(message["content"]):
        yield from _block(index, block)
    delta = {name: message[name] for name in FINAL}
    tail = {name: message[name] for name in TAIL if name in message}
    yield _event("message_delta", delta=delta, usage=message["usage"], **tail)
    yield _event("message_stop")


def opening(message: Mapping[str, Any]) -> Iterator[Event]:
    """The start of a message, before it has any content, and a ping."""
    usage = {name: count for name, count in message["usage"].items() if name != "iterations"}
    told = {name: value for name, value in message.items() if name not in TAIL}
    nothing: dict[str, Any] = {"content": [], "usage": usage | {"output_tokens": 1}, **dict.fromkeys(FINAL)}
    yield _event("message_start", message=told | nothing)
    yield _event("ping")


def begun(message: Mapping[str, Any], text: str) -> Iterator[Event]:
    """A message that comes to this text and no further."""
    yield from opening(message)
    yield from list(_block(0, {"type": "text", "text": text}))[:-1]


def error_event(body: Mapping[str, Any]) -> Event:
    """The event that tells an error after the answer has begun."""
    return "error", body


def encode(event: Event) -> bytes:
    """An event as it is written."""
    name, data = event
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def _event(name: str, **data: Any) -> Event:
    return name, {"type": name, **data}


def _block(index: int, block: Mapping[str, Any]) -> Iterator[Event]:
    start, deltas = _taken_apart(block)
    yield _event("content_block_start", index=index, content_block=start)
    yield from (_event("content_block_delta", index=index, delta=delta) for delta in deltas)
    yield _event("content_block_stop", index=index)


def _taken_apart(block: Mapping[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A block as it starts, and what is then added to it."""
    match block["type"]:
        case "text":
            return {**block, "text": ""}, [{"type": "text_delta", "text": piece} for piece in _pieces(block["text"])]
        case "thinking":
            thoughts = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(block["thinking"])]
            signature = {"type": "signature_delta", "signature": block["signature"]}
            return {**block, "thinking": "", "signature": ""}, [*thoughts, signature]
        case "tool_use" | "server_tool_use":
            pieces = _pieces(json.dumps(block["input"], ensure_ascii=False)) if block["input"] else [""]
            return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
        case "compaction":
            whole = {name: block.get(name) for name in ("content", "encrypted_content")}
            return {**block, "content": None}, [{"type": "compaction_delta", **whole}]
        case _:
            return dict(block), []


def _pieces(text: str) -> list[str]:
    return [text[start : start + PIECE] for start in range(0, len(text), PIECE)]
