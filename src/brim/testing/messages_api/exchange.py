"""What goes between a client and the server: requests as they arrived, replies, their events and errors."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from urllib.parse import parse_qs, urlsplit

from brim.testing.answers import Answer, thinking_block
from brim.testing.failures import Failure
from brim.testing.messages_api.counting import Counter
from brim.testing.strictness import THOUGHTS

MESSAGES = "/v1/messages"
COUNT = "/v1/messages/count_tokens"
MODELS = "/v1/models"


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """One HTTP request."""

    method: str
    """The method, such as POST."""
    path: str
    """The path without its query."""
    query: Mapping[str, list[str]]
    """The query, each name with its values."""
    headers: Mapping[str, str]
    """Header names are in small letters."""
    body: Any
    """The JSON of the body; None where there is none, or it is no JSON."""
    size: int
    """The length of the body, in bytes."""
    time: float
    """Seconds of the server's monotonic clock."""

    @property
    def betas(self) -> frozenset[str]:
        """The betas that the request asks for."""
        return frozenset(name.strip() for name in self.headers.get("anthropic-beta", "").split(",") if name.strip())


def read_request(method: str, target: str, headers: Mapping[str, str], payload: bytes, time: float) -> Received:
    """A request as its parts arrived."""
    address = urlsplit(target)
    try:
        body = json.loads(payload) if payload else None
    except ValueError:
        body = None
    small = {name.lower(): value for name, value in headers.items()}
    query = parse_qs(address.query)
    return Received(
        method=method, path=address.path, query=query, headers=small, body=body, size=len(payload), time=time
    )


class ApiError(Exception):
    """A request that the API refuses, or could not serve. For the server alone: no caller ever meets it."""

    def __init__(self, status: int, kind: str, message: str, *, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.message = message
        self.details = details

    def body(self, request_id: str) -> dict[str, Any]:
        """The JSON that tells the error."""
        return error_body(self.kind, self.message, request_id, details=self.details)


def error_body(kind: str, message: str, request_id: str, *, details: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The JSON that tells an error of a kind."""
    error: dict[str, Any] = {"type": kind, "message": message} | ({} if details is None else {"details": dict(details)})
    return {"type": "error", "error": error, "request_id": request_id}


def invalid(message: str, *, code: str | None = None) -> ApiError:
    """A request that is not of the form asked for; a code goes into its details."""
    details = None if code is None else {"error_code": code}
    return ApiError(400, "invalid_request_error", message, details=details)


Event: TypeAlias = "tuple[str, Mapping[str, Any] | str]"

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
    opening = {name: value for name, value in message.items() if name not in TAIL}
    nothing: dict[str, Any] = {"content": [], "usage": usage | {"output_tokens": 1}, **dict.fromkeys(FINAL)}
    yield _event("message_start", message=opening | nothing)
    yield _event("ping")


def begun(message: Mapping[str, Any], text: str) -> Iterator[Event]:
    """A message that comes to this text and no further."""
    yield from opening(message)
    yield from list(_block(0, {"type": "text", "text": text}))[:-1]


def error_event(body: Mapping[str, Any]) -> Event:
    """The event that tells an error after the answer has begun."""
    return "error", body


def encode(event: Event) -> bytes:
    """An event as it is written: without its name where it has none."""
    name, data = event
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return (f"event: {name}\n" * bool(name) + f"data: {text}\n\n").encode()


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
            return {**block, "text": ""}, [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])]
        case "thinking":
            thoughts = [{"type": "thinking_delta", "thinking": piece} for piece in pieces(block["thinking"])]
            signature = {"type": "signature_delta", "signature": block["signature"]}
            return {**block, "thinking": "", "signature": ""}, [*thoughts, signature]
        case "tool_use" | "server_tool_use":
            said = pieces(json.dumps(block["input"], ensure_ascii=False)) if block["input"] else [""]
            return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in said]
        case "compaction":
            whole = {name: block.get(name) for name in ("content", "encrypted_content")}
            return {**block, "content": None}, [{"type": "compaction_delta", **whole}]
        case _:
            return dict(block), []


def pieces(text: str) -> list[str]:
    """A text in the pieces in which it is streamed."""
    return [text[start : start + PIECE] for start in range(0, len(text), PIECE)]


CUT = frozenset({"text", "thinking"})
"""The blocks that can be cut off; their text goes by the same name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What goes back over the wire."""

    status: int = 200
    body: Mapping[str, Any] | None = None
    """The JSON of the body; where a failure ends it, only half of it is sent."""
    events: Sequence[Event] | None = None
    """The events of a stream, in place of a body."""
    headers: Mapping[str, str] = field(default_factory=dict)
    ending: Failure | None = None
    """The drop or the silence in which it ends; with neither body nor events, there is nothing else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How much an answer may be, in tokens."""

    tokens: int
    reason: str
    """The reason to stop of an answer that needs more."""


def room_for(max_tokens: int, window: int, held: int) -> Room:
    """The room that is left for an answer: as much as was asked for, or what the window has left."""
    if window - held < max_tokens:
        return Room(tokens=window - held, reason="model_context_window_exceeded")
    return Room(tokens=max_tokens, reason="max_tokens")


def identify(kind: str, *seeds: object) -> str:
    """An id of a kind, the same for the same seeds."""
    return f"{kind}_01{hashlib.sha256(repr(seeds).encode()).hexdigest()[:22]}"


def content_of(answer: Answer, body: Mapping[str, Any], *seeds: object) -> list[dict[str, Any]]:
    """The blocks of an answer: calls have their ids, and where thinking has a budget the first block thinks."""
    blocks = answer.blocks
    thinks = (body.get("thinking") or {}).get("type") == "enabled"
    if blocks and thinks and blocks[0]["type"] not in THOUGHTS:
        blocks.insert(0, thinking_block("Let me think about this."))
    for index, block in enumerate(blocks):
        if block["type"] == "tool_use":
            block.setdefault("id", identify("toolu", *seeds, index))
            block.setdefault("input", {})
    return blocks


def fit(blocks: list[dict[str, Any]], room: Room, counter: Counter) -> tuple[list[dict[str, Any]], str | None]:
    """The blocks that there is room for, and why the answer stops where not all of them are there."""
    left = room.tokens * counter.characters_per_token
    kept: list[dict[str, Any]] = []
    for block in blocks:
        needed = counter.characters(block)
        if needed > left:
            kind = block["type"]
            return [*kept, *([{**block, kind: block[kind][:left]}] if kind in CUT and left else [])], room.reason
        left -= needed
        kept.append(block)
    return kept, None


def message_of(answer: Answer, content: list[dict[str, Any]], *, model: str, message_id: str) -> dict[str, Any]:
    """A message with this content; its usage is still to come."""
    calls = any(block["type"] == "tool_use" for block in content)
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": answer.stop_reason or ("tool_use" if calls else "end_turn"),
        "stop_sequence": None,
        "stop_details": answer.stop_details,
    }


def output_usage(content: Sequence[Mapping[str, Any]], counter: Counter) -> dict[str, Any]:
    """What an answer is counted as; even an empty one is not for nothing."""
    thoughts = [block for block in content if block["type"] in THOUGHTS]
    tokens = max(1, counter.content(content))
    return {"output_tokens": tokens, "output_tokens_details": {"thinking_tokens": counter.content(thoughts)}}
