"""Cuts: where a conversation may be parted, the intersection of what each invariant allows.

Specified by features/conversation/cuts.feature (CNV_05).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from brim.conversation.messages import Message, Part, ToolCall, ToolResult
from brim.conversation.thinking import splits_thinking
from brim.conversation.tool_pairs import splits_response


def splits_pair(before: Message, after: Message) -> bool:  # noqa: ARG001  every invariant sees both neighbours
    """Whether a cut between these neighbours would part a result from its call: one that is not in its own message."""
    for part in after.parts:  # noqa: SIM110  a generator costs as much again
        if type(part) is ToolResult and not _calls_before(part, after.parts):
            return True
    return False


def _calls_before(result: ToolResult, parts: Sequence[Part]) -> bool:
    """Whether one of the parts before this one, the very same object, is its call."""
    for part in parts:
        if part is result:
            return False
        if type(part) is ToolCall and part.id == result.call_id:
            return True
    return False


INVARIANTS: Final[tuple[Callable[[Message, Message], bool], ...]] = (splits_pair, splits_response, splits_thinking)
"""What a cut never does, one function an invariant; each tells whether a cut between two neighbours would do it."""


def is_legal_cut(before: Message, after: Message) -> bool:
    """Whether a conversation may be cut between these neighbours.

    Its calls have their results (CNV_04), and no message of it is empty (CNV_09).
    """
    for parts in INVARIANTS:  # noqa: SIM110  a generator costs as much as the invariants do
        if parts(before, after):
            return False
    return True
