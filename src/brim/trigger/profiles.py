"""Profiles: the thresholds of known systems, each under its own name.

Specified by features/trigger/profiles.feature (TRG_08 to TRG_15).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from brim.errors import InvalidInput, Refused, shown
from brim.models import ModelLimits
from brim.tokens.billing import billing_equivalent
from brim.tokens.exact import Number, checked_share, exact
from brim.tokens.usage import TokenUsage
from brim.tokens.window import Measure, total_of
from brim.trigger.usable_context import OUTPUT_CAP, validate_limits

Comparison: TypeAlias = Literal[">", ">="]
"""How tokens held are compared with a threshold: above it, or from it on."""
Basis: TypeAlias = Literal["usable", "window"]
"""What a share is taken of: the usable context, or the whole window."""

WINDOWING_TARGET: Final = 30_000
"""Tokens that the windowing profile keeps; the messages that it always keeps win over it (SEL_05)."""
RECENT_MESSAGES: Final = 10
"""Messages that the windowing profile always keeps (SEL_05)."""


class Share(NamedTuple):
    """The share that the proactive profile waits for, and of what."""

    share: Fraction
    """The share, above 0 and at most 1."""
    basis: Basis
    """What it is taken of."""

    def base(self, limits: ModelLimits, usable: int) -> int:
        """Return the tokens that the share is taken of."""
        return usable if self.basis == "usable" else limits.context_window


class Profile(BaseModel):
    """A named way of deciding when compaction is due: by the usable context where it states nothing else."""

    model_config = ConfigDict(frozen=True)

    name: str
    """What it is called."""
    description: str = Field(description="What it waits for, and whose rule it is.")
    tokens: int | None = Field(default=None, description="Its threshold, where that is a number of tokens.")
    buffer: int | None = Field(default=None, description="Tokens of the window below which its threshold lies.")
    percent: int = Field(default=100, description="What its threshold is of the window less that buffer.")
    by_share: bool = Field(default=False, description="It waits for the proactive share.")
    comparison: Comparison = Field(default=">", description="How tokens held are compared with the threshold.")
    measure: Measure = Field(default=total_of, description="What a usage counts.")
    counts_appended: bool = Field(default=True, description="What was appended since the last usage counts too.")
    characters_per_token: int | None = Field(default=None, description="A fixed ratio for estimates, if it has one.")
    deprecated: str | None = Field(default=None, description="Why it is kept though it is not to be used.")
    presets: Mapping[str, Any] = Field(default={}, description="Other settings of a policy that it presets.")

    @property
    def waits_for_usable(self) -> bool:
        """Whether it waits for the usable context or a share, so that what is above that is called an overflow."""
        return self.tokens is None and self.buffer is None

    def threshold(self, limits: ModelLimits, usable: int, share: Share) -> int:
        """Return its tokens for a model, the model's usable context, and the proactive share."""
        if self.by_share:
            return min(int(share.share * share.base(limits, usable)), usable)
        if self.buffer is not None:
            return max(limits.context_window - self.buffer, 0) * self.percent // 100
        return usable if self.tokens is None else self.tokens


def total_without_cache_write(usage: TokenUsage) -> int:
    """Return what OpenCode 1.0 counted: tokens written to the cache were left out."""
    return max(usage.total - usage.cache_write, 0)


def billing_equivalent_of_usage(usage: TokenUsage) -> int:
    """Return what the codelet ports counted: the billing equivalent of what was read (TOK_04)."""
    return billing_equivalent(usage.input + usage.cache_read, usage.cache_read)


_PROFILES: Final = (
    Profile(name="usable", description="The usable context: the window less room for the answer. The default."),
    Profile(
        name="opencode-2025",
        description="As OpenCode 1.0 did it: the usable context, with what was written to the cache not counted.",
        measure=total_without_cache_write,
    ),
    Profile(
        name="codelet-typescript",
        description="The original codelet: 90% of the window, compared with the billing equivalent.",
        buffer=0,
        percent=90,
        measure=billing_equivalent_of_usage,
        counts_appended=False,
        deprecated="it compares a cost figure with the window and leaves no room for the answer; use usable",
    ),
    Profile(
        name="codelet-rust",
        description="The first Rust port of codelet: 90% of the window less 50,000, with the same measure.",
        buffer=50_000,
        percent=90,
        measure=billing_equivalent_of_usage,
        counts_appended=False,
        deprecated="it compares a cost figure with the window and wastes a third of it; use usable",
    ),
    Profile(
        name="proactive",
        description="Before it overflows: a share of the usable context (92%), or of the window.",
        by_share=True,
    ),
    Profile(
        name="anthropic-sdk",
        description="The tool runner of the Anthropic SDK: 100,000 tokens in the last response, or more.",
        tokens=100_000,
        comparison=">=",
        counts_appended=False,
    ),
    Profile(
        name="windowing",
        description="Windowing in the command line, called Approach A: more than 80,000 tokens.",
        tokens=80_000,
        presets={"keep_messages": RECENT_MESSAGES, "keep_tokens": WINDOWING_TARGET, "keep_share": 1},
    ),
    Profile(
        name="claude-code-2.0",
        description="Observed in Claude Code up to 2.1.20, not documented: the window less 45,000.",
        buffer=32_000 + 13_000,
        comparison=">=",
        characters_per_token=4,
    ),
    Profile(
        name="claude-code-2.1",
        description="Observed in Claude Code from 2.1.25 on, not documented: the window less 33,000.",
        buffer=20_000 + 13_000,
        comparison=">=",
        characters_per_token=4,
    ),
)
PROFILES: Final[Mapping[str, Profile]] = MappingProxyType({profile.name: profile for profile in _PROFILES})
"""Every profile by its name, in the order they are shown (TRG_08, TRG_09, TRG_10, TRG_11, TRG_12, TRG_14, TRG_15)."""


def profile_named(name: str) -> Profile:
    """Return the profile of a name. Raises InvalidInput that lists the names there are."""
    if name not in PROFILES:
        raise InvalidInput(f"there is no profile {shown(name)}; there are: {', '.join(PROFILES)}")
    return PROFILES[name]


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
        """Return the tokens it comes to, floored. Raises InvalidInput, or Refused for a percentage that is none."""
        if (self.tokens is None) == (self.percent is None):
            raise InvalidInput("a threshold is set either in tokens or as a percentage of the window")
        if self.tokens is not None:
            return self.tokens
        percent = exact(self.percent)  # type: ignore[arg-type]
        if not 0 < percent <= 100:  # noqa: PLR2004 - a whole in percent
            raise Refused(f"a threshold of {self.percent}% of the window: it has to be above 0% and at most 100%")
        return int(limits.context_window * percent / 100)


def share_of(share: Number = PROACTIVE_SHARE, basis: Basis = "usable") -> Share:
    """Return the share and what it is taken of. Raises Refused outside (0, 1], InvalidInput for another basis."""
    if basis not in ("usable", "window"):
        raise InvalidInput(f"the share is taken of {shown(basis)}; it is taken of usable or of window")
    return Share(checked_share(share, "the proactive share"), basis)


DEFAULT_SHARE: Final = share_of()


def threshold(
    profile: str | Profile,
    limits: ModelLimits,
    *,
    share: Share = DEFAULT_SHARE,
    output_cap: int = OUTPUT_CAP,
    user_threshold: UserThreshold | None = None,
) -> int:
    """Return the tokens at which a profile acts for a model; 0 where the window has no limit.

    A threshold that the user sets replaces the profile's, but is never above the usable context (TRG_13).
    Raises Refused where the limits leave no room (TRG_07), or where it comes to 0 or less (TRG_15).
    """
    chosen = profile_named(profile) if isinstance(profile, str) else profile
    usable = validate_limits(limits, output_cap)
    if limits.context_window == 0:
        return 0
    if user_threshold is None:
        whose, tokens = chosen.name, chosen.threshold(limits, usable, share)
    else:
        whose, tokens = "the threshold that was set", min(user_threshold.of(limits), usable)
    if tokens <= 0:
        raise Refused(
            f"{whose} comes to a threshold of {tokens} for a context window of {limits.context_window}: "
            "every conversation would be due; choose another profile, or set a threshold above 0"
        )
    return tokens


class ProfileRow(NamedTuple):
    """One line of the table of profiles; `threshold` is None where the profile is refused, and `note` says why."""

    name: str
    threshold: int | None
    comparison: Comparison
    description: str
    note: str | None


def profile_table(limits: ModelLimits) -> tuple[ProfileRow, ...]:
    """Return the threshold of every profile for a model, in the order of PROFILES (TRG_15). Raises Refused (TRG_07)."""
    validate_limits(limits)
    return tuple(_row(profile, limits) for profile in PROFILES.values())


def _row(profile: Profile, limits: ModelLimits) -> ProfileRow:
    notes = [f"deprecated: {profile.deprecated}"] if profile.deprecated else []
    try:
        tokens: int | None = threshold(profile, limits)
    except Refused as refusal:
        tokens, notes = None, [f"refused: {refusal}"]
    if tokens and 0 < limits.max_input_tokens < tokens:
        notes.append(
            f"above the input limit of {limits.max_input_tokens:,} tokens: the provider refuses the request before"
        )
    return ProfileRow(profile.name, tokens, profile.comparison, profile.description, "; ".join(notes) or None)
