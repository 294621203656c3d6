"""What belongs to a class: its methods, its fields and what they say, and what kind of a class it is, in words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from living.reference.declared import Declaration, attributes, declarations

KINDS: Final = {
    "BaseModel": "A frozen record, made with keyword arguments and checked when it is made.",
    "NamedTuple": "A named tuple.",
    "Protocol": "A protocol: anything that has these methods will do.",
    "StrEnum": "One of these texts.",
    "TypedDict": "A dictionary with these keys.",
}
"""What a class is by what it is made from."""


def body(declaration: Declaration) -> Iterator[Declaration]:
    """The members of a class as they stand there, an overloaded one once."""
    node = declaration.node
    if isinstance(node, ast.ClassDef):
        for one in declarations(node.body, declaration.module):
            if not {"overload", "typing.overload"} & set(one.decorators):
                yield one


def members(declaration: Declaration) -> Iterator[Declaration]:
    """The public members of a class, attributes that its constructor explains first."""
    own = list(body(declaration))
    for one in own:
        if one.name == "__init__" and isinstance(one.node, ast.FunctionDef):
            own = [*attributes(one.node, one.module), *own]
    yield from (one for one in own if not one.name.startswith("_") and one.name != "model_config")


def kind_of(made_from: list[Declaration]) -> list[str]:
    """What a class is, in words; nothing for an ordinary one."""
    last = made_from[-1].node
    bases = [ast.unparse(base).partition("[")[0] for base in last.bases] if isinstance(last, ast.ClassDef) else []
    told = [KINDS[base] for base in bases if base in KINDS]
    frozen = any("frozen=True" in one for one in made_from[0].decorators)
    return told or (["A frozen value."] if frozen else [])


def described(member: Declaration) -> tuple[str, ast.expr | None]:
    """What a field says of itself, and its default; None where it has to be given, or is no field of the class."""
    value = member.value
    if member.is_set_by_constructor:
        return member.doc, None
    if not isinstance(value, ast.Call) or ast.unparse(value.func) not in {"Field", "field"}:
        return member.doc or _always(member), value
    told = {one.arg: one.value for one in value.keywords}
    text = told.get("description")
    doc = str(ast.literal_eval(text)) if text is not None else member.doc
    if factory := told.get("default_factory"):
        return doc, ast.parse(f"{ast.unparse(factory)}()", mode="eval").body
    return doc, told.get("default", value.args[0] if value.args else None)


def unwrapped(text: str) -> str:
    """A type without the Final or ClassVar around it."""
    for wrapper in ("Final", "ClassVar"):
        if text == wrapper:
            return ""
        if text.startswith(f"{wrapper}[") and text.endswith("]"):
            return text[len(wrapper) + 1 : -1]
    return text


def _always(member: Declaration) -> str:
    """What a field says that can have one value alone."""
    told = ast.unparse(member.annotation) if member.annotation is not None else ""
    return f"Always `{told[8:-1]}`." if re.fullmatch(r"Literal\[[^,]+\]", told) else ""
