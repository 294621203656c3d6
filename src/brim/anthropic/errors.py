"""What went wrong with a call through the Anthropic SDK, and what cures it: waiting, a smaller prompt, or the caller.

One mapping for every call, sync or async: summaries (SUM_05, SUM_10), limits, and the overflow that starts a
compaction (TRG_18).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from json import JSONDecodeError
from typing import Final

from anthropic import (
    AnthropicError,
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    CredentialsError,
    RetryableError,
)
from httpx2 import LocalProtocolError, UnsupportedProtocol

from brim.anthropic.overflow import is_overflow, tells_overflow
from brim.anthropic.refusals import refusal_of
from brim.anthropic.retry_after import retry_after
from brim.errors import BrimError, InvalidInput, NoKey, ProviderFailed, ProviderRefused
from brim.summary.summarizer_input import Failure

__all__ = ["Diagnosis", "diagnose", "is_overflow"]

STATUS_OF_TYPE: Final = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "conflict_error": 409,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""The status that an error has when it is told in mid-stream, where the status of the answer was 200 long ago."""
FIRST_ERROR: Final = 400
FIRST_FAILURE: Final = 500
"""From this status on the provider is at fault, below it the request."""
WAITING_CURES: Final = frozenset({408, 409, 425, 429})
"""Statuses below it that another time may not bring again."""
TRY_LATER: Final = "try again later, the conversation is as it was"
SHORTER: Final = "send less of the history, or ask a model with a larger window"
NO_KEY: Final = "no key was given: set ANTHROPIC_API_KEY, or make the client with api_key=…"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a failed call came to."""

    failure: Failure
    """What would cure it: waiting, a smaller prompt, or neither of them."""
    error: BrimError
    """What to raise: it says what was met and what would cure it."""
    retry_after: int | None = None
    """Milliseconds that the provider asks to wait."""


def diagnose(error: Exception, model: str) -> Diagnosis:
    """What any error of a call means; `model` is the one that was asked. Never raises."""
    if isinstance(error, APIStatusError):
        return _of_status(error, model)
    if isinstance(error, APIConnectionError):
        return _of_connection(error)
    refused = _before_sending(error)
    if refused is not None:
        return Diagnosis("permanent", refused)
    return _transient(f"the answer broke off or could not be read ({_words(error)})")


def _of_status(error: APIStatusError, model: str) -> Diagnosis:
    told_late = error.status_code < FIRST_ERROR
    status = STATUS_OF_TYPE.get(error.type or "", FIRST_FAILURE) if told_late else error.status_code
    told = f"{status}: {error.api_message or error.message}"
    if tells_overflow(status, error.body):
        return Diagnosis("prompt_too_long", ProviderRefused(f"the prompt is too long ({told}); {SHORTER}"))
    headers = error.response.headers
    waiting_cures = status in WAITING_CURES or status >= FIRST_FAILURE
    if waiting_cures and headers.get("x-should-retry") != "false":
        return _transient(f"the provider failed ({told})", retry_after(headers, datetime.now(UTC)))
    return Diagnosis("permanent", refusal_of(status, told, model, error))


def _of_connection(error: APIConnectionError) -> Diagnosis:
    cause = error.__cause__ or error
    if isinstance(cause, UnsupportedProtocol | LocalProtocolError):
        fault = f"the request cannot be sent ({_words(cause)}); check the base_url and the headers of the client"
        return Diagnosis("permanent", ProviderRefused(fault))
    if isinstance(error, APITimeoutError):
        return _transient(f"the provider did not answer in time ({_words(cause)}), which a longer timeout= may cure")
    return _transient(f"the provider could not be reached ({_words(cause)}), check the network and the base_url")


def _before_sending(error: Exception) -> BrimError | None:
    """What kept the request from being sent; None where it is the answer that failed."""
    if isinstance(error, BrimError):
        return error
    if isinstance(error, CredentialsError) or "resolve authentication" in str(error):
        return NoKey(NO_KEY)
    if isinstance(error, AnthropicError | Warning) and not isinstance(error, RetryableError):
        return ProviderRefused(f"the client does not send the request ({_words(error)}); check how it was made")
    if isinstance(error, TypeError | ValueError) and not isinstance(error, JSONDecodeError | UnicodeDecodeError):
        return InvalidInput(f"the request cannot be written as JSON ({_words(error)}); hand in plain messages")
    return None


def _transient(met: str, wait: int | None = None) -> Diagnosis:
    return Diagnosis("transient", ProviderFailed(f"{met}; {TRY_LATER}"), wait)


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
