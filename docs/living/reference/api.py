"""The public names on the pages of the reference, by sphinx.ext.autodoc: what a page lists, in its order.

    ```{api} brim
    ContextWindow
    ```

A name without a docstring fails the build.
"""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any, Final

from docutils import nodes
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.docutils import SphinxDirective
from sphinx.util.logging import getLogger

from living.text import add_directive, parsed

PACKAGE: Final = "brim"
MANY: Final = 8
"""Names of a set that are shown as a default at most."""
logger = getLogger(__name__)


def setup(app: Sphinx) -> None:
    """The directive, and what is said of its entries."""
    app.connect("autodoc-process-docstring", _complete)
    app.connect("autodoc-process-signature", _sign)
    add_directive(app, "api", entries)


def entries(directive: SphinxDirective) -> list[nodes.Node]:
    """The entries of names of one module."""
    module = directive.arguments[0]
    lines = [f".. py:currentmodule:: {module}", ""]
    lines += [] if module == PACKAGE else [f"In ``{module}``:", ""]
    for name in " ".join(directive.content).split():
        lines += [*_entry(module, name), ""]
    return parsed(directive, ["`````{eval-rst}", *lines, "`````"])


@cache
def docs_of(module: str) -> dict[tuple[str, str], list[str]]:
    """The docstrings behind the values of a module and the fields of its classes, by class and name."""
    analyzer = ModuleAnalyzer.for_module(module)
    analyzer.analyze()
    return analyzer.attr_docs


def default_of(field: FieldInfo) -> str:
    """The default of a field as it is read; nothing where it has to be given."""
    return "" if field.is_required() else shown(field.get_default(call_default_factory=True))


def shown(value: object) -> str:
    """A value as it is read: numbers with separators, a share as the decimal that it is, a set in order."""
    if isinstance(value, frozenset) and len(value) > MANY:
        return f"{len(value)} names"
    if isinstance(value, (frozenset, tuple)):
        return ", ".join(map(shown, sorted(value) if isinstance(value, frozenset) else value)) or "none"
    if isinstance(value, Fraction):
        return str(float(value))
    return f"{value:,}" if isinstance(value, (int, Decimal)) and not isinstance(value, bool) else str(value) or "''"


def _entry(module: str, name: str) -> Iterator[str]:
    there = getattr(import_module(module), name)
    if isinstance(there, type):
        yield f".. auto{'exception' if issubclass(there, BaseException) else 'class'}:: {module}.{name}"
        if hasattr(there, "__total__"):  # a dictionary: what others declare of it is theirs to tell
            own = (field for kind, field in docs_of(there.__module__) if kind == there.__qualname__)
            yield f"   :members: {', '.join(own)}"
            return
        if issubclass(there, BaseModel):
            _describe(there)
        others = sorted({one.__name__ for one in there.__mro__ if not one.__module__.startswith(PACKAGE)})
        yield from ("   :members:", "   :undoc-members:", f"   :inherited-members: {', '.join(others)}")
    elif inspect.isroutine(there):
        yield f".. autofunction:: {module}.{name}"
    else:
        if home := getattr(import_module(module), "HOMES", {}).get(name):
            docs_of(module)["", name] = docs_of(home)["", name]
        yield from (f".. autodata:: {module}.{name}", "   :no-value:")


def _describe(model: type[BaseModel]) -> None:
    """Give autodoc the descriptions and defaults of the fields of a record."""
    for name, field in model.model_fields.items():
        default = [f"Default: ``{default_of(field)}``.", ""] if default_of(field) else []
        if field.description:
            docs_of(model.__module__)[model.__qualname__, name] = [field.description, "", *default]


def _complete(_app: Sphinx, _what: str, name: str, _there: Any, _: Any, lines: list[str]) -> None:
    """Say which docstring is missing, and show what stands indented in one as code."""
    if not any(lines):
        logger.warning("%s has no docstring", name, type="living")
    for at, line in enumerate(lines):
        if line.startswith("    ") and at and not lines[at - 1]:
            lines[at:at] = ["::", ""]
            break


def _sign(
    _app: Sphinx, what: str, _name: str, there: Any, _: Any, signature: str | None, result: str | None
) -> tuple[str, str | None] | None:
    """Records and errors are made as all of their kind are; a default that is an object is three dots."""
    if signature and what in {"class", "exception"}:
        bare = there.__init__ in {object.__init__, Exception.__init__} and not hasattr(there, "__dataclass_fields__")
        if issubclass(there, (BaseModel, enum.Enum)) or hasattr(there, "__total__") or bare:
            return "", None
    return (re.sub(r"(?<== )<[^>]+>", "...", signature), result) if signature else None
