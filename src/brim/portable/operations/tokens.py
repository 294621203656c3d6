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

    usage: TokenUsage = Field(description="The usage of one response, normalized.")


@operation(
    "token_total",
    rules=("TOK_01", "TOK_02", "TOK_03"),
    example={"usage": {"input": 170000, "cache_read": 20000, "output": 5000}},
)
def token_total(given: TokenTotalInput) -> int:
    """Tokens that the window held when the response was done: input, cache read and output.

    `input + cache_read + output`. Cache writes are part of the input, reasoning is part of the output.
    """
    return given.usage.total


class NormalizeUsageInput(Input):
    """A provider, and its usage by its own names."""

    provider: Literal["anthropic", "opencode", "openai", "codex", "gemini", "cline", "pi"] = Field(
        description="Whose usage it is."
    )
    usage: dict[str, Any] = Field(description="What was reported, by the provider's own names; null counts as missing.")


class NormalizedUsage(BaseModel):
    """A usage in the one form, with its total."""

    model_config = ConfigDict(frozen=True)

    input: int
    cache_read: int
    cache_write: int
    cache_write_1h: int
    output: int
    reasoning: int
    total: int


@operation(
    "normalize_usage",
    rules=("TOK_02",),
    example={
        "provider": "anthropic",
        "usage": {
            "input_tokens": 9,
            "cache_read_input_tokens": 80,
            "cache_creation_input_tokens": 1,
            "output_tokens": 5,
        },
    },
)
def normalize_usage(given: NormalizeUsageInput) -> NormalizedUsage:
    """A provider's own numbers in the one form: nothing counted twice, nothing left out.

    A count that is missing or null is 0; one that is no whole number from 0 to 10^15 is `invalid_input`. Of two names
    with a `/`, the first that is neither missing nor null is read, also if it is 0. `read` is all input with the cache;
    then `input` is `max(read - cache_read - cache_write, 0) + cache_write`. `total` is `input + cache_read + output`.

    - `anthropic`: `input` is `input_tokens + cache_creation_input_tokens`, `cache_read` is `cache_read_input_tokens`,
      `cache_write` is `cache_creation_input_tokens`, `cache_write_1h` is `cache_creation.ephemeral_1h_input_tokens`
      and at most the cache write, `output` is `output_tokens`, `reasoning` is
      `output_tokens_details.thinking_tokens`.
    - `opencode`: `input` is `input + cache.write`, `cache_read` is `cache.read`, `cache_write` is `cache.write`;
      `output` is `output`, plus `reasoning` if `total ≥ input + cache.read + cache.write + output + reasoning`.
    - `pi`: the same with `cacheRead`, `cacheWrite` and `totalTokens`.
    - `openai`: `read` is `input_tokens`/`prompt_tokens`; `cache_read` is `cached_tokens` and `cache_write` is
      `cache_write_tokens` in `input_tokens_details`/`prompt_tokens_details`, `reasoning` is `reasoning_tokens` in
      `output_tokens_details`/`completion_tokens_details`; `output` is `output_tokens`/`completion_tokens`, plus the
      reasoning if `total_tokens ≥ read + output + reasoning`.
    - `codex`: `read` is `input_tokens`, `cache_read` is `cached_input_tokens`, `output` is `output_tokens`,
      `reasoning` is `reasoning_output_tokens`.
    - `gemini`: `read` is `input + tool`, `cache_read` is `cached`, `reasoning` is `thoughts`; `output` is `output`,
      plus the thoughts if `total ≥ read + output + thoughts`.
    - `cline`: `read` is `inputTokens`, `cache_read` is `cacheReadTokens`, `cache_write` is `cacheWriteTokens`,
      `output` is `outputTokens`.
    """
    usage = normalize(given.provider, given.usage)
    return NormalizedUsage(**usage.model_dump(), total=usage.total)


class BillingEquivalentInput(Input):
    """What was read, the cache included, and the share of it that came from the cache."""

    input_with_cache: Tokens = Field(description="Tokens read, with those from the cache.")
    cache_read: Tokens = Field(default=0, description="Those from the cache.")


@operation(
    "billing_equivalent",
    rules=("TOK_04",),
    example={"input_with_cache": 100000, "cache_read": 80000},
)
def billing_equivalent(given: BillingEquivalentInput) -> int:
    """What was read, with nine tenths of what came from the cache taken off: a cost, not a size.

    `max(input_with_cache - ⌊9 * cache_read / 10⌋, 0)`.
    """
    return billing.billing_equivalent(given.input_with_cache, given.cache_read)


class EstimateTokensInput(Input):
    """A text, and how its tokens are estimated."""

    text: str = Field(description="The text.")
    rounding: Literal["up", "half_up"] = Field(default="up", description="Up is the rule, half up is OpenCode's.")
    characters_per_token: Ratio = Field(default=Decimal(4), description="Characters a token.")


@operation(
    "estimate_tokens",
    rules=("TOK_06",),
    example={"text": "Fix the parser."},
)
def estimate_tokens(given: EstimateTokensInput) -> int:
    """Tokens of a text by its characters, which are Unicode code points.

    `up`: `⌈characters / characters_per_token⌉`. `half_up`: `⌊characters / characters_per_token + 1/2⌋`.
    """
    return estimation.estimate_tokens(given.text, given.rounding, given.characters_per_token)


class WindowHeldInput(Input):
    """The last usage that was reported, if any, and all text that was appended since."""

    last_usage: TokenUsage | None = Field(description="The usage of the last response; null before the first.")
    appended_text: str = Field(default="", description="All text that was appended since.")
    characters_per_token: Ratio = Field(default=Decimal(4), description="Characters a token.")


@operation(
    "window_held",
    rules=("TOK_08",),
    example={"last_usage": {"input": 900, "output": 20}, "appended_text": "Fix the parser."},
)
def window_held(given: WindowHeldInput) -> int:
    """Tokens that the window holds now: the last usage, and the estimate of what was appended since.

    `input + cache_read + output` of the last usage, 0 without one, plus `⌈characters of appended_text /
    characters_per_token⌉`.
    """
    account = WindowAccount(characters_per_token=given.characters_per_token)
    if given.last_usage is not None:
        account.record(given.last_usage)
    account.append(Size(len(given.appended_text)))
    return account.held
