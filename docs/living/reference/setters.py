"""Who may set a number: the public names and the portable operations that take another one in its place.

A name takes one where an argument or a field of it has the constant as its default, or has the name of the number.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Final

from living.reference.catalogue import Listed
from living.reference.declared import Declaration, Function, Module, Source, declarations

CALLED: Final = {"brim.tokens.estimation.CHARACTERS_PER_TOKEN": "characters_per_token"}
"""Arguments whose default says that the number is learned, or is written out, by the constant that they stand for."""
FOR_TESTS: Final = "brim.testing"
"""What stands there is no part of a compaction."""
OPERATIONS: Final = "brim.portable.operations"


def setters(number: Declaration, source: Source, listed: Mapping[str, Listed]) -> list[str]:
    """All that may set a number, as links in Markdown: public names in the order of their pages, then operations."""
    names = (one for one in listed.values() if not one.module.startswith(FOR_TESTS))
    found = [said for one in names for said in _of_name(one, number, source)]
    return [*dict.fromkeys(found), *dict.fromkeys(_of_operations(number, source))]


def takers(argument: str, source: Source, listed: Mapping[str, Listed]) -> Iterator[str]:
    """Every public name that takes an argument of a name with a default, as it is called: `ContextWindow.prune`."""
    for one in listed.values():
        if not one.module.startswith(FOR_TESTS):
            for call, function in _calls(source.find(one.module, one.name), source):
                if argument in (name for name, _ in _arguments(function.node)):
                    yield call


def _of_name(listed: Listed, number: Declaration, source: Source) -> Iterator[str]:
    declared = source.find(listed.module, listed.name)
    for call, function in _calls(declared, source):
        for argument, default in _arguments(function.node):
            if _stands_for(number, argument, default, function.module, source):
                yield f"{{py:obj}}`{call}({argument}=…) <{listed.whole}>`"
    for field in _model_fields_for(number, declared, source):
        yield f"{{py:obj}}`{declared.name}({field}=…) <{listed.whole}>`"


def _calls(declared: Declaration, source: Source) -> Iterator[tuple[str, Declaration]]:
    """How a name is called: a function by itself, a class when it is made and by its methods."""
    if isinstance(declared.node, Function):
        yield declared.name, declared
    for made_from in source.bases(declared):
        if isinstance(made_from.node, ast.ClassDef):
            for one in declarations(made_from.node.body, made_from.module):
                if isinstance(one.node, Function) and (one.name == "__init__" or not one.name.startswith("_")):
                    yield declared.name + ("" if one.name == "__init__" else f".{one.name}"), one


def _arguments(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The arguments that have a default, each with it."""
    assert isinstance(node, Function)  # noqa: S101 - who calls knows
    told = node.args
    plain = [*told.posonlyargs, *told.args]
    defaults = zip(plain[len(plain) - len(told.defaults) :], told.defaults, strict=True)
    for argument, default in [*defaults, *zip(told.kwonlyargs, told.kw_defaults, strict=True)]:
        if default is not None:
            yield argument.arg, default


def _of_operations(number: Declaration, source: Source) -> Iterator[str]:
    package = source.module(OPERATIONS).path.parent
    for path in sorted(package.glob("[a-z]*.py")):
        module = source.module(f"{OPERATIONS}.{path.stem}")
        for one in module.declared.values():
            if (name := _operation(one)) is not None:
                for field in _fields_for(number, one, source):
                    yield f"the operation [`{name}`](../implementers/operations.md#{name}) (`{field}`)"


def _operation(declared: Declaration) -> str | None:
    """The name of the operation that a function is declared as; None for all else."""
    for one in getattr(declared.node, "decorator_list", ()):
        if isinstance(one, ast.Call) and ast.unparse(one.func) == "operation":
            return str(ast.literal_eval(one.args[0]))
    return None


def _fields_for(number: Declaration, operation: Declaration, source: Source) -> Iterator[str]:
    """The fields of an operation's input that stand for a number."""
    assert isinstance(operation.node, Function)  # noqa: S101 - an operation is one
    taken = operation.node.args.args[0].annotation
    given = source.known(operation.module, ast.unparse(taken)) if taken is not None else None
    if given is not None:
        yield from _model_fields_for(number, given, source)


def _model_fields_for(number: Declaration, model: Declaration, source: Source) -> Iterator[str]:
    """The fields of a model whose default is a number."""
    for made_from in source.bases(model):
        if not isinstance(made_from.node, ast.ClassDef):
            continue
        for field in declarations(made_from.node.body, made_from.module):
            told = {one.arg: one.value for one in field.value.keywords} if isinstance(field.value, ast.Call) else {}
            if "default" in told and _stands_for(number, field.name, told["default"], field.module, source):
                yield field.name


def _stands_for(number: Declaration, name: str, default: ast.expr, module: Module, source: Source) -> bool:
    if CALLED.get(number.home) == name:
        return True
    return (meant := _meant(default, module, source)) is not None and meant.home == number.home


def _meant(value: ast.expr, module: Module, source: Source) -> Declaration | None:
    """The constant that a default names, by itself or as one of a module."""
    if isinstance(value, ast.Name):
        return source.known(module, value.id)
    if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and value.value.id in module.imported:
        behind = source.module_if_there(".".join(module.imported[value.value.id]))
        return source.known(behind, value.attr) if behind is not None else None
    return None
