"""The verdict: whether compaction is due, in words, with its numbers; and the trigger that gives it.

Specified by features/trigger/overflow.feature (TRG_04, TRG_05, TRG_10).
"""

from __future__ import annotations

from dataclasses import dataclass

from brim.models import ModelLimits
from brim.tokens.exact import Number
from brim.tokens.usage import TokenUsage
from brim.trigger.profiles import Basis, Profile, profile_named
from brim.trigger.thresholds import PROACTIVE_SHARE, UserThreshold, share_of, threshold
from brim.trigger.usable_context import OUTPUT_CAP, require_room

__all__ = ["Trigger", "Verdict", "trigger_for"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether compaction is due, why in words, and the tokens held and the threshold they were judged by."""

    due: bool
    """Whether compaction is due."""
    reason: str
    """Why, in words, with the numbers."""
    held: int
    """Tokens that the window holds, as the profile measures them."""
    threshold: int
    """Tokens that they were judged by; 0 where the window has no limit."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """A profile worked out for one model's limits, once: judging by it costs the same for any conversation."""

    profile: Profile
    limits: ModelLimits
    threshold: int
    usable: int
    share_base: int
    """The tokens that a share is named of; 0 where the threshold is no share."""
    due_from: int
    """The fewest tokens that are due."""
    notices: tuple[str, ...]
    """What whoever chose this has to know: a deprecated profile, a threshold moved, one above the usable context."""

    def measure(self, usage: TokenUsage) -> int:
        """The tokens that a usage counts by this profile."""
        return self.profile.measure(usage)

    def judge(self, held: int, *, disabled: bool = False, empty: bool = False) -> Verdict:
        """Whether compaction is due for these tokens (TRG_05). `empty`: there is nothing to compact."""
        if held >= self.due_from and not (disabled or empty) and self.limits.context_window:
            return Verdict(True, self._why(held), held, self.threshold)  # noqa: FBT003 - its first field
        return Verdict(False, self._why_not(disabled, empty), held, self.threshold)  # noqa: FBT003 - as above

    def _why(self, held: int) -> str:
        if self.profile.within_usable and held > self.usable:
            return f"overflow ({held} > {self.usable})"
        if self.share_base:
            percent = (200 * held + self.share_base) // (2 * self.share_base)
            return f"proactive ({percent}% of {self.share_base})"
        return f"threshold ({held} {self.profile.comparison} {self.threshold})"

    def _why_not(self, disabled: bool, empty: bool) -> str:  # noqa: FBT001 - as judge names them
        if disabled:
            return "disabled"
        if not self.limits.context_window:
            return "no limit"
        return "nothing to compact" if empty else "under threshold"


def trigger_for(
    profile: str,
    limits: ModelLimits,
    *,
    share: Number = PROACTIVE_SHARE,
    basis: Basis = "usable",
    user_threshold: UserThreshold | None = None,
    output_cap: int = OUTPUT_CAP,
) -> Trigger:
    """A profile, or the user's threshold in its place, worked out for a model. Raises as threshold does."""
    chosen = profile_named(profile)
    tokens = threshold(chosen, limits, share=share, basis=basis, user_threshold=user_threshold, output_cap=output_cap)
    taken, usable = share_of(share, basis, output_cap), require_room(limits, output_cap)
    by_share = chosen.name == "proactive" and user_threshold is None
    return Trigger(
        profile=chosen,
        limits=limits,
        threshold=tokens,
        usable=usable,
        share_base=taken.of(limits) if by_share else 0,
        due_from=tokens + (chosen.comparison == ">"),
        notices=tuple(_notices(chosen, limits, tokens, usable, user_threshold)),
    )


def _notices(
    profile: Profile, limits: ModelLimits, tokens: int, usable: int, user_threshold: UserThreshold | None
) -> list[str]:
    notices = [f"the profile {profile.name} is deprecated: {profile.deprecated}"] if profile.deprecated else []
    if limits.context_window and user_threshold is not None and user_threshold.of(limits) > usable:
        notices.append(
            f"the threshold of {user_threshold.of(limits)} is above the usable context of {usable}: {usable} is used"
        )
    if tokens > usable:
        notices.append(
            f"the threshold of {profile.name}, {tokens}, is above the usable context of {usable}: it is kept as named, "
            "and a request may be too long before compaction is due"
        )
    return notices
