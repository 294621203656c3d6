"""Docstrings as reStructuredText: rules and public names as links, arguments as a list, no other markup."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

Link: TypeAlias = Callable[[str], str | None]
"""Gives for a name as it is written the whole name that it is documented under, None where it is not."""

RULE: Final = re.compile(r"\b[A-Z]{3}_\d\d\b")
"""A rule's id where it stands in prose."""
LITERAL: Final = re.compile(r"`+(.+?)`+", re.DOTALL)
NAME: Final = re.compile(r"\b(?:[A-Z][a-z]+(?:[A-Z][a-z]+)+|[A-Z]{4,}|[a-z]+(?:_[a-z]+)+)\b")
"""A word that can only be a name: two capitals in it, capitals alone, or an underscore."""
RAISED: Final = re.compile(r"\b(?:Raises|is|a|an) +((?:[A-Z]\w+(?:, and |, | and | or )?)+)")
SECTION: Final = re.compile(r"(?m)^(Args|Returns):\n((?:[ \t]+.*\n?|\n(?=[ \t]))+)")
OPTION: Final = re.compile(r"(?m)^(\w+): ")


def restructured(doc: str, link: Link) -> Iterator[str]:
    """The lines of a docstring as reStructuredText."""
    end = 0
    for section in SECTION.finditer(doc):
        yield from _paragraphs(doc[end : section.start()], link)
        if section[1] == "Args":
            yield from (f"- ``{name}``: {prose(text, link)}" for name, text in _options(section[2]))
        else:
            yield f"Returns {prose(section[2], link)}"
        yield ""
        end = section.end()
    yield from _paragraphs(doc[end:], link)


def prose(text: str, link: Link = lambda _: None) -> str:
    """A text on one line, with its links; what is between backticks is a literal, or a link too."""
    pieces = LITERAL.split(" ".join(text.split()))
    return "".join(_literal(one, link) if n % 2 else _plain(one, link) for n, one in enumerate(pieces))


def options_of(doc: str) -> dict[str, str]:
    """What a docstring says of each argument, by its name."""
    return {name: text for one in SECTION.finditer(doc) if one[1] == "Args" for name, text in _options(one[2])}


def _paragraphs(text: str, link: Link) -> Iterator[str]:
    for paragraph in filter(str.strip, re.split(r"\n\s*\n", text.strip("\n"))):
        if paragraph.startswith(("    ", "```")):
            code = textwrap.dedent(re.sub(r"(?m)^```.*$", "", paragraph)).strip("\n")
            yield from [".. code-block:: text", "", *textwrap.indent(code, "   ").splitlines(), ""]
        else:
            yield from [prose(paragraph, link), ""]


def _options(body: str) -> Iterator[tuple[str, str]]:
    """The name and the text of each argument; its text goes on in lines that are set in."""
    parts = OPTION.split(textwrap.dedent(body).strip())
    yield from ((name, " ".join(text.split())) for name, text in zip(parts[1::2], parts[2::2], strict=True))


def _literal(words: str, link: Link) -> str:
    target = link(words)
    return f"\\ :py:obj:`{words} <{target}>`\\ " if target else f"\\ ``{words}``\\ "


def _plain(text: str, link: Link) -> str:
    """A piece of prose: rules and names become links, what is left is no markup."""
    names = {name for said in RAISED.findall(text) for name in re.findall(r"\w+", said)} | set(NAME.findall(text))
    known = {name: target for name in sorted(names) if (target := link(name))}
    words = "|".join([RULE.pattern, *(rf"\b{name}\b" for name in known)])
    pieces = re.split(f"({words})", text)
    return "".join(_linked(one, known) if n % 2 else re.sub(r"([\\*_|])", r"\\\1", one) for n, one in enumerate(pieces))


def _linked(word: str, known: dict[str, str]) -> str:
    return f"\\ :py:obj:`{word} <{known[word]}>`\\ " if word in known else f"\\ :rule:`{word}`\\ "
