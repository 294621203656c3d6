"""Operations of the portable rulebook: each is a function, and its input, schema and page are its signature's.

A function of the product is an operation by itself where JSON can state its arguments. The first paragraph of the
docstring is the summary, the others before `Args:` are the details, and `Args:` describes the fields.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from inspect import cleandoc, signature
from typing import Any, TypeAlias, TypeVar, get_type_hints

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError, create_model
from pydantic_core import PydanticCustomError

from brim.errors import BrimError, InvalidInput, faults_of
from brim.models import ModelLimits

Json: TypeAlias = Any
"""A value that JSON can hold: an object, an array, a text, a number, a truth value or null."""


def plain_number(value: object) -> int | float:
    """Return a decimal as a JSON number, whole where it is whole. Raises TypeError for anything else."""
    if not isinstance(value, Decimal):
        raise TypeError(f"a {type(value).__name__} has no form in JSON")
    return int(value) if value == int(value) else float(value)


def _decimal(value: object) -> object:
    if isinstance(value, (str, bool)):
        raise PydanticCustomError("number_type", "Input should be a number")
    return Decimal(repr(value)) if isinstance(value, (int, float)) else value


EXACT = BeforeValidator(_decimal)
"""Lets a Decimal take any JSON number digit by digit, whole or not, and no text."""


class Input(BaseModel):
    """Base of inputs and of the objects in them: frozen, strict, and a field that it does not know is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class UnknownOperation(BrimError):
    """An operation that nobody declared."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: what it is called, what it takes and gives, and the rules it answers for."""

    rules: tuple[str, ...]
    summary: str
    details: str
    """Its formula and the order of its checks, as Markdown."""
    example: Json
    """An input that it answers with an output."""
    takes: type[Input]
    spread: Mapping[str, type[ModelLimits]]
    """Arguments that are models, whose fields are the input's own."""
    gives: TypeAdapter[Any]
    function: Callable[..., Any]

    @property
    def name(self) -> str:
        """What it is called, as its function is."""
        return self.function.__name__

    @property
    def room(self) -> str:
        """The package whose rules it answers for."""
        return re.sub(r"brim\.(portable\.operations\.)?", "", self.function.__module__).partition(".")[0]

    def perform(self, value: Json) -> Json:
        """Perform it on a JSON value and return one. Raises InvalidInput or Refused."""
        try:
            fields = dict(self.takes.model_validate_json(json.dumps(value, default=plain_number)))
        except ValidationError as error:
            raise InvalidInput(
                f"{self.name}: {faults_of(error)}; it takes {', '.join(self.takes.model_fields)}"
            ) from error
        except InvalidInput as error:  # of a value within
            raise InvalidInput(f"{self.name}: {error}") from error
        models = {
            argument: model(**{name: fields.pop(name) for name in model.model_fields})
            for argument, model in self.spread.items()
        }
        output = self.gives.dump_python(self.function(**models, **fields))
        return json.loads(json.dumps(output, default=plain_number))


OPERATIONS: dict[str, Operation] = {}
"""Every declared operation by its name; brim.portable.operations imports the modules that declare them."""

Function = TypeVar("Function", bound=Callable[..., Any])


def operation(rules: str, /, **example: Json) -> Callable[[Function], Function]:
    """Declare a function as the operation of its name, with the ids of its rules, and an input that it can answer.

    An argument that is the limits of a model, or a model with more fields than these, gives its fields to the input.
    """

    def declare(function: Function) -> Function:
        types = get_type_hints(function, include_extras=True)
        text, _, arguments = cleandoc(function.__doc__ or "").partition("Args:\n")
        summary, _, details = re.sub(r" \([A-Z]{3}_\d\d\)", "", text).partition("\n\n")
        described = {name: " ".join(words.split()) for name, words in ARGUMENT.findall(arguments)}
        fields: dict[str, Any] = {}
        spread: dict[str, type[ModelLimits]] = {}
        for name, parameter in signature(function).parameters.items():
            kind, default = types[name], parameter.default
            if isinstance(kind, type) and issubclass(kind, ModelLimits):
                spread[name] = kind
                fields |= {name: (field.annotation, field) for name, field in kind.model_fields.items()}
            else:
                default = ... if default is parameter.empty else default
                fields[name] = (kind, Field(default=default, description=described.get(name)))
        takes = create_model(function.__name__, __base__=Input, **fields)
        about = (" ".join(summary.split()), details.strip(), example)
        declared = Operation(tuple(rules.split()), *about, takes, spread, TypeAdapter(types["return"]), function)
        OPERATIONS[declared.name] = declared
        return function

    return declare


ARGUMENT = re.compile(r"^ {4}(\w+): (.*(?:\n {5,}.*)*)", re.MULTILINE)
"""An argument in a docstring, with what is said of it."""


def perform(name: str, value: Json) -> Json:
    """Perform the operation `name`. Raises UnknownOperation, InvalidInput or Refused."""
    if name not in OPERATIONS:
        raise UnknownOperation(f"there is no operation {name!r}; there are: {', '.join(sorted(OPERATIONS))}")
    return OPERATIONS[name].perform(value)
