"""Writes the pages that are made from the code: `python docs/implementers/generate.py`.

operations.md comes from the declared operations, phrases.md from the portable features and their step modules.
A test holds both to what this program would write.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "src"), str(ROOT / "docs")]

from living.reference.operations_page import operations_page  # noqa: E402
from pytest_bdd.parser import Step as BoundStep  # noqa: E402

from brim.portable.schema import ROOMS  # noqa: E402
from steps import implementation, shared  # noqa: E402
from steps.definitions import Definition, definitions_among  # noqa: E402
from steps.rulebook import Feature, Scenario, Step, read_features  # noqa: E402
from steps.vocabulary import TERMS  # noqa: E402

HERE = Path(__file__).parent

ASKED = re.compile(r"implementation\(\s*\"(\w+)\"")

OPENING = """\
# The phrases of the portable features

Made from the features and their step modules by `python docs/implementers/generate.py`. A term in braces is read
as the first table says; beside a phrase stands the operation that it asks the implementation for.

| term | what it reads |
| --- | --- |
"""


def pages() -> dict[Path, str]:
    """Every generated page, by the file it belongs in."""
    return {HERE / "operations.md": operations_page(), HERE / "phrases.md": phrases_page()}


def phrases_page() -> str:
    """Every phrase that a portable scenario uses, feature by feature."""
    terms = "\n".join(f"| {name} | {_sentence(read.__doc__)} |" for name, read in TERMS.items())
    features = [one for one in read_features(ROOT / "features") if any(portable_scenarios(one))]
    lines = [OPENING + terms]
    for room, members in groupby(sorted(features, key=_place), key=_room):
        lines += ["", f"## {room.capitalize()}"]
        for feature in members:
            lines += ["", f"### {feature.name}", "", "| phrase | asks for |", "| --- | --- |", *_rows(feature)]
    return "\n".join(lines) + "\n"


def portable_scenarios(feature: Feature) -> Iterator[Scenario]:
    """The scenarios that hold for every implementation: tagged so themselves, or by their rule or feature."""
    for rule in feature.rules:
        for scenario in rule.scenarios:
            if "portable" in (*feature.tags, *rule.tags, *scenario.tags):
                yield scenario


def _rows(feature: Feature) -> Iterator[str]:
    steps = importlib.import_module(".".join(("steps", _room(feature), feature.path.stem)))
    modules = (steps, shared, implementation)
    definitions = definitions_among([function for module in modules for function in _functions(module)])
    met = (
        one
        for scenario in portable_scenarios(feature)
        for step in _lines(scenario)
        for one in definitions
        if one.matches(step)
    )
    for one in dict.fromkeys(met):
        asked = ", ".join(
            f"`{name}`" for name in dict.fromkeys(ASKED.findall(inspect.getsource(one.context.step_func)))
        )
        yield f"| {_escaped(one)} | {asked} |"


def _functions(module: object) -> list[object]:
    """The functions behind a module's fixtures: pytest keeps what it wraps in an attribute."""
    return [getattr(one, "_fixture_function", one) for one in vars(module).values()]


def _lines(scenario: Scenario) -> Iterator[BoundStep]:
    """Its steps as they run: once for every row."""
    rows = [dict(zip(table.columns, cells, strict=True)) for table in scenario.tables for _, cells in table.rows]
    for row in rows or [{}]:
        for step in (*scenario.background, *scenario.steps):
            yield BoundStep(name=_filled(step, row), type=step.kind, indent=0, line_number=step.line, keyword="")


def _filled(step: Step, row: dict[str, str]) -> str:
    return re.sub(r"<([^<>]+)>", lambda met: row.get(met[1], met[0]), step.text)


def _escaped(definition: Definition) -> str:
    kind, _, wording = definition.phrase.partition(" ")
    return f"*{kind}* {wording}".replace("|", "\\|").replace("<", "\\<")


def _place(feature: Feature) -> tuple[int, str, str]:
    room = _room(feature)
    return (ROOMS.index(room) if room in ROOMS else len(ROOMS), room, feature.path.stem)


def _room(feature: Feature) -> str:
    return feature.path.parent.name


def _sentence(docstring: str | None) -> str:
    return " ".join((docstring or "").split())


if __name__ == "__main__":
    for page, text in pages().items():
        page.write_text(text, encoding="utf-8")
        sys.stdout.write(f"wrote {page.relative_to(ROOT)}\n")
