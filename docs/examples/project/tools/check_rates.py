"""Check the carrier's tables: every service has every zone, and every zone every band."""

import sys
from decimal import Decimal
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from parcel.rates import TABLES  # noqa: E402

LIMITS = (1_000, 2_000, 5_000, 10_000, 20_000, 31_500)


def problems():
    """Every gap and every price that falls with the weight or the zone, as sentences."""
    for service, zones in TABLES.items():
        for zone in range(1, 6):
            bands = dict(zones.get(zone, ()))
            for limit in LIMITS:
                if limit not in bands:
                    yield f"{service}, zone {zone}: no rate up to {limit:,} g"
            prices = [Decimal(price) for _, price in sorted(bands.items())]
            if prices != sorted(prices):
                yield f"{service}, zone {zone}: a heavier parcel is cheaper"


def main():
    found = list(problems())
    for problem in found:
        print(f"error: {problem}")
    print(f"{len(found)} problem(s) in {len(TABLES)} tables")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
