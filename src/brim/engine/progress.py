"""Progress: whether compacting again can help, so that an agent never compacts for ever.

Specified by features/engine/progress.feature (TRG_19).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from brim.compaction.plan import Plan
from brim.errors import CompactionStalled
from brim.trigger.overflow import Trigger, Verdict

IN_A_ROW: Final = 3
"""Compactions in a row that each leave the window due, after which it is given up (TRG_19)."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What the compactions of one conversation came to so far."""

    held: tuple[int, ...] = ()
    """Tokens held after each of the last compactions in a row that left the window due."""
    threshold: int = 0
    """The tokens above which it is due."""
    covered: int = 0
    """How many messages of the conversation the last compaction has seen; 0 before the first."""

    def has_news(self, messages: int) -> bool:
        """Whether a conversation of so many messages holds anything that no compaction has seen."""
        return messages > self.covered

    def compacted(self, verdict: Verdict, messages: int) -> Progress:
        """What is known after a compaction of so many messages, by the verdict on what it left.

        One that gets below the threshold breaks the row.
        """
        held = (*self.held, verdict.held) if verdict.due else ()
        return replace(self, held=held, threshold=verdict.threshold, covered=messages)

    def observed(self, verdict: Verdict) -> Progress:
        """What is known after the verdict before a request: below the threshold no row goes on, whatever the reason."""
        return self if verdict.due or not self.held else replace(self, held=())

    @property
    def stalled(self) -> bool:
        """Whether compacting again would not help."""
        return len(self.held) >= IN_A_ROW

    def check_before(self, plan: Plan, trigger: Trigger) -> None:
        """Raise CompactionStalled where the next compaction would not help either: by its plan too much is kept."""
        if not plan.acts or trigger.judge(plan.tokens_left).due:
            self.check()

    def check(self) -> None:
        """Raise CompactionStalled, with what each of the compactions left, where compacting again would not help."""
        if self.stalled:
            left = ", ".join(map(str, self.held))
            raise CompactionStalled(
                f"{len(self.held)} compactions in a row left {left} tokens, and due again at a threshold of "
                f"{self.threshold}: what has to be kept is too large. Lower the share that is kept (keep_share), "
                "shorten the system prompt, the tools or the last messages, unpin some, or take a model with a larger "
                "window"
            )
