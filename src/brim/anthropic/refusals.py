"""Refusals of the provider by their status, each as the error of brim that names its cure (SUM_05)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from brim.errors import BrimError, ProviderRefused, UnknownModel, WrongKey

if TYPE_CHECKING:
    from anthropic import APIStatusError

Refusal: TypeAlias = "Callable[[str, str, APIStatusError], BrimError]"
"""Makes the error, of what was told, the model that was asked, and the SDK's own error."""
LONGEST: Final = 300
"""Characters of what was told: some refusals are pages."""


def refusal_of(status: int, told: str, model: str, error: APIStatusError) -> BrimError:
    """The error that a refusal of this status is."""
    return REFUSALS.get(status, _refused)(told[:LONGEST], model, error)


def _refused(told: str, _model: str, _error: APIStatusError) -> BrimError:
    return ProviderRefused(f"the provider refuses the request ({told}); change what it names, waiting does not cure it")


def _wrong_key(told: str, _model: str, _error: APIStatusError) -> BrimError:
    return WrongKey(f"the provider does not know the key ({told}); check ANTHROPIC_API_KEY, or api_key= of the client")


def _may_not(told: str, model: str, _error: APIStatusError) -> BrimError:
    return WrongKey(f"the key may not use {model!r} ({told}); ask with a key that may, or ask another model")


def _unpaid(told: str, _model: str, _error: APIStatusError) -> BrimError:
    return ProviderRefused(f"the account cannot pay for the request ({told}); check its balance and its limits")


def _not_found(told: str, model: str, error: APIStatusError) -> BrimError:
    if error.type == "not_found_error" or "model" in told.lower():
        return UnknownModel(f"the provider has no model {model!r} ({told}); name one that client.models.list() names")
    return ProviderRefused(f"nothing answers at {error.request.url} ({told}); check the base_url of the client")


REFUSALS: Final[Mapping[int, Refusal]] = {401: _wrong_key, 402: _unpaid, 403: _may_not, 404: _not_found}
"""What else than the request itself is at fault."""
