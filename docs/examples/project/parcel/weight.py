"""The weight that the carrier charges for.

A big light box costs as much as a small heavy one: the carrier takes the greater of the weight on
the scales and the volume weight (length x width x height in centimetres, over 5,000, in kilograms).
"""

VOLUME_DIVISOR = 5_000
MAX_GRAMS = 31_500
MAX_GIRTH_CM = 360


class TooLarge(ValueError):
    """The parcel is too heavy or too big for the carrier's belts."""


def volume_grams(length_cm, width_cm, height_cm):
    """The volume weight in grams, rounded up to the whole gram."""
    cubic = length_cm * width_cm * height_cm
    return -(-cubic * 1_000 // VOLUME_DIVISOR)


def girth_cm(length_cm, width_cm, height_cm):
    """The length plus the way around the other two sides."""
    longest, *others = sorted((length_cm, width_cm, height_cm), reverse=True)
    return longest + 2 * sum(others)


def chargeable_grams(grams, size=None):
    """The greater of the two weights; `size` is (length, width, height) in centimetres or None.

    Raises ValueError for a weight that is not above zero, TooLarge over 31.5 kg or 360 cm of girth.
    """
    if grams <= 0:
        raise ValueError(f"a parcel weighs more than {grams} g")
    if grams > MAX_GRAMS:
        raise TooLarge(f"{grams} g is over the limit of {MAX_GRAMS} g")
    if size is None:
        return grams
    if girth_cm(*size) > MAX_GIRTH_CM:
        raise TooLarge(f"a girth of {girth_cm(*size)} cm is over the limit of {MAX_GIRTH_CM} cm")
    return max(grams, volume_grams(*size))
