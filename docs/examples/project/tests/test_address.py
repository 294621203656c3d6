import unittest
from dataclasses import replace

from parcel.address import Address, InvalidAddress, faults, validate

GOOD = Address("Ada Brandt", "Lindenweg 4", "10115", "Berlin")


class PostcodeTest(unittest.TestCase):
    def accepted(self, postcode, country):
        return validate(replace(GOOD, postcode=postcode, country=country)).postcode

    def test_germany(self):
        self.assertEqual(self.accepted("10115", "DE"), "10115")

    def test_netherlands_with_a_space(self):
        self.assertEqual(self.accepted("1012 AB", "NL"), "1012 AB")

    def test_netherlands_without_a_space(self):
        self.assertEqual(self.accepted("1012AB", "NL"), "1012 AB")

    def test_britain_in_small_letters(self):
        self.assertEqual(self.accepted("sw1a 1aa", "GB"), "SW1A 1AA")

    def test_poland(self):
        self.assertEqual(self.accepted("00-950", "PL"), "00-950")

    def test_four_digits_are_no_german_postcode(self):
        with self.assertRaisesRegex(InvalidAddress, "no postcode of DE"):
            self.accepted("1011", "DE")

    def test_a_country_without_delivery(self):
        with self.assertRaisesRegex(InvalidAddress, "does not deliver"):
            self.accepted("10115", "NZ")


class FaultsTest(unittest.TestCase):
    def test_a_good_address_has_none(self):
        self.assertEqual(faults(GOOD), [])

    def test_every_fault_is_named(self):
        bad = Address("", "Lindenweg", "1", " ", "DE")
        self.assertEqual(len(faults(bad)), 4)

    def test_a_street_without_a_number(self):
        self.assertEqual(faults(replace(GOOD, street="Lindenweg")), ["the street has no house number"])

    def test_a_name_too_long(self):
        self.assertIn("50 fit", faults(replace(GOOD, name="x" * 51))[0])

    def test_space_around_is_taken_off(self):
        self.assertEqual(validate(replace(GOOD, city=" Berlin ")).city, "Berlin")
