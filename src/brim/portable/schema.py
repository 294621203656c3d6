"""What the operations take and give, for programs as JSON Schema and for people as a page in Markdown."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import groupby
from typing import Any, cast

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from brim.portable.operation import Json, Operation, plain
from brim.portable.operations import OPERATIONS
from brim.portable.protocol import KINDS, REQUEST_FIELDS

DIALECT = "https://json-schema.org/draft/2020-12/schema"

ROOMS = ("tokens", "trigger", "pruning", "selection", "summary")
"""The order in which rooms are shown; those that are not named follow by name."""


class Numbers(GenerateJsonSchema):
    """JSON Schema in which a decimal is a number, in what is taken and in what is given."""

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonSchemaValue:
        """A number with its bounds."""
        bounds = (schema.get("ge"), schema.get("gt"), schema.get("le"), schema.get("lt"))
        ge, gt, le, lt = (None if one is None else float(one) for one in bounds)
        return self.float_schema(core_schema.float_schema(ge=ge, gt=gt, le=le, lt=lt))

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """State a default that a factory makes, such as an empty list, like any other."""
        if "default_factory" in schema and not schema.get("default_factory_takes_data"):
            made = cast(Callable[[], Json], schema["default_factory"])()
            return super().default_schema({**schema, "default": made})
        return super().default_schema(schema)

    def encode_default(self, dft: Json) -> Json:
        """A default as JSON has it."""
        return plain(dft) if isinstance(dft, Decimal) else super().encode_default(dft)


def schema() -> dict[str, Any]:
    """JSON Schema of the protocol's lines and of every operation's input and output, by the operation's name."""
    return {
        "$schema": DIALECT,
        "title": "The portable operations of brim",
        "request": _request_schema(),
        "answer": _answer_schema(),
        "operations": {one.name: _operation_schema(one) for one in _ordered()},
    }


def show() -> None:
    """Print the schema."""
    sys.stdout.write(json.dumps(schema(), indent=2) + "\n")


def operations_page() -> str:
    """The page for implementers that tells every operation: what it is, its rules, what it takes and gives."""
    lines = [
        "# The portable operations",
        "",
        "Made from the declarations by `python docs/implementers/generate.py`; `brim portable --schema` prints them as",
        "JSON Schema. A field without a default must be given, and one that is not listed is `invalid_input`.",
    ]
    for room, members in groupby(_ordered(), key=lambda one: one.room):
        lines += ["", f"## {room.capitalize()}"]
        for one in members:
            lines += ["", *_section(one)]
    return "\n".join(lines) + "\n"


def _ordered() -> list[Operation]:
    def place(one: Operation) -> tuple[int, str, int]:
        known = one.room in ROOMS
        return (ROOMS.index(one.room) if known else len(ROOMS), one.room, list(OPERATIONS).index(one.name))

    return sorted(OPERATIONS.values(), key=place)


def _section(one: Operation) -> Iterator[str]:
    taken = _takes(one)
    yield f"### `{one.name}`"
    yield ""
    yield f"{one.summary} ({', '.join(one.rules)})"
    yield ""
    yield "| field | type | default | meaning |"
    yield "| --- | --- | --- | --- |"
    yield from described(taken, taken)
    given = _gives(one)
    yield ""
    yield f"Gives: {shape(given, given)}."


def _operation_schema(one: Operation) -> dict[str, Any]:
    return {"description": one.summary, "rules": list(one.rules), "input": _takes(one), "output": _gives(one)}


def _takes(one: Operation) -> dict[str, Any]:
    return one.takes.model_json_schema(schema_generator=Numbers, mode="validation")


def _gives(one: Operation) -> dict[str, Any]:
    return one.gives.json_schema(schema_generator=Numbers, mode="serialization")


def _request_schema() -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "id": {"type": ["integer", "string"], "description": "The answer bears it."},
            "operation": {"type": "string"},
            "input": {"type": "object", "description": "Of the operation's form."},
        },
        "required": list(REQUEST_FIELDS),
        "additionalProperties": False,
    }


def _answer_schema() -> dict[str, Any]:
    kinds = [{"const": kind, "description": meaning} for kind, meaning in KINDS.items()]
    error = {
        "type": "object",
        "properties": {"kind": {"oneOf": kinds}, "message": {"type": "string", "description": "On one line."}},
        "required": ["kind", "message"],
    }
    return {
        "type": "object",
        "properties": {"id": {"type": ["integer", "string", "null"]}, "output": {}, "error": error},
        "oneOf": [{"required": ["id", "output"]}, {"required": ["id", "error"]}],
    }


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
