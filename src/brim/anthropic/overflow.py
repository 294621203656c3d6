"""Overflow: whether the provider says that a prompt is longer than the model can hold (SUM_10, TRG_18)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TOO_LARGE: Final = 413
REFUSED: Final = 400
TELLING: Final = (
    "prompt is too long",
    "input is too long",
    "exceed context limit",
    "exceeds the context window",
    "exceeds the model's context window",
    "model_context_window_exceeded",
    "request_too_large",
)
"""What a refusal says, in any case of letters, where it is for the length of the prompt."""
STOPPED: Final = "model_context_window_exceeded"
"""The reason to stop of an answer that had no room left in the window."""


def is_overflow(met: object) -> bool:
    """Whether the provider says that the prompt is too long (TRG_18).

    Args:
        met: an error of the SDK, or what middleware sees: the status and the parsed body, as a tuple of the two.
    """
    if isinstance(met, tuple):
        status, body = met
    else:
        status, body = getattr(met, "status_code", 0), getattr(met, "body", None)
    return isinstance(status, int) and tells_overflow(status, body)


def tells_overflow(status: int, body: object) -> bool:
    """Whether an answer of this status, with this parsed body, says that the prompt is too long.

    In mid-stream an error comes under the status 200. A finished answer may say so as its reason to stop.
    """
    if status == TOO_LARGE:
        return True
    if isinstance(body, Mapping) and body.get("stop_reason") == STOPPED:
        return True
    if status not in (REFUSED, 200):
        return False
    words = _error_words(body).lower()
    return any(telling in words for telling in TELLING)


def _error_words(body: object) -> str:
    """What an error says of itself; nothing where the body is no error."""
    if isinstance(body, bytes):
        return body.decode(errors="replace")
    if isinstance(body, str):
        return body
    error = body.get("error") if isinstance(body, Mapping) else None
    if not isinstance(error, Mapping):
        return error if isinstance(error, str) else ""
    return f"{error.get('type')}: {error.get('message')}"
