"""What is learned of a model is exact, and never outside what a token can be."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from brim.tokens.calibration import (
    MAX_CHARACTERS_PER_TOKEN,
    MIN_CHARACTERS,
    MIN_CHARACTERS_PER_TOKEN,
    MIN_SAMPLES,
    Calibration,
    Calibrations,
)

samples = st.lists(st.tuples(st.integers(-10, 10**6), st.integers(-10, 10**6)), max_size=30)


@given(samples)
def test_a_ratio_is_always_one_that_a_token_can_have(listed):
    """Whatever was seen, and the same in any order."""
    calibration, backwards = Calibration(), Calibration()
    for growth, characters in listed:
        calibration = calibration.learn(growth, characters)
    for growth, characters in reversed(listed):
        backwards = backwards.learn(growth, characters)
    assert MIN_CHARACTERS_PER_TOKEN <= calibration.characters_per_token <= MAX_CHARACTERS_PER_TOKEN
    assert calibration == backwards


def test_a_calibration_is_a_value():
    """Learning leaves the one before as it was."""
    before = Calibration()
    after = before.learn(4_000, 10_000)
    assert (before, after) == (Calibration(), Calibration(1, 10_000, 4_000))


def test_what_is_needed_is_needed_exactly():
    """One sample or one character fewer is not enough."""
    assert Calibration(MIN_SAMPLES, MIN_CHARACTERS, 8_000).characters_per_token == Fraction(5, 2)
    assert Calibration(MIN_SAMPLES - 1, MIN_CHARACTERS, 8_000).characters_per_token == 4
    assert Calibration(MIN_SAMPLES, MIN_CHARACTERS - 1, 8_000).characters_per_token == 4


def test_every_model_has_a_calibration_of_its_own():
    """An unknown one has learned nothing, and asking teaches nothing."""
    calibrations = Calibrations()
    learned = calibrations.learn("a", 4_000, 10_000)
    assert learned == calibrations.of("a") == Calibration(1, 10_000, 4_000)
    assert calibrations.of("b") == Calibration()
    assert set(calibrations.models) == {"a"}


def test_a_call_in_which_nothing_happened_is_no_sample():
    """Nor is one in which nothing grew."""
    assert Calibration().learn(0, 0) == Calibration().learn(-1, 0) == Calibration().learn(0, 5) == Calibration()
