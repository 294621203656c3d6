"""What went wrong with a call through the OpenAI SDK, and what cures it (SUM_05, SUM_10).

The SDK is loaded only when one of its errors is read.
"""

from __future__ import annotations

from datetime import UTC, datetime
from json import JSONDecodeError
from typing import TYPE_CHECKING, Final

from brim.anthropic.errors import (
    FIRST_FAILURE,
    MAX_REASON_CHARS,
    REQUEST_TOO_LARGE,
    RETRYABLE_STATUSES,
    Diagnosis,
    retry_after,
)
from brim.errors import BrimError, InvalidInput, ProviderFailed, ProviderRefused, UnknownModel, WrongKey

if TYPE_CHECKING:
    from openai import APIConnectionError, APIStatusError

OVERFLOW_PHRASES: Final = (
    "context_length_exceeded",
    "maximum context length",
    "exceeds the context length",
    "exceed context window",
    "exceeds the context window",
    "exceeds the maximum number of tokens",
    "exceeds the available context size",
    "contextwindowexceeded",
    "too many input tokens",
)
"""What a refusal by a provider with OpenAI's formats says, in any case of letters, where the prompt is too long."""
UNPAID: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
"""Codes of a rate limit that no waiting cures."""
PERMANENT_IN_STREAM: Final = frozenset({"invalid_request_error", "invalid_prompt", *UNPAID})
"""Codes and types of an error in mid-stream, where the response itself has the status 200, that no waiting cures."""


def diagnose(error: Exception, model: str) -> Diagnosis:
    """The cause of any error of a call; `model` is the one that was asked. Never raises."""
    from openai import APIConnectionError, APIError, APIStatusError  # noqa: PLC0415 -- loaded only for an error

    if isinstance(error, APIStatusError):
        return _of_status(error, model)
    if isinstance(error, APIConnectionError):
        return _of_connection(error)
    if isinstance(error, APIError):
        return diagnose_in_stream(f"{error.code or ''} {error.type or ''}", error.message)
    unsent = _before_sending(error)
    if unsent is not None:
        return Diagnosis("permanent", unsent)
    return _transient(f"the answer broke off or could not be read ({_words(error)})")


def diagnose_in_stream(codes: str, message: str) -> Diagnosis:
    """The cause of an error that ends a stream; `codes` are its code and its type, with a space between."""
    reason = f"{codes.strip()}: {message}"[:MAX_REASON_CHARS]
    if _names_overflow(reason):
        return _too_long(reason)
    return (
        _transient(f"the provider failed ({reason})")
        if PERMANENT_IN_STREAM.isdisjoint(codes.split())
        else _refused(reason)
    )


def _of_status(error: APIStatusError, model: str) -> Diagnosis:
    status, headers = error.status_code, error.response.headers
    reason = f"{status} {error.code or ''}: {error.message}"[:MAX_REASON_CHARS]
    retryable = status in RETRYABLE_STATUSES or status >= FIRST_FAILURE
    if status == REQUEST_TOO_LARGE or (not retryable and _names_overflow(reason)):
        return _too_long(reason)
    paid = UNPAID.isdisjoint({error.code, error.type})
    if retryable and paid and headers.get("x-should-retry") != "false":
        return _transient(f"the provider failed ({reason})", retry_after(headers, datetime.now(UTC)))
    match status:
        case 401:
            check = "check OPENAI_API_KEY, or api_key= of the client"
            return Diagnosis("permanent", WrongKey(f"the provider does not know the key ({reason}); {check}"))
        case 403:
            cure = "ask with a key that may, or ask another model"
            return Diagnosis("permanent", WrongKey(f"the key may not use {model!r} ({reason}); {cure}"))
        case 404:
            cure = "check the name and the base_url of the client"
            return Diagnosis("permanent", UnknownModel(f"the provider has no model {model!r} ({reason}); {cure}"))
    return _refused(reason)


def _of_connection(error: APIConnectionError) -> Diagnosis:
    from httpx2 import LocalProtocolError, UnsupportedProtocol  # noqa: PLC0415 -- as in diagnose
    from openai import APITimeoutError  # noqa: PLC0415

    cause = error.__cause__ or error
    if isinstance(cause, UnsupportedProtocol | LocalProtocolError):
        fault = f"the request cannot be sent ({_words(cause)}); check the base_url and the headers of the client"
        return Diagnosis("permanent", ProviderRefused(fault))
    if isinstance(error, APITimeoutError):
        return _transient(f"the provider did not answer in time ({_words(cause)}), which a longer timeout= may cure")
    return _transient(f"the provider could not be reached ({_words(cause)}), check the network and the base_url")


def _before_sending(error: Exception) -> BrimError | None:
    """The error that kept the request from being sent; None where it is the response that failed."""
    from openai import OpenAIError  # noqa: PLC0415 -- as in diagnose

    if isinstance(error, BrimError):
        return error
    if isinstance(error, OpenAIError):
        return ProviderRefused(f"the client does not send the request ({_words(error)}); check how it was made")
    if isinstance(error, TypeError | ValueError) and not isinstance(error, JSONDecodeError | UnicodeDecodeError):
        return InvalidInput(f"the request cannot be written as JSON ({_words(error)}); pass plain messages")
    return None


def _names_overflow(reason: str) -> bool:
    return any(phrase in reason.lower() for phrase in OVERFLOW_PHRASES)


def _too_long(reason: str) -> Diagnosis:
    cure = "send less of the history, or ask a model with a larger window"
    return Diagnosis("prompt_too_long", ProviderRefused(f"the prompt is too long ({reason}); {cure}"))


def _refused(reason: str) -> Diagnosis:
    cure = "change what it names, waiting does not cure it"
    return Diagnosis("permanent", ProviderRefused(f"the provider refuses the request ({reason}); {cure}"))


def _transient(met: str, wait: int | None = None) -> Diagnosis:
    return Diagnosis("transient", ProviderFailed(f"{met}; try again later, the conversation is as it was"), wait)


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
