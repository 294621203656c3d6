import unittest

from parcel.zones import REGIONS, UnknownPostcode, is_island, region, zone


class RegionTest(unittest.TestCase):
    def test_first_postcode_of_a_range_belongs_to_it(self):
        self.assertEqual(region("80000"), "south")

    def test_last_postcode_of_a_range_belongs_to_it(self):
        self.assertEqual(region("87999"), "south")

    def test_every_range_holds_both_its_ends(self):
        for first, last, name in REGIONS:
            with self.subTest(first=first, last=last):
                self.assertEqual((region(first), region(last)), (name, name))

    def test_postcode_below_the_first_range_is_unknown(self):
        with self.assertRaises(UnknownPostcode):
            region("00999")

    def test_letters_are_unknown(self):
        with self.assertRaises(UnknownPostcode):
            region("ABCDE")


class IslandTest(unittest.TestCase):
    def test_an_island(self):
        self.assertTrue(is_island("26474"))

    def test_the_coast_before_the_island(self):
        self.assertFalse(is_island("26464"))

    def test_the_coast_after_the_island(self):
        self.assertFalse(is_island("26487"))


class ZoneTest(unittest.TestCase):
    def test_within_one_region(self):
        self.assertEqual(zone("10115", "10999"), 1)

    def test_both_halves_of_the_west_are_one_region(self):
        self.assertEqual(zone("40210", "50667"), 1)

    def test_across_the_country(self):
        self.assertEqual(zone("20095", "80331"), 5)

    def test_the_way_back_is_as_far(self):
        self.assertEqual(zone("80331", "20095"), zone("20095", "80331"))

    def test_an_island_is_far_from_everywhere(self):
        self.assertEqual(zone("26486", "26316"), 5)

    def test_every_pair_of_regions_has_a_zone(self):
        for _, start, _ in REGIONS:
            for first, _, _ in REGIONS:
                with self.subTest(start=start, first=first):
                    self.assertIn(zone(first, first), (1, 5))
