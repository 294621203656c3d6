"""What the Messages API answers, as respx hands it to the SDK: bodies, streams and errors."""

from __future__ import annotations

import json
from typing import Any

import httpx2

ADDRESS = "https://api.anthropic.com"
URL = f"{ADDRESS}/v1/messages"
MODEL = "claude-sonnet-5-5"
USAGE = {"input_tokens": 100, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 50, "output_tokens": 1}


def error_body(kind: str, message: str) -> dict[str, Any]:
    """An error as the API tells it."""
    return {"type": "error", "error": {"type": kind, "message": message}}


def event(kind: str, **values: Any) -> str:
    """An event of a stream."""
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **values})}\n\n"


def begun(model: str = MODEL) -> str:
    """The beginning of a streamed answer."""
    message = {"id": "m", "type": "message", "role": "assistant", "model": model, "content": [], "usage": USAGE}
    return event("message_start", message=message | {"stop_reason": None, "stop_sequence": None})


def block(index: int, start: dict[str, Any], *deltas: dict[str, Any]) -> str:
    """A block of a streamed answer."""
    pieces = [event("content_block_delta", index=index, delta=delta) for delta in deltas]
    opened = event("content_block_start", index=index, content_block=start)
    return "".join([opened, *pieces, event("content_block_stop", index=index)])


def text(index: int, *pieces: str) -> str:
    """A block of text, piece by piece."""
    return block(index, {"type": "text", "text": ""}, *({"type": "text_delta", "text": piece} for piece in pieces))


def thinking(index: int, thought: str) -> str:
    """A block of thinking."""
    return block(
        index,
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "thinking_delta", "thinking": thought},
        {"type": "signature_delta", "signature": "s"},
    )


def call(index: int) -> str:
    """A call of a tool."""
    start = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}
    return block(index, start, {"type": "input_json_delta", "partial_json": '{"command": "ls"}'})


def ended(stop_reason: str | None = "end_turn") -> str:
    """The end of a streamed answer."""
    delta = {"stop_reason": stop_reason, "stop_sequence": None}
    return event("message_delta", delta=delta, usage={"output_tokens": 42}) + event("message_stop")


def streamed(*parts: str) -> httpx2.Response:
    """A streamed answer."""
    return httpx2.Response(200, text="".join(parts), headers={"content-type": "text/event-stream"})
