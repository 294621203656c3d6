"""Overflow: whether an error of any provider's package says that the prompt is too long (TRG_18).

LangChain and pydantic-ai each have an error of their own for it, which not every provider's package raises.
"""

from __future__ import annotations

from typing import Final

from brim.anthropic.overflow import REFUSED, TELLING, TOO_LARGE, is_overflow

OTHERS: Final = (
    "context_length_exceeded",
    "maximum context length",
    "exceeds the context length",
    "exceed context window",
    "exceeds the maximum number of tokens",
    "exceeds the available context size",
    "contextwindowexceeded",
    "too many input tokens",
)
"""What other providers than Anthropic say, in any case of letters."""


def tells_overflow(error: BaseException) -> bool:
    """Whether the error, or the one that it was raised from, says that the prompt is too long.

    Where it has a status, only a refusal counts: a rate limit that names tokens is cured by waiting.
    """
    if is_overflow(error):
        return True
    status = getattr(error, "status_code", None)
    words = f"{type(error).__name__}: {error}".lower()
    if status in (None, REFUSED, TOO_LARGE) and any(telling in words for telling in (*TELLING, *OTHERS)):
        return True
    return error.__cause__ is not None and tells_overflow(error.__cause__)
