"""Which rule of one revision is which of the other: by its ids, and among rules of one id by what it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from living.rules.rulebook import is_portable, name_of
from steps.rulebook import Feature, Rule

__all__ = ["Standing", "pairs", "rules_of"]

ALIKE: Final = 0.5
"""From here on two sentences, or two lists of scenarios, are versions of one."""
SAME_SENTENCE: Final = 2.0
SAME_IDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class Standing:
    """A rule where it stands: the feature by name, such as trigger/budget, and its title."""

    feature: str
    title: str
    rule: Rule
    portable: bool

    @property
    def label(self) -> str:
        """Its ids, or where it stands if it has none."""
        return " ".join(self.rule.ids) or self.feature


def rules_of(features: Sequence[Feature]) -> tuple[Standing, ...]:
    """Every rule of a revision, in the order of files and lines."""
    return tuple(
        Standing(name_of(feature), feature.name, rule, is_portable(feature, rule))
        for feature in features
        for rule in feature.rules
    )


def pairs(old: Sequence[Standing], new: Sequence[Standing]) -> Iterator[tuple[int, int]]:
    """Indices of rules that are versions of one. Rules pair where they share an id, the likest ones first.

    An id that only one rule has on either side pairs them, whatever they say.
    """
    before, after = _counts(old), _counts(new)
    found = sorted(
        (-_likeness(one, other), i, j)
        for i, one in enumerate(old)
        for j, other in enumerate(new)
        if _names(one) & _names(other)
    )
    taken: tuple[set[int], set[int]] = (set(), set())
    for likeness, i, j in found:
        alone = any(before[name] == after[name] == 1 for name in _names(old[i]) & _names(new[j]))
        if i not in taken[0] and j not in taken[1] and (-likeness >= ALIKE or alone):
            taken[0].add(i)
            taken[1].add(j)
            yield i, j


def _names(standing: Standing) -> set[str]:
    """What it is known by: its ids; a rule without ids by its sentence."""
    return set(standing.rule.ids) or {standing.rule.sentence}


def _counts(standings: Sequence[Standing]) -> Counter[str]:
    return Counter(name for standing in standings for name in _names(standing))


def _likeness(one: Standing, other: Standing) -> float:
    if one.rule.sentence == other.rule.sentence:
        return SAME_SENTENCE + SAME_IDS * (one.rule.ids == other.rule.ids)
    said = SequenceMatcher(None, one.rule.sentence.split(), other.rule.sentence.split()).ratio()
    mine, theirs = ({scenario.name for scenario in standing.rule.scenarios} for standing in (one, other))
    return max(said, len(mine & theirs) / max(len(mine | theirs), 1))
