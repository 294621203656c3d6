"""Overflow: whether compaction is due now, whether it may run by itself, and how full the window looks.

Specified by features/trigger/overflow.feature (TRG_04, TRG_05, TRG_06, TRG_20, TRG_21, TRG_27).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from brim.errors import Refused
from brim.models import ModelLimits, Tokens
from brim.tokens.exact import Number
from brim.tokens.usage import TokenUsage, read_usage
from brim.trigger.profiles import (
    DEFAULT_SHARE,
    PROACTIVE_SHARE,
    Basis,
    Profile,
    Share,
    UserThreshold,
    profile_named,
    share_of,
    threshold,
)
from brim.trigger.usable_context import OUTPUT_CAP, validate_limits


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
    """Warnings: a deprecated profile, a threshold that was lowered, one above the usable context."""

    def measure(self, usage: TokenUsage) -> int:
        """Return the tokens that a usage counts by this profile."""
        return self.profile.measure(usage)

    def judge(self, held: int, *, disabled: bool = False, empty: bool = False) -> Verdict:
        """Return whether compaction is due for these tokens (TRG_05, TRG_04). `empty`: there is nothing to compact."""
        if disabled:
            reason = "disabled"
        elif not self.limits.context_window:
            reason = "no limit"
        elif empty:
            reason = "nothing to compact"
        elif held < self.due_from:
            reason = "under threshold"
        else:
            return Verdict(due=True, reason=self._why(held), held=held, threshold=self.threshold)
        return Verdict(due=False, reason=reason, held=held, threshold=self.threshold)

    def _why(self, held: int) -> str:
        if self.profile.waits_for_usable and held > self.usable:
            return f"overflow ({held} > {self.usable})"
        if self.share_base:
            percent = (200 * held + self.share_base) // (2 * self.share_base)
            return f"proactive ({percent}% of {self.share_base})"
        return f"threshold ({held} {self.profile.comparison} {self.threshold})"


def trigger_for(
    profile: str | Profile,
    limits: ModelLimits,
    *,
    share: Share = DEFAULT_SHARE,
    output_cap: int = OUTPUT_CAP,
    user_threshold: UserThreshold | None = None,
) -> Trigger:
    """Return a profile, or the user's threshold in its place, for a model. Raises what threshold raises."""
    chosen = profile_named(profile) if isinstance(profile, str) else profile
    tokens = threshold(chosen, limits, share=share, output_cap=output_cap, user_threshold=user_threshold)
    usable = validate_limits(limits, output_cap)
    return Trigger(
        profile=chosen,
        limits=limits,
        threshold=tokens,
        usable=usable,
        share_base=share.base(limits, usable) if chosen.by_share and user_threshold is None else 0,
        due_from=tokens + (chosen.comparison == ">"),
        notices=tuple(_notices(chosen, limits, tokens, usable, user_threshold)),
    )


def _notices(
    profile: Profile, limits: ModelLimits, tokens: int, usable: int, user_threshold: UserThreshold | None
) -> list[str]:
    ends = f"the profile {profile.name} is deprecated and goes with 2.0: {profile.deprecated}"
    notices = [ends] if profile.deprecated else []
    if not limits.context_window:
        return notices
    if user_threshold:
        wanted = user_threshold.of(limits)
        if 0 < (user_threshold.tokens or 0) <= 100:  # noqa: PLR2004 -- a whole in percent
            notices.append(f'the threshold is {wanted} tokens; a share of the window is written "{wanted}%"')
        if wanted > usable:
            notices.append(f"the threshold of {wanted} is above the usable context of {usable}: {usable} is used")
    if tokens > usable:
        notices.append(
            f"the threshold of {profile.name}, {tokens}, is above the usable context of {usable}: it is kept as named, "
            "and a request may be too long before compaction is due"
        )
    return notices


SWITCHES: Final = ("BRIM_DISABLE_AUTOCOMPACT", "OPENCODE_DISABLE_AUTOCOMPACT")
"""Either of these variables of the environment turns automatic compaction off (TRG_06)."""


def should_compact(
    usage_or_held: object,
    limits: ModelLimits,
    *,
    profile: str = "usable",
    share: Number = PROACTIVE_SHARE,
    basis: Basis = "usable",
    user_threshold: UserThreshold | None = None,
    disabled: bool = False,
    empty: bool = False,
) -> Verdict:
    """Return whether compaction is due for a usage, or for tokens held, by a model's limits: these are enough (TRG_27).

    Args:
        usage_or_held: the last response's usage, as its SDK reports it or a TokenUsage, which the profile measures, or
            a number of tokens as it is.
        limits: the model's window and its longest answer.
        profile: a name of PROFILES.
        share: the share of the proactive profile, above 0 and at most 1.
        basis: what the share is taken of.
        user_threshold: the user's threshold, which replaces the profile's.
        disabled: automatic compaction is turned off (see autocompact_disabled).
        empty: there is nothing to compact.

    Raises InvalidInput for another usage or other limits, and, whatever the verdict, Refused for limits that leave no
    room (TRG_07) and settings that cannot work.
    """
    chosen, taken = profile_named(profile), share_of(share, basis)
    trigger = trigger_for(chosen, limits, share=taken, user_threshold=user_threshold)
    held = usage_or_held if isinstance(usage_or_held, int) else trigger.measure(read_usage(usage_or_held))
    return trigger.judge(held, disabled=disabled, empty=empty)


def window_filled(held: Tokens, threshold: Tokens) -> int:
    """Return how full the window looks, in whole percent of the threshold (TRG_20).

    `⌊100 * held / threshold⌋`; 0 for a threshold of 0.

    Args:
        held: Tokens held.
        threshold: Tokens at which compaction is due; 0 if there is no threshold.
    """
    return 100 * held // threshold if threshold else 0


ON: Final = frozenset({"1", "true", "yes", "on"})
"""The words that switch something on, in any case of letters; every other word leaves it off (TRG_06, PRN_08)."""


def is_on(word: str | None) -> bool:
    """Return whether a word from the environment switches something on; None, where it is not set, does not."""
    return word is not None and word.strip().lower() in ON


def autocompact_disabled(environ: Mapping[str, str]) -> bool:
    """Return whether a switch in the environment turns automatic compaction off (TRG_06)."""
    return any(is_on(environ.get(switch)) for switch in SWITCHES)


@dataclass(frozen=True, slots=True)
class CheckedSettings:
    """Valid settings, corrected where `warnings` say so."""

    trigger: Trigger
    target: int | None
    warnings: tuple[str, ...]


def check_target(trigger: Trigger, target: int | None) -> CheckedSettings:
    """Check a target before anything runs by it (TRG_21).

    One at or above the threshold is lowered to three eighths of it, with a warning that says so. Raises Refused for
    what has no safe reading.
    """
    if target is None or trigger.limits.context_window == 0 or 0 < target < trigger.threshold:
        return CheckedSettings(trigger, target, trigger.notices)
    corrected = trigger.threshold * 3 // 8
    if target <= 0 or corrected == 0:
        raise Refused(f"a target of {target} tokens under a threshold of {trigger.threshold}: nothing fits it")
    warning = (
        f"the target of {target} is not below the threshold of {trigger.threshold}, so that every compaction would be "
        f"due again: {corrected} is used"
    )
    return CheckedSettings(trigger, corrected, (*trigger.notices, warning))
