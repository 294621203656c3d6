"""The page of the portable operations, from their declarations: `{operations}`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from sphinx.application import Sphinx

from brim.portable.operation import OPERATIONS, Operation
from brim.portable.schema import schema
from living.results import name_of
from living.rules.rulebook import Rulebook, portability
from living.site import site_of
from living.text import add_directive, parsed

WORDS = {"string": "text", "boolean": "true or false"}
BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}

Schema = dict[str, Any]


def setup(app: Sphinx) -> None:
    """`{operations}` is a table of all operations, a section for each, and one for each kind of object."""
    add_directive(app, "operations", lambda one: parsed(one, operations(site_of(one.config).rulebook)))


def operations(rulebook: Rulebook) -> Iterator[str]:
    """All of it in Markdown."""
    counts = {one.name: examples(rulebook, one) for one in OPERATIONS.values()}
    schemas, objects = schema()["operations"], dict[str, Schema]()
    yield from _overview(counts)
    for room, members in groupby(OPERATIONS.values(), key=lambda one: one.room):
        yield from ("", f"## Operations: {room}")
        for one in members:
            takes, gives = schemas[one.name]["input"], schemas[one.name]["output"]
            objects |= takes.get("$defs", {}) | gives.get("$defs", {})
            places = (f"{n} in [{feature}](/{rulebook.page(feature)}.md)" for feature, n in counts[one.name].items())
            yield from ("", f"### `{one.name}`", "", f"{one.summary} ({', '.join(one.rules)})", "", one.details, "")
            yield from (*fields(takes), "", f"- Output: {shape(gives)}.")
            yield f"- Example: `{_json(one.example)}` gives `{_json(one.perform(one.example))}`"
            yield f"- In the rulebook: {', '.join(places)}."
            yield f"- Code: `src/{one.function.__module__.replace('.', '/')}.py`."
    yield from ("", "## Objects")
    for name in sorted(objects):
        yield from ("", f"### `{name}`", "", *fields(objects[name]))


def _overview(counts: dict[str, Counter[str]]) -> Iterator[str]:
    """All operations in one table, and how much work a port is."""
    yield from ("## All operations", "")
    yield from (f"{len(counts)} operations. An example of the rules of several counts for each.", "")
    yield from ("| operation | package | examples | written from |", f"|{' --- |' * 4}")
    # One that needs more than this page names it.
    hard = [_link(one.name) for one in OPERATIONS.values() if "`src/brim/" in one.details]
    for one in OPERATIONS.values():
        source = "page, rows and code" if _link(one.name) in hard else "page"
        yield f"| {_link(one.name)} | {one.room} | {counts[one.name].total():,} | {source} |"
    yield from ("", "### Effort: how much work a port is", "")
    yield f"{len(counts) - len(hard)} operations can be written from this page alone."
    yield f"{len(hard)} judge commands or free text; they need the rows and code they name: {', '.join(hard)}."


def _link(name: str) -> str:
    return f"[`{name}`](#{name.lower()})"


def examples(rulebook: Rulebook, one: Operation) -> Counter[str]:
    """Count the portable examples of the rules of an operation, by feature."""
    found: Counter[str] = Counter()
    for feature in rulebook.features.values():
        for rule in feature.rules:
            if {*rule.ids} & {*one.rules}:
                portable = (each for each in rule.scenarios if portability(feature, rule, each))
                found[name_of(feature)] += sum(each.count for each in portable)
    return +found


def fields(part: Schema) -> Iterator[str]:
    """A table in Markdown with a row for each field of an object."""
    yield from ("| field | type | default | meaning |", "| --- | --- | --- | --- |")
    for name, field in part.get("properties", {}).items():
        default = f"`{_json(field['default'])}`" if "default" in field else "none"
        default = "" if name in part.get("required", ()) else default
        cells = (f"`{name}`", shape(field), default, field.get("description", ""))
        row = " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells)
        yield f"| {row} |"


def shape(part: Schema) -> str:
    """The type that a part of a schema describes; an object of a kind is a link to it."""
    if "$ref" in part:
        return _link(part["$ref"].rpartition("/")[2])
    if "enum" in part or "const" in part:
        return " or ".join(_json(one) for one in part.get("enum", [part.get("const")]))
    if choices := part.get("anyOf") or part.get("oneOf"):
        return " or ".join(dict.fromkeys(map(shape, choices)))
    if part.get("type") == "array":
        return f"list of {shape(part['items'])}" if part.get("items") else "list"
    if "properties" in part:
        return f"object with {', '.join(f'`{name}`: {shape(one)}' for name, one in part['properties'].items())}"
    kind = part.get("type")
    bounds = " and".join(f" {sign} {part[key]:g}" for key, sign in BOUNDS.items() if key in part)
    return WORDS.get(kind, kind) + bounds if isinstance(kind, str) else "anything"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
