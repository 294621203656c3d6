"""Numbers between brim and JSON: exact decimals inside, plain JSON numbers outside."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any, TypeAlias

from pydantic import BaseModel
from pydantic_core import PydanticCustomError

Json: TypeAlias = Any
"""A value that JSON can hold: an object, an array, a text, a number, a truth value or null."""


def plain(value: object) -> Json:
    """A value as JSON has it: objects, arrays, texts, whole numbers, numbers, truth values and null."""
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, BaseModel):
        return {name: plain(one) for name, one in value}
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, AbstractSet)):
        return [plain(one) for one in value]
    return plain_number(value) if isinstance(value, (Decimal, Fraction)) else value


def plain_number(value: object) -> int | float:
    """A decimal or a fraction as a JSON number, whole where it is whole. Raises TypeError for anything else."""
    if not isinstance(value, (Decimal, Fraction)):
        raise TypeError(f"a {type(value).__name__} has no form in JSON")
    return int(value) if value == int(value) else float(value)


def exact_numbers(schema: Json) -> Json:
    """A pydantic core schema whose decimals take JSON numbers digit by digit, and no text."""
    if isinstance(schema, (list, tuple)):
        return type(schema)(exact_numbers(one) for one in schema)
    if not isinstance(schema, dict) or schema.get("function") == EXACTLY:
        return schema
    if schema.get("type") == "decimal":
        return {"type": "function-before", "function": EXACTLY, "schema": schema}
    return {key: exact_numbers(one) for key, one in schema.items()}


def _decimal(value: object) -> object:
    if isinstance(value, (str, bool)):
        raise PydanticCustomError("number_type", "Input should be a number")
    if isinstance(value, float):
        return Decimal(repr(value))
    return Decimal(value) if isinstance(value, int) else value


EXACTLY = {"type": "no-info", "function": _decimal}
"""How a pydantic core schema names the function that reads a number."""
