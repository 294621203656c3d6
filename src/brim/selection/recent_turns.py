"""Recent turns: the newest ones are kept, and from the newest anchor before them everything.

Specified by features/selection/recent_turns.feature (SEL_01 to SEL_03, SEL_07).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from brim.errors import InvalidInput

RECENT_TURNS: Final = 3
"""Turns that are recent and kept, as far as the target allows (SEL_01, SEL_04)."""


class TurnSelection(NamedTuple):
    """The index of the first turn that is kept, with all after it; and the anchor that it was kept from, if one was."""

    start: int
    anchor: int | None


def select_turns(total_turns: int, anchors: Iterable[int], recent: int = RECENT_TURNS) -> TurnSelection:
    """Select the turns to keep (SEL_01, SEL_02, SEL_03). Raises InvalidInput for an anchor that is no turn's index."""
    known = set(anchors)
    outside = sorted(anchor for anchor in known if not 0 <= anchor < total_turns)
    if outside:
        raise InvalidInput(f"an anchor at turn {outside[0]} is outside the {total_turns} turns, counted from 0")
    start = max(0, total_turns - recent)
    anchor = max((one for one in known if one < start), default=None)
    return TurnSelection(start if anchor is None else anchor, anchor)
