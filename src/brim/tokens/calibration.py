"""Calibration: how many characters a token of a model has, learned from the usage of its responses.

Specified by features/tokens/calibration.feature (TOK_09).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from brim.tokens.estimation import CHARACTERS_PER_TOKEN


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was learned about one model: sums over its samples, so that long ones weigh more."""

    samples: int = 0
    characters: int = 0
    tokens: int = 0

    def learn(self, growth: int, characters: int) -> Calibration:
        """Learn from one call: `characters` were added, and the window grew by `growth` tokens.

        A growth that these characters cannot have caused is ignored: of less than a character a token it is that of an
        image or of hidden thinking, of more than 8 something left the window in between.
        """
        if growth <= 0 or not growth <= characters <= 8 * growth:
            return self
        return Calibration(self.samples + 1, self.characters + characters, self.tokens + growth)

    @property
    def characters_per_token(self) -> int | Fraction:
        """The learned ratio if there are enough samples, else 4.

        A single sample may contain an uncounted image; in few characters the overhead of each message weighs too much.
        """
        reliable = self.samples >= 3 and self.characters >= 20_000  # noqa: PLR2004 - the numbers of TOK_09
        return Fraction(self.characters, self.tokens) if reliable else CHARACTERS_PER_TOKEN


class Calibrations(dict[str, Calibration]):
    """The calibration of each model; nothing is learned of one that is not there."""

    def __missing__(self, model: str) -> Calibration:
        return Calibration()
