"""How many rules there are, and how many of them are portable: a rule is an id, said in one sentence or in several."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from living.rules.rulebook import is_portable
from steps.rulebook import Feature, Rule

Portability = Literal["portable", "partly portable", ""]


def portability(feature: Feature, rule: Rule) -> Portability:
    """Whether a sentence is portable: by all of its scenarios, by some, or by none."""
    if is_portable(feature, rule):
        return "portable"
    return "partly portable" if any(is_portable(feature, rule, one) for one in rule.scenarios) else ""


def ids_of(features: Iterable[Feature]) -> set[str]:
    """The rules of some features."""
    return {one for feature in features for rule in feature.rules for one in rule.ids}


def counted(features: Iterable[Feature]) -> str:
    """How many rules some features hold: 12 rules in 30 sentences; 12 rules, where each is said in one."""
    features = list(features)
    return in_words(len(ids_of(features)), sum(len(feature.rules) for feature in features))


def in_words(rules: int, sentences: int) -> str:
    """The same of numbers."""
    told = f"{rules:,} rule{'' if rules == 1 else 's'}"
    return told if rules == sentences else f"{told} in {sentences:,} sentence{'' if sentences == 1 else 's'}"
