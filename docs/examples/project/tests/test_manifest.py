import unittest
from decimal import Decimal

from parcel.manifest import Manifest


class ManifestTest(unittest.TestCase):
    def setUp(self):
        self.manifest = Manifest("2026-03-02")
        self.manifest.add("CP473124829DE", "80331", 2_500, Decimal("9.21"))
        self.manifest.add("CP000000160DE", "26474", 900, Decimal("14.99"))

    def test_weight_adds_up(self):
        self.assertEqual(self.manifest.total_grams(), 3_400)

    def test_the_same_parcel_twice_is_refused(self):
        with self.assertRaises(ValueError):
            self.manifest.add("CP473124829DE", "80331", 2_500, Decimal("9.21"))

    def test_csv_has_a_line_for_each_parcel_and_the_totals(self):
        lines = self.manifest.as_csv().splitlines()
        self.assertEqual(lines[0], "tracking,postcode,weight,price")
        self.assertEqual(lines[1], "CP473124829DE,80331,2.500 kg,9.21")
        self.assertEqual(lines[-1], "total,2,3.400 kg,24.2")
