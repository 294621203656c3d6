"""Signatures as they are shown: types by the names they are documented under, defaults as numbers and texts."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeAlias

from living.reference.declared import Declaration, Function, Module, Source

Documented: TypeAlias = Callable[[Module, str], str | None]
"""Gives for a name in a module the whole name that it is documented under, None where it is not documented."""

EXACT = ("Decimal", "Fraction")


class _Named(ast.NodeTransformer):
    """Puts for each name of a type the whole name that it is documented under."""

    def __init__(self, module: Module, documented: Documented) -> None:
        self._module, self._documented = module, documented

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A name, or its whole one."""
        target = self._documented(self._module, node.id)
        return ast.parse(target, mode="eval").body if target else node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """A type that is written as a text."""
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """The texts of a Literal are no names."""
        return node if ast.unparse(node.value) == "Literal" else self.generic_visit(node)  # type: ignore[return-value]


def type_text(annotation: ast.expr, module: Module, documented: Documented) -> str:
    """A type on one line."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = ast.parse(annotation.value, mode="eval").body
    copied = ast.parse(ast.unparse(annotation), mode="eval").body
    return ast.unparse(_Named(module, documented).visit(copied))


def default_text(value: ast.expr, declaration: Declaration, source: Source) -> str:
    """A default on one line: the number behind a constant's name, and what is not plain as it is written."""
    if isinstance(value, ast.Name):
        behind = source.known(declaration.module, value.id)
        if behind is not None and behind.value is not None and _is_plain(behind.value):
            return default_text(behind.value, behind, source)
    return ast.unparse(value)


def signature(declaration: Declaration, source: Source, documented: Documented, *, bound: bool) -> str:
    """The arguments and the result of a function in one line; those of a method without its self."""
    node = declaration.node
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))  # noqa: S101 - who calls knows
    told = ast.parse(f"def f({ast.unparse(node.args)}): ...").body[0]
    assert isinstance(told, ast.FunctionDef)  # noqa: S101 - as above
    arguments = told.args
    if bound and not arguments.posonlyargs:
        del arguments.args[0]
    for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
        if one is not None and one.annotation is not None:
            one.annotation = _parsed(type_text(one.annotation, declaration.module, documented))
    arguments.defaults = [_parsed(default_text(one, declaration, source)) for one in arguments.defaults]
    arguments.kw_defaults = [one and _parsed(default_text(one, declaration, source)) for one in arguments.kw_defaults]
    return f"({ast.unparse(arguments)}){_result(node, declaration.module, documented)}"


def _result(node: Function, module: Module, documented: Documented) -> str:
    return f" -> {type_text(node.returns, module, documented)}" if node.returns and node.name != "__init__" else ""


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _is_plain(value: ast.expr) -> bool:
    """Whether a value reads by itself: a number, a text, a share."""
    if isinstance(value, ast.Call):
        return ast.unparse(value.func) in EXACT or ast.unparse(value.func) == "frozenset"
    if isinstance(value, (ast.Tuple, ast.BinOp)):
        return all(_is_plain(one) for one in ast.iter_child_nodes(value) if isinstance(one, ast.expr))
    return isinstance(value, ast.Constant)
