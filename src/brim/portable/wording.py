"""What is wrong with an input, on one line: the field, what was met there, and what would cure it."""

from __future__ import annotations

import json

from pydantic import BaseModel, ValidationError

from brim.portable.values import Json, plain

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
    return message.replace("Input should", "it should", 1)


def _shown(value: object) -> str:
    text = json.dumps(plain(value), default=str)
    return text if len(text) <= MET_SHOWN else f"{text[:MET_SHOWN]}…"
