"""A schema of Claude Code's sessions, after the records that its versions write: what is wrong with a file of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final
from uuid import UUID

RECORD: Final = {
    "parentUuid": (str, type(None)),
    "isSidechain": bool,
    "userType": str,
    "cwd": str,
    "sessionId": str,
    "version": str,
    "gitBranch": str,
    "type": str,
    "uuid": str,
    "timestamp": str,
}
"""Fields of each record of a conversation."""
MESSAGE: Final = {"id": str, "type": str, "role": str, "model": str, "content": list, "usage": dict}
"""Fields of the message of an assistant's record, which is a response of the API."""
BOUNDARY: Final = {"content": str, "isMeta": bool, "level": str, "compactMetadata": dict}
TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
USAGE: Final = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
BLOCKS: Final = {
    "assistant": {"text": "text", "thinking": "thinking", "redacted_thinking": "data", "tool_use": "input"},
    "user": {"text": "text", "image": "source", "document": "source", "tool_result": "tool_use_id"},
}
"""The types of blocks that a message of each role holds, and a field that each has."""


def session_faults(records: Sequence[Any]) -> list[str]:
    """Everything that is wrong with the records of a session; empty where nothing is."""
    return [f"record {n}: {fault}" for n, one in enumerate(records) for fault in _record(one)] + [*_chain(records)]


def _fields(value: Any, fields: dict[str, Any]) -> Iterator[str]:
    yield from (f"no {name}" for name, kind in fields.items() if not isinstance(value.get(name, ...), kind))


def _record(record: Any) -> Iterator[str]:
    yield from _fields(record, RECORD)
    if not TIME.fullmatch(str(record.get("timestamp"))):
        yield "a timestamp that is none"
    for name in ("uuid", "sessionId"):
        try:
            UUID(record.get(name))
        except (TypeError, ValueError):
            yield f"{name} is no UUID"
    kind = record.get("type")
    if kind == "system":
        yield from _fields(record, BOUNDARY)
        if record.get("subtype") != "compact_boundary" or record.get("parentUuid") is not None:
            yield "a system record that is no compaction, or has a record before it"
        if record.get("compactMetadata", {}).get("trigger") not in {"auto", "manual"}:
            yield "a compaction that nobody asked for"
    elif kind in BLOCKS:
        yield from _message(kind, record.get("message", {}))
    else:
        yield f"the type {kind!r}"


def _message(role: str, message: Any) -> Iterator[str]:
    content = message.get("content")
    if message.get("role") != role:
        yield f"the role {message.get('role')!r} in a record of the {role}"
    if role == "assistant":
        yield from _fields(message, MESSAGE)
        if message.get("type") != "message" or any(type(message["usage"].get(name)) is not int for name in USAGE):
            yield "no response with a usage"
    if role == "user" and isinstance(content, str):
        return
    blocks = content if isinstance(content, list) else []
    if not blocks:
        yield "no content"
    for block in blocks:
        field = BLOCKS[role].get(block.get("type"))
        if field is None or field not in block:
            yield f"a block of the type {block.get('type')!r} in a message of the {role}"
    if role == "user" and len(blocks) > 1 and any(block.get("type") == "tool_result" for block in blocks):
        yield "a tool's result beside something else"


def _chain(records: Sequence[Any]) -> Iterator[str]:
    """Each record names the one before it, is the only one of its id, and a result comes behind its call."""
    known: set[str] = set()
    calls: set[str] = set()
    if len({record.get("sessionId") for record in records}) != 1:
        yield "records of several sessions, or of none"
    for n, record in enumerate(records):
        before = records[n - 1]["uuid"] if n else None
        if record["parentUuid"] != before or record["uuid"] in known:
            yield f"record {n}: its parent is not the one before it, or its uuid is not its own"
        if n and record["type"] == "system":
            yield f"record {n}: a compaction with records before it"
        known.add(record["uuid"])
        content = record.get("message", {}).get("content")
        for block in content if isinstance(content, list) else ():
            if block["type"] == "tool_use":
                calls.add(block["id"])
            elif block["type"] == "tool_result" and block["tool_use_id"] not in calls:
                yield f"record {n}: a result without its call"
                calls.discard(block["tool_use_id"])
