"""Zones: how far a parcel travels, by the postcodes of sender and receiver.

The carrier divides the country into nine regions by postcode. A zone is a number from 1 (within
one region) to 5 (the far corners, and the islands from anywhere). The table is the carrier's
leaflet of January, page 4, and both ends of a range belong to the range.
"""


class UnknownPostcode(LookupError):
    """The postcode is in no region of the carrier's leaflet."""


# first postcode, last postcode, region
REGIONS = (
    ("01000", "09999", "east"),
    ("10000", "19999", "north-east"),
    ("20000", "25937", "north"),
    ("25938", "25999", "islands"),
    ("26000", "26464", "north"),
    ("26465", "26486", "islands"),
    ("26487", "29999", "north"),
    ("30000", "39999", "centre-north"),
    ("40000", "49999", "west"),
    ("50000", "59999", "west"),
    ("60000", "69999", "centre"),
    ("70000", "79999", "south-west"),
    ("80000", "87999", "south"),
    ("88000", "89999", "south-west"),
    ("90000", "97999", "south-east"),
    ("98000", "99999", "centre"),
)

# Symmetric; only one half is written down.
DISTANCES = {
    ("east", "north-east"): 2,
    ("east", "north"): 3,
    ("east", "centre-north"): 2,
    ("east", "west"): 4,
    ("east", "centre"): 2,
    ("east", "south-west"): 4,
    ("east", "south"): 3,
    ("east", "south-east"): 2,
    ("north-east", "north"): 2,
    ("north-east", "centre-north"): 2,
    ("north-east", "west"): 4,
    ("north-east", "centre"): 3,
    ("north-east", "south-west"): 5,
    ("north-east", "south"): 4,
    ("north-east", "south-east"): 3,
    ("north", "centre-north"): 2,
    ("north", "west"): 3,
    ("north", "centre"): 3,
    ("north", "south-west"): 5,
    ("north", "south"): 5,
    ("north", "south-east"): 4,
    ("centre-north", "west"): 2,
    ("centre-north", "centre"): 2,
    ("centre-north", "south-west"): 4,
    ("centre-north", "south"): 4,
    ("centre-north", "south-east"): 3,
    ("west", "centre"): 2,
    ("west", "south-west"): 3,
    ("west", "south"): 4,
    ("west", "south-east"): 3,
    ("centre", "south-west"): 2,
    ("centre", "south"): 3,
    ("centre", "south-east"): 2,
    ("south-west", "south"): 2,
    ("south-west", "south-east"): 2,
    ("south", "south-east"): 2,
}

ISLAND_ZONE = 5


def region(postcode):
    """The region a postcode lies in. Raises UnknownPostcode."""
    for first, last, name in REGIONS:
        if first <= postcode < last:
            return name
    raise UnknownPostcode(f"no region for the postcode {postcode!r}")


def is_island(postcode):
    """Whether a postcode lies on one of the islands that only a ferry reaches."""
    return region(postcode) == "islands"


def zone(origin, destination):
    """The zone between two postcodes, 1 to 5. Raises UnknownPostcode."""
    start, end = region(origin), region(destination)
    if "islands" in (start, end):
        return ISLAND_ZONE
    if start == end:
        return 1
    return DISTANCES.get((start, end)) or DISTANCES[(end, start)]
