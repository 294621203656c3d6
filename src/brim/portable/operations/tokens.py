"""Operations of the room tokens."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import Field, computed_field

from brim.models import Tokens
from brim.portable.operation import EXACT, operation
from brim.tokens import estimation
from brim.tokens.billing import billing_equivalent
from brim.tokens.estimation import Rounding, Size
from brim.tokens.usage import TokenUsage, normalize
from brim.tokens.window import WindowAccount

Ratio = Annotated[Decimal, Field(gt=0), EXACT]


@operation("TOK_01 TOK_02 TOK_03", usage={"input": 170000, "cache_read": 20000, "output": 5000})
def token_total(usage: TokenUsage) -> int:
    """Tokens that the window held when the response was done: input, cache read and output.

    `input + cache_read + output`. Cache writes are part of the input, reasoning is part of the output.

    Args:
        usage: The usage of one response, normalized.
    """
    return usage.total


class NormalizedUsage(TokenUsage):
    """A usage in the one form, with its total."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def total(self) -> int:
        """Input, cache read and output."""
        return super().total


@operation(
    "TOK_02",
    provider="anthropic",
    usage={"input_tokens": 9, "cache_read_input_tokens": 80, "cache_creation_input_tokens": 1, "output_tokens": 5},
)
def normalize_usage(
    provider: Literal["anthropic", "opencode", "openai", "codex", "gemini", "cline", "pi"], usage: dict[str, Any]
) -> NormalizedUsage:
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

    Args:
        provider: Whose usage it is.
        usage: What was reported, by the provider's own names; null counts as missing.
    """
    return NormalizedUsage(**normalize(provider, usage).model_dump())


operation("TOK_04", input_with_cache=100000, cache_read=80000)(billing_equivalent)


@operation("TOK_06", text="Fix the parser.")
def estimate_tokens(text: str, rounding: Rounding = "up", characters_per_token: Ratio = Decimal(4)) -> int:
    """Tokens of a text by its characters, which are Unicode code points.

    `up`: `⌈characters / characters_per_token⌉`. `half_up`: `⌊characters / characters_per_token + 1/2⌋`.

    Args:
        text: The text.
        rounding: Up is the rule, half up is OpenCode's.
        characters_per_token: Characters a token.
    """
    return estimation.estimate_tokens(text, rounding, characters_per_token)


@operation("TOK_08", last_usage={"input": 900, "output": 20}, appended_text="Fix the parser.")
def window_held(
    last_usage: TokenUsage | None, appended_text: str = "", characters_per_token: Ratio = Decimal(4)
) -> Tokens:
    """Tokens that the window holds now: the last usage, and the estimate of what was appended since.

    `input + cache_read + output` of the last usage, 0 without one, plus `⌈characters of appended_text /
    characters_per_token⌉`.

    Args:
        last_usage: The usage of the last response; null before the first.
        appended_text: All text that was appended since.
        characters_per_token: Characters a token.
    """
    account = WindowAccount(characters_per_token=characters_per_token)
    if last_usage is not None:
        account.record(last_usage)
    account.append(Size(len(appended_text)))
    return account.held
