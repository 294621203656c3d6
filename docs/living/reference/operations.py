"""The page of the portable operations, from their declarations: `{operations}`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from types import MappingProxyType
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from brim.portable.operation import OPERATIONS, Operation
from brim.portable.schema import schema
from living.results import name_of
from living.rules.rulebook import Rulebook, portability
from living.site import site_of

WORDS = {"string": "text", "boolean": "true or false"}
BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}

Schema = dict[str, Any]
EMPTY: Mapping[str, str] = MappingProxyType({})


class Operations(SphinxDirective):
    """`{operations}` is a table of all operations, and a section for each."""

    def run(self) -> list[nodes.Node]:
        """The sections."""
        return self.parse_text_to_nodes(operations(site_of(self.config).rulebook), allow_section_headings=True)


def setup(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("operations", Operations)


def operations(rulebook: Rulebook) -> str:
    """All of it in Markdown."""
    return "\n".join(_operations(rulebook)) + "\n"


def _operations(rulebook: Rulebook) -> Iterator[str]:
    schemas, described = schema()["operations"], dict[str, str]()
    counts = {one.name: examples(rulebook, one) for one in OPERATIONS.values()}
    yield from _overview(schemas, counts)
    for room, members in ((room, [*those]) for room, those in groupby(OPERATIONS.values(), key=lambda one: one.room)):
        yield from ("", f"## Operations: {room}", "", ", ".join(map(_link, members)))
        for one in members:
            yield from ("", *_section(one, schemas[one.name], counts[one.name], described, rulebook.page))


def _overview(schemas: Schema, counts: Mapping[str, Counter[str]]) -> Iterator[str]:
    """All operations in one table, and how much work a port is."""
    yield from (
        "## All operations",
        "",
        f"{len(schemas)} operations. An example of the rules of several counts for each.",
    )
    yield from ("", "| operation | package | examples | written from | text compared exactly |", f"|{' --- |' * 5}")
    for one in OPERATIONS.values():
        texts = ", ".join(_texts(schemas[one.name]["output"], schemas[one.name]["output"]))
        source = "page, rows and code" if _needs_code(one) else "page"
        yield f"| {_link(one)} | {one.room} | {counts[one.name].total():,} | {source} | {texts} |"
    yield from ("", "### Effort: how much work a port is", "")
    alone, hard = ([one for one in OPERATIONS.values() if _needs_code(one) is needed] for needed in (False, True))
    yield f"{len(alone)} operations can be written from this page alone."
    yield f"{len(hard)} judge commands or free text; they need the rows and code they name:"
    yield f"{', '.join(map(_link, hard))}."


def _link(one: Operation) -> str:
    return f"[`{one.name}`](#{one.name})"


def _needs_code(one: Operation) -> bool:
    """Whether what it says of itself leaves something to modules that it names."""
    return "`src/brim/" in one.details


def _section(
    one: Operation, schemas: Schema, counts: Counter[str], described: dict[str, str], page: Callable[[str], str]
) -> Iterator[str]:
    yield from (f"### `{one.name}`", "", f"{one.summary} ({', '.join(one.rules)})", "", one.details, "")
    alike = (it for it in OPERATIONS.values() if it is not one and it.spread)
    shared = next((it for it in alike if it.takes.model_fields.keys() < one.takes.model_fields.keys()), None)
    if shared:
        yield from (f"All fields of [`{shared.name}`](#{shared.name}), and:", "")
    inherited = set(shared.takes.model_fields) if shared else set()
    own = {name: field for name, field in schemas["input"]["properties"].items() if name not in inherited}
    yield from ("| field | type | default | meaning |", "| --- | --- | --- | --- |")
    yield from fields(schemas["input"] | {"properties": own}, schemas["input"], known=described)
    described |= {name: one.name for name in schemas["input"].get("$defs", ()) if name not in described}
    texts = ", ".join(_texts(schemas["output"], schemas["output"]))
    compared = f"; text compared exactly: {texts}" if texts else ""
    places = ", ".join(f"{count} in [{feature}](/{page(feature)}.md)" for feature, count in counts.items())
    yield from ("", f"- Output: {shape(schemas['output'], schemas['output'])}{compared}.")
    yield f"- Example: `{_json(one.example)}` gives `{_json(one.perform(one.example))}`"
    yield f"- In the rulebook: {places}."
    yield f"- Code: `src/{one.function.__module__.replace('.', '/')}.py`."


def examples(rulebook: Rulebook, one: Operation) -> Counter[str]:
    """Count the portable examples of the rules of an operation, by feature."""
    found: Counter[str] = Counter()
    for feature in rulebook:
        for rule in feature.rules:
            if {*rule.ids} & {*one.rules}:
                portable = (each for each in rule.scenarios if portability(feature, rule, each))
                found[name_of(feature)] += sum(each.count for each in portable)
    return +found


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
        default = f"`{_json(field['default'])}`" if "default" in field else "none"
        cells = (
            f"`{way}{name}`",
            shape(field, whole, inner=False),
            "" if name in part.get("required", ()) else default,
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
    return str(part.get("$ref", "")).rpartition("/")[2]


def _resolved(part: Schema, whole: Schema) -> Schema:
    while "$ref" in part:
        part = whole["$defs"][part["$ref"].rpartition("/")[2]]
    return part


def _choices(part: Schema) -> list[Schema]:
    return part.get("anyOf") or part.get("oneOf") or []


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
