"""What the source declares: names, their signatures, fields, docstrings and lines, read without importing anything.

Nothing runs, so that a page says the same on every machine: no address of an object, no order of a set.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Assigned: TypeAlias = ast.Assign | ast.AnnAssign
Node: TypeAlias = ast.ClassDef | Function | Assigned

PACKAGE = "brim"


class Unknown(Exception):
    """A name that nothing declares: says where it was looked for."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """A name and what declares it; `doc` is empty where it says nothing."""

    name: str
    node: Node
    module: Module
    doc: str

    @property
    def home(self) -> str:
        """Its whole name, where it is defined."""
        return f"{self.module.name}.{self.name}"

    @property
    def place(self) -> str:
        """File and line, for whoever has to mend it."""
        return f"{self.module.shown}:{self.node.lineno}"

    @property
    def decorators(self) -> tuple[str, ...]:
        """Its decorators as they are written."""
        return () if isinstance(self.node, Assigned) else tuple(map(ast.unparse, self.node.decorator_list))

    @property
    def annotation(self) -> ast.expr | None:
        """The type of a field or a value, where it is written."""
        return self.node.annotation if isinstance(self.node, ast.AnnAssign) else None

    @property
    def value(self) -> ast.expr | None:
        """What is assigned; None for a field without a default, and for what is no field."""
        return self.node.value if isinstance(self.node, Assigned) else None

    @property
    def is_set_by_constructor(self) -> bool:
        """Whether it is an attribute of `self`, and no name of the class."""
        node = self.node
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        return isinstance(target, ast.Attribute)


class Module:
    """One file of source."""

    def __init__(self, name: str, path: Path, root: Path) -> None:
        self.name, self.path = name, path
        self.shown = path.relative_to(root).as_posix()
        self.tree = ast.parse(path.read_text(encoding="utf-8"), self.shown)

    @cached_property
    def doc(self) -> str:
        """Its docstring."""
        return ast.get_docstring(self.tree) or ""

    @cached_property
    def declared(self) -> dict[str, Declaration]:
        """What it defines at its top level, by name."""
        return {one.name: one for one in declarations(self.tree.body, self)}

    @cached_property
    def imported(self) -> dict[str, tuple[str, str]]:
        """The module and the name there, for every name that is imported from the package."""
        nodes = (node for node in ast.walk(self.tree) if isinstance(node, ast.ImportFrom) and node.module)
        return {
            alias.asname or alias.name: (str(node.module), alias.name)
            for node in nodes
            if str(node.module).partition(".")[0] == PACKAGE
            for alias in node.names
        }

    @cached_property
    def public(self) -> tuple[str, ...]:
        """The names in its `__all__`, or those that it imports as themselves where it computes that; else none."""
        listed = self.declared.get("__all__")
        if listed is None or listed.value is None:
            return ()
        try:
            return tuple(ast.literal_eval(listed.value))
        except ValueError:
            nodes = (node for node in ast.walk(self.tree) if isinstance(node, ast.ImportFrom))
            return tuple(alias.name for node in nodes for alias in node.names if alias.asname == alias.name)


class Source:
    """The modules of the package, each read once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._read: dict[str, Module] = {}

    def module(self, name: str) -> Module:
        """A module by its name. Raises Unknown."""
        if name not in self._read:
            plain = self.root / "src" / Path(*name.split("."))
            path = next((one for one in (plain.with_suffix(".py"), plain / "__init__.py") if one.is_file()), None)
            if path is None:
                raise Unknown(f"there is no module {name} below src")
            self._read[name] = Module(name, path, self.root)
        return self._read[name]

    def module_if_there(self, name: str) -> Module | None:
        """The same, and None where there is none."""
        try:
            return self.module(name)
        except Unknown:
            return None

    def find(self, module: str, name: str) -> Declaration:
        """A name of a module, wherever it is defined. Raises Unknown."""
        own = self.module(module)
        if name in own.declared:
            return own.declared[name]
        if name in own.imported:
            return self.find(*own.imported[name])
        raise Unknown(f"{own.shown} declares no {name}")

    def known(self, module: Module, name: str) -> Declaration | None:
        """The same, and None where it comes from elsewhere."""
        try:
            return self.find(module.name, name)
        except Unknown:
            return None

    def bases(self, declaration: Declaration) -> list[Declaration]:
        """The classes of the package that a class is made from, itself first, those they are made from behind them."""
        found = [declaration]
        if isinstance(declaration.node, ast.ClassDef):
            for base in declaration.node.bases:
                plain = base.value if isinstance(base, ast.Subscript) else base
                above = self.known(declaration.module, plain.id) if isinstance(plain, ast.Name) else None
                found += [one for one in self.bases(above) if one not in found] if above else []
        return found


def declarations(body: list[ast.stmt], module: Module) -> Iterator[Declaration]:
    """The names that statements declare, each with its docstring: for a value the text that stands behind it."""
    behind = [*body[1:], None]
    for node, following in zip(body, behind, strict=True):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield Declaration(node.name, node, module, ast.get_docstring(node) or "")
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            doc = _text(following)
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    yield Declaration(target.id, node, module, doc)


def attributes(function: Function, module: Module) -> Iterator[Declaration]:
    """The attributes that a constructor sets and that a text behind them explains."""
    behind = [*function.body[1:], None]
    for node, following in zip(function.body, behind, strict=True):
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and (doc := _text(following)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self":
                yield Declaration(target.attr, node, module, doc)


def _text(node: ast.stmt | None) -> str:
    """The docstring that a statement is, if it is one."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        lines = node.value.value.strip().splitlines()
        return "\n".join([lines[0], *(line.strip() for line in lines[1:])])
    return ""
