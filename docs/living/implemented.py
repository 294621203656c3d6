"""Where the source implements a rule: the docstrings that name its id, those in the module of its feature first."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from steps.rulebook import RULE_ID, Rule

RULE = re.compile(rf"\b{RULE_ID.pattern}\b")


def files_of(root: Path, feature: str) -> list[str]:
    """The files of a feature, such as trigger/overflow: itself, its steps, its module; a module may be a package."""
    module = f"src/brim/{feature}/__init__.py"
    module = module if (root / module).exists() else f"src/brim/{feature}.py"
    files = (f"features/{feature}.feature", f"steps/{feature}.py", module)
    return [one for one in files if (root / one).exists()]


@cache
def implemented(root: Path) -> Mapping[str, Sequence[tuple[str, int]]]:
    """Return for each rule path and line of the docstrings that name it, but for those of modules as a whole."""
    found: dict[str, list[tuple[str, int]]] = {}
    for file in sorted((root / "src").rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for one in ast.walk(tree):
            if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) and one is not tree.body[0]:
                for rule in dict.fromkeys(RULE.findall(str(one.value.value))):
                    found.setdefault(rule, []).append((file.relative_to(root).as_posix(), one.lineno))
    return found


def code_of(root: Path, rule: Rule, module: str) -> list[tuple[str, int]]:
    """Return the lines of a rule, those in that module first."""
    inside = module.removesuffix("__init__.py")
    found = {line for one in rule.ids for line in implemented(root).get(one, ())}
    return sorted(found, key=lambda one: (not one[0].startswith(inside), one))
