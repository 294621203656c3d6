"""The entries of public names: each a directive of Sphinx's Python domain, in Markdown, with all that belongs to it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from living.reference.declared import Declaration, Function, Module, Source
from living.reference.docstrings import Link, markdown
from living.reference.members import body, described, kind_of, members, unwrapped
from living.reference.signatures import default_text, signature, type_text

PROPERTIES: Final = frozenset({"property", "cached_property"})
OUTER, INNER = "`" * 7, "`" * 6
"""The fences of an entry, and of those within it."""


@dataclass
class Entries:
    """Writes entries, and notes what lacks a docstring."""

    source: Source
    public: dict[str, str]
    """For each name where it is defined the whole name that it is documented under."""
    faults: list[str] = field(default_factory=list)
    """File, line and name of what has no docstring."""
    places: dict[str, tuple[str, int]] = field(default_factory=dict)
    """File and line of what is shown, by its whole name; of fields, which have no code of their own, none."""
    undocumented: set[str] = field(default_factory=set)
    """Names of the package in signatures that have no entry of their own."""

    def entry(self, module: str, name: str) -> list[str]:
        """The lines of one name. Raises Unknown."""
        declaration = self.source.find(module, name)
        node = declaration.node
        self._note(f"{module}.{name}", declaration)
        if isinstance(node, ast.ClassDef):
            return list(self._class(declaration, name))
        if isinstance(node, Function):
            head = f"{name}{signature(declaration, self.source, self.documented, bound=False)}"
            options = [":async:"] if isinstance(node, ast.AsyncFunctionDef) else []
            return self._block(OUTER, f"{{py:function}} {head}", options, declaration, name)
        return self._value(declaration, name)

    def documented(self, module: Module, name: str) -> str | None:
        """The whole name under which a name of a module is documented."""
        found = self.source.known(module, name)
        if found is None:
            return None
        if found.home not in self.public and not found.name.startswith("_"):
            self.undocumented.add(found.home)
        return self.public.get(found.home)

    def _class(self, declaration: Declaration, name: str) -> Iterator[str]:
        made_from = self.source.bases(declaration)
        own = [made_from[0]]
        for above in made_from[1:]:
            if above.home in self.public:
                break
            own.append(above)
        kind = "exception" if any(one.name == "BrimError" for one in made_from) else "class"
        yield from [f"{OUTER}{{py:{kind}}} {name}{self._constructor(own)}", ""]
        yield from [*self._doc(declaration, name, declaration.doc), *self._options(own)]
        bases = [self.public[one.home] for one in made_from[1:] if one.home in self.public][:1]
        told = [f"A kind of {{py:obj}}`{one.rpartition('.')[2]} <{one}>`." for one in bases]
        yield from [*(told or kind_of(made_from)), ""]
        found: dict[str, Declaration] = {}
        for member in (member for one in own for member in members(one)):
            found.setdefault(member.name, member)
        for member in sorted(found.values(), key=_is_code):
            yield from self._member(member, name, declaration)
        yield from [OUTER, ""]

    def _options(self, own: list[Declaration]) -> Iterator[str]:
        """What the classes above say that have no entry of their own: the arguments that they take."""
        for one in own[1:]:
            if "Args:" in one.doc:
                yield from markdown(one.doc[one.doc.index("Args:") :], self._links(one.module))

    def _constructor(self, own: list[Declaration]) -> str:
        made = (member for one in own for member in body(one) if member.name == "__init__")
        first = next(made, None)
        return signature(first, self.source, self.documented, bound=True) if first else ""

    def _member(self, member: Declaration, owner: str, of: Declaration) -> list[str]:
        whole = f"{owner}.{member.name}"
        if isinstance(member.node, Function):
            self._note(f"{self.public.get(of.home, owner)}.{member.name}", member)
            return self._method(member, member.node, whole)
        return [] if isinstance(member.node, ast.ClassDef) else self._field(member, whole)

    def _method(self, member: Declaration, node: ast.FunctionDef | ast.AsyncFunctionDef, whole: str) -> list[str]:
        if PROPERTIES & set(member.decorators):
            options = [f":type: {type_text(node.returns, member.module, self.documented)}"] if node.returns else []
            return self._block(INNER, f"{{py:property}} {member.name}", options, member, whole)
        flags = [f":{one}:" for one in ("classmethod", "staticmethod") if one in member.decorators]
        flags += [":async:"] if isinstance(node, ast.AsyncFunctionDef) else []
        head = signature(member, self.source, self.documented, bound="staticmethod" not in member.decorators)
        return self._block(INNER, f"{{py:method}} {member.name}{head}", flags, member, whole)

    def _field(self, member: Declaration, whole: str) -> list[str]:
        doc, default = described(member)
        options = [f":type: {told}"] if (told := self._type(member)) else []
        options += [f":value: {default_text(default, member, self.source)}"] if default is not None else []
        return [f"{INNER}{{py:attribute}} {member.name}", *options, "", *self._doc(member, whole, doc), INNER, ""]

    def _value(self, declaration: Declaration, name: str) -> list[str]:
        value, annotation = declaration.value, declaration.annotation
        if value is not None and (annotation is None or ast.unparse(annotation) == "TypeAlias"):
            canonical = type_text(value, declaration.module, self.documented)
            return self._block(OUTER, f"{{py:type}} {name}", [f":canonical: {canonical}"], declaration, name)
        options = [f":type: {told}"] if (told := self._type(declaration)) else []
        return self._block(OUTER, f"{{py:data}} {name}", options, declaration, name)

    def _type(self, declaration: Declaration) -> str:
        annotation = declaration.annotation
        return unwrapped(type_text(annotation, declaration.module, self.documented)) if annotation else ""

    def _block(self, fence: str, head: str, options: list[str], declaration: Declaration, owner: str) -> list[str]:
        told = self._doc(declaration, owner, declaration.doc)
        return [f"{fence}{head}", *options, "", *told, fence, ""]

    def _doc(self, declaration: Declaration, owner: str, doc: str) -> list[str]:
        if not doc:
            self.faults.append(f"{declaration.place}: {owner} has no docstring")
        return markdown(doc, self._links(declaration.module))

    def _links(self, module: Module) -> Link:
        """What a word of a docstring leads to, which may be anything."""

        def link(words: str) -> str | None:
            first, _, rest = words.partition(".")
            found = self.source.known(module, first) if first.isidentifier() else None
            home = self.public.get(found.home) if found else None
            home = home or (f"brim.{first}" if f"brim.{first}" in self.public.values() else None)
            return f"{home}.{rest}" if home and rest.isidentifier() else home if not rest else None

        return link

    def _note(self, whole: str, declaration: Declaration) -> None:
        self.places[whole] = (declaration.module.shown, declaration.node.lineno)


def _is_code(member: Declaration) -> bool:
    return isinstance(member.node, Function)
