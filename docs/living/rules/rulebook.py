"""The rulebook as the site shows it: packages in their order, rules by id, where each rule comes from."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from living.faults import Fault, Unfit
from steps.rulebook import Feature, Rule, Scenario, UnreadableFeature, read_feature

SOURCE = "Source:"


class Place(NamedTuple):
    """Where a link to a rule leads, and what is said there."""

    page: str
    anchor: str
    gist: str


@dataclass(frozen=True, slots=True)
class Package:
    """A package of rules, with its features in the order of their names."""

    name: str
    features: tuple[Feature, ...]


@dataclass(frozen=True)
class Rulebook:
    """Every feature of a tree. Raises Unfit with file and line where one cannot be shown."""

    root: Path
    packages: tuple[Package, ...]

    @classmethod
    def read(cls, root: Path) -> Rulebook:
        """Read the features of a tree, and refuse a rule that has no id or no source."""
        read = [_read(path) for path in sorted((root / "features").rglob("*.feature"))]
        features = tuple(one for one in read if isinstance(one, Feature))
        unread = (one for one in read if isinstance(one, Fault))
        if faults := [*unread, *(fault for feature in features for fault in _faults(root, feature))]:
            raise Unfit(*faults)
        names = {feature.path.parent.name for feature in features}
        known = [name for name in packages_in_order(root) if name in names]
        ordered = known + sorted(names - set(known))
        return cls(root, tuple(Package(name, _of_package(features, name)) for name in ordered))

    @cached_property
    def features(self) -> dict[str, Feature]:
        """Every feature by its name, such as trigger/overflow."""
        return {name_of(feature): feature for package in self.packages for feature in package.features}

    @cached_property
    def by_id(self) -> dict[str, list[tuple[str, Rule]]]:
        """The rules of each id with the names of their features; the first of them is the home of the id."""
        found: dict[str, list[tuple[str, Rule]]] = {}
        for name, feature in self.features.items():
            for rule in feature.rules:
                for one in rule.ids:
                    found.setdefault(one, []).append((name, rule))
        return found

    @cached_property
    def homes(self) -> dict[str, str]:
        """The feature in which a rule's id stands first, by the id."""
        return {one: rules[0][0] for one, rules in self.by_id.items()}

    def place(self, rule_id: str, words: str = "") -> Place | None:
        """Where an id leads: to its one sentence that has the words; without words to the top of a page of its own, or
        else to its first sentence. None for an id, or for words, that no sentence or several have.
        """
        found = [(name, rule) for name, rule in self.by_id.get(rule_id, ()) if words in rule.sentence]
        if not found or (words and len(found) > 1):
            return None
        name, rule = found[0]
        feature = self.features[name]
        if not words and len(feature.rules) > 1 and all(rule_id in one.ids for one in feature.rules):
            return Place(f"rulebook/{name}", "", feature.name)
        return Place(f"rulebook/{name}", anchors(feature)[rule.line][rule.ids.index(rule_id)], rule.sentence)

    def package(self, name: str) -> Package | None:
        """The package of that name, where there is one."""
        return next((package for package in self.packages if package.name == name), None)


def packages_in_order(root: Path) -> tuple[str, ...]:
    """The packages as pyproject.toml orders them, from the first to read to the last."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project.get("tool", {}).get("importlinter", {}).get("contracts", ())
    layers = [layer for one in contracts if one.get("id") == "layers" for layer in one["layers"]]
    return tuple(layer.strip("()") for layer in reversed(layers))


def title_of(root: Path, package: str) -> str:
    """What a package is called: the heading of its page, else its name."""
    page = root / "docs" / "rulebook" / package / "index.md"
    return page.read_text(encoding="utf-8").splitlines()[0].strip("# ") if page.exists() else package.capitalize()


def name_of(feature: Feature) -> str:
    """The name of a feature: its package and its own."""
    return f"{feature.path.parent.name}/{feature.path.stem}"


def anchors(feature: Feature) -> dict[int, tuple[str, ...]]:
    """The anchors of its rules, by the line of the rule; an id that stands a second time gets a number."""
    met: dict[str, int] = {}
    found: dict[int, tuple[str, ...]] = {}
    for rule in feature.rules:
        for one in rule.ids:
            met[one] = met.get(one, 0) + 1
        found[rule.line] = tuple(anchor_of(one, met[one]) for one in rule.ids)
    return found


def anchor_of(rule_id: str, time: int = 1) -> str:
    """The anchor of a rule: rule-trg_04, and rule-trg_04-2 for a second rule of that id."""
    return f"rule-{rule_id.lower()}" + (f"-{time}" if time > 1 else "")


def is_portable(feature: Feature, rule: Rule, scenario: Scenario | None = None) -> bool:
    """Whether a rule, or one scenario of it, is what other implementations are held against."""
    if "portable" in (*feature.tags, *rule.tags):
        return True
    scenarios = (scenario,) if scenario else rule.scenarios
    return bool(scenarios) and all("portable" in one.tags for one in scenarios)


def portability(feature: Feature, rule: Rule) -> str:
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


def paragraphs(description: str) -> Iterator[str]:
    """The paragraphs of a description, each on one line."""
    for paragraph in re.split(r"\n\s*\n", description):
        if words := paragraph.split():
            yield " ".join(words)


def source_of(rule: Rule) -> str:
    """Where a rule comes from, in the words behind "Source:"."""
    found = (text for text in paragraphs(rule.description) if text.startswith(SOURCE))
    return next(found, "").removeprefix(SOURCE).strip()


def _read(path: Path) -> Feature | Fault:
    try:
        return read_feature(path)
    except UnreadableFeature as error:
        return Fault(path, error.line, f"it does not parse: {error}")


def _faults(root: Path, feature: Feature) -> Iterator[Fault]:
    if feature.path.parents[2] != root:
        yield Fault(feature.path, 1, "a feature stands in the folder of its package: features/trigger/overflow.feature")
    for rule in feature.rules:
        if not rule.ids:
            yield Fault(feature.path, rule.line, f"the rule has no id: {rule.sentence!r}")
        if not source_of(rule):
            yield Fault(feature.path, rule.line, f"the rule has no source: {rule.sentence!r}")


def _of_package(features: tuple[Feature, ...], package: str) -> tuple[Feature, ...]:
    return tuple(feature for feature in features if feature.path.parent.name == package)
