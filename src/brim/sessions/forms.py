"""Forms: what a caller hands in is of the form of a record, or it is told in one line what is wrong with it.

Part of the log and of the registry; specified by features/sessions/log.feature (SES_01) and registry.feature (SES_02).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import ValidationError

from brim.conversation.messages import PLAIN, Marks, Message
from brim.errors import InvalidInput
from brim.sessions.records.record import Record

Made = TypeVar("Made", bound=Record)


def formed(kind: type[Made], /, **fields: Any) -> Made:
    """A record of what was handed in. Raises InvalidInput, in one line, where a field is not of its form."""
    try:
        return kind(**fields)
    except ValidationError as error:
        name = kind.__name__.removesuffix("Record").lower()
        raise InvalidInput(f"a {name} is not of its form: {first_fault(error)}") from error


def marked(message: Message, marks: Marks) -> Message:
    """The message with marks that were given; its own, where none were."""
    return message if marks == PLAIN else replace(message, marks=marks)


def first_fault(error: Exception) -> str:
    """What is wrong, in one line."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}".partition("\n")[0]
    return str(error).partition("\n")[0]


def own_copy(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message that whoever handed it in cannot change later.

    Where it is nested more deeply than can be followed, what lies within is shared.
    """
    try:
        return {name: one if type(one) is str else _copied(one) for name, one in message.items()}
    except RecursionError:
        return dict(message)


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: one if type(one) is str else _copied(one) for name, one in value.items()}
    if isinstance(value, list):
        return [one if type(one) is str else _copied(one) for one in value]
    return value
