import unittest
from decimal import Decimal

from parcel.money import percent_of, round_money, show


class RoundMoneyTest(unittest.TestCase):
    def test_half_a_cent_goes_up(self):
        self.assertEqual(round_money("2.675"), Decimal("2.68"))

    def test_half_a_cent_after_an_even_cent_goes_up(self):
        self.assertEqual(round_money(Decimal("0.125")), Decimal("0.13"))

    def test_less_than_half_a_cent_goes_down(self):
        self.assertEqual(round_money("2.6749"), Decimal("2.67"))

    def test_a_whole_number_gets_two_places(self):
        self.assertEqual(str(round_money(7)), "7.00")

    def test_a_refund_is_rounded_away_from_zero(self):
        self.assertEqual(round_money("-2.675"), Decimal("-2.68"))


class PercentTest(unittest.TestCase):
    def test_fuel_on_a_standard_rate(self):
        self.assertEqual(percent_of(Decimal("8.49"), Decimal("8.5")), Decimal("0.72"))

    def test_half_a_cent_of_fuel_goes_up(self):
        self.assertEqual(percent_of(Decimal("12.20"), Decimal("12.5")), Decimal("1.53"))

    def test_nothing_of_nothing(self):
        self.assertEqual(percent_of(0, 50), Decimal("0.00"))


class ShowTest(unittest.TestCase):
    def test_two_places_and_the_currency(self):
        self.assertEqual(show(12.5), "12.50 EUR")
