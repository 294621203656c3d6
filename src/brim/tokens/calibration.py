"""Calibration: how many characters a token of a model has, learned from the usage that came back.

Specified by features/tokens/calibration.feature (TOK_09).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from brim.tokens.estimation import CHARACTERS_PER_TOKEN

MIN_SAMPLES: Final = 3
"""Calls that have to agree before what was learned is used: one may be an image in disguise."""
MIN_CHARACTERS: Final = 20_000
"""Characters they have to cover together: below that, what wraps each message weighs too much."""
MIN_CHARACTERS_PER_TOKEN: Final = 1
"""Characters a token, at least: below it the growth was not the text's (hidden thinking, an image)."""
MAX_CHARACTERS_PER_TOKEN: Final = 8
"""Characters a token, at most: above it something left the window in between (thinking that was dropped)."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was learned of one model: sums over its samples, so that long ones weigh more."""

    samples: int = 0
    characters: int = 0
    tokens: int = 0

    def learn(self, growth: int, characters: int) -> Calibration:
        """Learn from one call: `characters` were added, and the window grew by `growth` tokens.

        A growth that these characters cannot have caused teaches nothing.
        """
        if growth <= 0 or not MIN_CHARACTERS_PER_TOKEN * growth <= characters <= MAX_CHARACTERS_PER_TOKEN * growth:
            return self
        return Calibration(self.samples + 1, self.characters + characters, self.tokens + growth)

    @property
    def enough(self) -> bool:
        """Whether enough was seen for it to be used."""
        return self.samples >= MIN_SAMPLES and self.characters >= MIN_CHARACTERS

    @property
    def characters_per_token(self) -> int | Fraction:
        """The ratio to estimate by: the learned one once enough was seen, the documented 4 until then."""
        return Fraction(self.characters, self.tokens) if self.enough else CHARACTERS_PER_TOKEN


class Calibrations:
    """A running calibration for every model that was met: what one taught is never used for another."""

    def __init__(self) -> None:
        self.models: dict[str, Calibration] = {}

    def of(self, model: str) -> Calibration:
        """What was learned of a model so far."""
        return self.models.get(model, Calibration())

    def learn(self, model: str, growth: int, characters: int) -> Calibration:
        """Learn from one call of a model, and return what is known of it now."""
        self.models[model] = self.of(model).learn(growth, characters)
        return self.models[model]
