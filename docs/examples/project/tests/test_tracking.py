import unittest

from parcel.tracking import check_digit, is_valid, tracking_number


class TrackingTest(unittest.TestCase):
    def test_the_example_of_the_standard(self):
        self.assertEqual(check_digit("47312482"), 9)

    def test_ten_is_written_as_zero(self):
        self.assertEqual(check_digit("00000008"), 0)

    def test_the_whole_number(self):
        self.assertEqual(tracking_number("47312482"), "CP473124829DE")

    def test_spaces_and_small_letters_are_read(self):
        self.assertTrue(is_valid("cp 4731 2482 9 de"))

    def test_a_wrong_check_digit(self):
        self.assertFalse(is_valid("CP473124828DE"))

    def test_a_serial_number_has_eight_digits(self):
        with self.assertRaises(ValueError):
            check_digit("4731248")
