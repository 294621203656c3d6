"""Cuts: where a conversation may be cut, the intersection of the positions that each invariant allows.

Specified by features/conversation/cuts.feature (CNV_05).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from brim.conversation.messages import Message, Part, ToolCall, ToolResult
from brim.conversation.thinking import splits_thinking
from brim.conversation.tool_pairs import splits_response


def splits_pair(before: Message, after: Message) -> bool:  # noqa: ARG001  every invariant has both arguments
    """Whether a cut here would separate a result from its call in an earlier message."""
    for part in after.parts:  # noqa: SIM110  a generator costs as much again
        if type(part) is ToolResult and not _calls_before(part, after.parts):
            return True
    return False


def _calls_before(result: ToolResult, parts: Sequence[Part]) -> bool:
    """Whether one of the parts before this result is its call."""
    for part in parts:
        if part is result:
            return False
        if type(part) is ToolCall and part.id == result.call_id:
            return True
    return False


INVARIANTS: Final[tuple[Callable[[Message, Message], bool], ...]] = (splits_pair, splits_response, splits_thinking)
"""One function an invariant: whether a cut between two neighbors would violate it."""


def is_legal_cut(before: Message, after: Message) -> bool:
    """Whether a conversation may be cut between these neighbors.

    It requires paired calls (CNV_04) and no empty message (CNV_09).
    """
    for violates in INVARIANTS:  # noqa: SIM110  a generator costs as much as the invariants do
        if violates(before, after):
            return False
    return True
