"""The limits of models: what each states about its own size.

Specified by features/trigger/profiles.feature (TRG_23) and features/trigger/usable_context.feature.
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from brim.errors import UnknownLimits

Tokens = Annotated[int, Field(ge=0)]
"""A count of tokens: a whole number from 0."""


class ModelLimits(BaseModel):
    """What a model states about its own size, in tokens. A window of 0 means that there is no limit."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    context_window: Tokens = Field(description="Tokens the model can hold, read and written together; 0 for no limit.")
    max_output_tokens: Tokens = Field(default=0, description="Its longest answer; 0 where it states none.")


NO_LIMIT: Final = ModelLimits(context_window=0)
CLAUDE_3_5_SONNET: Final = ModelLimits(context_window=200_000, max_output_tokens=8_192)
GPT_4_128K: Final = ModelLimits(context_window=128_000, max_output_tokens=4_096)

MODELS: Final = {
    "claude-3-5-sonnet": CLAUDE_3_5_SONNET,
    "claude-3.5-sonnet": CLAUDE_3_5_SONNET,
    "claude-3-5-sonnet-20240620": CLAUDE_3_5_SONNET,
    "claude-3-5-sonnet-20241022": CLAUDE_3_5_SONNET,
    "claude-3-5-sonnet-latest": CLAUDE_3_5_SONNET,
    "gpt-4-128k": GPT_4_128K,
    "gpt-4-turbo": GPT_4_128K,
    "gpt-4-turbo-2024-04-09": GPT_4_128K,
    "gpt-4-turbo-preview": GPT_4_128K,
    "gpt-4-0125-preview": GPT_4_128K,
    "gpt-4-1106-preview": GPT_4_128K,
}
"""The models that the sources name, under every name they go by (TRG_23). Only stated limits stand here, no guesses."""


def limits_of(model: str, *, window: int | None = None, max_output: int | None = None) -> ModelLimits:
    """The limits of a model; what is stated wins over the table (TRG_23). Raises UnknownLimits without a window."""
    known = MODELS.get(model.strip().lower())
    if known is None and window is None:
        raise UnknownLimits(
            f"the context window of {model!r} is unknown, and it is not guessed: state it with window=…, "
            "and its longest answer with max_output=…"
        )
    given = {"context_window": window, "max_output_tokens": max_output}
    stated = known.model_dump() if known else {}
    return ModelLimits(**stated | {name: tokens for name, tokens in given.items() if tokens is not None})
