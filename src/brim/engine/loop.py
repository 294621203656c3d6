"""The loop: what happens before each request of an agent, however it is made.

1. A window holds what would be sent. Its verdict says whether that is due; one below the threshold ends a row of
   compactions that did not help (`observe`).
2. Where it is due, or the provider said that the prompt is too long, a plan says what leaves. One that would not help
   raises: what must be kept does not fit (ContextOverflow), or three compactions in a row left the window due
   (CompactionStalled).
3. The plan is carried out. What is sent from now on is kept by whoever makes the request, then judged for the next one;
   if it is still too much, that raises too.

`Conversation` (and the middleware, which keeps one for each list), the back end `brim`, the adapters and compaction
control translate their messages into a window, and the result back. None of them decides when to compact: the window's
trigger does. Specified by features/engine/progress.feature (TRG_19) and those of the entry points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from brim.compaction.context_window import ContextWindow
from brim.compaction.plan import Cause, Plan
from brim.compaction.result import Compaction
from brim.engine.compactor import Compactor
from brim.engine.driving import Steps
from brim.engine.progress import Progress, check_fit, verdict_after
from brim.summary.attempts import Attempted
from brim.trigger.overflow import Verdict

Planned: TypeAlias = tuple[Plan, Attempted | None]
"""A plan, and the summary that was asked for ahead of it, if there is one (CMP_13)."""
Keep: TypeAlias = Callable[[Compaction, ContextWindow], object]
"""Takes a compaction, and the window of what is sent from now on."""


class LoopResult(NamedTuple):
    """What the loop came to before one request."""

    window: ContextWindow
    """What is sent."""
    verdict: Verdict | None = None
    """Whether it was due; of one that was and changed nothing the reason says why not (CMP_02)."""
    compaction: Compaction | None = None
    """The compaction that was made for the request; None where nothing was changed."""


class Loop:
    """What one conversation does before each of its requests; `progress` goes from one request to the next.

    Args:
        compactor: judges, plans and compacts by its policy.
        progress: that of the conversation so far.
        measured: after a compaction wait for the next verdict, made from the provider's count; else check its estimate.
        stalls_late: a stall is raised before the next request, as an error now would leave this compaction unrecorded.
    """

    def __init__(
        self,
        compactor: Compactor[Any],
        progress: Progress = Progress(),  # noqa: B008 -- a frozen value
        *,
        measured: bool = False,
        stalls_late: bool = False,
    ) -> None:
        self.compactor, self.progress = compactor, progress
        self._measured, self._stalls_late = measured, stalls_late
        self._unjudged: Plan | None = None
        """The plan of a compaction whose result the next verdict measures."""

    def observe(self, verdict: Verdict) -> Verdict:
        """Take in the verdict on the next request, which measures the last compaction; return it."""
        plan, self._unjudged = self._unjudged, None
        if plan is not None:
            self.progress = self.progress.compacted(verdict, len(plan.context.messages))
        self.progress = self.progress.observed(verdict)
        return verdict

    def compacting(
        self,
        window: ContextWindow,
        cause: Cause = "automatic",
        *,
        seen: int | None = None,
        planning: Callable[[], Steps[Planned]] | None = None,
        keep: Keep | None = None,
    ) -> Steps[LoopResult]:
        """Compact what a request would send where that is due, or always for another cause than "automatic".

        Args:
            window: what would be sent.
            cause: "automatic", or "overflow" after the provider's error that the prompt is too long (TRG_18).
            seen: how many messages the caller's conversation has; where no compaction helped and none came since,
                nothing is planned again.
            planning: the steps to the plan, where it is not simply that of the window.
            keep: called with a compaction that changed something and the new window, before that window is checked:
                it is recorded even if the check raises.

        Raises ContextOverflow and CompactionStalled (TRG_19), and what carrying out a plan raises.
        """
        verdict = window.verdict()
        if cause == "automatic":
            self.observe(verdict)
            # a conversation that stalled goes on to its plan, so that the check below raises
            is_news = seen is None or self.progress.stalled or self.progress.has_news(seen)
            if not (verdict.due and is_news):
                return LoopResult(window, verdict)
        if planning is None:
            plan, attempted = (yield from self.compactor.planning(window, {"cause": cause})), None
        else:
            plan, attempted = yield from planning()
        self.progress.check_before(plan, window)
        result = yield from self.carrying_out(plan, window, attempted, seen=seen, keep=keep)
        if result.compaction is None:
            verdict = replace(verdict, reason=f"{verdict.reason}; {plan.reason}")
        return result._replace(verdict=verdict)

    def carrying_out(
        self,
        plan: Plan,
        window: ContextWindow,
        attempted: Attempted | None = None,
        *,
        seen: int | None = None,
        keep: Keep | None = None,
    ) -> Steps[LoopResult]:
        """Carry out a plan of a window, and judge what it left. See `compacting`."""
        if not plan.changes_anything:
            return LoopResult(window)
        compaction = yield from self.compactor.applying(plan, attempted=attempted)
        changed, facts, identifiers = compaction.plan.changes_anything, plan.facts, compaction.identifiers
        left = (
            window.with_messages(compaction.conversation, facts=facts, identifiers=identifiers) if changed else window
        )
        if changed and keep is not None:
            keep(compaction, left)
        if self._measured:
            self._unjudged = plan
        else:
            after = verdict_after(left, compaction)
            seen = len(plan.context.messages) if seen is None else seen
            progress = self.progress.compacted(after, seen, unseen=plan.unseen_tokens)
            self.progress = replace(progress, facts=facts, identifiers=identifiers)
            check_fit(left, after)
            if not self._stalls_late:
                self.progress.check()
        return LoopResult(left, compaction=compaction if changed else None)
