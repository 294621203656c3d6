"""What makes a feature readable to someone who does not read code, as checks that yield what they met, and where."""

import re
import statistics
from collections.abc import Iterable, Iterator
from itertools import chain

from steps.rulebook import Feature, Scenario, Step

STEPS_AT_MOST = 7
STEPS_IN_THE_MIDDLE = (3, 5)
NAMES = {"AskUserQuestion", "OpenCode", "OpenAI", "TypeScript", "JavaScript", "LangChain"}
"""Names of products, and of a tool, that are spelled like code."""

QUOTED = re.compile(r'"[^"]*"|`[^`]*`|“[^”]*”')
CODE = re.compile(
    r"""
      \b\w+_\w+\b                            # snake_case, ALL_CAPS
    | \b[a-z]+[A-Z]\w*\b                     # camelCase
    | \b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+\b  # CapWords
    | \b[A-Za-z]\w*(?:\.[A-Za-z]\w*)+        # dotted.names, file.py
    | \w+\(                                  # a call(
    | [`{}\[\]=]|=>|->                       # what only code is written with
    """,
    re.VERBOSE,
)
NUMBER = re.compile(r"(?<![\w.,#/-])\d{4,}(?![\w/-])")
RIDDLE = re.compile(
    r"\b(whoever|whatever|handed in|hands in|held against|called off|comes to nothing|told so|makes of|knows of"
    r"|left at that|sent on|what stands for)\b",
    re.IGNORECASE,
)
"""Phrases that hide who does what."""
WISH = re.compile(r"\bshould(n't)?\b|^(test|verify|ensure|check)s? that\b", re.IGNORECASE)


def undescribed(feature: Feature) -> Iterator[str]:
    """A feature says in prose what the capability is."""
    if len(feature.description.split()) < 8:
        yield f"{feature.path}:{feature.line}: the feature has no description"


def scenarios_of_one_name(feature: Feature) -> Iterator[str]:
    """A scenario's name is its own, whatever the case of its letters."""
    seen: set[str] = set()
    for scenario in feature.scenarios:
        if (name := scenario.name.casefold()) in seen:
            yield f"{feature.path}:{scenario.line}: a second scenario is called {scenario.name!r}"
        seen.add(name)


def half_sentences(feature: Feature) -> Iterator[str]:
    """A rule is a sentence: it begins with a capital or a number, has several words, and no full stop."""
    for rule in feature.rules:
        words = rule.sentence.split()
        if len(words) < 4 or words[0][0].islower() or rule.sentence.endswith("."):
            yield f"{feature.path}:{rule.line}: not one full sentence without a full stop: {rule.sentence!r}"


def wishes(feature: Feature) -> Iterator[str]:
    """It says what is, not what should be, nor that something is tested."""
    for line, text in _every_text(feature):
        if found := WISH.search(text):
            yield f"{feature.path}:{line}: {found[0]!r} in {text!r}"


def riddles(feature: Feature) -> Iterator[str]:
    """It names who does what; a phrase that hides it may stand only in quotation marks or in a row's data."""
    for line, text in _sentences(feature):
        if found := RIDDLE.search(QUOTED.sub('""', text)):
            yield f"{feature.path}:{line}: {found[0]!r} hides who does what: {text!r}"


def code(feature: Feature) -> Iterator[str]:
    """No identifiers in what is read; a literal text that the rule turns on stands in quotation marks."""
    for line, text in chain(_headings(feature), _spoken(feature)):
        for found in CODE.findall(QUOTED.sub('""', text)):
            if found not in NAMES:
                yield f"{feature.path}:{line}: {found!r} is code: {text!r}"


def long_numbers(feature: Feature) -> Iterator[str]:
    """Numbers from 1,000 on are written with separators, but for literal text."""
    cells = ((step.line, cell) for step in _steps(feature) for row in step.table for cell in row)
    for line, text in chain(_headings(feature), _spoken(feature), cells):
        if found := NUMBER.search(QUOTED.sub('""', text)):
            yield f"{feature.path}:{line}: {found[0]} is {int(found[0]):,} in {text!r}"


def long_scenarios(feature: Feature) -> Iterator[str]:
    """A scenario has at most seven steps, its background's included."""
    for scenario in feature.scenarios:
        if (count := _length(scenario)) > STEPS_AT_MOST:
            yield f"{feature.path}:{scenario.line}: {count} steps in {scenario.name!r}"


def several_acts(feature: Feature) -> Iterator[str]:
    """One thing happens in a scenario."""
    for scenario in feature.scenarios:
        acts = [step for step in scenario.background + scenario.steps if step.kind == "when"]
        if len(acts) != 1:
            yield f"{feature.path}:{scenario.line}: {len(acts)} steps of When in {scenario.name!r}"


def unnamed_examples(feature: Feature) -> Iterator[str]:
    """A table of examples has a name, or a column that describes each row."""
    for scenario in feature.scenarios:
        for table in scenario.tables:
            if not table.name and "description" not in table.columns:
                yield f"{feature.path}:{table.line}: the Examples of {scenario.name!r} have no name and no description"


CHECKS = (
    undescribed,
    scenarios_of_one_name,
    half_sentences,
    wishes,
    riddles,
    code,
    long_numbers,
    long_scenarios,
    several_acts,
    unnamed_examples,
)


def ids_in_two_features(features: Iterable[Feature]) -> Iterator[str]:
    """A rule has one home: its id stands in one feature only."""
    homes: dict[str, Feature] = {}
    for feature in features:
        for rule in feature.rules:
            for rule_id in rule.ids:
                home = homes.setdefault(rule_id, feature)
                if home is not feature:
                    yield f"{feature.path}:{rule.line}: {rule_id} is at home in {home.path}"


def middle_length(features: Iterable[Feature]) -> float:
    """The median of steps a scenario, the background's included."""
    return statistics.median(_length(scenario) for feature in features for scenario in feature.scenarios)


def _length(scenario: Scenario) -> int:
    return len(scenario.background) + len(scenario.steps)


def _steps(feature: Feature) -> Iterator[Step]:
    yield from dict.fromkeys(chain.from_iterable(one.background + one.steps for one in feature.scenarios))


def _headings(feature: Feature) -> Iterator[tuple[int, str]]:
    """Names and column titles."""
    yield feature.line, feature.name
    yield from ((rule.line, rule.sentence) for rule in feature.rules)
    for scenario in feature.scenarios:
        yield scenario.line, scenario.name
        for table in scenario.tables:
            yield table.line, table.name
            yield from ((table.line, column) for column in table.columns)
    yield from ((step.line, title) for step in _steps(feature) if len(step.table) > 1 for title in step.table[0])


def _spoken(feature: Feature) -> Iterator[tuple[int, str]]:
    """Every step as each row makes it read, so that what is quoted in the step is quoted in the row."""
    read = (spoken for scenario in feature.scenarios for spoken in _read_by_row(scenario))
    yield from dict.fromkeys(read)


def _read_by_row(scenario: Scenario) -> Iterator[tuple[int, str]]:
    tables = ((table.columns, line, cells) for table in scenario.tables for line, cells in table.rows)
    rows = [(line, dict(zip(columns, cells, strict=True))) for columns, line, cells in tables]
    for step in scenario.background + scenario.steps:
        for line, row in rows or [(step.line, {})]:
            yield (line if "<" in step.text else step.line), _filled(step.text, row)


def _filled(text: str, row: dict[str, str]) -> str:
    return re.sub(r"<([^<>]+)>", lambda met: row.get(met[1], met[0]), text)


def _sentences(feature: Feature) -> Iterator[tuple[int, str]]:
    """Descriptions, headings and steps as they are written, without the cells of tables."""
    yield feature.line, feature.description
    yield from ((rule.line, rule.description) for rule in feature.rules)
    yield from _headings(feature)
    yield from ((step.line, step.text) for step in _steps(feature))


def _every_text(feature: Feature) -> Iterator[tuple[int, str]]:
    yield feature.line, feature.description
    yield from ((rule.line, rule.description) for rule in feature.rules)
    yield from _headings(feature)
    yield from _spoken(feature)
