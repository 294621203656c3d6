"""Ids for tool calls that were written down without one: each takes the id that the next unclaimed result names."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from brim.transcripts.decoding import Json, string

Numbered: TypeAlias = Sequence[tuple[int, Json]]


def with_call_ids(messages: Numbered) -> Numbered:
    """The same messages, calls without id completed; where every call has one, the very list."""
    if all("id" in block for _, message in messages for block in _blocks(message, "tool_use")):
        return messages
    ids = _claimed(messages)
    return [(line, _completed(message, ids)) for line, message in messages]


def _blocks(message: Json, kind: str) -> Iterator[dict[str, Json]]:
    content = message.get("content") if isinstance(message, Mapping) else None
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == kind:
            yield block


def _claimed(messages: Numbered) -> dict[int, str]:
    """For each call without id, by its identity: the id of the first later result that no call named."""
    calls = [block for _, message in messages for block in _blocks(message, "tool_use")]
    named = {string(block.get("id")) for block in calls}
    waiting: deque[dict[str, Json]] = deque()
    ids: dict[int, str] = {}
    for line, message in messages:
        for number, block in enumerate(_blocks(message, "tool_use")):
            if "id" not in block:
                waiting.append(block)
                ids[id(block)] = f"call-{line}-{number}"
        for block in _blocks(message, "tool_result"):
            result = string(block.get("tool_use_id"))
            if waiting and result is not None and result not in named:
                ids[id(waiting.popleft())] = result
    return ids


def _completed(message: Json, ids: Mapping[int, str]) -> Json:
    if not any(id(block) in ids for block in _blocks(message, "tool_use")):
        return message
    content = [{**block, "id": ids[id(block)]} if id(block) in ids else block for block in message["content"]]
    return {**message, "content": content}
