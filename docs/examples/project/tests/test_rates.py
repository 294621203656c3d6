import unittest
from decimal import Decimal

from parcel.rates import TABLES, RateNotFound, base_rate, quote
from parcel.surcharges import UnknownOption
from parcel.zones import UnknownPostcode


class BaseRateTest(unittest.TestCase):
    def test_within_a_band(self):
        self.assertEqual(base_rate("standard", 1, 1_500), Decimal("5.60"))

    def test_exactly_at_the_limit_of_a_band(self):
        self.assertEqual(base_rate("standard", 1, 2_000), Decimal("5.60"))

    def test_one_gram_over_the_limit_of_a_band(self):
        self.assertEqual(base_rate("standard", 1, 2_001), Decimal("6.70"))

    def test_the_heaviest_parcel_has_a_rate(self):
        self.assertEqual(base_rate("standard", 5, 31_500), Decimal("27.80"))

    def test_an_unknown_service(self):
        with self.assertRaises(RateNotFound):
            base_rate("balloon", 1, 500)

    def test_too_heavy(self):
        with self.assertRaises(RateNotFound):
            base_rate("standard", 1, 31_501)

    def test_heavier_is_never_cheaper(self):
        for service, zones in TABLES.items():
            for zone, bands in zones.items():
                with self.subTest(service=service, zone=zone):
                    prices = [Decimal(price) for _, price in bands]
                    self.assertEqual(prices, sorted(prices))


class QuoteTest(unittest.TestCase):
    def test_standard_across_the_country(self):
        self.assertEqual(quote("10115", "80331", 2_500), Decimal("9.21"))

    def test_standard_within_a_region(self):
        self.assertEqual(quote("10115", "10999", 900), Decimal("5.32"))

    def test_express_has_its_own_fuel(self):
        self.assertEqual(quote("10115", "80331", 900, "express"), Decimal("13.73"))

    def test_an_island_costs_the_ferry(self):
        self.assertEqual(quote("26316", "26474", 900), Decimal("14.99"))

    def test_saturday_with_express(self):
        self.assertEqual(quote("10115", "10999", 900, "express", ["saturday"]), Decimal("20.93"))

    def test_saturday_without_express_is_refused(self):
        with self.assertRaises(UnknownOption):
            quote("10115", "10999", 900, "standard", ["saturday"])

    def test_cash_on_delivery(self):
        self.assertEqual(quote("10115", "10999", 900, "standard", ["cod"]), Decimal("9.52"))

    def test_an_unknown_option_is_refused(self):
        with self.assertRaises(UnknownOption):
            quote("10115", "10999", 900, "standard", ["gift wrap"])

    def test_an_unknown_postcode_is_refused(self):
        with self.assertRaises(UnknownPostcode):
            quote("10115", "00001", 900)
