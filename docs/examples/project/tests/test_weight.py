import unittest

from parcel.weight import TooLarge, chargeable_grams, girth_cm, volume_grams


class WeightTest(unittest.TestCase):
    def test_by_the_scales(self):
        self.assertEqual(chargeable_grams(2_500), 2_500)

    def test_by_volume(self):
        self.assertEqual(chargeable_grams(2_500, (60, 40, 30)), 14_400)

    def test_volume_is_rounded_up(self):
        self.assertEqual(volume_grams(10, 10, 1.01), 21)

    def test_girth(self):
        self.assertEqual(girth_cm(20, 100, 30), 200)

    def test_no_weight(self):
        with self.assertRaises(ValueError):
            chargeable_grams(0)

    def test_at_the_limit(self):
        self.assertEqual(chargeable_grams(31_500), 31_500)

    def test_over_the_limit(self):
        with self.assertRaises(TooLarge):
            chargeable_grams(31_501)

    def test_too_big_around(self):
        with self.assertRaises(TooLarge):
            chargeable_grams(900, (200, 41, 40))
