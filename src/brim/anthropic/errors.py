"""What went wrong with a call to the provider, and what cures it: waiting, a smaller prompt, or the caller.

Summaries (SUM_05, SUM_10), limits and the overflow that starts a compaction (TRG_18) read errors here. The SDK is
loaded only when one of its errors is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from json import JSONDecodeError
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from brim.errors import (
    BrimError,
    InvalidInput,
    ProviderFailed,
    ProviderRefused,
    UnknownModel,
    WrongKey,
    described,
)
from brim.secret_patterns import masked
from brim.summary.summarizer_input import Failure

if TYPE_CHECKING:
    from anthropic import APIStatusError

REQUEST_TOO_LARGE: Final = 413
BAD_REQUEST: Final = 400
OVERFLOW_PHRASES: Final = (
    "prompt is too long",
    "input is too long",
    "exceed context limit",
    "exceeds the context window",
    "exceeds the model's context window",
    "model_context_window_exceeded",
    "request_too_large",
    "context_length_exceeded",
    "maximum context length",
    "exceeds the context length",
    "exceed context window",
    "exceeds the maximum number of tokens",
    "exceeds the maximum allowed input length",
    "exceeds the available context size",
    "contextwindowexceeded",
    "too many input tokens",
)
"""What a refusal of any provider says, in any case of letters, where it is for the length of the prompt."""


def is_overflow(error: object) -> bool:
    """Return whether an error of the SDK says that the prompt is too long (TRG_18)."""
    status = getattr(error, "status_code", None)
    return isinstance(status, int) and is_overflow_response(status, getattr(error, "body", None))


def is_overflow_response(status: int, body: object) -> bool:
    """Return whether a response of this status, with this body, says that the prompt is too long.

    In mid-stream an error comes under the status 200. A finished response may say so as its stop reason.
    """
    if status == REQUEST_TOO_LARGE:
        return True
    if isinstance(body, Mapping) and body.get("stop_reason") == "model_context_window_exceeded":
        return True
    return status in (BAD_REQUEST, 200) and names_overflow(_error_text(body))


def is_thinking_refusal(status: int, body: object) -> bool:
    """Return whether a response refuses thinking since the messages before it are not those that it was made behind."""
    return status == BAD_REQUEST and "bound to a different conversation" in _error_text(body)


def names_overflow(words: str) -> bool:
    """Return whether a refusal is for the length of the prompt, by its words."""
    words = words.lower()
    return any(phrase in words for phrase in OVERFLOW_PHRASES)


def _error_text(body: object) -> str:
    """Return the text of an error; empty where the body is no error."""
    if isinstance(body, bytes):
        return body.decode(errors="replace")
    error = body.get("error") if isinstance(body, Mapping) else body
    if isinstance(body, Mapping) and isinstance(body.get("message"), str):  # OpenAI's SDK gives what stands in an error
        error = body
    if isinstance(error, Mapping):
        return f"{error.get('type')} {error.get('code') or ''}: {error.get('message')}"
    return error if isinstance(error, str) else ""


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
"""The status of an error that comes in mid-stream, where the response itself has the status 200."""
FIRST_FAILURE: Final = 500
"""From this status on the provider is at fault, below it the request."""
RETRYABLE_STATUSES: Final = frozenset({408, 409, 425, 429})
"""Statuses below it that a retry may cure."""
MAX_REASON_CHARS: Final = 300
"""Characters of the provider's words that an error repeats: some refusals are pages."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The cause of a failed call."""

    failure: Failure
    """What would cure it: waiting, a smaller prompt, or neither of them."""
    error: BrimError
    """What to raise: it names the cause and the cure."""
    retry_after: int | None = None
    """Milliseconds that the provider asks to wait."""


def diagnose(error: Exception, model: str) -> Diagnosis:
    """Diagnose any error of a call; `model` is the one that was asked. Never raises."""
    import anthropic as sdk  # noqa: PLC0415 -- loaded only for an error

    if isinstance(error, sdk.APIStatusError):
        return _of_status(error, model)
    if isinstance(error, sdk.APIConnectionError):
        return of_connection(error, timed_out=isinstance(error, sdk.APITimeoutError))
    if isinstance(error, sdk.CredentialsError) or "resolve authentication" in str(error):
        no_key = WrongKey("no key was given: set ANTHROPIC_API_KEY, or make the client with api_key=…")
        return Diagnosis("permanent", error if isinstance(error, BrimError) else no_key)
    unsent = isinstance(error, sdk.AnthropicError | Warning) and not isinstance(error, sdk.RetryableError)
    return of_other(error, unsent=unsent)


def _of_status(error: APIStatusError, model: str) -> Diagnosis:
    in_stream = error.status_code < BAD_REQUEST
    status = STATUS_OF_TYPE.get(error.type or "", FIRST_FAILURE) if in_stream else error.status_code
    reason = masked(f"{status}: {error.api_message or error.message}")
    if is_overflow_response(status, error.body):
        return too_long(reason)
    if status in RETRYABLE_STATUSES or status >= FIRST_FAILURE:
        return of_failure(reason, error.response.headers)
    return Diagnosis("permanent", refusal(status, reason[:MAX_REASON_CHARS], model, error, key="ANTHROPIC_API_KEY"))


REFUSALS: Final[Mapping[int, tuple[type[BrimError], str, str]]] = {
    401: (WrongKey, "the provider does not know the key", "check {key}, or api_key= of the client"),
    402: (ProviderRefused, "the account cannot pay for the request", "check its balance and limits"),
    403: (WrongKey, "the key may not use {model!r}", "ask with a key that may, or ask another model"),
    404: (UnknownModel, "the provider has no model {model!r}", "name one that client.models.list() names"),
}
"""The error for each status that no waiting cures: its class, what was met, and what cures it."""


def refusal(status: int, reason: str, model: str, error: Any, *, key: str) -> BrimError:
    """Return what to raise for a status that no waiting cures; `key` is the variable that holds the provider's."""
    if status not in REFUSALS:
        return refused(reason)
    kind, met, cure = REFUSALS[status]
    if kind is UnknownModel and error.type != "not_found_error" and "model" not in reason.lower():
        kind, met, cure = ProviderRefused, "nothing answers at {url}", "check the base_url of the client"
    return kind(f"{met.format(model=model, url=error.request.url)} ({reason}); {cure.format(key=key)}")


def refused(reason: str) -> ProviderRefused:
    """Return what to raise for a request that the provider refuses."""
    return ProviderRefused(
        f"the provider refuses the request ({reason}); change what it names, waiting does not cure it"
    )


def of_connection(error: Exception, *, timed_out: bool) -> Diagnosis:
    """Diagnose an error of either SDK that met no answer."""
    from httpx2 import LocalProtocolError, UnsupportedProtocol  # noqa: PLC0415 -- as in diagnose

    cause = error.__cause__ or error
    text = masked(described(cause))
    if isinstance(cause, UnsupportedProtocol | LocalProtocolError):
        fault = f"the request cannot be sent ({text}); check the base_url and the headers of the client"
        return Diagnosis("permanent", ProviderRefused(fault))
    if timed_out:
        return transient(f"the provider did not answer in time ({text}), which a longer timeout= may cure")
    return transient(f"the provider could not be reached ({text}), check the network and the base_url")


def of_other(error: Exception, *, unsent: bool) -> Diagnosis:
    """Diagnose an error that is no answer of the provider; `unsent`: the SDK did not send the request."""
    if isinstance(error, BrimError):
        return Diagnosis("permanent", error)
    text = masked(described(error))
    if unsent:
        fault = f"the client does not send the request ({text}); check how it was made"
        return Diagnosis("permanent", ProviderRefused(fault))
    if isinstance(error, TypeError | ValueError) and not isinstance(error, JSONDecodeError | UnicodeDecodeError):
        fault = f"the request cannot be written as JSON ({text}); pass plain messages"
        return Diagnosis("permanent", InvalidInput(fault))
    return transient(f"the answer broke off or could not be read ({text})")


def too_long(reason: str) -> Diagnosis:
    """Diagnose a refusal for the length of the prompt."""
    cure = "send less of the history, or ask a model with a larger window"
    return Diagnosis("prompt_too_long", ProviderRefused(f"the prompt is too long ({reason}); {cure}"))


def of_failure(reason: str, headers: Mapping[str, str]) -> Diagnosis:
    """Diagnose a failure of the provider's, which waiting may resolve unless the provider forbids to try again."""
    if headers.get("x-should-retry") == "false":
        met = f"the provider failed ({reason}), and forbids to try again now"
        return Diagnosis("permanent", ProviderFailed(f"{met}; try again later, the conversation is as it was"))
    return transient(f"the provider failed ({reason})", retry_after(headers, datetime.now(UTC)))


def transient(met: str, wait: int | None = None) -> Diagnosis:
    """Diagnose a failure that waiting may resolve; `wait` is in milliseconds."""
    return Diagnosis("transient", ProviderFailed(f"{met}; try again later, the conversation is as it was"), wait)


def retry_after(headers: Mapping[str, str], now: datetime) -> int | None:
    """Return the milliseconds to wait before the next attempt, rounded up; None if no header is readable (SUM_05).

    `retry-after-ms` wins over `retry-after`, which is a number of seconds or a date. What is past is 0.
    """
    for name, unit in (("retry-after-ms", 1), ("retry-after", 1_000)):
        with suppress(ValueError, OverflowError):
            return max(ceil(float(headers.get(name, "")) * unit), 0)
    with suppress(ValueError, OverflowError):
        moment = parsedate_to_datetime(headers.get("retry-after", ""))
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(ceil((moment - now) / timedelta(milliseconds=1)), 0)
    return None
