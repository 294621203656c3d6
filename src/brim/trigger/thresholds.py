"""Thresholds: what a profile, or the user, comes to for the limits of one model.

Specified by features/trigger/profiles.feature (TRG_10, TRG_13, TRG_15, TRG_22).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from brim.errors import InvalidInput, Refused
from brim.models import ModelLimits
from brim.tokens.exact import Number, exact
from brim.trigger.profiles import PROFILES, Basis, Comparison, Profile, Share, profile_named
from brim.trigger.usable_context import OUTPUT_CAP, require_room

__all__ = ["PROACTIVE_SHARE", "ProfileRow", "UserThreshold", "profile_table", "share_of", "threshold"]

PROACTIVE_SHARE: Final = Decimal("0.92")
"""The share of the usable context at which the proactive profile acts (TRG_10)."""


@dataclass(frozen=True, slots=True)
class UserThreshold:
    """A threshold the user set: tokens, or a percentage of the window above 0 and up to 100."""

    tokens: int | None = None
    """Tokens; None where it is a percentage."""
    percent: Number | None = None
    """A percentage of the window, above 0 and at most 100; None where it is tokens."""

    def of(self, limits: ModelLimits) -> int:
        """The tokens it comes to, floored. Raises InvalidInput, or Refused for a percentage that is none."""
        if (self.tokens is None) == (self.percent is None):
            raise InvalidInput("a threshold is set either in tokens or as a percentage of the window")
        if self.tokens is not None:
            return self.tokens
        percent = exact(self.percent)  # type: ignore[arg-type]
        if not 0 < percent <= 100:  # noqa: PLR2004 - a whole in percent
            raise Refused(f"a threshold of {self.percent}% of the window: it has to be above 0% and at most 100%")
        return int(limits.context_window * percent / 100)


def share_of(share: Number = PROACTIVE_SHARE, basis: Basis = "usable", output_cap: int = OUTPUT_CAP) -> Share:
    """The share and what it is taken of. Raises Refused outside (0, 1], InvalidInput for another basis."""
    ratio = exact(share)
    if not 0 < ratio <= 1:
        raise Refused(f"a share of {share}: it has to be above 0 and at most 1, as 0.92 for 92%")
    if basis not in ("usable", "window"):
        raise InvalidInput(f"the share is taken of {basis!r}; it is taken of usable or of window")
    return Share(ratio, basis, output_cap)


def threshold(
    profile: str | Profile,
    limits: ModelLimits,
    *,
    share: Number = PROACTIVE_SHARE,
    basis: Basis = "usable",
    user_threshold: UserThreshold | None = None,
    output_cap: int = OUTPUT_CAP,
) -> int:
    """Tokens at which a profile acts for a model; 0 where the window has no limit.

    A threshold set by the user stands for the profile's own, but never later than the usable context (TRG_13).
    Raises Refused where the limits leave no room (TRG_07), or where it comes to 0 or less (TRG_15).
    """
    chosen = profile_named(profile) if isinstance(profile, str) else profile
    taken, usable = share_of(share, basis, output_cap), require_room(limits, output_cap)
    if limits.context_window == 0:
        return 0
    if user_threshold is None:
        return _above_zero(chosen.name, chosen.threshold(limits, taken), limits)
    return _above_zero("the threshold that was set", min(user_threshold.of(limits), usable), limits)


def _above_zero(whose: str, tokens: int, limits: ModelLimits) -> int:
    if tokens <= 0:
        raise Refused(
            f"{whose} comes to a threshold of {tokens} for a context window of {limits.context_window}: "
            "every conversation would be due; choose another profile, or set a threshold above 0"
        )
    return tokens


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """One line of the table of profiles; `threshold` is None where the profile is refused, and `note` says why."""

    name: str
    threshold: int | None
    comparison: Comparison
    description: str
    note: str | None


def profile_table(limits: ModelLimits) -> tuple[ProfileRow, ...]:
    """The threshold of every profile for a model, in the order of PROFILES (TRG_15). Raises Refused (TRG_07)."""
    require_room(limits)
    return tuple(_row(profile, limits) for profile in PROFILES.values())


def _row(profile: Profile, limits: ModelLimits) -> ProfileRow:
    note = f"deprecated: {profile.deprecated}" if profile.deprecated else None
    try:
        tokens: int | None = threshold(profile, limits)
    except Refused as refusal:
        tokens, note = None, f"refused: {refusal}"
    return ProfileRow(profile.name, tokens, profile.comparison, profile.description, note)
