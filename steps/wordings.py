"""Lists the wordings that every feature can use, by world: `python -m steps.wordings`.

Behind each stands on how many lines of features it is used; below a grammar stand its acts.
"""

from __future__ import annotations

import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

from pytest_bdd.parser import Step

from steps.definitions import Definition, definitions_among
from steps.rulebook import read_features
from steps.worlds import MODULES

FEATURES = Path(__file__).parent.parent / "features"


def wordings(module: str) -> tuple[Definition, ...]:
    """Return the step definitions of a module of a world."""
    found = [getattr(one, "_fixture_function", one) for one in vars(import_module(module)).values()]
    return tuple(one for one in definitions_among(found) if one.context.step_func.__module__ == module)


def main() -> None:
    """Print them, with their uses."""
    scenarios = [scenario for one in read_features(FEATURES) for scenario in one.scenarios]
    lines = Counter((step.kind, step.text) for scenario in scenarios for step in scenario.steps)
    steps = [
        (Step(name=text, type=kind, indent=0, line_number=0, keyword=""), count)
        for (kind, text), count in lines.items()
    ]
    for module in MODULES:
        found = wordings(module)
        if found:
            print(f"\n{module}")  # noqa: T201  this is what it is for
        for one in found:
            used = sum(count for step, count in steps if _begins(one, step))
            print(f"{used:6}  {one.phrase}", *getattr(one.context.parser, "acts", ()), sep="\n            ")  # noqa: T201


def _begins(definition: Definition, step: Step) -> bool:
    """Whether a step, maybe with placeholders, has this wording."""
    opening = getattr(definition.context.parser, "opening", None)
    same = definition.context.type in {None, step.type}
    return same and (step.name.startswith(opening) if opening else definition.context.parser.is_matching(step.name))


if __name__ == "__main__":
    sys.exit(main())
