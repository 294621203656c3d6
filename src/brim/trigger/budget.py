"""Budget: how many tokens a conversation is brought down to when it is summarized.

Specified by features/trigger/budget.feature (TRG_16).
"""

from __future__ import annotations

from typing import Final

AUTOCOMPACT_BUFFER: Final = 50_000
"""Tokens left free below the window; a window no larger than this keeps a fifth free instead (TRG_16)."""


def summarization_budget(context_window: int, autocompact_buffer: int = AUTOCOMPACT_BUFFER) -> int:
    """Return the tokens to aim at after a compaction: the window less the buffer; four fifths of a window within it."""
    if context_window <= autocompact_buffer:
        return context_window * 4 // 5
    return context_window - autocompact_buffer


def budget_notice(budget: int, needed: int) -> str:
    """Return the warning where what has to stay needs more tokens than the budget; empty where it does not."""
    if needed <= budget:
        return ""
    return (
        f"the budget of {budget} tokens is {needed - budget} short of the {needed} that the pinned and recent part "
        "takes; all of it is kept"
    )
