"""Shipping rates, address checks and label text for the shop."""

from parcel.address import Address, InvalidAddress, validate
from parcel.label import label_text
from parcel.manifest import Manifest
from parcel.rates import RateNotFound, quote
from parcel.tracking import check_digit, is_valid, tracking_number
from parcel.weight import chargeable_grams
from parcel.zones import UnknownPostcode, zone

__all__ = [
    "Address",
    "InvalidAddress",
    "Manifest",
    "RateNotFound",
    "UnknownPostcode",
    "chargeable_grams",
    "check_digit",
    "is_valid",
    "label_text",
    "quote",
    "tracking_number",
    "validate",
    "zone",
]
