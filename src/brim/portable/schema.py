"""What the operations take and give, as JSON Schema."""

from __future__ import annotations

import json
import sys
from decimal import Decimal
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from brim.portable.operation import Json, plain_number
from brim.portable.operations import OPERATIONS
from brim.portable.protocol import KINDS, OperationRequest


class Numbers(GenerateJsonSchema):
    """JSON Schema in which a decimal is a number, in what is taken and in what is given."""

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonSchemaValue:
        """Return a number with its bounds."""
        bounds: Json = {name: float(schema[name]) for name in ("ge", "gt", "le", "lt") if name in schema}
        return self.float_schema(core_schema.float_schema(**bounds))

    def encode_default(self, dft: Json) -> Json:
        """Return a default as JSON has it."""
        return plain_number(dft) if isinstance(dft, Decimal) else super().encode_default(dft)


def schema() -> dict[str, Any]:
    """Return JSON Schema of the protocol's lines and of every operation's input and output, by its name."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The portable operations of brim",
        "request": OperationRequest.model_json_schema(),
        "answer": _answer_schema(),
        "operations": {
            name: {
                "description": one.summary,
                "rules": list(one.rules),
                "input": one.takes.model_json_schema(schema_generator=Numbers),
                "output": one.gives.json_schema(schema_generator=Numbers, mode="serialization"),
            }
            for name, one in OPERATIONS.items()
        },
    }


def show() -> None:
    """Print the schema."""
    sys.stdout.write(json.dumps(schema(), indent=2) + "\n")


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
