"""Numbers without binary fractions: 0.92 is 92 hundredths, however it came in (TRG_22)."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import TypeAlias

from brim.errors import InvalidInput

Number: TypeAlias = int | float | str | Decimal | Fraction
"""What may be handed in; a float stands for the shortest decimal that is written the same."""


def exact(number: Number) -> Fraction:
    """The number as it is written, exactly. Raises InvalidInput where it is not a finite number."""
    if isinstance(number, Fraction):
        return number
    if type(number) is int:
        return Fraction(number)
    if isinstance(number, bool) or not isinstance(number, (int, float, str, Decimal)):
        raise InvalidInput(f"{number!r} is not a number")
    try:
        return Fraction(Decimal(str(number)))
    except (InvalidOperation, ValueError, OverflowError) as error:
        raise InvalidInput(f"{number!r} is not a finite number") from error


def positive(number: Number, name: str) -> Fraction:
    """The number, which has to be above 0. Raises InvalidInput otherwise."""
    ratio = exact(number)
    if ratio <= 0:
        raise InvalidInput(f"{name} is {number}; it has to be above 0")
    return ratio
