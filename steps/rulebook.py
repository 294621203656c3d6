"""Features as plain values, read with gherkin alone: what is written, whatever a test runner makes of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, cast

from gherkin.errors import CompositeParserException, ParserError
from gherkin.parser import Parser

RULE_ID = re.compile(r"[A-Z]{3}_\d\d")
"""A rule's id, as its tag spells it: TRG_04."""

KINDS = {"Context": "given", "Action": "when", "Outcome": "then"}


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a scenario; `kind` is given, when or then, carried on through And and But."""

    line: int
    kind: str
    text: str
    table: tuple[tuple[str, ...], ...]
    docstring: str | None


@dataclass(frozen=True, slots=True)
class Examples:
    """A table of an outline: its columns, and its rows as (line, cells)."""

    line: int
    name: str
    description: str
    tags: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario, or an outline with its tables; `background` are the steps that run before its own."""

    line: int
    name: str
    description: str
    tags: tuple[str, ...]
    steps: tuple[Step, ...]
    background: tuple[Step, ...]
    outline: bool
    tables: tuple[Examples, ...]

    @property
    def count(self) -> int:
        """How many examples it shows: its rows, or itself."""
        return sum(len(table.rows) for table in self.tables) if self.outline else 1

    @property
    def values(self) -> list[dict[str, str]]:
        """The rows of its tables, each as the value of each column."""
        return [dict(zip(table.columns, cells, strict=True)) for table in self.tables for _, cells in table.rows]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: one sentence, the ids it answers to, where it comes from, and what shows it."""

    line: int
    sentence: str
    tags: tuple[str, ...]
    description: str
    scenarios: tuple[Scenario, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids among its tags."""
        return tuple(tag for tag in self.tags if RULE_ID.fullmatch(tag))


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature file; `loose` are the scenarios that stand outside every rule."""

    path: Path
    line: int
    name: str
    description: str
    tags: tuple[str, ...]
    background: tuple[Step, ...]
    rules: tuple[Rule, ...]
    loose: tuple[Scenario, ...]

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        """Every scenario, in the order of the file."""
        return tuple(sorted(chain(self.loose, *(rule.scenarios for rule in self.rules)), key=lambda one: one.line))


class UnreadableFeature(Exception):
    """A file that is no feature: the line, and what was met there."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def read_feature(path: Path) -> Feature:
    """Read one feature file. Raises UnreadableFeature with the line of the first error."""
    try:
        document = parsed(path.read_text(encoding="utf-8"))
    except CompositeParserException as error:
        raise _unreadable(error.errors[0]) from error
    except ParserError as error:
        raise _unreadable(error) from error
    except UnicodeDecodeError as error:
        raise UnreadableFeature(1, f"it is not UTF-8: {error}") from error
    if not document.get("feature"):
        raise UnreadableFeature(1, "it holds no feature")
    return _feature(path, cast("dict[str, Any]", document["feature"]))


@lru_cache(maxsize=1)
def parsed(text: str) -> Any:
    """A document as gherkin reads it, to be read only. The collector and pytest-bdd ask for the same one in turn."""
    return Parser().parse(text)


def read_features(folder: Path) -> tuple[Feature, ...]:
    """Read every feature under a folder, ordered by path."""
    return tuple(read_feature(path) for path in sorted(folder.rglob("*.feature")))


def _unreadable(error: ParserError) -> UnreadableFeature:
    met = re.sub(r"^\(\d+:\d+\): ", "", str(error))
    return UnreadableFeature(getattr(error, "location", {}).get("line", 1), met)


def _feature(path: Path, node: dict[str, Any]) -> Feature:
    children = node["children"]
    background = _background(children)
    return Feature(
        path=path,
        line=node["location"]["line"],
        name=node["name"],
        description=node["description"].strip(),
        tags=_tags(node),
        background=background,
        rules=tuple(_rule(child["rule"], background) for child in children if "rule" in child),
        loose=_scenarios(children, background),
    )


def _rule(node: dict[str, Any], background: tuple[Step, ...]) -> Rule:
    return Rule(
        line=node["location"]["line"],
        sentence=node["name"],
        tags=_tags(node),
        description=node["description"].strip(),
        scenarios=_scenarios(node["children"], background + _background(node["children"])),
    )


def _background(children: list[dict[str, Any]]) -> tuple[Step, ...]:
    return tuple(chain.from_iterable(_steps(child["background"]) for child in children if "background" in child))


def _scenarios(children: list[dict[str, Any]], background: tuple[Step, ...]) -> tuple[Scenario, ...]:
    return tuple(_scenario(child["scenario"], background) for child in children if "scenario" in child)


def _scenario(node: dict[str, Any], background: tuple[Step, ...]) -> Scenario:
    return Scenario(
        line=node["location"]["line"],
        name=node["name"],
        description=node["description"].strip(),
        tags=_tags(node),
        steps=tuple(_steps(node)),
        background=background,
        outline=bool(node["examples"]) or "Outline" in node["keyword"] or "Template" in node["keyword"],
        tables=tuple(_examples(table) for table in node["examples"]),
    )


def _examples(node: dict[str, Any]) -> Examples:
    rows = tuple((row["location"]["line"], _cells(row)) for row in node.get("tableBody", ()))
    columns = _cells(node["tableHeader"]) if node.get("tableHeader") else ()
    description = node["description"].strip()
    return Examples(node["location"]["line"], node["name"], description, _tags(node), columns, rows)


def _steps(node: dict[str, Any]) -> Iterator[Step]:
    kind = "given"
    for step in node["steps"]:
        kind = KINDS.get(step["keywordType"], kind)
        table = tuple(_cells(row) for row in step.get("dataTable", {}).get("rows", ()))
        docstring = step["docString"]["content"] if "docString" in step else None
        yield Step(step["location"]["line"], kind, step["text"], table, docstring)


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(cell["value"] for cell in row["cells"])


def _tags(node: dict[str, Any]) -> tuple[str, ...]:
    return tuple(tag["name"].removeprefix("@") for tag in node["tags"])
