"""What a model can hold and write, asked of the provider (TRG_23)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from brim.errors import UnknownLimits, UnknownModel, window_unknown
from brim.models import ModelLimits, known_limits

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic


def limits_from(client: Anthropic, model: str) -> ModelLimits:
    """Return the limits that the provider states for a model, in tokens; of the model data where it states no window.

    Raises UnknownLimits where neither does, and WrongKey, UnknownModel, ProviderRefused or ProviderFailed.
    """
    with _diagnosed(model):
        stated = client.models.retrieve(model)
    return _limits(stated, model)


async def alimits_from(client: AsyncAnthropic, model: str) -> ModelLimits:
    """Return the limits that the provider states, in an event loop; see limits_from."""
    with _diagnosed(model):
        stated = await client.models.retrieve(model)
    return _limits(stated, model)


@contextmanager
def _diagnosed(model: str) -> Iterator[None]:
    if not model:
        raise UnknownModel("no model is named: name one that client.models.list() names")
    try:
        yield
    except Exception as error:
        from brim.anthropic.errors import diagnose  # noqa: PLC0415 -- it loads the SDK

        cause = diagnose(error, model).error
        raise type(cause)(f"{window_unknown(model)}; the provider was asked, and {cause}") from error


def _limits(stated: object, model: str) -> ModelLimits:
    counts = (getattr(stated, name, None) for name in ("max_input_tokens", "max_tokens"))
    window, longest = (count if type(count) is int and count > 0 else 0 for count in counts)
    limits = ModelLimits(context_window=window, max_output_tokens=longest) if window else known_limits(model)
    if limits is None:
        raise UnknownLimits(f"{window_unknown(model)}; the provider states none")
    return limits
