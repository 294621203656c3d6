"""The compaction policy: every setting that governs compaction, one field each.

Specified by features/engine/settings.feature (SET_01).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, Literal, Self, TypeAlias

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    SkipValidation,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from brim.conversation.harness_text import HARNESS_TAGS, check_tags
from brim.errors import InvalidInput, Refused, faults_of, nearest, shown, text_of
from brim.evidence.tools import EDITING_TOOLS
from brim.models import ModelLimits, Tokens
from brim.pruning.tool_outputs import MIN_SAVED_TOKENS, PROTECTED_TOKENS, PROTECTED_TOOLS
from brim.selection.anchors import THRESHOLD, least_confidence
from brim.selection.fit import KEEP_SHARE, KEEP_TOKENS, keep_target
from brim.selection.recent_turns import RECENT_TURNS
from brim.summary.identifiers import IDENTIFIERS_SHARE, share_of_identifiers
from brim.summary.prompts import DEFAULT, prompt_for
from brim.summary.template import SUMMARY_SHARE
from brim.summary.user_words import WORDS_SHARE, words_limit
from brim.tokens.estimation import FallbackCounter, TextLength
from brim.tokens.exact import Number, checked_share, exact
from brim.trigger.budget import AUTOCOMPACT_BUFFER, summarization_budget
from brim.trigger.overflow import CheckedSettings, check_target, trigger_for
from brim.trigger.profiles import PROACTIVE_SHARE, PROFILES, Basis, UserThreshold, profile_named, share_of
from brim.trigger.usable_context import OUTPUT_CAP, validate_limits

OnFailure: TypeAlias = Literal["template", "truncate", "fallback", "raise"]
"""What replaces the history where no attempt gave a summary (SUM_06)."""


def _user_threshold(threshold: Any) -> UserThreshold:
    if type(threshold) is int:
        if threshold > 10**12:
            raise Refused(f"a threshold above {10**12:,} tokens: no window is that large")
        if threshold <= 0:
            raise Refused(f"a threshold of {threshold:,} tokens: every conversation would be due; set one above 0")
        return UserThreshold(tokens=threshold)
    if isinstance(threshold, str) and threshold.endswith("%"):
        return UserThreshold(percent=threshold[:-1])
    raise InvalidInput(
        f'threshold is {shown(threshold)}; it is a number of tokens, or a percentage of the window as "80%"'
    )


def share_ahead(share: Number) -> Fraction:
    """Return the share of the threshold. Raises Refused where it is not above 0 and below 1."""
    part = exact(share)
    if not 0 < part < 1:
        raise Refused(f"ahead is {text_of(share)}; it is a share of the threshold, above 0 and below 1")
    return part


CHECKS: Final[Mapping[str, Callable[[Any], object]]] = {
    "profile": profile_named,
    "harness_tags": check_tags,
    "threshold": lambda threshold: threshold is None or _user_threshold(threshold).of(ModelLimits(context_window=100)),
    "proactive_share": share_of,
    "keep_share": lambda share: keep_target(0, share=share),
    "anchor_confidence": lambda confidence: least_confidence(exact(confidence)),
    "prompt": prompt_for,
    "words_share": lambda share: words_limit(0, share),
    "summary_share": lambda share: checked_share(share, "the share of the summary"),
    "identifiers_share": share_of_identifiers,
    "ahead": lambda share: share is None or share_ahead(share),
}
"""The function that refuses a value of a field that cannot work."""


class CompactionPolicy(BaseModel):
    """When a conversation is compacted, what is kept, and how the summary is made (SET_01).

    A profile presets some fields; a field that is set explicitly wins. Raises InvalidInput for a field that does not
    exist or has another type, and Refused for a number that cannot work.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    enabled: bool = Field(default=True, description="Whether brim compacts by itself (TRG_06).")
    profile: str = Field(default="usable", description="The profile that decides when compaction is due (TRG_15).")
    threshold: SkipValidation[int | str | None] = Field(
        default=None,
        description='The threshold, if not the profile\'s: tokens, or a percentage of the window as "80%" (TRG_13). A '
        "tool loop with thinking may go on above it, up to the usable context (CMP_02).",
    )
    proactive_share: SkipValidation[Number] = Field(
        default=PROACTIVE_SHARE, description="The share at which the profile proactive acts (TRG_10)."
    )
    share_basis: Basis = Field(
        default="usable", description="What that share is taken of: the usable context or the window (TRG_10)."
    )
    output_cap: Tokens = Field(
        default=OUTPUT_CAP, gt=0, description="Tokens set aside for the answer at most (TRG_01, TRG_02)."
    )
    keep_share: SkipValidation[Number] = Field(
        default=KEEP_SHARE,
        description="The share of the usable context, or of a smaller conversation, that is kept verbatim (SEL_04).",
    )
    recent_turns: int = Field(
        default=RECENT_TURNS, ge=0, description="Turns that are kept, as far as the target allows (SEL_01)."
    )
    keep_messages: int = Field(
        default=0,
        ge=0,
        description="Messages that are kept in place of turns, at any size; turns if this is 0, or if less than the "
        "target may stay, as after an overflow error (SEL_05).",
    )
    keep_tokens: Tokens = Field(
        default=KEEP_TOKENS, description="Tokens that are kept word for word at most; 0 for no such limit (SEL_04)."
    )
    target_tokens: Tokens = Field(
        default=0,
        description="Tokens that are held after a compaction at most, with the summary, system prompt and tools; 0 for "
        "no such target (CMP_05).",
    )
    budget_buffer: Tokens = Field(
        default=AUTOCOMPACT_BUFFER, description="Tokens of the window that a compaction leaves free (TRG_16)."
    )
    prune: bool = Field(default=True, description="Whether old tool outputs are cleared (PRN_08).")
    prune_protect: Tokens = Field(
        default=PROTECTED_TOKENS, description="Tokens of the newest tool outputs that are never cleared (PRN_02)."
    )
    prune_minimum: Tokens = Field(
        default=MIN_SAVED_TOKENS, description="Tokens that clearing old tool outputs has to save at least (PRN_03)."
    )
    protected_tools: frozenset[str] = Field(
        default=PROTECTED_TOOLS, strict=False, description="Tools whose outputs are never cleared (PRN_06)."
    )
    ahead: SkipValidation[Number | None] = Field(
        default=None,
        description="The share of the threshold from which on the summary is written in the background, by a client "
        "that compacts or a Conversation; None for only when it is due (CMP_13).",
    )
    harness_tags: frozenset[str] = Field(
        default=HARNESS_TAGS,
        strict=False,
        description="Tags of texts that a harness writes in the user's place, as system-reminder (CNV_10).",
    )
    anchor_confidence: SkipValidation[Number] = Field(
        default=THRESHOLD, description="The confidence from which a finding is an anchor (ANC_02)."
    )
    editing_tools: frozenset[str] = Field(
        default=EDITING_TOOLS, strict=False, description="Tools that change files (ANC_05)."
    )
    summary_model: str = Field(
        default="", description="The model that writes the summaries; empty for the conversation's (SUM_11)."
    )
    prompt: str = Field(default=DEFAULT, description="The name of a summary prompt, or its text (SUM_02).")
    focus: str | None = Field(default=None, description="What every summary treats in most detail (CMP_07).")
    on_failure: OnFailure = Field(
        default="template", description="What replaces the history where no attempt gives a summary (SUM_06)."
    )
    required_facts: tuple[str, ...] = Field(
        default=(), strict=False, description="Texts that every summary has to hold (SUM_08)."
    )
    words_share: SkipValidation[Number] = Field(
        default=WORDS_SHARE,
        description="The share of the usable context, or of a smaller conversation, for the user's words (SUM_18).",
    )
    summary_share: SkipValidation[Number] = Field(
        default=SUMMARY_SHARE,
        description="The share of the usable context, or of a smaller conversation, for a template's summary (SUM_07).",
    )
    identifiers_share: SkipValidation[Number] = Field(
        default=IDENTIFIERS_SHARE,
        description="The share of a summary that its index of identifiers takes at most; 0 for no index (REC_02).",
    )
    max_summary_tokens: Tokens = Field(default=8_000, gt=0, description="Tokens of a model's summary at most (SUM_10).")
    token_counter: Any = Field(
        default=None, description="Counts the tokens of a text, for every estimate; None to count characters (TOK_07)."
    )
    max_conversations: int = Field(
        default=64,
        ge=1,
        description="Conversations that brim keeps at once, and whose facts a compactor remembers (TRG_24, SUM_09).",
    )

    recall: bool = Field(
        default=False,
        description="Whether every request offers a tool that searches what was compacted away (REC_01), and the index "
        "of a summary has turns (REC_02).",
    )

    @model_validator(mode="wrap")
    @classmethod
    def _read(cls, value: Any, read: ModelWrapValidatorHandler[Self]) -> Self:
        """Fill in what the profile presets, and report faults as errors of brim."""
        if isinstance(value, Mapping):
            unknown = [name for name in value if name not in cls.model_fields]
            if unknown:
                raise InvalidInput(f"there is no setting {unknown[0]!r}; {nearest(unknown[0], cls.model_fields)}")
            name = value.get("profile")
            presets = PROFILES[name].presets if isinstance(name, str) and name in PROFILES else {}
        else:
            presets = {}
        try:
            policy = read({**presets, **value} if presets else value)
        except ValidationError as error:
            raise InvalidInput(faults_of(error)) from error
        policy.__pydantic_fields_set__.difference_update(presets.keys() - value)  # another profile presets others
        return policy

    @field_validator(*CHECKS)
    @classmethod
    def _works(cls, value: Any, field: ValidationInfo) -> Any:
        """Refuse a value by the function that reads it."""
        name = field.field_name or ""
        try:
            CHECKS[name](value)
        except InvalidInput as error:
            raise error if name in str(error) else InvalidInput(f"{name}: {error}") from error
        return value

    @field_validator("token_counter")
    @classmethod
    def _is_counter(cls, counter: Any) -> Any:
        if counter is None or isinstance(counter, FallbackCounter):
            return counter
        if isinstance(counter, Sequence) or not callable(getattr(counter, "count", None)):
            raise InvalidInput(
                f"token_counter is {type(counter).__name__}; it is an object with the method count(text)"
            )
        return FallbackCounter(counter, warnings.warn)

    @property
    def text_length(self) -> TextLength:
        """The measure of texts: characters, or tokens of the token counter at 4 characters each (TOK_07)."""
        return len if self.token_counter is None else self.token_counter.length

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:  # noqa: ARG002
        """Return a policy with other values in some fields, checked like a new one. Raises as a new one does."""
        fields = {name: getattr(self, name) for name in self.model_fields_set}
        return type(self).model_validate({**fields, **(update or {})})

    @property
    def sets_target(self) -> bool:
        """Whether a field was set that bounds what is kept, so that a correction of it is worth a warning (TRG_21)."""
        return not {"keep_share", "keep_tokens", "budget_buffer"}.isdisjoint(self.model_fields_set)

    @property
    def user_threshold(self) -> UserThreshold | None:
        """The threshold that was set; None for the profile's own."""
        return None if self.threshold is None else _user_threshold(self.threshold)

    def checked(self, limits: ModelLimits, target: int | None = None) -> CheckedSettings:
        """Return the trigger for a model, and a target below its threshold (TRG_21). Raises Refused if none works."""
        trigger = trigger_for(
            self.profile,
            limits,
            share=share_of(self.proactive_share, self.share_basis),
            output_cap=self.output_cap,
            user_threshold=self.user_threshold,
        )
        return check_target(trigger, target)


def target_of(policy: CompactionPolicy, limits: ModelLimits) -> int | None:
    """Return tokens to keep word for word, by the window alone (SEL_04, TRG_16); None where it has no limit."""
    usable = validate_limits(limits, policy.output_cap)
    if limits.context_window == 0:
        return None
    budget = summarization_budget(limits.context_window, policy.budget_buffer)
    target = keep_target(usable, budget, share=policy.keep_share)
    return min(target, policy.keep_tokens) if policy.keep_tokens else target


DEFAULT_POLICY: Final = CompactionPolicy()


def read_policy(policy: Any) -> CompactionPolicy:
    """Return the policy, or the default one for None. Raises InvalidInput for anything else."""
    if policy is None:
        return DEFAULT_POLICY
    if isinstance(policy, CompactionPolicy):
        return policy
    raise InvalidInput(f"policy is {type(policy).__name__}; it is CompactionPolicy(…)")
