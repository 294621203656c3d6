"""JSON Schema in few words, for people: `list of integer`, `text or null`, `"up" or "half_up"`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]

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
