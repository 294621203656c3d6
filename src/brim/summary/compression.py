"""Compression: how much smaller a conversation became, and a warning where that is too little.

Specified by features/summary/compression.feature (SUM_12).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Final

from brim.errors import InvalidInput

MIN_RATIO: Final = Fraction(60, 100)
"""The ratio below which a warning is given (SUM_12)."""


@dataclass(frozen=True, slots=True)
class Compression:
    """The share of the tokens that a compaction removed, and a warning where it is small."""

    ratio: Fraction
    """The share that was removed, 0 to 1."""
    warning: str | None
    """The warning below 60%; None from 60% on."""


def compression(before: int, after: int) -> Compression:
    """Compare the tokens held before and after (SUM_12). Raises InvalidInput where a count is below 0."""
    if min(before, after) < 0:
        raise InvalidInput(f"{before} tokens before and {after} after: a count of tokens is 0 or more")
    if before == 0:
        return Compression(Fraction(0), None)
    ratio = max(1 - Fraction(after, before), Fraction(0))
    return Compression(ratio, _warning(ratio) if ratio < MIN_RATIO else None)


def _warning(ratio: Fraction) -> str:
    percent = Decimal(ratio.numerator * 100) / Decimal(ratio.denominator)
    shown = percent.quantize(Decimal("0.1"), rounding=ROUND_HALF_UP)
    return f"Compression ratio below 60% ({shown}%) - consider starting fresh conversation"
