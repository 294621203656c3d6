"""Message window: the newest messages are kept whatever they come to, as the windowing profile does.

Specified by features/selection/message_window.feature (SEL_05).
"""

from __future__ import annotations

from collections.abc import Sequence

from brim.selection.fit import Fit, fit_at, legal_cut
from brim.trigger.profiles import RECENT_MESSAGES, WINDOWING_TARGET


def keep_newest(
    totals: Sequence[int],
    cuts: Sequence[int],
    *,
    last_user: int | None = None,
    recent: int = RECENT_MESSAGES,
    target: int = WINDOWING_TARGET,
    first: int = 0,
) -> Fit:
    """Keep the last messages, moved back to a legal cut, and the user's last message.

    Args:
        totals: tokens before each message, and of them all at the end.
        cuts: indices before which the conversation may be cut, ascending.
        last_user: index of the last message that the user wrote (SEL_06).
        recent: how many messages are kept.
        target: tokens to come to.
        first: index of the first message that may be compacted.
    """
    cut = legal_cut(cuts, max(first, len(totals) - 1 - recent), first)
    return fit_at(cut, "last messages", totals, last_user, target)
