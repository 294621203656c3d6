"""What went wrong with a call through the OpenAI SDK, and what cures it (SUM_05, SUM_10).

The SDK is loaded only when one of its errors is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from brim.anthropic.errors import (
    FIRST_FAILURE,
    MAX_REASON_CHARS,
    REQUEST_TOO_LARGE,
    RETRYABLE_STATUSES,
    Diagnosis,
    names_overflow,
    of_connection,
    of_failure,
    of_other,
    refusal,
    refused,
    too_long,
    transient,
)
from brim.secret_patterns import masked

if TYPE_CHECKING:
    from openai import APIStatusError

UNPAID: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
"""Codes of a rate limit that no waiting cures."""
PERMANENT_IN_STREAM: Final = frozenset({"invalid_request_error", "invalid_prompt", *UNPAID})
"""Codes and types of an error in mid-stream, where the response itself has the status 200, that no waiting cures."""


def diagnose(error: Exception, model: str) -> Diagnosis:
    """Diagnose any error of a call; `model` is the one that was asked. Never raises."""
    import openai as sdk  # noqa: PLC0415 -- loaded only for an error

    if isinstance(error, sdk.APIStatusError):
        return _of_status(error, model)
    if isinstance(error, sdk.APIConnectionError):
        return of_connection(error, timed_out=isinstance(error, sdk.APITimeoutError))
    if isinstance(error, sdk.APIError):
        return diagnose_in_stream(f"{error.code or ''} {error.type or ''}", error.message)
    return of_other(error, unsent=isinstance(error, sdk.OpenAIError))


def diagnose_in_stream(codes: str, message: str) -> Diagnosis:
    """Diagnose an error that ends a stream; `codes` are its code and its type, with a space between."""
    reason = masked(f"{codes.strip()}: {message}")[:MAX_REASON_CHARS]
    if names_overflow(reason):
        return too_long(reason)
    if PERMANENT_IN_STREAM.isdisjoint(codes.split()):
        return transient(f"the provider failed ({reason})")
    return Diagnosis("permanent", refused(reason))


def _of_status(error: APIStatusError, model: str) -> Diagnosis:
    status = error.status_code
    reason = masked(f"{status} {error.code or ''}: {error.message}")[:MAX_REASON_CHARS]
    retryable = status in RETRYABLE_STATUSES or status >= FIRST_FAILURE
    if status == REQUEST_TOO_LARGE or (not retryable and names_overflow(reason)):
        return too_long(reason)
    if retryable and UNPAID.isdisjoint({error.code, error.type}):
        return of_failure(reason, error.response.headers)
    return Diagnosis("permanent", refusal(status, reason, model, error, key="OPENAI_API_KEY"))
