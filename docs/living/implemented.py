"""Which lines of the source implement a rule: the module of its feature, and those whose docstring names its id."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from steps.rulebook import RULE_ID, Rule

RULE = re.compile(rf"\b{RULE_ID.pattern}\b")
DECLARED = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Line(NamedTuple):
    """A line of the source, and the name that it declares."""

    path: str
    number: int
    name: str
    """Empty for a module as a whole."""
    field: bool = False
    """It is a value within a class."""


def files_of(root: Path, feature: str) -> list[str]:
    """The files of a feature, such as trigger/overflow: itself, its steps, its module; a module may be a package."""
    module = f"src/brim/{feature}/__init__.py"
    module = module if (root / module).exists() else f"src/brim/{feature}.py"
    files = (f"features/{feature}.feature", f"steps/{feature}.py", module)
    return [one for one in files if (root / one).exists()]


@cache
def implemented(root: Path) -> Mapping[str, Sequence[Line]]:
    """For each rule the lines that name it, file by file; a module as a whole where nothing but fields in it does."""
    found: dict[str, list[Line]] = {}
    for file in sorted((root / "src").rglob("*.py")):
        tree, path = ast.parse(file.read_text(encoding="utf-8")), file.relative_to(root).as_posix()
        lines = [(rule, line) for line, doc in _declared(path, tree) for rule in RULE.findall(doc)]
        met = {rule for rule, line in lines if not line.field}
        whole = [(rule, Line(path, 1, "")) for rule in RULE.findall(ast.get_docstring(tree) or "") if rule not in met]
        for rule, line in dict.fromkeys([*whole, *lines]):
            found.setdefault(rule, []).append(line)
    return found


def code_of(root: Path, rule: Rule, module: str) -> list[Line]:
    """The lines of a rule, the best first: those in the module of its feature, those of other modules, fields."""
    inside = module.removesuffix("__init__.py")
    found = {line for one in rule.ids for line in implemented(root).get(one, ())}
    if (root / module).exists() and not any(line.path.startswith(inside) and not line.field for line in found):
        found.add(Line(module, 1, ""))
    return sorted(found, key=lambda one: (not one.path.startswith(inside), one.field, bool(one.name), one))


def _declared(path: str, tree: ast.AST) -> Iterator[tuple[Line, str]]:
    """What a module or a class declares, at any depth, with its docstring."""
    body = getattr(tree, "body", [])
    for one in body:
        if isinstance(one, DECLARED):
            yield Line(path, one.lineno, one.name), ast.get_docstring(one) or ""
            yield from _declared(path, one)
    for value, doc in pairwise(body):
        target = value.target if isinstance(value, ast.AnnAssign) else getattr(value, "targets", [None])[0]
        if isinstance(target, ast.Name) and isinstance(doc, ast.Expr) and isinstance(doc.value, ast.Constant):
            yield Line(path, value.lineno, target.id, isinstance(tree, ast.ClassDef)), str(doc.value.value)
