"""Which lines of the source implement a rule: those whose docstring names its id."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from steps.rulebook import RULE_ID

RULE = re.compile(rf"\b{RULE_ID.pattern}\b")
DECLARED = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Line(NamedTuple):
    """A line of the source, and the name that it declares."""

    path: str
    number: int
    name: str
    """Empty for a module as a whole."""

    @property
    def called(self) -> str:
        """The module and the name: overflow.judge."""
        return f"{Path(self.path).stem}.{self.name}".removesuffix(".")


@cache
def implemented(root: Path) -> Mapping[str, Sequence[Line]]:
    """For each rule the lines that declare what names it, file by file; modules where nothing else does."""
    found: dict[str, list[Line]] = {}
    modules: dict[str, list[Line]] = {}
    for file in sorted((root / "src").rglob("*.py")):
        tree, path = ast.parse(file.read_text(encoding="utf-8")), file.relative_to(root).as_posix()
        for rule_id in RULE.findall(ast.get_docstring(tree) or ""):
            modules.setdefault(rule_id, []).append(Line(path, 1, ""))
        for name, number, doc in _declared(tree):
            for rule_id in dict.fromkeys(RULE.findall(doc)):
                found.setdefault(rule_id, []).append(Line(path, number, name))
    return {**modules, **found}


def _declared(tree: ast.AST) -> Iterator[tuple[str, int, str]]:
    """Name, line and docstring of what a module or a class declares, at any depth."""
    body = getattr(tree, "body", [])
    for one in body:
        if isinstance(one, DECLARED):
            yield one.name, one.lineno, ast.get_docstring(one) or ""
            yield from _declared(one)
    for value, doc in pairwise(body):
        target = value.target if isinstance(value, ast.AnnAssign) else getattr(value, "targets", [None])[0]
        if isinstance(target, ast.Name) and isinstance(doc, ast.Expr) and isinstance(doc.value, ast.Constant):
            yield target.id, value.lineno, str(doc.value.value)
