"""Operations of the room trigger."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, model_validator

from brim.models import ModelLimits
from brim.portable.operation import Input, operation
from brim.tokens.usage import TokenUsage
from brim.trigger import budget, overflow, profiles
from brim.trigger import usable_context as usable
from brim.trigger.overflow import Verdict
from brim.trigger.profiles import PROACTIVE_SHARE, PROFILES, UserThreshold

Tokens = Annotated[int, Field(ge=0)]
ProfileName = Annotated[str, Field(json_schema_extra={"enum": list(PROFILES)})]


class LimitsInput(Input):
    """What a model states about its size."""

    context_window: Tokens = Field(description="Tokens the model can hold, read and written together; 0 for no limit.")
    max_output_tokens: Tokens = Field(default=0, description="Its longest answer; 0 if it states none.")
    max_input_tokens: Tokens = Field(default=0, description="Its separate limit of the input; 0 if it states none.")

    @property
    def limits(self) -> ModelLimits:
        """The limits of the model."""
        return ModelLimits(
            context_window=self.context_window,
            max_output_tokens=self.max_output_tokens,
            max_input_tokens=self.max_input_tokens,
        )


class UsableContextInput(LimitsInput):
    """What a model states about its size, and the most that is set aside for its answer."""

    output_cap: Tokens = Field(default=usable.OUTPUT_CAP, description="The limit of the output reserve.")


@operation(
    "usable_context",
    rules=("TRG_01", "TRG_02", "TRG_03"),
    example={"context_window": 200000, "max_output_tokens": 8192},
)
def usable_context(given: UsableContextInput) -> int:
    """The usable context: the window less room for the answer; 0 if nothing is left.

    `reserve` is `min(max_output_tokens, output_cap)`, or `output_cap` if `max_output_tokens` is 0. The result is
    `max(context_window - reserve, 0)`, and at most `max_input_tokens` if that is above 0. Nothing is refused.
    """
    return usable.usable_context(given.limits, given.output_cap)


class InTokens(Input):
    """A threshold in tokens."""

    tokens: Tokens = Field(description="Tokens, above 0; exactly one of the two is given.")


class InPercent(Input):
    """A threshold as a percentage of the window."""

    percent: Decimal = Field(
        description="Percent of the window, above 0 and at most 100; exactly one of the two is given."
    )


class ThresholdInput(LimitsInput):
    """A profile, a model, and what the user set."""

    profile: ProfileName = Field(default="usable", description="The name of a profile.")
    share: Decimal = Field(
        default=PROACTIVE_SHARE, description="The share that the proactive profile waits for, above 0 and at most 1."
    )
    basis: Literal["usable", "window"] = Field(default="usable", description="The base of the share.")
    user_threshold: InTokens | InPercent | None = Field(
        default=None,
        description="The user's own threshold, in place of the profile's: exactly one of `tokens` and `percent`.",
    )

    @property
    def user(self) -> UserThreshold | None:
        """The threshold that the user set."""
        return UserThreshold(**self.user_threshold.model_dump()) if self.user_threshold else None


@operation(
    "threshold",
    rules=("TRG_07", "TRG_08", "TRG_09", "TRG_10", "TRG_11", "TRG_12", "TRG_13", "TRG_14", "TRG_15", "TRG_22"),
    example={"context_window": 200000, "max_output_tokens": 8192},
)
def threshold(given: ThresholdInput) -> int:
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
    profile, share = profiles.profile_named(given.profile), profiles.share_of(given.share, given.basis)
    return profiles.threshold(profile, given.limits, share=share, user_threshold=given.user)


class ShouldCompactInput(ThresholdInput):
    """A profile, a model, what the user set, and either the last usage or the tokens held."""

    usage: TokenUsage | None = Field(
        default=None, description="The last usage, measured by the profile; instead of `held`."
    )
    held: Tokens | None = Field(default=None, description="Tokens held; instead of the usage.")
    disabled: bool = Field(default=False, description="Automatic compaction is turned off.")
    empty: bool = Field(default=False, description="There is nothing to compact.")

    @model_validator(mode="after")
    def _one_of_usage_and_held(self) -> ShouldCompactInput:
        if (self.usage is None) == (self.held is None):
            raise ValueError("give either the usage or the tokens held")
        return self

    @property
    def measured(self) -> TokenUsage | int:
        """The usage, or the tokens held."""
        return self.usage if self.usage is not None else self.held or 0


@operation(
    "should_compact",
    rules=("TRG_04", "TRG_05", "TRG_07", "TRG_10", "TRG_11", "TRG_13", "TRG_22"),
    example={
        "context_window": 200000,
        "max_output_tokens": 8192,
        "usage": {"input": 170000, "cache_read": 20000, "output": 5000},
    },
)
def should_compact(given: ShouldCompactInput) -> Verdict:
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
    """
    return overflow.should_compact(
        given.measured,
        given.limits,
        profile=given.profile,
        share=given.share,
        basis=given.basis,
        user_threshold=given.user,
        disabled=given.disabled,
        empty=given.empty,
    )


class SummarizationBudgetInput(Input):
    """A window, and what is left free of it."""

    context_window: Tokens = Field(description="Tokens the model can hold.")
    autocompact_buffer: Tokens = Field(default=budget.AUTOCOMPACT_BUFFER, description="Tokens that are left free.")


@operation(
    "summarization_budget",
    rules=("TRG_16",),
    example={"context_window": 200000},
)
def summarization_budget(given: SummarizationBudgetInput) -> int:
    """Tokens that a conversation is brought down to when it is summarized.

    `context_window - autocompact_buffer`; `⌊4 * context_window / 5⌋` for a window of at most the buffer.
    """
    return budget.summarization_budget(given.context_window, given.autocompact_buffer)


class WindowFilledInput(Input):
    """Tokens held, and the threshold they are shown against."""

    held: Tokens = Field(description="Tokens held.")
    threshold: Tokens = Field(description="Tokens at which compaction is due; 0 if there is no threshold.")


@operation(
    "window_filled",
    rules=("TRG_20",),
    example={"held": 151000, "threshold": 168000},
)
def window_filled(given: WindowFilledInput) -> int:
    """How full the window is, in whole percent of the threshold, floored; 0 without a threshold.

    `⌊100 * held / threshold⌋`; 0 for a threshold of 0.
    """
    return overflow.window_filled(given.held, given.threshold)
