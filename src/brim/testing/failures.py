"""Scripted failures: what goes wrong between a client and the API, each under a name of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A failure in place of an answer. Use the functions of this module rather than the class."""

    ending: Literal["error", "drop", "hang"]
    """An error of the API, a connection that closes, or silence."""
    text: str | None = None
    """What the answer would have been; None for a failure before its first byte."""
    after: int = 0
    """Characters of the text that are delivered first."""
    seconds: float = 0
    """How long the silence lasts before the connection closes; it ends with the server, and with the client."""
    status: int = 500
    """The HTTP status of an error."""
    kind: str = "api_error"
    """The type of an error, in the words of the API."""
    message: str = "Internal server error"
    """The message of an error."""
    retry_after: float | None = None
    """Seconds, sent in the header of that name."""


def rate_limited(retry_after: float | None = None) -> Failure:
    """429: too many requests, with the seconds to wait in the header `retry-after` where they are given."""
    message = "This request would exceed your organization's rate limit of 30,000 input tokens per minute."
    return Failure(ending="error", status=429, kind="rate_limit_error", message=message, retry_after=retry_after)


def overloaded() -> Failure:
    """529: the API has more to do than it can."""
    return Failure(ending="error", status=529, kind="overloaded_error", message="Overloaded")


def failed(message: str = "Internal server error") -> Failure:
    """500: an error inside the API."""
    return Failure(ending="error", message=message)


def rejected(message: str, *, status: int = 400, kind: str = "invalid_request_error") -> Failure:
    """A refusal of the request in words of your own, 400 unless another status is given."""
    return Failure(ending="error", status=status, kind=kind, message=message)


def too_long(tokens: int = 215_000, maximum: int = 200_000) -> Failure:
    """400: the prompt is too long, in the API's own words, whatever its real length."""
    return rejected(prompt_too_long(tokens, maximum))


def prompt_too_long(tokens: int, maximum: int) -> str:
    """What the API says of a prompt that its window cannot hold."""
    return f"prompt is too long: {tokens} tokens > {maximum} maximum"


def dropped() -> Failure:
    """The connection closes before any byte of an answer."""
    return Failure(ending="drop")


def dropped_midstream(text: str = "The first half. The second half.", after: int = 15) -> Failure:
    """The connection closes after so many characters of the text."""
    return Failure(ending="drop", text=text, after=after)


def failed_midstream(
    text: str = "The first half. The second half.",
    after: int = 15,
    *,
    kind: str = "overloaded_error",
    message: str = "Overloaded",
) -> Failure:
    """An error event after so many characters of the text; without a stream, an error with the status of its kind."""
    status = {"overloaded_error": 529, "rate_limit_error": 429}.get(kind, 500)
    return Failure(ending="error", text=text, after=after, status=status, kind=kind, message=message)


def hang(seconds: float = 600) -> Failure:
    """Silence, until the client gives up, the server closes, or so many seconds are over."""
    return Failure(ending="hang", seconds=seconds)


def hang_midstream(text: str = "The first half. The second half.", after: int = 15, *, seconds: float = 600) -> Failure:
    """Silence after so many characters of the text; it ends as hang does."""
    return Failure(ending="hang", text=text, after=after, seconds=seconds)
