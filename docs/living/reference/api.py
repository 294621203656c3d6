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
from pathlib import Path
from typing import Any, Final, NamedTuple

from docutils import nodes
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from living.code_pages import code_link
from living.reference import signature_lines
from living.reference.docstrings import ARGUMENTS, restructured
from living.site import site_of

PACKAGE: Final = "brim"
FENCE: Final = re.compile(r"(?m)^(`{3,}|:{3,})\{api\} *(\S+)\n(.*?)^\1 *$", re.DOTALL)
MANY: Final = 8
"""Names of a set that are shown as a default at most."""
CONSTANT: Final = re.compile(r"(?<=[ =])[A-Z][A-Z_]{2,}\b")
PLACES: Final[dict[str, tuple[str, int]]] = {}
"""File and line of each documented name; filled while autodoc reads it."""
logger = logging.getLogger(__name__)


class Api(SphinxDirective):
    """The entries of names of one module."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """The entries, each with a link to its source."""
        module = self.arguments[0]
        lines = [f".. py:currentmodule:: {module}", ""]
        lines += [] if module == PACKAGE else [f"In ``{module}``:", ""]
        for name in filter(None, map(str.strip, self.content)):
            lines += [*_entry(Path(self.env.srcdir), module, name), ""]
        parsed = self.parse_text_to_nodes("\n".join(["`````{eval-rst}", *lines, "`````"]))
        for head in (found for node in parsed for found in node.findall(addnodes.desc_signature)):
            if head["ids"] and (place := PLACES.get(head["ids"][0])):
                source = code_link(self.env.docname, place[0], "source", place[1])
                source["classes"].append("source-link")
                source["reftitle"] = f"The source of {head['ids'][0]}"
                head.append(source)
        return parsed


def setup(app: Sphinx) -> None:
    """The directive, and what Python's names look like."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("builder-inited", lambda app: _describe_fields(Path(app.srcdir)))
    app.connect("autodoc-process-docstring", _document)
    app.connect("autodoc-process-signature", _sign)
    app.add_directive("api", Api)
    signature_lines.setup(app)


class Listed(NamedTuple):
    """A name that a page lists: its module, itself."""

    module: str
    name: str

    @property
    def there(self) -> Any:
        """What it names."""
        return getattr(import_module(self.module), self.name)


@cache
def listed(docs: Path) -> tuple[Listed, ...]:
    """Every name that the pages of the reference list."""
    texts = (path.read_text(encoding="utf-8") for path in sorted((docs / "reference").rglob("*.md")))
    fences = (fence for text in texts for fence in FENCE.finditer(text))
    return tuple(Listed(one[2], name) for one in fences for name in one[3].split())


@cache
def targets(docs: Path) -> dict[str, str]:
    """The whole name that a listed name is documented under; of a name in two modules, that of the package."""
    found: dict[str, set[str]] = {}
    for module, name in listed(docs):
        found.setdefault(name, set()).add(f"{module}.{name}")
    whole = {name: f"{PACKAGE}.{name}" if f"{PACKAGE}.{name}" in all_ else "" for name, all_ in found.items()}
    return {name: whole[name] or all_.pop() for name, all_ in found.items() if whole[name] or len(all_) == 1}


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


def _describe_fields(docs: Path) -> None:
    """Give autodoc the descriptions and defaults of the fields of records, and the texts of values handed on."""
    for module, name in listed(docs):
        there = Listed(module, name).there
        if isinstance(there, type) and issubclass(there, BaseModel):
            for field, told in there.model_fields.items():
                always = re.fullmatch(r"typing\.Literal\[([^,]+)\]", str(told.annotation))
                said = told.description or (f"Always `{always[1]}`." if always else "")
                default = [f"Default: `{default_of(told)}`.", ""] if default_of(told) else []
                if said:
                    docs_of(there.__module__)[there.__qualname__, field] = [said, "", *default]
        elif (home := getattr(import_module(module), "HOMES", {}).get(name)) and not callable(there):
            docs_of(module)["", name] = docs_of(home)["", name]


def _entry(docs: Path, module: str, name: str) -> Iterator[str]:
    there = Listed(module, name).there
    if isinstance(there, type):
        yield f".. auto{'exception' if issubclass(there, BaseException) else 'class'}:: {module}.{name}"
        if hasattr(there, "__total__"):  # a dictionary: what others declare of it is theirs to tell
            own = (field for kind, field in docs_of(there.__module__) if kind == there.__qualname__)
            yield f"   :members: {', '.join(own)}"
            return
        yield from ("   :members:", "   :undoc-members:")
        if not any(base.__name__.startswith("_") for base in there.__bases__):
            yield "   :show-inheritance:"
        yield f"   :inherited-members: {', '.join(sorted({one.__name__ for one in _told_elsewhere(docs, there)}))}"
    elif inspect.isroutine(there):
        yield f".. autofunction:: {module}.{name}"
    else:
        yield from (f".. autodata:: {module}.{name}", "   :no-value:")


def _told_elsewhere(docs: Path, there: type) -> Iterator[type]:
    """The bases whose members are not told with a class: of other packages, and those with entries of their own."""
    entries = [one.there for one in listed(docs)]
    return (one for one in there.__mro__[1:] if not one.__module__.startswith(PACKAGE) or one in entries)


def _document(app: Sphinx, what: str, name: str, there: Any, _: Any, lines: list[str]) -> None:
    """Write a docstring; a class that does not name its arguments has those of a base without an entry."""
    doc, docs = "\n".join(lines).strip(), Path(app.srcdir)
    if not doc:
        logger.warning("%s has no docstring", name, type="living")
    if what == "class" and not ARGUMENTS.search(doc):
        bases = (one for one in there.__mro__[1:] if one not in set(_told_elsewhere(docs, there)))
        docs_of_bases = ((inspect.getdoc(one) or "").partition("\nArgs:\n") for one in bases)
        doc += "".join(f"\n\nArgs:\n{rest}" for _, found, rest in docs_of_bases if found)
    lines[:] = restructured(doc, targets(docs))


def _sign(  # noqa: PLR0917 - as autodoc calls it
    app: Sphinx, what: str, name: str, there: Any, _: Any, signature: str | None, result: str | None
) -> Any:
    """Note where a name is, and show the values of constants; records and errors are made as all of their kind are."""
    _note_place(site_of(app.config).root, name, there)
    if signature is None:
        return None
    if what in {"class", "exception"}:
        bare = there.__init__ in {object.__init__, Exception.__init__} and not hasattr(there, "__dataclass_fields__")
        if issubclass(there, (BaseModel, enum.Enum)) or hasattr(there, "__total__") or bare:
            return "", None
    around = getattr(inspect.unwrap(getattr(there, "__init__", there) if what == "class" else there), "__globals__", {})
    values = {one: around.get(one) for one in CONSTANT.findall(signature)}
    plain = {one: repr(value) for one, value in values.items() if isinstance(value, (int, float, str))}
    plain |= {one: str(value) for one, value in values.items() if isinstance(value, (Fraction, Decimal))}
    return re.sub(r"(?<== )<[^>]+>", "...", CONSTANT.sub(lambda met: plain.get(met[0], met[0]), signature)), result


def _note_place(root: Path, name: str, there: Any) -> None:
    """A field has no code of its own, and what others wrote is not on the site."""
    there = getattr(there, "__func__", None) or getattr(there, "fget", None) or getattr(there, "func", None) or there
    try:
        there = inspect.unwrap(there)
        path = Path(str(inspect.getsourcefile(there))).relative_to(root).as_posix()
        PLACES[name] = path, inspect.getsourcelines(there)[1]
    except (TypeError, ValueError, OSError):
        return
