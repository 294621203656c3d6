"""What is wrong with a feature before a step of it runs: its place in the house and its form."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

from steps.rulebook import RULE_ID, Feature, Rule, Scenario

ROWS = 12
"""Rows of a scenario at most, over all its Examples."""
PLACEHOLDER = re.compile(r"<([^<>]+)>")


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: where it is, what was met there, and what cures it."""

    path: Path
    line: int
    met: str
    cure: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.met}. {self.cure}."


def faults_of_place(root: Path, feature: Path) -> Iterator[Fault]:
    """A feature has a source module of its own name; a step module only where it has wordings of its own."""
    module = root / "src" / "brim" / feature.relative_to(root / "features").with_suffix(".py")
    if not module.is_file() and not (module.with_suffix("") / "__init__.py").is_file():
        wanted = module.relative_to(root)
        yield Fault(feature, 1, "the feature has no source module", f"Write {wanted}, or rename the feature")


@cache
def converting(root: Path) -> frozenset[str]:
    """Return the packages and modules below steps for which the limits of the language do not hold yet."""
    path = root / "steps" / "converting.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return frozenset(line for line in lines if line and not line.startswith("#"))


def faults_of_form(feature: Feature, known_tags: Collection[str]) -> Iterator[Fault]:
    """What gherkin accepts and this rulebook does not, because a test runner would pass over it in silence."""
    if not feature.scenarios:
        yield Fault(feature.path, feature.line, "the feature has no scenario", "Show its rules by example")
    for scenario in feature.loose:
        met = f"the scenario {scenario.name!r} stands outside every rule"
        yield Fault(feature.path, scenario.line, met, "Move it under the Rule that it shows")
    yield from _faults_of_names(feature)
    yield from _faults_of_tags(feature, known_tags)
    for rule in feature.rules:
        yield from _faults_of_rule(feature.path, rule)
    for scenario in feature.scenarios:
        yield from _faults_of_scenario(feature.path, scenario)


def _faults_of_names(feature: Feature) -> Iterator[Fault]:
    lines: defaultdict[str, list[int]] = defaultdict(list)
    for scenario in feature.scenarios:
        lines[scenario.name].append(scenario.line)
    for name, (first, *others) in lines.items():
        for line in others:
            met = f"a second scenario is called {name!r} (the first is on line {first}), and one of them would be lost"
            yield Fault(feature.path, line, met, "Give it a name of its own")


def _faults_of_tags(feature: Feature, known_tags: Collection[str]) -> Iterator[Fault]:
    tagged = chain(
        [(feature.line, feature.tags)],
        ((rule.line, rule.tags) for rule in feature.rules),
        ((scenario.line, scenario.tags) for scenario in feature.scenarios),
        ((table.line, table.tags) for scenario in feature.scenarios for table in scenario.tables),
    )
    for line, tags in tagged:
        for tag in tags:
            if not RULE_ID.fullmatch(tag) and tag not in known_tags:
                cure = "Spell it as a rule's id (@TRG_04) or register it under markers in pyproject.toml"
                yield Fault(feature.path, line, f"the tag @{tag} is not known", cure)


def _faults_of_rule(path: Path, rule: Rule) -> Iterator[Fault]:
    if not rule.ids:
        met = f"the rule {rule.sentence!r} has no id"
        yield Fault(path, rule.line, met, "Tag it on the line above with its id, such as @TRG_04")
    if not rule.description.startswith("Source:"):
        met = f"the rule {rule.sentence!r} does not say where it comes from"
        yield Fault(path, rule.line, met, "Begin its description with 'Source: '")
    if not rule.scenarios:
        yield Fault(path, rule.line, f"the rule {rule.sentence!r} has no scenario", "Show it by example")


def _faults_of_scenario(path: Path, scenario: Scenario) -> Iterator[Fault]:
    if not scenario.steps:
        met = f"the scenario {scenario.name!r} has no steps and would pass without a check"
        yield Fault(path, scenario.line, met, "Write its steps or remove it")
    if scenario.count > ROWS:
        met = f"the scenario {scenario.name!r} has {scenario.count} rows, and {ROWS} at most are read"
        yield Fault(path, scenario.line, met, "Keep the telling ones, and test the others in tests")
    if scenario.outline and not scenario.tables:
        met = f"the outline {scenario.name!r} has no Examples and would run once with its placeholders as they stand"
        yield Fault(path, scenario.line, met, "Give it an Examples table")
    for table in scenario.tables:
        if not table.rows:
            met = f"the Examples of {scenario.name!r} have no rows"
            yield Fault(path, table.line, met, "Add rows or remove the table")
        yield from _faults_of_placeholders(path, scenario, table.line, table.columns)


def _faults_of_placeholders(path: Path, scenario: Scenario, line: int, columns: tuple[str, ...]) -> Iterator[Fault]:
    used = {name for text in _texts(scenario) for name in PLACEHOLDER.findall(text)}
    for column in dict.fromkeys(columns):
        if column not in used | {"description"}:
            met = f"no step uses the column {column!r} of the Examples of {scenario.name!r}"
            yield Fault(path, line, met, f"Use <{column}> in a step or drop the column")
        if columns.count(column) > 1:
            yield Fault(path, line, f"two columns are called {column!r}", "Give each a name of its own")
    for name in sorted({name for step in scenario.steps for name in PLACEHOLDER.findall(step.text)} - {*columns}):
        met = f"the Examples have no column for <{name}> of {scenario.name!r}"
        yield Fault(path, line, met, f"Add a column {name!r}")


def _texts(scenario: Scenario) -> Iterator[str]:
    yield scenario.name
    for step in scenario.background + scenario.steps:
        yield step.text
        yield step.docstring or ""
        yield from chain.from_iterable(step.table)
