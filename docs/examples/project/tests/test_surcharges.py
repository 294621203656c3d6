import unittest
from decimal import Decimal

from parcel.surcharges import UnknownOption, surcharge_lines

MAINLAND = "10115"
ISLAND = "26474"


class SurchargeTest(unittest.TestCase):
    def names(self, *args):
        return [name for name, _ in surcharge_lines(Decimal("10.00"), *args)]

    def test_fuel_is_always_there(self):
        self.assertEqual(self.names(MAINLAND, "standard", ()), ["fuel"])

    def test_fuel_of_the_standard_service(self):
        lines = surcharge_lines(Decimal("10.00"), MAINLAND, "standard", ())
        self.assertEqual(lines, [("fuel", Decimal("0.85"))])

    def test_fuel_of_the_express_service(self):
        lines = surcharge_lines(Decimal("10.00"), MAINLAND, "express", ())
        self.assertEqual(lines, [("fuel", Decimal("1.25"))])

    def test_the_island_comes_after_the_fuel(self):
        self.assertEqual(self.names(ISLAND, "standard", ()), ["fuel", "island"])

    def test_the_order_of_the_invoice_not_of_the_options(self):
        found = self.names(ISLAND, "express", ("cod", "saturday", "oversize"))
        wanted = ["fuel", "island", "oversize", "saturday", "cash on delivery"]
        self.assertEqual(found, wanted)

    def test_an_option_named_twice_is_charged_once(self):
        self.assertEqual(self.names(MAINLAND, "standard", ("cod", "cod")), ["fuel", "cash on delivery"])

    def test_an_unknown_option_is_named(self):
        with self.assertRaisesRegex(UnknownOption, "gift wrap"):
            surcharge_lines(Decimal("10.00"), MAINLAND, "standard", ("gift wrap",))

    def test_saturday_is_for_express(self):
        with self.assertRaisesRegex(UnknownOption, "express"):
            surcharge_lines(Decimal("10.00"), MAINLAND, "standard", ("saturday",))
