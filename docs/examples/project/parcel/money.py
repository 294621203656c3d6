"""Rounding of amounts of money.

The carrier's contract says: every surcharge is rounded to the cent on its own, half a cent goes up,
and the total is the sum of the rounded lines. An invoice is checked line by line, so a cent in the
wrong line is a complaint even where the total is right.
"""

from decimal import Decimal


def round_money(amount):
    """Round an amount to the cent.

    Takes a Decimal, an int, a float or a text such as "12.50"; returns a Decimal with two places.
    """
    return Decimal(str(round(float(amount), 2))).quantize(Decimal("0.01"))


def percent_of(amount, percent):
    """A percentage of an amount, rounded to the cent; `percent` is 8.5 for 8.5 %."""
    return round_money(float(amount) * float(percent) / 100)


def show(amount):
    """An amount as the label and the manifest print it: two places, a space, the currency."""
    return f"{round_money(amount)} EUR"
