"""The page of the portable operations: what each is, its rules, what it takes and gives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from brim.portable.operation import Operation
from brim.portable.schema import ordered, schema

Schema = dict[str, Any]


def operations_page() -> str:
    """The page for implementers that tells every operation: what it is, its rules, what it takes and gives."""
    lines = [
        "# The portable operations",
        "",
        "Made from the declarations by `python docs/implementers/generate.py`; `brim portable --schema` prints them as",
        "JSON Schema. A field without a default must be given, and one that is not listed is `invalid_input`.",
    ]
    told = schema()["operations"]
    for room, members in groupby(ordered(), key=lambda one: one.room):
        lines += ["", f"## {room.capitalize()}"]
        for one in members:
            lines += ["", *_section(one, told[one.name])]
    return "\n".join(lines) + "\n"


def _section(one: Operation, told: Schema) -> Iterator[str]:
    yield f"### `{one.name}`"
    yield ""
    yield f"{one.summary} ({', '.join(one.rules)})"
    yield ""
    yield "| field | type | default | meaning |"
    yield "| --- | --- | --- | --- |"
    yield from described(told["input"], told["input"])
    yield ""
    yield f"Gives: {shape(told['output'], told['output'])}."


WORDS = {"string": "text", "integer": "integer", "number": "number", "boolean": "true or false", "null": "null"}

BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


def shape(part: Schema, whole: Schema, *, fields: bool = True) -> str:
    """The type that `part` of the schema `whole` speaks of; objects with or without their fields."""
    part = _resolved(part, whole)
    if "enum" in part or "const" in part:
        return " or ".join(_json(one) for one in part.get("enum", [part.get("const")]))
    if choices := _choices(part):
        return " or ".join(dict.fromkeys(shape(one, whole, fields=fields) for one in choices))
    if part.get("type") == "array":
        return f"list of {shape(part['items'], whole, fields=fields)}" if part.get("items") else "list"
    if fields and "properties" in part:
        inner = (f"`{name}`: {shape(one, whole)}" for name, one in part["properties"].items())
        return f"object with {', '.join(inner)}"
    return _single(part)


def described(part: Schema, whole: Schema, way: str = "") -> Iterator[str]:
    """A table row a field of an object, and below it a row a field of the objects that it holds."""
    required = part.get("required", ())
    for name, field in part.get("properties", {}).items():
        default = "" if name in required else f"`{_json(field['default'])}`" if "default" in field else "left out"
        cells = (f"`{way}{name}`", shape(field, whole, fields=False), default, field.get("description", ""))
        yield f"| {' | '.join(map(_cell, cells))} |"
        for inner, steps in _objects(field, whole):
            yield from described(inner, whole, f"{way}{name}{steps}.")


def _objects(part: Schema, whole: Schema) -> Iterator[tuple[Schema, str]]:
    part = _resolved(part, whole)
    if "properties" in part:
        yield part, ""
    if part.get("items"):
        yield from ((inner, f"[]{steps}") for inner, steps in _objects(part["items"], whole))
    for one in _choices(part):
        yield from _objects(one, whole)


def _resolved(part: Schema, whole: Schema) -> Schema:
    while "$ref" in part:
        part = whole["$defs"][part["$ref"].rpartition("/")[2]]
    return part


def _choices(part: Schema) -> list[Schema]:
    return part.get("anyOf") or part.get("oneOf") or []


def _single(part: Schema) -> str:
    word = part.get("type")
    if not isinstance(word, str):
        return "anything"
    bounds = (f" {sign} {part[key]:g}" for key, sign in BOUNDS.items() if key in part)
    return WORDS.get(word, word) + " and".join(bounds)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
