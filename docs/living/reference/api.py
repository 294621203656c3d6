"""The public names on the pages of the reference, by sphinx.ext.autodoc: what a page lists, in its order.

    ```{api} brim
    ContextWindow
    ```

A public name without a docstring, or on no page, fails the build; so does one that is nowhere or on two pages.
"""

from __future__ import annotations

import ast
import enum
import inspect
import re
import sys
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
from sphinx.config import Config
from sphinx.errors import PycodeError
from sphinx.pycode import ModuleAnalyzer
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from living.code_pages import code_link
from living.reference import signature_lines
from living.reference.docstrings import options_of, restructured
from living.site import site_of

PACKAGE: Final = "brim"
WHOLE: Final = (
    "brim",
    "brim.adapters.langchain",
    "brim.engine.backends",
    "brim.engine.compaction_control",
    "brim.engine.conversation",
    "brim.sessions",
    "brim.testing",
    "brim.transcripts",
)
"""Modules of which every name in `__all__` has its place on a page."""
FENCE: Final = re.compile(r"(?m)^(`{3,}|:{3,})\{api\} *(\S+)\n(.*?)^\1 *$", re.DOTALL)
MANY: Final = 8
"""Names of a set that are shown as a default at most."""
CONSTANT: Final = re.compile(r"(?<=[ =])[A-Z][A-Z_]{2,}\b")
PLAIN: Final = (int, str, float, Fraction, Decimal)
logger = logging.getLogger(__name__)


class Api(SphinxDirective):
    """The entries of names of one module."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """The entries, each with a link to its source."""
        module = self.arguments[0]
        lines = [] if module == PACKAGE else [f"In ``{module}``:", ""]
        for name in filter(None, map(str.strip, self.content)):
            lines += [*_entry(module, name), ""]
        parsed = self.parse_text_to_nodes("\n".join(["`````{eval-rst}", *lines, "`````"]))
        for node in parsed:
            _only_known(node, known(Path(self.env.srcdir)))
            _to_source(node, self.env.docname, site_of(self.config).root)
        return parsed


def setup(app: Sphinx) -> None:
    """The directive, and what Python's names look like."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("config-inited", _look)
    app.connect("builder-inited", _prepare)
    app.connect("autodoc-process-docstring", _document)
    app.connect("autodoc-process-signature", _sign)
    app.connect("autodoc-skip-member", _skip)
    app.add_directive("api", Api)
    signature_lines.setup(app)


class Listed(NamedTuple):
    """A name that a page lists: its module, itself."""

    module: str
    name: str


@cache
def listed(docs: Path) -> tuple[Listed, ...]:
    """Every name that the pages of the reference list."""
    texts = (path.read_text(encoding="utf-8") for path in sorted((docs / "reference").rglob("*.md")))
    fences = (fence for text in texts for fence in FENCE.finditer(text))
    return tuple(Listed(one[2], name) for one in fences for name in one[3].split())


@cache
def known(docs: Path) -> dict[str, str]:
    """For each whole name, of a page or where it is defined, the one that it is documented under."""
    found = {}
    for module, name in listed(docs):
        found[f"{module}.{name}"] = found[f"{home_of(module, name)}.{name}"] = f"{module}.{name}"
    return found


def missing(docs: Path) -> Iterator[str]:
    """Public names that no page lists; nothing is missing from a site without a reference."""
    there = {home_of(*one) + "." + one.name for one in listed(docs)}
    for module in WHOLE if there else ():
        for name in getattr(import_module(module), "__all__", ()):
            if f"{home_of(module, name)}.{name}" not in there:
                yield f"{module}.{name} is public, and no page of docs/reference lists it"


@cache
def home_of(module: str, name: str) -> str:
    """The module that defines a name, which another one may hand on."""
    there = getattr(import_module(module), name)
    if hasattr(there, "__qualname__") and str(getattr(there, "__module__", "")).startswith(PACKAGE):
        return str(there.__module__)
    handed_on = getattr(import_module(module), "HOMES", {}).get(name)
    if handed_on is None:
        tree = ast.parse(Path(str(import_module(module).__file__)).read_text(encoding="utf-8"))
        imports = (one for one in ast.walk(tree) if isinstance(one, ast.ImportFrom) and one.module)
        handed_on = next((one.module for one in imports if name in {alias.name for alias in one.names}), None)
    return home_of(str(handed_on), name) if handed_on and handed_on != module else module


@cache
def docs_of(module: str) -> dict[tuple[str, str], list[str]]:
    """The docstrings behind the values of a module and the fields of its classes, by class and name."""
    try:
        analyzer = ModuleAnalyzer.for_module(module)
        analyzer.analyze()
    except PycodeError:
        return {}
    return analyzer.attr_docs


def _entry(module: str, name: str) -> Iterator[str]:
    there = getattr(import_module(module), name, None)
    if isinstance(there, type):
        yield f".. auto{'exception' if issubclass(there, BaseException) else 'class'}:: {module}.{name}"
        own = [field for kind, field in docs_of(there.__module__) if kind == there.__qualname__]
        if hasattr(there, "__total__"):  # a dictionary: what others declare of it is theirs to tell
            yield f"   :members: {', '.join(own)}"
            return
        yield from ("   :members:", "   :undoc-members:", "   :member-order: bysource")
        if not any(base.__name__.startswith("_") for base in there.__bases__):
            yield "   :show-inheritance:"
        yield f"   :inherited-members: {', '.join(sorted(_not_ours(there)))}"
    elif inspect.isroutine(there):
        yield f".. autofunction:: {module}.{name}"
    else:
        yield from (f".. autodata:: {module}.{name}", "   :no-value:")


def _not_ours(there: type) -> set[str]:
    """The classes whose members are not told with a class: of other packages, and those with entries of their own."""
    own = [one for one in there.__mro__[1:] if not one.__module__.startswith(PACKAGE) or one in _public()]
    return {one.__name__ for one in own} | {"object"}


@cache
def _public() -> frozenset[type]:
    modules = map(import_module, WHOLE)
    names = (getattr(one, name) for one in modules for name in getattr(one, "__all__", ()))
    return frozenset(one for one in names if isinstance(one, type))


def _document(app: Sphinx, what: str, name: str, there: Any, _: Any, lines: list[str]) -> None:
    """Write a docstring; fields of records have theirs as a description, values where they are defined."""
    doc = "\n".join(lines).strip()
    owner, _, last = name.rpartition(".")
    default: list[str] = []
    if what in {"attribute", "data"}:
        field = _field(owner, last)
        doc = (field and (field.description or _always(field))) or _behind(owner, last) or doc
        default = _default(field)
    if not doc:
        logger.warning("%s has no docstring", name, type="living")
    if what == "class" and not options_of(doc):
        doc += "".join(f"\n\n{_arguments(one)}" for one in there.__mro__[1:] if one not in _public())
    lines[:] = [*restructured(doc, lambda words: _target(app, name, words)), *default]


def _arguments(there: type) -> str:
    """What the docstring of a class of ours that has no entry says of its arguments."""
    doc = inspect.getdoc(there) or "" if there.__module__.startswith(PACKAGE) else ""
    return doc[doc.index("Args:") :] if options_of(doc) else ""


def _sign(_: Sphinx, what: str, name: str, there: Any, options: Any, signature: str | None, result: str | None) -> Any:  # noqa: ARG001, PLR0917
    """The numbers behind constants in a signature; records and errors are made as all of their kind are."""
    if signature is None:
        return None
    if what in {"class", "exception"}:
        plain = there.__init__ in {object.__init__, Exception.__init__} and not hasattr(there, "__dataclass_fields__")
        if issubclass(there, (BaseModel, enum.Enum)) or hasattr(there, "__total__") or plain:
            return "", None
    around = getattr(inspect.unwrap(getattr(there, "__init__", there) if what == "class" else there), "__globals__", {})

    def value(met: re.Match[str]) -> str:
        found = around.get(met[0])
        return (
            f"{found!r}" if isinstance(found, (int, str, float)) else str(found) if isinstance(found, PLAIN) else met[0]
        )

    return CONSTANT.sub(value, signature), result


def _skip(_: Sphinx, what: str, name: str, there: Any, skip: bool, options: Any) -> bool | None:  # noqa: ARG001, FBT001
    """What pydantic and enum give to every class is no part of ours."""
    return True if name in {"model_config", "model_post_init", "model_fields", "model_computed_fields"} else None


def _field(owner: str, name: str) -> FieldInfo | None:
    module, _, kind = owner.rpartition(".")
    there = getattr(sys.modules.get(module), kind, None) if module in sys.modules else None
    return there.model_fields.get(name) if isinstance(there, type) and issubclass(there, BaseModel) else None


def _behind(owner: str, name: str) -> str:
    """The text behind a value of a module, or behind a field of a class or of one that it is made from."""
    if owner in sys.modules:
        return "\n".join(docs_of(home_of(owner, name)).get(("", name), []))
    module, _, kind = owner.rpartition(".")
    made_from = getattr(getattr(sys.modules.get(module), kind, None), "__mro__", ())
    found = (
        docs_of(one.__module__).get((one.__qualname__, name)) for one in made_from if one.__module__.startswith(PACKAGE)
    )
    return "\n".join(next(filter(None, found), []))


def _always(field: FieldInfo) -> str:
    told = str(field.annotation)
    return f"Always `{told[15:-1]}`." if re.fullmatch(r"typing\.Literal\[[^,]+\]", told) else ""


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


def _default(field: FieldInfo | None) -> list[str]:
    told = default_of(field) if field else ""
    return [f"Default: ``{told}``.", ""] if told else []


def _target(app: Sphinx, place: str, words: str) -> str | None:
    """What a word of a docstring leads to: a public name that is known where it is written, or a member of one."""
    first, _, rest = words.partition(".")
    if not first.isidentifier() or (rest and not rest.isidentifier()):
        return None
    names = known(Path(app.srcdir))
    there: Any = sys.modules.get(place.rpartition(".")[0]) or sys.modules.get(
        place.rpartition(".")[0].rpartition(".")[0]
    )
    found = getattr(there, first, None)
    home = f"{getattr(found, '__module__', '')}.{first}"
    target = (
        names.get(f"{PACKAGE}.{first}") or names.get(home) or names.get(f"{getattr(there, '__name__', '')}.{first}")
    )
    return f"{target}.{rest}" if target and rest else target


def _prepare(app: Sphinx) -> None:
    """Tell of names that no page lists and of fields without a meaning, and let autodoc know the descriptions."""
    for one in (*missing(Path(app.srcdir)), *undescribed(Path(app.srcdir))):
        logger.warning(one, type="living")


def undescribed(docs: Path) -> Iterator[str]:
    """Fields of listed classes that say nothing, dictionaries apart; descriptions are noted as what autodoc reads."""
    listed_classes = (getattr(import_module(module), name, None) for module, name in listed(docs))
    ours = {
        one for there in listed_classes for one in getattr(there, "__mro__", ()) if one.__module__.startswith(PACKAGE)
    }
    for one in sorted(ours, key=lambda one: (one.__module__, one.__qualname__)):
        told = docs_of(one.__module__)
        for name in () if hasattr(one, "__total__") else inspect.get_annotations(one):
            field = one.model_fields.get(name) if issubclass(one, BaseModel) else None
            if field and (said := field.description or _always(field)):
                told.setdefault((one.__qualname__, name), [said, ""])
            if not name.startswith("_") and name != "model_config" and (one.__qualname__, name) not in told:
                yield f"{one.__module__}.{one.__qualname__}.{name} has no docstring"


def _only_known(node: nodes.Node, names: dict[str, str]) -> None:
    """Leave a type that has no entry as words, and call the others as they are documented."""
    for reference in list(node.findall(addnodes.pending_xref)):
        if reference.get("refdomain") != "py":
            continue
        target = reference["reftarget"]
        if target in names:
            reference["reftarget"] = names[target]
        elif target.rpartition(".")[0] not in names:
            shown = next(iter(reference.findall(addnodes.pending_xref_condition)), reference)
            reference.replace_self(nodes.Text(shown.astext()))


def _to_source(node: nodes.Node, docname: str, root: Path) -> None:
    """Add the link to the line of the source where a name is declared."""
    for head in node.findall(addnodes.desc_signature):
        if head["ids"] and (place := _place(head["ids"][0], root)):
            link = code_link(docname, place[0], "source", place[1])
            link["classes"].append("source-link")
            link["reftitle"] = f"The source of {head['ids'][0]}"
            head.append(link)


def _place(whole: str, root: Path) -> tuple[str, int] | None:
    """File and line of a class, function or property; None for a field, which has no code of its own."""
    module, _, rest = whole.rpartition(".")
    while module and module not in sys.modules:
        module, _, more = module.rpartition(".")
        rest = f"{more}.{rest}"
    there: Any = sys.modules.get(module)
    for part in rest.split("."):
        there = inspect.getattr_static(there, part, None) if isinstance(there, type) else getattr(there, part, None)
    there = getattr(there, "__func__", None) or getattr(there, "fget", None) or getattr(there, "func", None) or there
    try:
        there = inspect.unwrap(there)
        path = Path(str(inspect.getsourcefile(there))).relative_to(root).as_posix()
        return path, there.__code__.co_firstlineno if hasattr(there, "__code__") else inspect.getsourcelines(there)[1]
    except (TypeError, ValueError, OSError):
        return None


def _look(_: Sphinx, config: Config) -> None:
    """Long signatures an argument a line, types without their modules, and methods by their own name at the side."""
    config.python_maximum_signature_line_length = signature_lines.LONGEST
    config.python_use_unqualified_type_names = True
    config.toc_object_entries_show_parents = "hide"
    config.add_module_names = False
    config.autodoc_preserve_defaults = True
