"""Budget: how many tokens a conversation is brought down to when it is summarized.

Specified by features/trigger/budget.feature (TRG_16).
"""

from __future__ import annotations

from typing import Final

from brim.models import Tokens

AUTOCOMPACT_BUFFER: Final = 50_000
"""Tokens left free below the window; a window no larger than this keeps a fifth free instead (TRG_16)."""


def summarization_budget(context_window: Tokens, autocompact_buffer: Tokens = AUTOCOMPACT_BUFFER) -> int:
    """Return the tokens that a conversation is brought down to when it is summarized.

    `context_window - autocompact_buffer`; `⌊4 * context_window / 5⌋` for a window of at most the buffer.

    Args:
        context_window: Tokens the model can hold.
        autocompact_buffer: Tokens that are left free.
    """
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
