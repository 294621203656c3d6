"""Responses: several messages may be one answer of the model, and are never parted (CNV_05)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from brim.conversation.messages import Message
from brim.conversation.parts import ToolCall, ToolResult


def parts_response(before: Message, after: Message) -> bool:
    """Whether a cut between these neighbours would part a response from the rest of itself."""
    response = before.marks.response
    return response is not None and before.role == after.role == "assistant" and after.marks.response == response


def goes_on(before: Message, after: Message, serving: Collection[str]) -> bool:
    """Whether `after` is the same response as `before`: by its id, or because it answers a call that the provider runs.

    `serving` are the ids of the calls that it still runs. A response that was paused meanwhile goes on like that.
    """
    if before.role != "assistant" or after.role != "assistant":
        return False
    if serving and any(type(part) is ToolResult and part.call_id in serving for part in after.parts):
        return True
    return parts_response(before, after)


def response_ends(messages: Sequence[Message]) -> list[int]:
    """For each message the index at which its response ends; its own, where it is no part of one."""
    starts: list[int] = []
    serving: set[str] = set()
    for index, message in enumerate(messages):
        if not index or not goes_on(messages[index - 1], message, serving):
            starts.append(index)
            serving.clear()
        for part in message.parts:
            if type(part) is ToolCall and part.server:
                serving.add(part.id)
            elif type(part) is ToolResult:
                serving.discard(part.call_id)
    bounds = pairwise([*starts, len(messages)])
    return [stop - 1 for start, stop in bounds for _ in range(start, stop)]
