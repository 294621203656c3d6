"""The reference of the JSON that the commands print: the keys of their reports, from the models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from typing import Any, get_args, get_type_hints

from pydantic import BaseModel

import brim.cli
from brim.cli.report import Report
from brim.cli.settings import RULES
from living.reference.api import docs_of


@cache
def reports() -> dict[str, type[BaseModel]]:
    """The report of each command that has one, by the words of the command."""
    for module in walk_packages(brim.cli.__path__, "brim.cli."):
        import_module(module.name)
    return {command: one for one in _below(Report) for command in one.commands}


def _below(kind: type[Any]) -> Iterator[type[Any]]:
    for one in kind.__subclasses__():
        yield from (one, *_below(one))


def keys(kind: type[Any], way: str = "") -> Iterator[str]:
    """Yield a row of a table in Markdown for each key of a report, and below it for those of what it holds."""
    for name, annotation, meaning in _fields(kind):
        text = RULES.sub("", " ".join(meaning.split())).replace("|", "\\|").replace("None", "null")
        yield f"| `{way}{name}` | {text} |"
        for inner, many in _inner(annotation):
            yield from keys(inner, f"{way}{name}{many}.")


def _fields(kind: type[Any]) -> Iterator[tuple[str, Any, str]]:
    """Yield the key, the type and the meaning of each field that is in the JSON."""
    if issubclass(kind, BaseModel):
        for name, field in kind.model_fields.items():
            if not field.exclude:
                text = field.description or _documented(kind, name) or f"`{field.default}`."
                yield field.serialization_alias or name, field.annotation, text
        for name, computed in kind.model_computed_fields.items():
            yield name, computed.return_type, computed.description or ""
        return
    hints = get_type_hints(kind)
    yield from ((one.name, hints[one.name], _documented(kind, one.name)) for one in fields(kind) if one.repr)


def _documented(kind: type[Any], name: str) -> str:
    """The docstring of a field, which a class that it is made from may have."""
    found = (docs_of(one.__module__).get((one.__name__, name), ()) for one in kind.__mro__[:-1])
    return " ".join(next(filter(None, found), ()))


def _inner(annotation: Any) -> Iterator[tuple[type[Any], str]]:
    """Yield the objects in a value, with what stands between its key and theirs."""
    if isinstance(annotation, type) and (is_dataclass(annotation) or issubclass(annotation, BaseModel)):
        yield annotation, ""
    many = {"tuple": "[]", "list": "[]", "dict": ".…"}.get(getattr(annotation, "__name__", ""), "")
    for inner in get_args(annotation):
        for kind, _ in _inner(inner):
            yield kind, many
