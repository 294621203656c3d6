"""The manifest: the list of the day's parcels that the driver signs in the evening."""

import csv
import io
from dataclasses import dataclass, field

from parcel.label import kilograms


@dataclass
class Manifest:
    """Parcels in the order they were handed over."""

    day: str
    rows: list = field(default_factory=list)

    def add(self, tracking, destination, grams, price):
        """Put one parcel on the list; the same tracking number twice is refused."""
        if any(row[0] == tracking for row in self.rows):
            raise ValueError(f"{tracking} is on the manifest already")
        self.rows.append((tracking, destination, grams, price))

    def total_grams(self):
        """What the parcels weigh together."""
        return sum(row[2] for row in self.rows)

    def total_price(self):
        """What the carrier will charge for the day."""
        return round(sum(float(row[3]) for row in self.rows), 2)

    def as_csv(self):
        """The manifest as CSV, a line with the totals at the end."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["tracking", "postcode", "weight", "price"])
        for tracking, destination, grams, price in self.rows:
            writer.writerow([tracking, destination, kilograms(grams), price])
        writer.writerow(["total", len(self.rows), kilograms(self.total_grams()), self.total_price()])
        return out.getvalue()
