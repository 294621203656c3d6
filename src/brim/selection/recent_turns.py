"""Recent turns: the newest ones are kept, and from the newest anchor before them everything.

Specified by features/selection/recent_turns.feature (SEL_01 to SEL_03, SEL_07).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from brim.errors import InvalidInput

RECENT_TURNS: Final = 3
"""Turns that are recent and kept, as far as the target allows (SEL_01, SEL_04)."""


@dataclass(frozen=True, slots=True)
class TurnSelection:
    """Indices of the turns that are kept and of those that are summarised, and the anchor that it was kept from."""

    kept: range
    summarised: range
    anchor: int | None

    @property
    def nothing_to_summarise(self) -> bool:
        """Whether everything is kept, so that nothing is compacted (SEL_07)."""
        return not self.summarised

    @property
    def reason(self) -> str:
        """Why the kept turns are kept, in words."""
        if self.nothing_to_summarise:
            return f"nothing to summarise: all {len(self.kept)} turns are kept"
        if self.anchor is None:
            return f"the last {len(self.kept)} turns are kept"
        return f"everything from the anchor at turn {self.anchor} on is kept"


def select_turns(total_turns: int, anchors: Iterable[int] = (), recent: int = RECENT_TURNS) -> TurnSelection:
    """Which turns are kept (SEL_01, SEL_02, SEL_03); `anchors` are indices of turns. Raises InvalidInput."""
    known = set(anchors)
    outside = sorted(anchor for anchor in known if not 0 <= anchor < total_turns)
    if outside:
        raise InvalidInput(f"an anchor at turn {outside[0]} is outside the {total_turns} turns, counted from 0")
    start = max(0, total_turns - recent)
    anchor = max((one for one in known if one < start), default=None)
    cut = start if anchor is None else anchor
    return TurnSelection(range(cut, total_turns), range(cut), anchor)
