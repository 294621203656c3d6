"""S10 tracking numbers: two letters, eight digits, a check digit, two letters of the country.

The check digit: multiply the eight digits by 8, 6, 4, 2, 3, 5, 9, 7, add up, take the remainder by
11 from 11. A result of 10 is written as 0.
"""

import re

WEIGHTS = (8, 6, 4, 2, 3, 5, 9, 7)
FORM = re.compile(r"[A-Z]{2}\d{9}[A-Z]{2}")


def check_digit(serial):
    """The check digit of eight digits, given as a text."""
    if not re.fullmatch(r"\d{8}", serial):
        raise ValueError(f"a serial number is eight digits, not {serial!r}")
    total = sum(int(digit) * weight for digit, weight in zip(serial, WEIGHTS))
    check = 11 - total % 11
    return 0 if check == 10 else check


def tracking_number(serial, kind="CP", country="DE"):
    """The whole number, such as CP473124829DE."""
    return f"{kind}{serial}{check_digit(serial)}{country}"


def is_valid(number):
    """Whether a number has the form and its check digit is right; spaces do not matter."""
    plain = number.replace(" ", "").upper()
    if not FORM.fullmatch(plain):
        return False
    return int(plain[10]) == check_digit(plain[2:10])
