"""Numbers without binary fractions: 0.92 is 92 hundredths as float, text or decimal (TRG_22)."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Final, TypeAlias

from brim.errors import InvalidInput, Refused, shown, text_of

Number: TypeAlias = int | float | str | Decimal | Fraction
"""A number of a caller; a float means the shortest decimal that is written the same."""


MAX_EXPONENT: Final = 30
"""The largest exponent of ten, and the smallest below 0: the digits of a larger one take minutes to write out."""


def exact(number: Number) -> Fraction:
    """Return the number as it is written, exactly (TRG_22). Raises InvalidInput if not finite, or beyond 10**±30."""
    if isinstance(number, Fraction):
        return number
    if type(number) is int:
        return Fraction(number)
    if isinstance(number, bool) or not isinstance(number, (int, float, str, Decimal)):
        raise InvalidInput(f"{shown(number)} is not a number")
    try:
        decimal = Decimal(str(number))
        if abs(decimal.adjusted()) > MAX_EXPONENT:
            raise InvalidInput(
                f"a number has the exponent {decimal.adjusted()}; it is from -{MAX_EXPONENT} to {MAX_EXPONENT}"
            )
        return Fraction(decimal)
    except (InvalidOperation, ValueError, OverflowError) as error:
        raise InvalidInput(f"{shown(number)} is not a finite number") from error


def checked_share(number: Number, name: str) -> Fraction:
    """Return the number, which has to be above 0 and at most 1. Raises Refused otherwise."""
    part = exact(number)
    if not 0 < part <= 1:
        raise Refused(f"{name} is {text_of(number)}; it has to be above 0 and at most 1")
    return part


def positive(number: Number, name: str) -> Fraction:
    """Return the number, which has to be above 0. Raises InvalidInput otherwise."""
    ratio = exact(number)
    if ratio <= 0:
        raise InvalidInput(f"{name} is {number}; it has to be above 0")
    return ratio
