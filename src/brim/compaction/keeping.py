"""What stands before a cut and is kept all the same: the harness's first words, pins, the last request (CMP_03)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from brim.compaction.context_window import ContextWindow
from brim.conversation.messages import Message
from brim.conversation.parts import ToolResult
from brim.conversation.turns import begins_turn


def leaving(window: ContextWindow, cut: int) -> int:
    """How many messages would be summarised, an earlier summary apart: without any, nothing is compacted (SEL_07)."""
    ahead = front(window, cut)
    told = (position for position in _summaries(window) if position < cut)
    return cut - len({*ahead, *request(window, cut, ahead), *told})


def _summaries(window: ContextWindow) -> set[int]:
    """Positions of the earlier summaries, and of the questions they are put as answers to (CMP_03)."""
    messages = window.messages
    asked = (place - 1 for place in window.summaries if place and messages[place].role == "assistant")
    return {*window.summaries, *(place for place in asked if _is_preamble(messages[place]))}


def front(window: ContextWindow, cut: int) -> tuple[int, ...]:
    """Positions before the cut that stay ahead of the summary: the harness's own words before the first turn, pins."""
    opening = range(min(preamble(window), cut))
    pinned = [position for pin in window.pins if pin < cut for position in _group(window, pin)]
    return tuple(sorted({*opening, *pinned}))


def _is_preamble(message: Message) -> bool:
    """Whether it can open a conversation: the harness's words, which stand for nothing else and answer no call."""
    return (
        message.role == "user"
        and not (message.marks.summary or begins_turn(message))
        and not any(type(part) is ToolResult for part in message.parts)
    )


def _group(window: ContextWindow, position: int) -> range:
    """The positions that cannot be parted from this one (CNV_05)."""
    place = bisect_right(window.cuts, position)
    start = window.cuts[place - 1] if place else 0
    stop = window.cuts[place] if place < len(window.cuts) else len(window.messages)
    return range(start, stop)


def request(window: ContextWindow, cut: int, ahead: Sequence[int]) -> tuple[int, ...]:
    """Where the user's last message stands before the cut: it, with what cannot be parted from it (SEL_06)."""
    starts = window.turns.starts
    if not starts or starts[-1] >= cut:
        return ()
    return tuple(position for position in _group(window, starts[-1]) if position not in ahead)


def preamble(window: ContextWindow) -> int:
    """How many messages of the harness open the conversation."""
    first_turn = window.turns.starts[0] if window.turns.starts else 0
    told = _summaries(window)
    opening = (n for n in range(first_turn) if n in told or not _is_preamble(window.messages[n]))
    return next(opening, first_turn)


def replaced(window: ContextWindow, cut: int, kept: Sequence[int]) -> int:
    """Characters before the cut that are not kept."""
    weights = window.weights
    return weights[cut] - sum(weights[position + 1] - weights[position] for position in kept)
