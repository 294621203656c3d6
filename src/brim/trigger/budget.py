"""Budget: how many tokens a conversation is brought down to when it is summarised.

Specified by features/trigger/budget.feature (TRG_16).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

AUTOCOMPACT_BUFFER: Final = 50_000
"""Tokens left free below the window; a window no larger than this keeps a fifth free instead (TRG_16)."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a compaction aims at; `shortfall` is what the part that has to stay takes beyond the budget."""

    tokens: int
    shortfall: int
    warning: str | None = None


def summarization_budget(context_window: int, autocompact_buffer: int = AUTOCOMPACT_BUFFER) -> int:
    """Tokens to aim at after a compaction: the window less the buffer, or four fifths of a window within it."""
    if context_window <= autocompact_buffer:
        return context_window * 4 // 5
    return context_window - autocompact_buffer


def target_for(budget: int, needed: int) -> Target:
    """The budget, or the `needed` tokens of the pinned and recent part where they exceed it.

    A budget that is too small for them is reported and not obeyed: nothing pinned or recent is dropped for it.
    """
    shortfall = needed - budget
    if shortfall <= 0:
        return Target(budget, 0)
    return Target(
        needed,
        shortfall,
        f"the budget of {budget} tokens is {shortfall} short of the {needed} that the pinned and recent part takes; "
        "all of it is kept",
    )
