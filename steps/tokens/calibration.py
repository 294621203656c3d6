"""Steps of features/tokens/calibration.feature."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from types import SimpleNamespace

from pytest_bdd import when

from brim.tokens.calibration import Calibrations
from steps.vocabulary import tokens
from steps.worlds.notation import Acts, ActsBelow


class Seen:
    """What was seen of models, one after another."""

    def __init__(self) -> None:
        self.calibrations, self.model = Calibrations(), 1

    def shows(self, times: str, characters: str, growth: str) -> None:
        """So often the window grew by these tokens while these characters were added."""
        for _ in range(int(times)):
            model = f"model {self.model}"
            self.calibrations[model] = self.calibrations[model].learn(tokens(growth), tokens(characters))

    def gives_way(self) -> None:
        """Be another model from now on."""
        self.model += 1


MODEL = Acts(
    "the model {acts}",
    {
        r"shows (\d+) times ([\d,]+) characters in ([\d,]+) tokens": Seen.shows,
        "gives way to another": Seen.gives_way,
    },
)


@when(MODEL, target_fixture="outcome")
def see(acts):
    return learned([acts])


@when(ActsBelow("the model acts", MODEL), target_fixture="outcome")
def see_in_turn(datatable):
    return learned([cell for row in datatable for cell in row])


def learned(lines: Sequence[str]) -> SimpleNamespace:
    """Return what was learned of the model; once its ratio is used, it is exactly that of the sums."""
    seen = Seen()
    MODEL.perform(seen, lines)
    known = seen.calibrations[f"model {seen.model}"]
    ratio = known.characters_per_token
    assert ratio == 4 or ratio * known.tokens == known.characters
    return SimpleNamespace(
        characters_a_token=Decimal(ratio.numerator) / Decimal(ratio.denominator),
        characters_learned=known.characters,
        tokens_learned=known.tokens,
    )
