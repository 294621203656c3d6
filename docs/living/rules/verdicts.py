"""Verdicts in words and signs, so that none is told by colour alone."""

from __future__ import annotations

from collections.abc import Iterable

from living.results import Results, Tally
from living.rules.rulebook import name_of
from steps.rulebook import Feature

SIGNS = {"passed": "✓", "failed": "✗", "skipped": "–", "not run": "○"}
STATES = {"passed": "holds", "failed": "fails"}


def signed(outcome: str) -> str:
    """An outcome with its sign: ✓ passed."""
    return f"{SIGNS[outcome]} {outcome}"


def state(tally: Tally) -> str:
    """The state of a rule with its sign: ✓ holds."""
    return f"{SIGNS[tally.worst]} {STATES.get(tally.worst, tally.worst)}"


def told(tally: Tally) -> str:
    """A tally with the sign of its worst: ✓ all 12 examples passed, ✗ 1 of 12 examples failed."""
    number = tally.counts.get(tally.worst, 0)
    examples = f"{tally.total:,} example{'' if tally.total == 1 else 's'}"
    if number == tally.total:
        return f"{SIGNS[tally.worst]} {'all ' if number > 1 else ''}{examples} {tally.worst}"
    return f"{SIGNS[tally.worst]} {number:,} of {examples} {tally.worst}"


def tally_of(results: Results, features: Iterable[Feature]) -> Tally:
    """What all examples of some features came to."""
    return Tally.together(results.tally(name_of(one), one.scenarios) for one in features)
