"""An operation of the portable rulebook: declared once, as a name, an input model and a function.

The schema, the documentation page and the server all come from this declaration.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, TypeAdapter, ValidationError
from pydantic_core import CoreSchema

from brim.errors import BrimError, InvalidInput
from brim.portable.values import Json, exact_numbers, plain, plain_number
from brim.portable.wording import first_fault


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


def operation(name: str, *, rules: tuple[str, ...]) -> Callable[[Function], Function]:
    """Declare the decorated function, of one Input model, as the operation `name` that answers for `rules`."""

    def declare(function: Function) -> Function:
        hints = get_type_hints(function, include_extras=True)
        gives = hints.pop("return")
        (takes,) = hints.values()
        summary = " ".join((function.__doc__ or "").split())
        OPERATIONS[name] = Operation(name, rules, summary, takes, TypeAdapter(gives), function)
        return function

    return declare


def perform(name: str, given: object) -> Json:
    """Perform the operation `name`. Raises UnknownOperation, InvalidInput or Refused."""
    if name not in OPERATIONS:
        raise UnknownOperation(f"there is no operation {name!r}; there are: {', '.join(sorted(OPERATIONS))}")
    return OPERATIONS[name].perform(given)
