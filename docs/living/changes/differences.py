"""The difference between two versions of the rulebook: rules added, changed and removed, and what in a rule changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from living.changes.pairing import Standing, pairs, rules_of
from living.rules.rulebook import SOURCE, paragraphs, source_of
from steps.rulebook import Examples, Feature, Scenario, Step

__all__ = ["WORDS", "Changed", "Difference", "Note", "difference"]

WORDS: Final = ("sentence", "ids", "feature", "source", "description", "portable")
"""What a rule says of itself; whatever else changes in it is an example."""


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that changed in a rule: what it is, how it was and how it is now, in lines."""

    what: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Changed:
    """A rule that is not what it was; `rule` is as it is now."""

    rule: Standing
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """From one revision to another, each list ordered by id."""

    added: tuple[Standing, ...]
    changed: tuple[Changed, ...]
    removed: tuple[Standing, ...]


def difference(old: Sequence[Feature], new: Sequence[Feature]) -> Difference:
    """Compare two versions, rule by rule. What a feature says outside its rules is passed over."""
    before, after = rules_of(old), rules_of(new)
    found = {j: i for i, j in pairs(before, after)}
    kept = set(found.values())
    changed = [Changed(after[j], notes) for j, i in found.items() if (notes := tuple(_notes(before[i], after[j])))]
    return Difference(
        added=_ordered(one for j, one in enumerate(after) if j not in found),
        changed=tuple(sorted(changed, key=lambda one: _order(one.rule))),
        removed=_ordered(one for i, one in enumerate(before) if i not in kept),
    )


def _ordered(rules: Iterable[Standing]) -> tuple[Standing, ...]:
    return tuple(sorted(rules, key=_order))


def _order(standing: Standing) -> tuple[tuple[str, ...], str, int]:
    return standing.rule.ids, standing.feature, standing.rule.line


def _notes(old: Standing, new: Standing) -> Iterator[Note]:
    for what, before, after in zip(WORDS, _words(old), _words(new), strict=True):
        if before != after:
            yield Note(what, (before,) if before else (), (after,) if after else ())
    yield from _scenarios(old.rule.scenarios, new.rule.scenarios)


def _words(standing: Standing) -> tuple[str, ...]:
    """What it says of itself, in the order of WORDS."""
    rule = standing.rule
    whose = "holds for every implementation" if standing.portable else "holds for this implementation"
    return rule.sentence, " ".join(rule.ids), standing.feature, source_of(rule), _prose(standing), whose


def _prose(standing: Standing) -> str:
    return " ".join(text for text in paragraphs(standing.rule.description) if not text.startswith(SOURCE))


def _scenarios(old: Sequence[Scenario], new: Sequence[Scenario]) -> Iterator[Note]:
    before, after = _by_name(old), _by_name(new)
    for key in [*before, *(key for key in after if key not in before)]:
        if key not in after:
            yield Note(f"scenario “{key[0]}”", tuple(_whole(before[key])), ())
        elif key not in before:
            yield Note(f"scenario “{key[0]}”", (), tuple(_whole(after[key])))
        else:
            yield from _within(before[key], after[key])


def _by_name(scenarios: Sequence[Scenario]) -> dict[tuple[str, int], Scenario]:
    """By name; where a name stands twice, by its number too."""
    met: Counter[str] = Counter()
    found = {}
    for scenario in scenarios:
        found[scenario.name, met[scenario.name]] = scenario
        met[scenario.name] += 1
    return found


def _within(old: Scenario, new: Scenario) -> Iterator[Note]:
    for what, told in (("words", _prose_of), ("steps", _steps), ("rows", _rows)):
        before, after = told(old), told(new)
        gone, come = _without(before, after), _without(after, before)
        if gone or come:
            yield Note(f"{what} of “{new.name}”", gone, come)
        elif before != after:
            yield Note(f"order of the {what} of “{new.name}”", before, after)


def _without(lines: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    """Lines that the others do not have, each as often as they lack it."""
    lacking = Counter(lines) - Counter(others)
    return tuple(line for line in lines if _take(lacking, line))


def _take(counts: Counter[str], line: str) -> bool:
    counts[line] -= 1
    return counts[line] >= 0


def _whole(scenario: Scenario) -> Iterator[str]:
    yield from _prose_of(scenario)
    yield from _steps(scenario)
    yield from _rows(scenario)


def _prose_of(scenario: Scenario) -> tuple[str, ...]:
    written = [scenario.description, *(table.description for table in scenario.tables)]
    return tuple(text for one in written for text in paragraphs(one))


def _steps(scenario: Scenario) -> tuple[str, ...]:
    return tuple(line for step in (*scenario.background, *scenario.steps) for line in _step(step))


def _step(step: Step) -> Iterator[str]:
    yield f"{step.kind.capitalize()} {step.text}"
    yield from (" | ".join(cells) for cells in step.table)
    yield from (step.docstring or "").splitlines()


def _rows(scenario: Scenario) -> tuple[str, ...]:
    return tuple(_row(table, cells) for table in scenario.tables for _, cells in table.rows)


def _row(table: Examples, cells: tuple[str, ...]) -> str:
    """A row as it is read: the description as it is, other cells with the names of their columns."""
    named = zip(table.columns, cells, strict=True)
    said = " · ".join(cell if column == "description" else f"{column} {cell}" for column, cell in named)
    return f"{table.name}: {said}" if table.name else said
