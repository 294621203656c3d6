"""The carrier's rate tables, and quote(), which the checkout calls.

Table 2026-01. A band is (up to grams, price): the first band whose limit is not below the weight
gives the price, so a parcel of exactly 2,000 g is still in the band "up to 2,000 g".
"""

from decimal import Decimal

from parcel.money import round_money
from parcel.surcharges import surcharge_lines
from parcel.zones import zone


class RateNotFound(LookupError):
    """The carrier has no price for this service, zone and weight."""


# service -> zone -> bands of (up to grams, price in EUR)
TABLES = {
    "standard": {
        1: (
            (1_000, "4.90"),
            (2_000, "5.60"),
            (5_000, "6.70"),
            (10_000, "9.10"),
            (20_000, "13.40"),
            (31_500, "17.90"),
        ),
        2: (
            (1_000, "5.30"),
            (2_000, "6.10"),
            (5_000, "7.35"),
            (10_000, "10.05"),
            (20_000, "14.80"),
            (31_500, "19.75"),
        ),
        3: (
            (1_000, "5.70"),
            (2_000, "6.60"),
            (5_000, "7.95"),
            (10_000, "10.95"),
            (20_000, "16.10"),
            (31_500, "21.50"),
        ),
        4: (
            (1_000, "6.10"),
            (2_000, "7.05"),
            (5_000, "8.49"),
            (10_000, "11.80"),
            (20_000, "17.35"),
            (31_500, "23.20"),
        ),
        5: (
            (1_000, "6.90"),
            (2_000, "8.05"),
            (5_000, "9.95"),
            (10_000, "13.90"),
            (20_000, "20.60"),
            (31_500, "27.80"),
        ),
    },
    "express": {
        1: (
            (1_000, "9.80"),
            (2_000, "11.20"),
            (5_000, "13.90"),
            (10_000, "18.60"),
            (20_000, "26.40"),
            (31_500, "34.90"),
        ),
        2: (
            (1_000, "10.60"),
            (2_000, "12.20"),
            (5_000, "15.20"),
            (10_000, "20.40"),
            (20_000, "29.10"),
            (31_500, "38.60"),
        ),
        3: (
            (1_000, "11.40"),
            (2_000, "13.20"),
            (5_000, "16.50"),
            (10_000, "22.20"),
            (20_000, "31.70"),
            (31_500, "42.10"),
        ),
        4: (
            (1_000, "12.20"),
            (2_000, "14.10"),
            (5_000, "17.70"),
            (10_000, "23.90"),
            (20_000, "34.20"),
            (31_500, "45.50"),
        ),
        5: (
            (1_000, "13.80"),
            (2_000, "16.10"),
            (5_000, "20.60"),
            (10_000, "28.20"),
            (20_000, "40.60"),
        ),
    },
}


def base_rate(service, zone_number, grams):
    """The price of the first band that holds the weight. Raises RateNotFound."""
    try:
        bands = TABLES[service][zone_number]
    except KeyError:
        raise RateNotFound(f"no table for {service!r} in zone {zone_number}") from None
    for limit, price in bands:
        if grams < limit:
            return Decimal(price)
    raise RateNotFound(f"{service!r} in zone {zone_number} has no rate for {grams} g")


def quote(origin, destination, grams, service="standard", options=()):
    """The price of one parcel in EUR, fuel and every surcharge included, as a Decimal.

    `origin` and `destination` are postcodes, `grams` is the chargeable weight, `options` names
    extras: "saturday", "cod", "oversize". Called by position from outside: the signature stays.
    Raises RateNotFound and UnknownPostcode.
    """
    base = base_rate(service, zone(origin, destination), grams)
    lines = surcharge_lines(base, destination, service, options)
    return round_money(base + sum((amount for _, amount in lines), Decimal(0)))
