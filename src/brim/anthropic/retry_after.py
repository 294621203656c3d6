"""How long a provider asks to wait, read from the headers of its answer (SUM_05)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import ROUND_CEILING, Decimal, InvalidOperation
from email.utils import parsedate_to_datetime
from typing import Final

LONGEST: Final = Decimal(10**12)
"""Milliseconds; more is a mistake, not a wait."""


def retry_after(headers: Mapping[str, str], now: datetime) -> int | None:
    """Milliseconds to wait before the next attempt, rounded up; None where the headers tell nothing that can be read.

    `retry-after-ms` wins over `retry-after`, which is a number of seconds or a date. What is past is 0.
    """
    exact = _milliseconds(headers.get("retry-after-ms"), 1)
    if exact is not None:
        return exact
    told = headers.get("retry-after")
    seconds = _milliseconds(told, 1_000)
    return _until(told, now) if seconds is None else seconds


def _milliseconds(told: str | None, unit: int) -> int | None:
    try:
        wait = Decimal(told or "")
    except InvalidOperation:
        return None
    if not wait.is_finite() or abs(wait) > LONGEST:
        return None
    return max(int((wait * unit).to_integral_value(ROUND_CEILING)), 0)


def _until(told: str | None, now: datetime) -> int | None:
    try:
        moment = parsedate_to_datetime(told or "")
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(-int((now - moment).total_seconds() * 1_000 // 1), 0)
