"""Fit: how much of what selection would keep word for word fits its target, and where it is cut.

Specified by features/selection/fit.feature (SEL_04, SEL_06).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal, TypeAlias

from brim.selection.recent_turns import RECENT_TURNS, TurnSelection, select_turns
from brim.tokens.exact import Number, checked_share

KEEP_SHARE: Final = Decimal("0.2")
"""The share of the usable context, or of what a smaller conversation holds, that is kept verbatim (SEL_04)."""
KEEP_TOKENS: Final = 25_000
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
    """Where a conversation is cut: messages from index `cut` on are kept, those before are summarized, and why.

    `last_user` is the index of the user's last message where it stands before the cut; it is kept all the same.
    `kept_tokens` are those of all that is kept.
    """

    cut: int
    reason: Reason
    kept_tokens: int
    target: int
    anchor: int | None = None
    last_user: int | None = None

    @property
    def over_target(self) -> bool:
        """Whether more is kept than the target, because what is always kept is larger."""
        return self.kept_tokens > self.target


@dataclass(frozen=True, slots=True)
class Messages:
    """A conversation as selection sees it: running totals of tokens, the legal cuts, the user's last message.

    `totals` holds the tokens before each message, and of them all at the end; `cuts` are ascending (CNV_05).
    """

    totals: Sequence[int]
    cuts: Sequence[int]
    last_user: int | None
    first: int = 0

    @property
    def end(self) -> int:
        """One past the last message."""
        return len(self.totals) - 1

    def legal(self, wish: int) -> int:
        """Return the legal cut at a message, or else the one before it."""
        n = bisect_right(self.cuts, wish)
        return max(self.first, self.cuts[n - 1] if n else self.first)

    def passed(self, cut: int) -> int | None:
        """Return the user's last message where a cut would leave it behind."""
        return self.last_user if self.last_user is not None and self.first <= self.last_user < cut else None

    def kept(self, cut: int) -> int:
        """Count the tokens kept by a cut, the user's last message included."""
        return self.totals[-1] - self.totals[cut] + (0 if self.passed(cut) is None else self.last_user_tokens)

    @property
    def last_user_tokens(self) -> int:
        """Tokens of the user's last message."""
        return 0 if self.last_user is None else self.totals[self.last_user + 1] - self.totals[self.last_user]

    def first_fitting(self, target: int) -> int:
        """Return the first legal cut that keeps no more than the target; the end where none does."""
        n = bisect_left(self.cuts, -target, key=lambda cut: -self.kept(cut))
        return self.cuts[n] if n < len(self.cuts) else self.end

    def fit(self, cut: int, reason: Reason, target: int, anchor: int | None = None) -> Fit:
        """Return the outcome of a cut."""
        return Fit(cut, reason, self.kept(cut), target, anchor, self.passed(cut))


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

    Args:
        starts: index of the first message of each turn, ascending.
        totals: tokens before each message, and of them all at the end.
        cuts: indices before which the conversation may be cut, ascending.
        target: tokens to keep word for word.
        anchors: turns that are anchors, ascending, synthetic ones left out.
        recent: how many turns are recent.
        first: index of the first message that may be compacted.
        summary: index of the summary that opens the conversation, if one does: it is written again, and takes no room.
    """
    messages = Messages(totals, cuts, starts[-1] if starts else None, first)
    wishes: list[tuple[Reason, TurnSelection]] = [("recent turns", select_turns(len(starts), (), recent))]
    anchored = select_turns(len(starts), anchors, recent)
    if anchored.anchor is not None:
        wishes.insert(0, ("anchor", anchored))
    for reason, (turn, anchor) in wishes:
        for cut in map(messages.legal, _beginnings(starts, turn, messages, summary)):
            if messages.kept(cut) <= target:
                return messages.fit(cut, reason, target, anchor)
    cut = messages.first_fitting(target)
    return messages.fit(cut, "last user message" if cut == messages.end else "cut inside the recent turns", target)


def _beginnings(starts: Sequence[int], turn: int, messages: Messages, summary: int | None) -> Iterator[int]:
    """Yield where all from a turn on begins; what precedes the first turn belongs to it, a summary only if it fits."""
    if turn:
        yield starts[turn] if turn < len(starts) else messages.end
    else:
        yield messages.first
        if summary is not None:
            yield summary + 1
