"""Numbers without binary fractions: 0.92 is 92 hundredths as float, text or decimal (TRG_22)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from brim.errors import InvalidInput, Refused, shown, text_of

Number: TypeAlias = int | float | str | Decimal | Fraction
"""A number of a caller, of which 15 digits count; a float means the shortest decimal that is written the same."""


def exact(number: Number) -> Fraction:
    """Return the number as it is written (TRG_22). Raises InvalidInput if it is not finite."""
    if type(number) is int or isinstance(number, Fraction):
        return Fraction(number)
    try:
        return Fraction(repr(float(text_of(number))))
    except ValueError as error:
        raise InvalidInput(f"{shown(number)} is not a finite number") from error


def checked_share(number: Number, name: str) -> Fraction:
    """Return the number, which has to be above 0 and at most 1. Raises Refused otherwise."""
    share = exact(number)
    if not 0 < share <= 1:
        raise Refused(f"{name} is {text_of(number)}; it has to be above 0 and at most 1")
    return share


def positive(number: Number, name: str) -> Fraction:
    """Return the number, which has to be above 0. Raises InvalidInput otherwise."""
    ratio = exact(number)
    if ratio <= 0:
        raise InvalidInput(f"{name} is {number}; it has to be above 0")
    return ratio
