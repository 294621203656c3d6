"""The catalogue of the reference: which public name stands on which page, read from the pages before they are built."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from sphinx.errors import ExtensionError

from living.reference.declared import Source, Unknown

WHOLE = (
    "brim",
    "brim.adapters.langchain",
    "brim.anthropic.errors",
    "brim.engine.backends",
    "brim.engine.compaction_control",
    "brim.engine.conversation",
    "brim.sessions",
    "brim.testing",
    "brim.transcripts",
)
"""Modules of which every name in `__all__` has its place on a page."""
FENCE = re.compile(r"(?m)^(`{3,}|:{3,})\{api\} *(\S+)\n(.*?)^\1 *$", re.DOTALL)


class Listed(NamedTuple):
    """A name that a page lists: its module, itself, the page and the line."""

    module: str
    name: str
    page: str
    place: str

    @property
    def whole(self) -> str:
        """The name it is documented under."""
        return f"{self.module}.{self.name}"


def catalogue(docs: Path, source: Source) -> dict[str, Listed]:
    """Every name that a page lists, by its whole name where it is defined. Raises ExtensionError with file and line."""
    listed: dict[str, Listed] = {}
    faults: list[str] = []
    for one in _listed(docs):
        try:
            home = source.find(one.module, one.name).home
        except Unknown as error:
            faults.append(f"{one.place}: {error}")
            continue
        if home in listed:
            faults.append(f"{one.place}: {one.whole} stands on {listed[home].place} already")
        listed.setdefault(home, one)
    faults += _missing(listed, source) if listed else []
    if faults:
        raise ExtensionError("\n".join(faults))
    return listed


def names_of(lines: Iterable[str]) -> Iterator[str]:
    """The names that lines list, one a line."""
    yield from filter(None, (line.strip() for line in lines))


def _listed(docs: Path) -> Iterator[Listed]:
    for path in sorted((docs / "reference").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        page = path.relative_to(docs).with_suffix("").as_posix()
        for fence in FENCE.finditer(text):
            first = text.count("\n", 0, fence.start(3)) + 1
            for number, line in enumerate(fence[3].splitlines(), first):
                for name in names_of([line]):
                    yield Listed(fence[2], name, page, f"docs/{path.relative_to(docs).as_posix()}:{number}")


def _missing(listed: dict[str, Listed], source: Source) -> Iterator[str]:
    for module in filter(None, map(source.module_if_there, WHOLE)):
        for name in module.public:
            if source.find(module.name, name).home not in listed:
                line = module.declared["__all__"].node.lineno
                yield f"{module.shown}:{line}: {module.name}.{name} is public, and no page of docs/reference lists it"
