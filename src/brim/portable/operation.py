"""An operation of the portable rulebook: declared once, as a name, an input model and a function.

The schema, the documentation page and the server all come from this declaration.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, is_dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from inspect import cleandoc
from typing import Any, TypeAlias, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, TypeAdapter, ValidationError
from pydantic_core import CoreSchema, PydanticCustomError

from brim.errors import BrimError, InvalidInput

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


MET_SHOWN = 60
"""Characters that are shown of a value that is not as it ought to be."""


def first_fault(error: ValidationError, given: object, model: type[BaseModel]) -> str:
    """The first thing that is wrong with `given`, which is no input of the form `model`."""
    fault = error.errors(include_url=False)[0]
    place = _place(fault["loc"], given)
    match fault["type"]:
        case "missing":
            return f"{place} is missing; give it a value"
        case "extra_forbidden":
            return f"{place} is no field here; leave it out{_fields(fault['loc'], model)}"
        case "value_error":
            return f"{place}: {fault['ctx']['error']}"
        case "json_invalid":
            return f"the input is no valid JSON ({fault['ctx']['error']})"
    return f"{place} is {_shown(fault['input'])}; {_cure(fault['msg'])}"


def _place(steps: tuple[int | str, ...], given: Json) -> str:
    """The way to the field, in the input's own words: pydantic also names the members of a union that it tried."""
    way, here = "", given
    for number, step in enumerate(steps, 1):
        if isinstance(here, list) and isinstance(step, int) and step < len(here):
            way, here = f"{way}[{step}]", here[step]
        elif isinstance(here, dict) and (step in here or number == len(steps)):
            way, here = f"{way}.{step}", here.get(step)
    return way.removeprefix(".") or "the input"


def _fields(steps: tuple[int | str, ...], model: type[BaseModel]) -> str:
    return f" or take one of: {', '.join(model.model_fields)}" if len(steps) == 1 else ""


def _cure(message: str) -> str:
    return message.replace("Input should", "it should", 1).partition(" or instance of ")[0]


def _shown(value: object) -> str:
    text = json.dumps(plain(value), default=str)
    return text if len(text) <= MET_SHOWN else f"{text[:MET_SHOWN]}…"


class Input(BaseModel):
    """Base of every operation's input: frozen, read from JSON as it stands, and a field it does not know is an error.

    A Decimal takes any JSON number, whole or not; a number in quotation marks is text, and no number.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[BaseModel], handler: GetCoreSchemaHandler) -> CoreSchema:
        """The schema that pydantic makes, its decimals exact."""
        schema: CoreSchema = exact_numbers(handler(source))
        return schema


class UnknownOperation(BrimError):
    """An operation that nobody declared."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: what it is called, what it takes and gives, and the rules it answers for."""

    name: str
    rules: tuple[str, ...]
    summary: str
    details: str
    """Its formula and the order of its checks, as Markdown."""
    example: Json
    """An input that it answers with an output."""
    takes: type[Input]
    gives: TypeAdapter[Any]
    function: Callable[[Any], Any]

    @property
    def room(self) -> str:
        """The room it belongs to: the name of the module that declares it."""
        return self.function.__module__.rpartition(".")[2]

    def perform(self, given: object) -> Json:
        """Perform it on a JSON value and return one. Raises InvalidInput or Refused."""
        return plain(self.function(self._read(given)))

    def _read(self, given: object) -> Input:
        try:
            text = json.dumps(given, default=plain_number, allow_nan=False)
        except (RecursionError, TypeError, ValueError) as error:
            raise InvalidInput(f"{self.name}: the input cannot be written as JSON ({error}); give an object") from error
        try:
            return self.takes.model_validate_json(text)
        except ValidationError as error:
            raise InvalidInput(f"{self.name}: {first_fault(error, given, self.takes)}") from error
        except InvalidInput as error:  # of a value within
            raise InvalidInput(f"{self.name}: {error}") from error


OPERATIONS: dict[str, Operation] = {}
"""Every declared operation by its name; brim.portable.operations imports the modules that declare them."""

Function = TypeVar("Function", bound=Callable[[Any], Any])


def operation(name: str, *, rules: tuple[str, ...], example: Json) -> Callable[[Function], Function]:
    """Declare the decorated function, of one Input model, as the operation `name` that answers for `rules`.

    The first paragraph of its docstring is the summary, the others are the details.
    """

    def declare(function: Function) -> Function:
        hints = get_type_hints(function, include_extras=True)
        gives = hints.pop("return")
        (takes,) = hints.values()
        summary, _, details = cleandoc(function.__doc__ or "").partition("\n\n")
        about = (" ".join(summary.split()), details, example)
        OPERATIONS[name] = Operation(name, rules, *about, takes, TypeAdapter(gives), function)
        return function

    return declare


def perform(name: str, given: object) -> Json:
    """Perform the operation `name`. Raises UnknownOperation, InvalidInput or Refused."""
    if name not in OPERATIONS:
        raise UnknownOperation(f"there is no operation {name!r}; there are: {', '.join(sorted(OPERATIONS))}")
    return OPERATIONS[name].perform(given)
