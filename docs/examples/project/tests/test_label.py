import unittest

from parcel.address import Address
from parcel.label import WIDTH, kilograms, label_text

ADA = Address("Ada Brandt", "Lindenweg 4", "10115", "Berlin")


class LabelTest(unittest.TestCase):
    def test_the_first_line_is_service_and_weight(self):
        self.assertEqual(label_text(ADA, 2_500).splitlines()[0], "STANDARD                2.500 kg")

    def test_the_address_stands_between_the_rules(self):
        lines = label_text(ADA, 900).splitlines()
        self.assertEqual(lines[2:5], ["Ada Brandt", "Lindenweg 4", "10115 Berlin"])

    def test_a_second_line_of_the_address(self):
        lines = label_text(Address("Ada Brandt", "Weg 4", "10115", "Berlin", extra="2. OG"), 900)
        self.assertIn("\n2. OG\n", lines)

    def test_a_foreign_country_is_named(self):
        text = label_text(Address("Jo Maas", "Gracht 1", "1012 AB", "Amsterdam", "NL"), 900)
        self.assertIn("\nNL\n", text)

    def test_cash_to_collect(self):
        self.assertIn("COLLECT                12.50 EUR", label_text(ADA, 900, cash="12.5"))

    def test_no_line_is_wider_than_the_paper(self):
        for line in label_text(ADA, 31_500, "express", "CP473124829DE", 120).splitlines():
            self.assertLessEqual(len(line), WIDTH)

    def test_kilograms(self):
        self.assertEqual(kilograms(50), "0.050 kg")
