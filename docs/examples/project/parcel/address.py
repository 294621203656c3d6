"""Addresses: whether one is complete, and whether its postcode is well formed.

The carrier takes parcels for the countries below. Nothing is looked up: a postcode that is well
formed may still not exist.
"""

import re
from dataclasses import dataclass

POSTCODES = {
    "AT": r"[1-9]\d{3}",
    "BE": r"[1-9]\d{3}",
    "CH": r"[1-9]\d{3}",
    "DE": r"\d{5}",
    "DK": r"\d{4}",
    "FR": r"\d{5}",
    "GB": r"[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}",
    "LU": r"\d{4}",
    "NL": r"[1-9]\d{3} [A-Z]{2}",
    "PL": r"\d{2}-\d{3}",
    "SE": r"\d{3} \d{2}",
}

MAX_NAME = 50
MAX_STREET = 60


class InvalidAddress(ValueError):
    """The address cannot be delivered to; `faults` says why, one sentence each."""

    def __init__(self, faults):
        super().__init__("; ".join(faults))
        self.faults = tuple(faults)


@dataclass(frozen=True)
class Address:
    """Where a parcel goes. `extra` is a second line such as a company or a floor."""

    name: str
    street: str
    postcode: str
    city: str
    country: str = "DE"
    extra: str = ""


def normal_postcode(postcode, country):
    """A postcode as the carrier writes it: capitals, no space around it."""
    return postcode.strip().upper()


def postcode_fault(postcode, country):
    """What is wrong with a postcode, or None."""
    pattern = POSTCODES.get(country)
    if pattern is None:
        return f"the carrier does not deliver to {country!r}"
    if not re.fullmatch(pattern, normal_postcode(postcode, country)):
        return f"{postcode!r} is no postcode of {country}"
    return None


def faults(address):
    """Everything that is wrong with an address, as sentences."""
    found = []
    for field in ("name", "street", "city"):
        if not getattr(address, field).strip():
            found.append(f"the {field} is missing")
    if len(address.name) > MAX_NAME:
        found.append(f"the name has {len(address.name)} characters, {MAX_NAME} fit")
    if len(address.street) > MAX_STREET:
        found.append(f"the street has {len(address.street)} characters, {MAX_STREET} fit")
    if address.street.strip() and not re.search(r"\d", address.street):
        found.append("the street has no house number")
    fault = postcode_fault(address.postcode, address.country)
    if fault:
        found.append(fault)
    return found


def validate(address):
    """The same address with its postcode as the carrier writes it. Raises InvalidAddress."""
    found = faults(address)
    if found:
        raise InvalidAddress(found)
    return Address(
        name=address.name.strip(),
        street=address.street.strip(),
        postcode=normal_postcode(address.postcode, address.country),
        city=address.city.strip(),
        country=address.country,
        extra=address.extra.strip(),
    )
