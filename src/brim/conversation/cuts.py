"""Cuts: where a conversation may be cut, the intersection of the positions that each invariant allows.

Specified by features/conversation/cuts.feature (CNV_05).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from brim.conversation.messages import Message, ToolCall, ToolResult
from brim.conversation.thinking import splits_thinking
from brim.conversation.tool_pairs import splits_response


def splits_pair(before: Message, after: Message) -> bool:  # noqa: ARG001  every invariant has both arguments
    """Return whether a cut here would separate a result from its call in an earlier message."""
    called: set[str] = set()
    for part in after.parts:
        if type(part) is ToolCall:
            called.add(part.id)
        elif type(part) is ToolResult and part.call_id not in called:
            return True
    return False


INVARIANTS: Final[tuple[Callable[[Message, Message], bool], ...]] = (splits_pair, splits_response, splits_thinking)
"""One function an invariant: whether a cut between two neighbors would violate it."""


def is_legal_cut(before: Message, after: Message) -> bool:
    """Return whether a conversation may be cut between these neighbors.

    It requires paired calls (CNV_04) and no empty message (CNV_09).
    """
    return not any(violates(before, after) for violates in INVARIANTS)
