"""Operations of the room trigger."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from brim.errors import InvalidInput
from brim.models import ModelLimits, Tokens
from brim.portable.operation import EXACT, Input, operation
from brim.tokens.usage import TokenUsage
from brim.trigger import overflow, profiles
from brim.trigger.budget import summarization_budget
from brim.trigger.overflow import Verdict, window_filled
from brim.trigger.profiles import PROACTIVE_SHARE, PROFILES, Basis, UserThreshold
from brim.trigger.usable_context import usable_context

operation("TRG_01 TRG_02 TRG_03", context_window=200000, max_output_tokens=8192)(usable_context)


class InTokens(Input):
    """A threshold in tokens."""

    tokens: Tokens = Field(description="Tokens, above 0.")


class InPercent(Input):
    """A threshold as a percentage of the window."""

    percent: Annotated[Decimal, EXACT] = Field(description="Percent of the window, above 0 and at most 100.")


class Limits(ModelLimits):
    """A model, a profile, and what the user set."""

    profile: Annotated[str, Field(json_schema_extra={"enum": list(PROFILES)})] = Field(
        default="usable", description="The name of a profile."
    )
    share: Annotated[Decimal, EXACT] = Field(default=PROACTIVE_SHARE, description="Of `proactive`: above 0, up to 1.")
    basis: Basis = Field(default="usable", description="The base of the share.")
    user_threshold: InTokens | InPercent | None = Field(
        default=None, description="The user's own threshold, in place of the profile's: tokens or percent."
    )

    @property
    def user(self) -> UserThreshold | None:
        """The threshold that the user set."""
        return UserThreshold(**self.user_threshold.model_dump()) if self.user_threshold else None


@operation(
    "TRG_07 TRG_08 TRG_09 TRG_10 TRG_11 TRG_12 TRG_13 TRG_14 TRG_15 TRG_22",
    context_window=200000,
    max_output_tokens=8192,
)
def threshold(limits: Limits) -> int:
    """Tokens at which a profile acts for a model, or at which the user's own threshold does.

    In this order:

    1. an unknown profile is `invalid_input`;
    2. a share outside (0, 1] is refused;
    3. limits whose usable context is 0 are refused, unless the window is 0; the message names the window and the
       reserve;
    4. for a window of 0 the answer is 0;
    5. with a user threshold: its tokens, or `⌊context_window * percent / 100⌋`, where a percentage outside (0, 100]
       is refused; at most the usable context;
    6. else that of the profile;
    7. a result of 0 or less is refused; the message names the result and the window.

    `usable` and `opencode-2025`: the usable context. `codelet-typescript`: `⌊9 * context_window / 10⌋`.
    `codelet-rust`: `⌊9 * max(context_window - 50,000, 0) / 10⌋`. `proactive`: `⌊share * usable context⌋`, or of the
    window by `basis`, at most the usable context. `anthropic-sdk`: 100,000. `windowing`: 80,000. `claude-code-2.0`:
    `max(context_window - 45,000, 0)`. `claude-code-2.1`: `max(context_window - 33,000, 0)`.
    """
    profile, share = profiles.profile_named(limits.profile), profiles.share_of(limits.share, limits.basis)
    return profiles.threshold(profile, limits, share=share, user_threshold=limits.user)


@operation(
    "TRG_04 TRG_05 TRG_07 TRG_10 TRG_11 TRG_13 TRG_22",
    context_window=200000,
    max_output_tokens=8192,
    usage={"input": 170000, "cache_read": 20000, "output": 5000},
)
def should_compact(
    limits: Limits,
    *,
    usage: TokenUsage | None = None,
    held: Tokens | None = None,
    disabled: bool = False,
    empty: bool = False,
) -> Verdict:
    """Whether compaction is due, why in words, and the numbers that it was judged by.

    In this order:

    1. both or neither of `usage` and `held` is `invalid_input`;
    2. all that `threshold` refuses is refused, whatever the verdict would be;
    3. `held` is the number given, or of the usage: `opencode-2025` `max(token_total - cache_write, 0)`, the two
       codelet profiles `billing_equivalent(input + cache_read, cache_read)`, all others `token_total`;
    4. if held is above the threshold (`anthropic-sdk`, `claude-code-2.0` and `claude-code-2.1`: at or above) and
       neither `disabled` nor `empty` nor a window of 0 prevents it, compaction is due;
    5. else the reason is the first that applies of `disabled`, `no limit` (a window of 0), `nothing to compact`
       (`empty`), `under threshold`.

    The reason of a compaction that is due is the first that applies, its numbers without separators:

    1. `overflow (HELD > USABLE)` if `held` is above the usable context and the profile is `usable`, `opencode-2025`
       or `proactive`, with a user threshold too;
    2. `proactive (P% of BASE)`, such as `proactive (92% of 168000)`, if the profile is `proactive` and no user
       threshold is given; BASE is the usable context or the window, by `basis`, and P is `100 * held / BASE`, rounded
       half up;
    3. `threshold (HELD > THRESHOLD)`, with `>` or `>=` as the profile compares.

    Args:
        limits: The fields of `threshold`.
        usage: The last usage, measured by the profile; instead of `held`.
        held: Tokens held; instead of the usage.
        disabled: Automatic compaction is turned off.
        empty: There is nothing to compact.
    """
    if (usage is None) == (held is None):
        raise InvalidInput("give either the usage or the tokens held")
    return overflow.should_compact(
        held if usage is None else usage,
        limits,
        profile=limits.profile,
        share=limits.share,
        basis=limits.basis,
        user_threshold=limits.user,
        disabled=disabled,
        empty=empty,
    )


operation("TRG_16", context_window=200000)(summarization_budget)
operation("TRG_20", held=151000, threshold=168000)(window_filled)
