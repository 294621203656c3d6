"""Operations of the room tokens."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from brim.portable.operation import Input, operation
from brim.tokens import billing, estimation
from brim.tokens.estimation import Size
from brim.tokens.usage import TokenUsage, normalize
from brim.tokens.window import WindowAccount

Tokens = Annotated[int, Field(ge=0)]
Ratio = Annotated[Decimal, Field(gt=0)]


class TokenTotalInput(Input):
    """One usage."""

    usage: TokenUsage = Field(description="The usage of one response, in the one form.")


@operation("token_total", rules=("TOK_01", "TOK_02", "TOK_03"))
def token_total(given: TokenTotalInput) -> int:
    """Tokens that the window held when the response was done: input, cache read and output."""
    return given.usage.total


class NormaliseUsageInput(Input):
    """A provider, and its usage by its own names."""

    provider: Literal["anthropic", "opencode", "openai", "codex", "gemini", "cline", "pi"] = Field(
        description="Whose usage it is."
    )
    usage: dict[str, Any] = Field(description="What was reported, by the provider's own names; null counts as missing.")


class NormalisedUsage(BaseModel):
    """A usage in the one form, with its total."""

    model_config = ConfigDict(frozen=True)

    input: int
    cache_read: int
    cache_write: int
    cache_write_1h: int
    output: int
    reasoning: int
    total: int


@operation("normalise_usage", rules=("TOK_02",))
def normalise_usage(given: NormaliseUsageInput) -> NormalisedUsage:
    """A provider's own numbers in the one form: nothing counted twice, nothing left out."""
    usage = normalize(given.provider, given.usage)
    return NormalisedUsage(**usage.model_dump(), total=usage.total)


class BillingEquivalentInput(Input):
    """What was read, the cache included, and the share of it that came from the cache."""

    input_with_cache: Tokens = Field(description="Tokens read, those from the cache included.")
    cache_read: Tokens = Field(default=0, description="The share of them that came from the cache.")


@operation("billing_equivalent", rules=("TOK_04",))
def billing_equivalent(given: BillingEquivalentInput) -> int:
    """What was read, with nine tenths of what came from the cache taken off: a cost, not a size."""
    return billing.billing_equivalent(given.input_with_cache, given.cache_read)


class EstimateTokensInput(Input):
    """A text, and how its tokens are estimated."""

    text: str = Field(description="The text.")
    rounding: Literal["up", "half_up"] = Field(default="up", description="Up is the rule, half up is OpenCode's.")
    characters_per_token: Ratio = Field(default=Decimal(4), description="Characters a token.")


@operation("estimate_tokens", rules=("TOK_06",))
def estimate_tokens(given: EstimateTokensInput) -> int:
    """Tokens of a text by its characters, which are Unicode code points."""
    return estimation.estimate_tokens(given.text, given.rounding, given.characters_per_token)


class WindowHeldInput(Input):
    """The last usage that was reported, if any, and all text that was appended since."""

    last_usage: TokenUsage | None = Field(description="The usage of the last response; null before the first.")
    appended_text: str = Field(default="", description="All text that was appended since.")
    characters_per_token: Ratio = Field(default=Decimal(4), description="Characters a token.")


@operation("window_held", rules=("TOK_08",))
def window_held(given: WindowHeldInput) -> int:
    """Tokens that the window holds now: the last usage, and the estimate of what was appended since."""
    account = WindowAccount(characters_per_token=given.characters_per_token)
    if given.last_usage is not None:
        account.record(given.last_usage)
    account.append(Size(len(given.appended_text)))
    return account.held
