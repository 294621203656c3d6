"""Fit: how much of what selection would keep word for word fits its target, and where it is cut.

Specified by features/selection/fit.feature (SEL_04, SEL_06).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal, TypeAlias

from brim.selection.recent_turns import RECENT_TURNS, TurnSelection, select_turns
from brim.tokens.exact import Number, checked_share

KEEP_SHARE: Final = Decimal("0.2")
"""The share of the usable context, or of what a smaller conversation holds, that is kept verbatim (SEL_04)."""
KEEP_TOKENS: Final = 15_000
"""Tokens that are kept verbatim at most: a longer tail did not help the model to recall (SEL_04)."""

Reason: TypeAlias = Literal[
    "anchor", "recent turns", "cut inside the recent turns", "last user message", "last messages", "newest messages"
]


def keep_target(usable: int, budget: int | None = None, *, share: Number) -> int:
    """Return the tokens to keep word for word: a share of the usable context, floored, never above the budget (TRG_16).

    Raises Refused where the share is no share.
    """
    part = checked_share(share, "the share kept word for word")
    target = usable * part.numerator // part.denominator
    return target if budget is None else min(target, budget)


@dataclass(frozen=True, slots=True)
class Fit:
    """Where a conversation is cut: messages from index `cut` on are kept, those before are summarized, and why."""

    cut: int
    reason: Reason
    kept_tokens: int
    """Tokens of all that is kept."""
    target: int
    anchor: int | None = None
    """The turn that is an anchor and the first that is kept."""
    last_user: int | None = None
    """The index of the user's last message where it stands before the cut; it is kept all the same."""

    @property
    def over_target(self) -> bool:
        """Whether more is kept than the target, because what is always kept is larger."""
        return self.kept_tokens > self.target


def fit_at(
    cut: int, reason: Reason, totals: Sequence[int], last_user: int | None, target: int, *, anchor: int | None = None
) -> Fit:
    """Return the fit of a cut; see `fit_turns`."""
    kept = totals[-1] - totals[cut]
    if last_user is None or last_user >= cut:
        return Fit(cut, reason, kept, target, anchor)
    return Fit(cut, reason, kept + totals[last_user + 1] - totals[last_user], target, anchor, last_user)


def legal_cut(cuts: Sequence[int], wish: int, first: int = 0) -> int:
    """Return the legal cut at a message, or else the one before it, not before `first`."""
    n = bisect_right(cuts, wish)
    return max(first, cuts[n - 1] if n else first)


def fit_turns(
    starts: Sequence[int],
    totals: Sequence[int],
    cuts: Sequence[int],
    *,
    target: int,
    anchors: Sequence[int] = (),
    recent: int = RECENT_TURNS,
    first: int = 0,
    summary: int | None = None,
) -> Fit:
    """Keep from the newest anchor before the recent turns, or the recent turns, or what of them fits (SEL_04).

    What precedes the first turn belongs to it; a summary that opens the conversation only if it fits.

    Args:
        starts: index of the first message of each turn, ascending.
        totals: tokens before each message, and of them all at the end.
        cuts: indices before which the conversation may be cut, ascending (CNV_05).
        target: tokens to keep word for word.
        anchors: turns that are anchors, ascending, synthetic ones left out.
        recent: how many turns are recent.
        first: index of the first message that may be compacted.
        summary: index of the summary that opens the conversation, if one does: it is written again, and takes no room.
    """
    last_user, end = starts[-1] if starts else None, len(totals) - 1
    anchored = select_turns(len(starts), anchors, recent)
    wishes: list[tuple[Reason, TurnSelection]] = [("anchor", anchored)] if anchored.anchor is not None else []
    for reason, (turn, anchor) in (*wishes, ("recent turns", select_turns(len(starts), (), recent))):
        opening = [first] if summary is None else [first, summary + 1]
        for wish in [[*starts, end][turn]] if turn else opening:
            fit = fit_at(legal_cut(cuts, wish, first), reason, totals, last_user, target, anchor=anchor)
            if not fit.over_target:
                return fit
    n = bisect_left(cuts, -target, key=lambda cut: -fit_at(cut, "last messages", totals, last_user, target).kept_tokens)
    cut = cuts[n] if n < len(cuts) else end
    return fit_at(cut, "last user message" if cut == end else "cut inside the recent turns", totals, last_user, target)
