"""What the Messages API refuses, checked apart from brim's own code: roles, empty content, unpaired tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def complaints(messages: Sequence[dict[str, Any]]) -> list[str]:
    """Everything the API would refuse about a list of messages; neighbours of one role count as one message."""
    if not messages:
        return ["no messages"]
    found = [] if messages[0]["role"] == "user" else ["the first message is not the user's"]
    merged = list(_merged(messages))
    for number, (role, blocks) in enumerate(merged):
        found += [f"message {number}: {fault}" for fault in _content_faults(role, blocks)]
        if role == "assistant":
            after = merged[number + 1][1] if number + 1 < len(merged) else []
            found += [f"message {number}: {fault}" for fault in _pair_faults(blocks, after)]
        else:
            before = merged[number - 1][1] if number else []
            found += [f"message {number}: {fault}" for fault in _stray_faults(blocks, before)]
    return found


def _merged(messages: Sequence[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    merged: list[tuple[str, list[dict[str, Any]]]] = []
    for message in messages:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
        if merged and merged[-1][0] == message["role"]:
            merged[-1][1].extend(blocks)
        else:
            merged.append((message["role"], blocks))
    return merged


def _content_faults(role: str, blocks: list[dict[str, Any]]) -> list[str]:
    faults = [] if blocks else ["no content"]
    faults += ["an empty text" for block in blocks if block["type"] == "text" and not block["text"].strip()]
    faults += [f"a {block['type']} block" for block in blocks if block["type"] in ("file", "patch", "subtask")]
    kinds = [block["type"] == "tool_result" for block in blocks]
    if role == "user" and kinds != sorted(kinds, reverse=True):
        faults.append("a result behind other content")
    return faults


def _pair_faults(blocks: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[str]:
    calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
    results = [block["tool_use_id"] for block in after if block["type"] == "tool_result"]
    faults = ["two calls of one id"] if len(set(calls)) < len(calls) else []
    faults += [f"call {call} has {results.count(call)} results" for call in calls if results.count(call) != 1]
    own = {block.get("tool_use_id") for block in blocks}
    faults += [
        f"server call {b['id']} has no result" for b in blocks if b["type"] == "server_tool_use" and b["id"] not in own
    ]
    return faults


def _stray_faults(blocks: list[dict[str, Any]], before: list[dict[str, Any]]) -> list[str]:
    calls = {block["id"] for block in before if block["type"] == "tool_use"}
    results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    return [f"result of unknown call {result}" for result in results if result not in calls]
