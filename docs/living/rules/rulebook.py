"""The rulebook as the site shows it: packages in their order, rules by id, where each rule comes from."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sphinx.errors import ExtensionError

from living.results import name_of
from steps.rulebook import Feature, Rule, Scenario, UnreadableFeature, read_feature

SOURCE = "Source:"
WHOLE = 170
"""Examples up to which a package is one page; in a larger one each feature has its own."""


@dataclass(frozen=True)
class Rulebook:
    """Every feature of a tree, by the order of its packages."""

    root: Path
    packages: dict[str, tuple[Feature, ...]]

    @classmethod
    def read(cls, root: Path) -> Rulebook:
        """Read the features of a tree. Raises ExtensionError with file and line of what does not parse."""
        features = []
        for path in sorted((root / "features").rglob("*.feature")):
            try:
                features.append(read_feature(path))
            except UnreadableFeature as error:
                raise ExtensionError(f"{path.relative_to(root)}:{error.line}: it does not parse: {error}") from error
        names = [feature.path.parent.name for feature in features]
        ordered = sorted({*names}, key=[*packages_in_order(root), *names].index)
        return cls(root, {name: tuple(one for one in features if one.path.parent.name == name) for name in ordered})

    @cached_property
    def features(self) -> dict[str, Feature]:
        """Every feature by its name, such as trigger/overflow."""
        return {name_of(feature): feature for those in self.packages.values() for feature in those}

    @cached_property
    def by_id(self) -> dict[str, tuple[str, Rule]]:
        """The first rule of each id, with the name of its feature."""
        rules = [(name, rule) for name, feature in self.features.items() for rule in feature.rules]
        return {one: found for found in reversed(rules) for one in found[1].ids}

    def is_whole(self, package: str) -> bool:
        """Return whether a package is one page."""
        return sum(one.count for feature in self.packages[package] for one in feature.scenarios) <= WHOLE

    def page(self, name: str) -> str:
        """The page on which a feature stands, such as rulebook/trigger/overflow."""
        package = name.split("/", maxsplit=1)[0]
        return f"rulebook/{package}/index" if self.is_whole(package) else f"rulebook/{name}"

    def place(self, rule_id: str) -> tuple[str, str, str] | None:
        """Page and anchor of the first sentence of an id, and the sentence; None for an id that there is not."""
        if rule_id not in self.by_id:
            return None
        name, rule = self.by_id[rule_id]
        return (self.page(name), f"rule-{rule_id.lower()}", rule.sentence)


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


def in_order(root: Path, package: str, features: Iterable[Feature]) -> list[Feature]:
    """Some features of a package as its page orders them; what it does not name comes last."""
    page = root / "docs" / "rulebook" / package / "index.md"
    names = page.read_text(encoding="utf-8").splitlines() if page.exists() else []
    return sorted(features, key=lambda one: [*names, one.path.stem].index(one.path.stem))


def anchors(feature: Feature) -> dict[int, tuple[str, ...]]:
    """The anchors of its rules, by the line of the rule; an id that stands a second time gets a number."""
    met: dict[str, int] = {}
    found: dict[int, tuple[str, ...]] = {}
    for rule in feature.rules:
        for one in rule.ids:
            met[one] = met.get(one, 0) + 1
        numbered = (f"-{met[one]}" if met[one] > 1 else "" for one in rule.ids)
        found[rule.line] = tuple(f"rule-{one.lower()}{number}" for one, number in zip(rule.ids, numbered, strict=True))
    return found


def portability(feature: Feature, rule: Rule, scenario: Scenario | None = None) -> str:
    """Whether a sentence, or one scenario of it, holds in every language: "portable", "partly portable" or ""."""
    if "portable" in (*feature.tags, *rule.tags):
        return "portable"
    marked = ["portable" in one.tags for one in ((scenario,) if scenario else rule.scenarios)]
    return "" if not any(marked) else "portable" if all(marked) else "partly portable"


def counted(features: Iterable[Feature]) -> str:
    """How many rules some features hold: 12 rules in 30 sentences."""
    rules = [rule for feature in features for rule in feature.rules]
    ids = len({one for rule in rules for one in rule.ids})
    text = f"{ids:,} rule{'' if ids == 1 else 's'}"
    return text if ids == len(rules) else f"{text} in {len(rules):,} sentence{'' if len(rules) == 1 else 's'}"


def paragraphs(description: str) -> Iterator[str]:
    """The paragraphs of a description, each on one line."""
    return filter(None, (" ".join(one.split()) for one in re.split(r"\n\s*\n", description)))


def source_of(rule: Rule) -> str:
    """Where a rule comes from, in the words behind "Source:"."""
    found = (text for text in paragraphs(rule.description) if text.startswith(SOURCE))
    return next(found, "").removeprefix(SOURCE).strip()
