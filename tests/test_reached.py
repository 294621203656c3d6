"""Every public function of the domain packages is reached from an entry point.

An entry point is a module of the edge (engine, adapters, sessions, command and so on) or a name that `brim` exports.
A function that only tests, steps or portable operations call implements no rule of the product.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import brim

SOURCE = Path(brim.__file__).parent
DOMAIN = ("conversation", "tokens", "trigger", "pruning", "selection", "summary", "compaction")
NO_PRODUCT = ("portable", "testing")


@cache
def modules() -> dict[str, ast.Module]:
    """The syntax trees of the package by the names of the modules, without those that are no product."""
    trees = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        if parts[0] not in NO_PRODUCT:
            trees[".".join(("brim", *parts))] = ast.parse(path.read_text(encoding="utf-8"))
    return trees


@cache
def imported(module: str) -> dict[str, str]:
    """What the imports of a module bind, wherever they stand."""
    found = (node for node in ast.walk(modules()[module]) if isinstance(node, ast.ImportFrom) and node.module)
    return {one.asname or one.name: f"{node.module}.{one.name}" for node in found for one in node.names}


def definitions(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """The names at the top of a module, and the methods of its classes as Class.method."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name, ast.Module([one for one in node.body if not _is_public_method(one)], [])
            for one in node.body:
                if _is_public_method(one):
                    yield f"{node.name}.{one.name}", one  # type: ignore[attr-defined]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from ((one.id, node) for one in targets if isinstance(one, ast.Name))


def _is_public_method(node: ast.stmt) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("_")


@cache
def graph() -> tuple[dict[str, ast.AST], dict[str, set[str]]]:
    """Every definition by its whole name, and the methods by their bare names."""
    nodes: dict[str, ast.AST] = {}
    methods: dict[str, set[str]] = {}
    for module, tree in modules().items():
        for name, node in definitions(tree):
            nodes[f"{module}.{name}"] = node
            if "." in name:
                methods.setdefault(name.rpartition(".")[2], set()).add(f"{module}.{name}")
    return nodes, methods


def used(module: str, node: ast.AST) -> Iterator[str]:
    """The whole names that a definition uses; a method by its bare name, whatever it is called on."""
    _, methods = graph()
    bound = imported(module)
    for one in ast.walk(node):
        if isinstance(one, ast.Name):
            yield bound.get(one.id, f"{module}.{one.id}")
        elif isinstance(one, ast.Attribute):
            yield from methods.get(one.attr, ())
            if isinstance(one.value, ast.Name) and one.value.id in bound:
                yield f"{bound[one.value.id]}.{one.attr}"


def reached() -> set[str]:
    """All that the entry points use, and what that uses."""
    nodes, _ = graph()
    exported = {f"{home}.{name}" for name, home in brim.HOMES.items()}
    left = [name for name in nodes if name.split(".")[1] not in DOMAIN or _owner(name) in exported]
    met = set(left)
    while left:
        name = left.pop()
        for other in used(_module_of(name), nodes[name]):
            if other in nodes and other not in met:
                met.add(other)
                left.append(other)
    return met


def _owner(name: str) -> str:
    """The definition at the top of a module that a name belongs to."""
    module = _module_of(name)
    return f"{module}.{name.removeprefix(f'{module}.').partition('.')[0]}"


def _module_of(name: str) -> str:
    return next(module for module in (name.rpartition(".")[0], name.rsplit(".", 2)[0]) if module in modules())


def public_functions() -> Iterator[str]:
    """The public functions and methods of the domain packages."""
    for name, node in graph()[0].items():
        own = name.removeprefix(f"{_module_of(name)}.")
        function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        if function and name.split(".")[1] in DOMAIN and not any(part.startswith("_") for part in own.split(".")):
            yield name


def test_every_public_function_is_reached() -> None:
    """From an entry point."""
    met = reached()
    assert [name for name in public_functions() if name not in met] == []
