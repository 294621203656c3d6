"""Pairing: each tool call has its result in the next message, and each result its call in the one before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from brim.testing.messages_api.blocks import Placed, turns_of


def pairing_faults(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What is wrong with the tool calls and results of a conversation."""
    turns = turns_of(messages)
    yield from _repeated_calls(turns)
    for number, turn in enumerate(turns):
        before = turns[number - 1] if number else ()
        after = turns[number + 1] if number + 1 < len(turns) else ()
        if turn[0].role == "assistant":
            yield from _unanswered(turn, after)
            yield from _server_faults(turn, last=not after)
        else:
            yield from _stray(turn, before)


def _repeated_calls(turns: Sequence[Sequence[Placed]]) -> Iterator[str]:
    seen: set[str] = set()
    for placed in (one for turn in turns for one in turn if one.kind == "tool_use"):
        if placed.block["id"] in seen:
            yield f"{placed.path}: `tool_use` ids must be unique"
        seen.add(placed.block["id"])


def _unanswered(turn: Sequence[Placed], after: Sequence[Placed]) -> Iterator[str]:
    leading = takewhile(lambda placed: placed.kind == "tool_result", after)
    answered = {placed.block["tool_use_id"] for placed in leading}
    calls = [placed for placed in turn if placed.kind == "tool_use" and placed.block["id"] not in answered]
    if calls:
        ids = ", ".join(call.block["id"] for call in calls)
        yield (
            f"messages.{calls[0].message}: `tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next message."
        )


def _stray(turn: Sequence[Placed], before: Sequence[Placed]) -> Iterator[str]:
    calls = {placed.block["id"] for placed in before if placed.kind == "tool_use"}
    results = [placed for placed in turn if placed.kind == "tool_result"]
    yield from (_without_call(result) for result in results if result.block["tool_use_id"] not in calls)
    counts = Counter(result.block["tool_use_id"] for result in results)
    for result in results:
        if counts.pop(result.block["tool_use_id"], 0) > 1:
            yield (
                f"{result.path}: each tool_use must have a single result. "
                f"Found multiple `tool_result` blocks with id: {result.block['tool_use_id']}"
            )


def _without_call(result: Placed) -> str:
    return (
        f"{result.path}: unexpected `tool_use_id` found in `tool_result` blocks: {result.block['tool_use_id']}. "
        "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
    )


def _server_faults(turn: Sequence[Placed], *, last: bool) -> Iterator[str]:
    open_calls: dict[str, Placed] = {}
    for placed in turn:
        if placed.kind in {"server_tool_use", "mcp_tool_use"}:
            open_calls[placed.block["id"]] = placed
        elif placed.kind.endswith("_tool_result") and open_calls.pop(placed.block["tool_use_id"], None) is None:
            yield (
                f"{placed.path}: unexpected `tool_use_id` found in `{placed.kind}` blocks: "
                f"{placed.block['tool_use_id']}. Each `{placed.kind}` block must have a corresponding "
                "`server_tool_use` block before it."
            )
    for call, placed in () if last else open_calls.items():
        yield (
            f"messages.{placed.message}: `{placed.block['name']}` tool use with id `{call}` was found without a "
            f"corresponding `{placed.block['name']}_tool_result` block"
        )
