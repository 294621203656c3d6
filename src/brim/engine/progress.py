"""Progress: whether compacting again can help, so that an agent never compacts for ever.

Specified by features/engine/progress.feature (TRG_19).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Final

from brim.compaction.context_window import ContextWindow
from brim.compaction.plan import UNPLANNED, Plan
from brim.compaction.result import Compaction
from brim.conversation.cuts import is_legal_cut
from brim.conversation.messages import Message
from brim.conversation.turns import begins_turn
from brim.errors import CompactionStalled, ContextOverflow
from brim.summary.facts import Fact
from brim.summary.identifiers import NO_IDENTIFIERS, Identifiers
from brim.tokens.estimation import EMPTY_SIZE, measure, measure_extras, tokens_of
from brim.trigger.overflow import Verdict

IN_A_ROW: Final = 3
"""Compactions in a row that each leave the window due, after which it is given up (TRG_19)."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The results of the compactions of one conversation."""

    held: tuple[int, ...] = ()
    """Tokens held after each of the last compactions in a row that left the window due."""
    threshold: int = 0
    """The tokens above which it is due."""
    unseen: int = 0
    """Tokens of the tool results that the last compaction removed before the model had seen them."""
    messages_seen: int = 0
    """How many messages of the conversation the last compaction has seen; 0 before the first."""
    facts: tuple[Fact, ...] = ()
    """The facts that the last compaction knew, for the next one (SUM_09)."""
    identifiers: Identifiers = NO_IDENTIFIERS
    """The identifiers of what has left, for the next one (REC_02)."""

    def has_news(self, messages: int) -> bool:
        """Return whether a conversation of so many messages holds anything that no compaction has seen."""
        return messages > self.messages_seen

    def compacted(self, verdict: Verdict, messages: int, *, unseen: int = 0) -> Progress:
        """Return what is known after a compaction of so many messages, by the verdict on what it left.

        One that gets below the threshold breaks the row, unless tool results left before the model has seen them:
        `unseen` are their tokens.
        """
        held = (*self.held, verdict.held) if verdict.due or unseen else ()
        return replace(self, held=held, threshold=verdict.threshold, messages_seen=messages, unseen=unseen)

    def observed(self, verdict: Verdict) -> Progress:
        """Return the progress after a verdict before a request: one below the threshold ends the row of compactions."""
        return self if verdict.due or not self.held else replace(self, held=())

    @property
    def stalled(self) -> bool:
        """Whether compacting again would not help."""
        return len(self.held) >= IN_A_ROW

    def check_before(self, plan: Plan, window: ContextWindow) -> None:
        """Raise where this plan would not help: ContextOverflow, or CompactionStalled after three in a row.

        After the provider's overflow error a plan that removes nothing does not help.
        """
        if plan.reason == UNPLANNED:
            return
        overflowed = plan.context.cause == "overflow"
        held = min(plan.tokens_left, plan.context.verdict.held - (plan.context.tokens_before - plan.tokens_left))
        due = window.trigger.judge(held).due
        if (overflowed and not plan.changes_anything) or (due and held > window.trigger.usable):
            kept = [plan.context.messages[piece.index] for piece in plan.kept_pieces]
            raise overflow_of(kept, window, overflowed=overflowed)
        if due or not plan.changes_anything or plan.unseen_tokens:
            self.check()

    def check(self) -> None:
        """Raise CompactionStalled, with what each of the compactions left, where compacting again would not help."""
        if self.stalled and self.unseen:
            raise CompactionStalled(
                f"{len(self.held)} compactions in a row removed the newest tool results, {self.unseen:,} tokens, "
                "before the model saw them: they do not fit into the window beside what is kept; let the tool return "
                "less"
            )
        if self.stalled:
            left = ", ".join(map(str, self.held))
            raise CompactionStalled(
                f"{len(self.held)} compactions in a row left {left} tokens, and due again at a threshold of "
                f"{self.threshold}, although what must be kept fits into the window: raise the threshold, keep less "
                "(keep_share), or shorten the system prompt, the tools or the last messages"
            )


def check_fit(window: ContextWindow, verdict: Verdict) -> None:
    """Raise ContextOverflow where what a compaction left exceeds the usable context (TRG_19)."""
    if verdict.due and verdict.held > window.trigger.usable:
        raise overflow_of(window.messages, window)


def verdict_after(window: ContextWindow, compaction: Compaction) -> Verdict:
    """Judge whether the window that a compaction left is still due.

    It is judged by the lower of two figures: its estimate, and what was held before, perhaps as measured, less what the
    compaction saved. A plan is made by the second one, so that the estimate alone would refuse what the plan allows.
    """
    estimated, held = window.verdict(), compaction.plan.context.verdict.held - compaction.saved
    return window.trigger.judge(held) if estimated.due and held < estimated.held else estimated


def overflow_of(kept: Sequence[Message], window: ContextWindow, *, overflowed: bool = False) -> ContextOverflow:
    """Build the error that names what these messages, the system prompt and the tools take, in tokens by part."""
    ratio = window.characters_per_token
    last = max((n for n, message in enumerate(kept) if message.role == "user" and begins_turn(message)), default=-1)
    sizes = {
        "system prompt": measure_extras(window.system, length=window.length),
        "tools": measure_extras(None, window.tools or (), window.length),
    }
    groups = [*accumulate((is_legal_cut(*pair) for pair in pairwise(kept)), initial=0)]  # no cut is legal within one
    pinned = {group for group, message in zip(groups, kept, strict=False) if message.marks.pinned}
    for n, message in enumerate(kept):
        part = "pinned messages" if groups[n] in pinned else "other messages"
        if n == last:
            part = "the user's last message"  # it stays without a pin too
        elif message.marks.summary:
            part = "the summary"
        sizes[part] = sizes.get(part, EMPTY_SIZE) + measure(message, window.length)
    parts = {part: tokens for part, size in sizes.items() if (tokens := tokens_of(size, ratio))}
    named = ", ".join(f"{part} {tokens:,}" for part, tokens in parts.items())
    total = f"{sum(parts.values()):,} tokens, by estimate"
    met = f"what must be kept does not fit into the usable context of {window.trigger.usable:,}: it takes {total}"
    if overflowed:
        met = f"the provider says that the prompt is too long, and nothing more can be summarized: it takes {total}"
    cure = "Pin less, shorten" if "pinned messages" in parts else "Shorten"
    return ContextOverflow(f"{met}: {named}. {cure} the largest, or take a model with a larger window", parts)
