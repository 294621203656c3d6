"""What the operations take and give, as JSON Schema."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Any, cast

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from brim.portable.operation import Json, Operation, plain
from brim.portable.operations import OPERATIONS
from brim.portable.protocol import KINDS, OperationRequest

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
        "request": OperationRequest.model_json_schema(),
        "answer": _answer_schema(),
        "operations": {one.name: _operation_schema(one) for one in ordered()},
    }


def show() -> None:
    """Print the schema."""
    sys.stdout.write(json.dumps(schema(), indent=2) + "\n")


def ordered() -> list[Operation]:
    """Every operation, room by room."""

    def place(one: Operation) -> tuple[int, str, int]:
        known = one.room in ROOMS
        return (ROOMS.index(one.room) if known else len(ROOMS), one.room, list(OPERATIONS).index(one.name))

    return sorted(OPERATIONS.values(), key=place)


def _operation_schema(one: Operation) -> dict[str, Any]:
    return {"description": one.summary, "rules": list(one.rules), "input": _takes(one), "output": _gives(one)}


def _takes(one: Operation) -> dict[str, Any]:
    return one.takes.model_json_schema(schema_generator=Numbers, mode="validation")


def _gives(one: Operation) -> dict[str, Any]:
    return one.gives.json_schema(schema_generator=Numbers, mode="serialization")


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
