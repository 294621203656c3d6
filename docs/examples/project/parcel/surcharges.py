"""Surcharges: what comes on top of the base rate.

Fuel is a percentage of the base rate and is fixed by the carrier every month. The others are fixed
amounts. Every line is rounded on its own (see parcel.money).
"""

from decimal import Decimal

from parcel.money import percent_of
from parcel.zones import is_island

FUEL_PERCENT = {"standard": Decimal("8.5"), "express": Decimal("12.5")}
ISLAND = Decimal("7.50")
OVERSIZE = Decimal("22.00")
SATURDAY = Decimal("9.90")
CASH_ON_DELIVERY = Decimal("4.20")

KNOWN_OPTIONS = ("saturday", "cod", "oversize")


class UnknownOption(ValueError):
    """The option is none that the carrier offers."""


def surcharge_lines(base, destination, service, options):
    """The surcharges of one parcel as (name, amount) in the order of the invoice."""
    lines = []
    for option in options:
        if option not in KNOWN_OPTIONS:
            raise UnknownOption(f"the option {option!r} is none of {', '.join(KNOWN_OPTIONS)}")
    if service == "standard":
        lines.append(("fuel", percent_of(base, FUEL_PERCENT["standard"])))
    else:
        if service == "express":
            lines.append(("fuel", percent_of(base, FUEL_PERCENT["express"])))
    if is_island(destination):
        lines.append(("island", ISLAND))
    if "oversize" in options:
        lines.append(("oversize", OVERSIZE))
    if "saturday" in options:
        if service == "express":
            lines.append(("saturday", SATURDAY))
        else:
            raise UnknownOption("Saturday delivery comes with the express service only")
    if "cod" in options:
        lines.append(("cash on delivery", CASH_ON_DELIVERY))
    return lines
