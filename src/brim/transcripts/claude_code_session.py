"""A conversation as a Claude Code session, which `claude --resume` loads: a compaction, its summary, what was kept.

Each record holds one message, or one result of a tool, and names the one before it. What the model saw before
the compaction is not in the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID, uuid5

from brim.conversation.messages import SUMMARY_QUESTION, Message, ToolCall

VERSION: Final = "2.1.38"
"""The version of Claude Code that a session names which no Claude Code wrote."""
UNMEASURED: Final = {
    "input_tokens": 0,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
    "output_tokens": 0,
}
"""The usage of a response: what it measured was another conversation."""
UNKNOWN_MODEL: Final = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSession:
    """What a session's records tell of it."""

    id: UUID
    time: datetime
    """When it was written."""
    folder: str
    """The project."""
    version: str | None = None
    """The version of Claude Code that it continues, where it continues one."""
    model: str | None = None
    tokens_before: int | None = None
    """What the window held before the compaction; None where the summary is older."""


def session_records(messages: Sequence[Message], session: NewSession) -> Iterator[dict[str, Any]]:
    """The records of a session, in the order of its file. Messages are in Anthropic's form.

    A compaction begins the file, and its summary follows: what stood ahead of the summary comes behind it.
    """
    told = [message for message in messages if message.text != SUMMARY_QUESTION]
    summary = next((message for message in told if message.marks.summary), None)
    told.sort(key=lambda message: message is not summary)
    before: str | None = None
    bodies = [*([] if summary is None else [_boundary(session)]), *_bodies(told, session.model)]
    for number, body in enumerate(bodies):
        uuid = str(uuid5(session.id, str(number)))
        yield {
            "parentUuid": before,
            "isSidechain": False,
            "userType": "external",
            "cwd": session.folder,
            "sessionId": str(session.id),
            "version": session.version or VERSION,
            "gitBranch": "",
            **body,
            "uuid": uuid,
            "timestamp": _time(session.time + timedelta(milliseconds=number)),
        }
        before = uuid


def _time(time: datetime) -> str:
    return f"{time.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"


def _boundary(session: NewSession) -> dict[str, Any]:
    held = {} if session.tokens_before is None else {"preTokens": session.tokens_before}
    return {
        "type": "system",
        "subtype": "compact_boundary",
        "content": "Conversation compacted",
        "isMeta": False,
        "level": "info",
        "compactMetadata": {"trigger": "manual", **held},
    }


def _bodies(messages: Sequence[Message], model: str | None) -> Iterator[dict[str, Any]]:
    for number, message in enumerate(messages):
        if message.marks.summary and number == 0:
            content = message.raw["content"]
            summary = {"isVisibleInTranscriptOnly": True, "isCompactSummary": True}
            yield {"type": "user", "message": {"role": "user", "content": content}, **summary}
        elif message.role == "assistant":
            yield _answer(message, number, model)
        else:
            yield from _user(message)


def _answer(message: Message, number: int, model: str | None) -> dict[str, Any]:
    content = message.raw["content"]
    calls = any(type(part) is ToolCall for part in message.parts)
    told = {
        "id": f"msg_{number:024}",
        "type": "message",
        "role": "assistant",
        "model": model or UNKNOWN_MODEL,
        "content": [{"type": "text", "text": content}] if isinstance(content, str) else content,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": UNMEASURED,
    }
    return {"type": "assistant", "message": told, "requestId": f"req_{number:024}"}


def _user(message: Message) -> Iterator[dict[str, Any]]:
    """A record for each result, and one for all else; what a harness wrote is marked."""
    content = message.raw["content"]
    blocks = [] if isinstance(content, str) else content
    results = [block for block in blocks if block.get("type") == "tool_result"]
    others = content if isinstance(content, str) else [block for block in blocks if block.get("type") != "tool_result"]
    contents = [*([result] for result in results), *([others] if others else [])]
    meta = {"isMeta": True} if message.marks.synthetic and not results else {}
    yield from ({"type": "user", "message": {"role": "user", "content": one}, **meta} for one in contents)
