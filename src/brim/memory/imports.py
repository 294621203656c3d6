"""Imports: the paths behind an at sign in a memory file, outside of code.

Specified by features/memory/imports.feature (MEM_08).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

MAX_DEPTH: Final = 5
"""Imports in a row, each in the file that the one before it names."""
IMPORT: Final = re.compile(r"(?<!\S)@((?:[^\s\\]|\\.)+)")
"""An at sign that begins a word, and the path behind it; a backslash keeps a space in it."""
COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
TRAILING: Final = ".,;:!?)]}'\"*_"
"""What may stand behind a path in a sentence."""
CERTAIN: Final = re.compile(r"(?:\.{0,2}|~)/.|.*\.[A-Za-z]\w{0,7}\Z")
"""A path that can be nothing else: from a folder that it names, or with an ending. `@alice` may be a person."""


class Import(NamedTuple):
    """A path that a memory file names, and the line on which it does so, from 1."""

    name: str
    line: int

    @property
    def shown(self) -> str:
        """The path without what stands behind it in a sentence."""
        return self.name.rstrip(TRAILING)

    @property
    def is_certain(self) -> bool:
        """Whether it is meant as a path even where there is no such file."""
        return CERTAIN.match(self.shown) is not None

    def paths(self, folder: Path) -> Iterator[Path]:
        """The files that it may name, from a folder: with what stands behind it in a sentence, then without."""
        for name in dict.fromkeys((self.name, self.shown)):
            path = re.sub(r"\\(.)", r"\1", name)
            if path:
                yield Path.home() / path[2:] if path.startswith("~/") else folder / path


def find_imports(text: str) -> Iterator[Import]:
    """The imports of a Markdown text, in order; those in code and in comments are none."""
    if "@" not in text:
        return
    for token in _parser().parse(text):
        line = (token.map[0] if token.map else 0) + 1
        if token.type == "html_block":
            yield from _in_text(COMMENT.sub(_blank, token.content), line)
        for child in token.children or ():
            if child.type == "text":
                yield from _in_text(child.content, line)
            line += child.type in {"softbreak", "hardbreak"}
            line += child.content.count("\n") if child.type in {"code_inline", "html_inline"} else 0


def _in_text(text: str, line: int) -> Iterator[Import]:
    for n, one in enumerate(text.split("\n")):
        yield from (Import(found[1], line + n) for found in IMPORT.finditer(one))


def _blank(comment: re.Match[str]) -> str:
    """The line breaks of a comment."""
    return "\n" * comment[0].count("\n")


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415  most memory files import nothing

    return MarkdownIt("commonmark")
