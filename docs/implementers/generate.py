"""Writes docs/reference/operations.md from the declarations: `python docs/implementers/generate.py`.

A test compares the page with what this program would write.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from pytest_bdd.parser import Step as BoundStep  # noqa: E402

from brim.portable.operation import OPERATIONS, Operation  # noqa: E402
from brim.portable.schema import schema  # noqa: E402
from steps import implementation, shared  # noqa: E402
from steps.definitions import Definition, definitions_among  # noqa: E402
from steps.rulebook import Feature, Rule, Scenario, read_features  # noqa: E402
from steps.worlds import MODULES  # noqa: E402

PAGE = ROOT / "docs" / "reference" / "operations.md"
BEGIN = "<!-- From here on: python docs/implementers/generate.py -->\n"
ASKED = re.compile(r"implementation\(\s*\"(\w+)\"")
WORDS = {"string": "text", "boolean": "true or false"}
BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}

Schema = dict[str, Any]
EMPTY: Mapping[str, str] = MappingProxyType({})


def page() -> str:
    """The page as it ought to be: what is written by hand, then every operation."""
    return PAGE.read_text(encoding="utf-8").partition(BEGIN)[0] + BEGIN + "\n".join(_operations()) + "\n"


def _operations() -> Iterator[str]:
    told, asked, described = schema()["operations"], examples(), dict[str, str]()
    yield from _overview(told, asked)
    for room, members in ((room, [*those]) for room, those in groupby(OPERATIONS.values(), key=lambda one: one.room)):
        yield from ("", f"## Operations: {room}", "", ", ".join(map(_link, members)))
        for one in members:
            yield from ("", *_section(one, told[one.name], asked[one.name], described))


def _overview(told: Schema, asked: Mapping[str, Counter[str]]) -> Iterator[str]:
    """All operations in one table, and how many sentences of rules and examples there are."""
    portable = [
        (rule, list(_lines(scenario)))
        for feature in read_features(ROOT / "features")
        for rule in feature.rules
        for scenario in rule.scenarios
        if _is_portable(feature, rule, scenario)
    ]
    rules, lines = len({id(rule) for rule, _ in portable}), sum(len(lines) for _, lines in portable)
    yield from ("", "## All operations", "")
    yield f"{len(told)} operations, {rules} portable sentences of rules, {lines:,} examples."
    yield "An example that asks several operations counts for each."
    yield from ("", "| operation | package | examples | written from | text compared exactly |", f"|{' --- |' * 5}")
    for one in OPERATIONS.values():
        texts = ", ".join(_texts(told[one.name]["output"], told[one.name]["output"]))
        source = "page, rows and code" if _needs_code(one) else "page"
        yield f"| {_link(one)} | {one.room} | {asked[one.name].total():,} | {source} | {texts} |"
    yield from ("", "### Effort: how much work a port is", "")
    alone, hard = ([one for one in OPERATIONS.values() if _needs_code(one) is needed] for needed in (False, True))
    few, many = (sum(asked[one.name].total() for one in those) for those in (alone, hard))
    yield f"{len(alone)} operations, with {few:,} examples, can be written from this page alone."
    yield f"{len(hard)}, with {many:,} examples, judge commands or free text; they need the rows and code they link:"
    yield f"{', '.join(map(_link, hard))}."


def _link(one: Operation) -> str:
    return f"[`{one.name}`](#{one.name})"


def _needs_code(one: Operation) -> bool:
    """Whether what it says of itself leaves something to modules that it names."""
    return "`src/brim/" in one.details


def _section(one: Operation, told: Schema, asked: Counter[str], described: dict[str, str]) -> Iterator[str]:
    yield from (f"### `{one.name}`", "", f"{one.summary} ({', '.join(one.rules)})", "", one.details, "")
    alike = (it for it in OPERATIONS.values() if it is not one and it.spread)
    shared = next((it for it in alike if it.takes.model_fields.keys() < one.takes.model_fields.keys()), None)
    if shared:
        yield from (f"All fields of [`{shared.name}`](#{shared.name}), and:", "")
    given = set(shared.takes.model_fields) if shared else set()
    own = {name: field for name, field in told["input"]["properties"].items() if name not in given}
    yield from ("| field | type | default | meaning |", "| --- | --- | --- | --- |")
    yield from fields(told["input"] | {"properties": own}, told["input"], known=described)
    described |= {name: one.name for name in told["input"].get("$defs", ()) if name not in described}
    texts = ", ".join(_texts(told["output"], told["output"]))
    compared = f"; text compared exactly: {texts}" if texts else ""
    places = ", ".join(f"{count} in {feature}" for feature, count in asked.items())
    yield from ("", f"- Output: {shape(told['output'], told['output'])}{compared}.")
    yield f"- Example: `{_json(one.example)}` gives `{_json(one.perform(one.example))}`"
    yield f"- In the rulebook: {places}."
    declared = f"src/{one.function.__module__.replace('.', '/')}.py"
    yield f"- Code: {', '.join(f'`{path}`' for path in dict.fromkeys([declared, *map(_source, asked)]))}."


def _source(feature: str) -> str:
    """The module of a feature that is given as a link to its page."""
    found = f"src/brim/{feature.rpartition('/rulebook/')[2].removesuffix('.md)')}"
    return f"{found}.py" if (ROOT / f"{found}.py").exists() else f"{found}/__init__.py"


def shape(part: Schema, whole: Schema, *, inner: bool = True) -> str:
    """The type that `part` of the schema `whole` describes; objects with or without their fields."""
    part = _resolved(part, whole)
    if "enum" in part or "const" in part:
        return " or ".join(_json(one) for one in part.get("enum", [part.get("const")]))
    if choices := _choices(part):
        return " or ".join(dict.fromkeys(shape(one, whole, inner=inner) for one in choices))
    if part.get("type") == "array":
        return f"list of {shape(part['items'], whole, inner=inner)}" if part.get("items") else "list"
    if inner and "properties" in part:
        return f"object with {', '.join(f'`{name}`: {shape(one, whole)}' for name, one in part['properties'].items())}"
    kind = part.get("type")
    bounds = " and".join(f" {sign} {part[key]:g}" for key, sign in BOUNDS.items() if key in part)
    return WORDS.get(kind, kind) + bounds if isinstance(kind, str) else "anything"


def fields(part: Schema, whole: Schema, way: str = "", known: Mapping[str, str] = EMPTY) -> Iterator[str]:
    """A table row for each field of an object, each followed by the fields of the objects in it.

    Objects that an operation above describes, which `known` names by their kind, are not described again.
    """
    for name, field in part.get("properties", {}).items():
        given = f"`{_json(field['default'])}`" if "default" in field else "none"
        cells = (
            f"`{way}{name}`",
            shape(field, whole, inner=False),
            "" if name in part.get("required", ()) else given,
            field.get("description", "") + _as_above(field, known),
        )
        row = " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells)
        yield f"| {row} |"
        for there, steps in _objects(field, whole, known):
            yield from fields(there, whole, f"{way}{name}{steps}.", known)


def _as_above(field: Schema, known: Mapping[str, str]) -> str:
    kinds = (_kind(one) for one in (field, field.get("items", {}), *_choices(field)))
    names = dict.fromkeys(known[kind] for kind in kinds if kind in known)
    return "".join(f" Its fields are in [`{name}`](#{name})." for name in names)


def examples() -> dict[str, Counter[str]]:
    """How many portable examples of which feature, as a link, ask for each operation."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for feature in read_features(ROOT / "features"):
        if scenarios := [*_portable(feature)]:
            place = f"{feature.path.parent.name}/{feature.path.stem}"
            asking = _asking(place.replace("/", "."))
            for example in (example for one in scenarios for example in _lines(one)):
                asked = {name for step in example for one, names in asking if one.matches(step) for name in names}
                found.update(
                    {name: found[name] + Counter([f"[{feature.name}](../rulebook/{place}.md)"]) for name in asked}
                )
    return found


def _asking(place: str) -> list[tuple[Definition, list[str]]]:
    """The steps of a feature that ask for operations, and for which."""
    own = [f"steps.{place}"] if (ROOT / "steps" / f"{place.replace('.', '/')}.py").exists() else []
    modules = (*map(importlib.import_module, [*own, *MODULES]), shared, implementation)
    functions = [getattr(one, "_fixture_function", one) for module in modules for one in vars(module).values()]
    asked = ((one, ASKED.findall(inspect.getsource(one.context.step_func))) for one in definitions_among(functions))
    return [(one, names) for one, names in asked if names]


def _portable(feature: Feature) -> Iterator[Scenario]:
    """The scenarios that hold for every implementation: tagged so themselves, or by their rule or feature."""
    for rule in feature.rules:
        for scenario in rule.scenarios:
            if _is_portable(feature, rule, scenario):
                yield scenario


def _is_portable(feature: Feature, rule: Rule, scenario: Scenario) -> bool:
    return "portable" in (*feature.tags, *rule.tags, *scenario.tags)


def _lines(scenario: Scenario) -> Iterator[list[BoundStep]]:
    """The steps of each of its examples, with the values of the row."""
    rows = [dict(zip(table.columns, cells, strict=True)) for table in scenario.tables for _, cells in table.rows]
    for row in rows or [{}]:
        yield [
            BoundStep(
                name=re.sub(r"<([^<>]+)>", lambda met: row.get(met[1], met[0]), step.text),  # noqa: B023
                type=step.kind,
                indent=0,
                line_number=step.line,
                keyword="",
            )
            for step in (*scenario.background, *scenario.steps)
        ]


def _texts(part: Schema, whole: Schema, name: str = "all of it") -> Iterator[str]:
    """The names of the texts of an output; ids in lists are none."""
    part = _resolved(part, whole)
    if part.get("type") == "string" and not {"enum", "const"} & part.keys():
        yield name
    for one in _choices(part):
        yield from _texts(one, whole, name)
    for inner, one in part.get("properties", {}).items():
        yield from _texts(one, whole, f"`{inner}`")


def _objects(part: Schema, whole: Schema, known: Mapping[str, str]) -> Iterator[tuple[Schema, str]]:
    if _kind(part) in known:
        return
    part = _resolved(part, whole)
    if "properties" in part:
        yield part, ""
    if part.get("items"):
        yield from ((inner, f"[]{steps}") for inner, steps in _objects(part["items"], whole, known))
    for one in _choices(part):
        yield from _objects(one, whole, known)


def _kind(part: Schema) -> str:
    return part.get("$ref", "").rpartition("/")[2]


def _resolved(part: Schema, whole: Schema) -> Schema:
    while "$ref" in part:
        part = whole["$defs"][part["$ref"].rpartition("/")[2]]
    return part


def _choices(part: Schema) -> list[Schema]:
    return part.get("anyOf") or part.get("oneOf") or []


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
