"""Docstrings as Markdown: their options as a list, rules and public names as links, and nothing in them is markup."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

Link: TypeAlias = Callable[[str], str | None]
"""Gives for a name as it is written the whole name of what is documented, None where nothing is."""

RULE = re.compile(r"\b[A-Z]{3}_\d\d\b")
"""A rule's id where it stands in prose."""
LITERAL = re.compile(r"(`+)(.+?)\1", re.DOTALL)
NAME = re.compile(r"\b(?:[A-Z][a-z]+(?:[A-Z][a-z]+)+|[A-Z]{4,}|[a-z]+(?:_[a-z]+)+)\b")
"""A word that can only be a name: two capitals in it, capitals alone, or an underscore."""
RAISED = re.compile(r"\b(?:Raises|is|a|an) +((?:[A-Z]\w+(?:, and |, | and | or )?)+)")
MARKUP = re.compile(r"([\\*\[\]<>{}$|~^])")
SECTION = re.compile(r"(?m)^(Args|Returns):\n((?:[ \t]+.*\n?|\n(?=[ \t]))+)")
OPTION = re.compile(r"(?m)^(\w+): ")


def markdown(doc: str, link: Link) -> list[str]:
    """The lines of a docstring as Markdown."""
    lines: list[str] = []
    end = 0
    for section in SECTION.finditer(doc):
        lines += [*_paragraphs(doc[end : section.start()], link), *_section(section, link)]
        end = section.end()
    return [*lines, *_paragraphs(doc[end:], link)]


def prose(text: str, link: Link) -> str:
    """A text on one line, with its links; what is between backticks stays as it is."""
    flat = " ".join(text.split())
    pieces: list[str] = []
    end = 0
    for literal in LITERAL.finditer(flat):
        pieces += [_plain(flat[end : literal.start()], link), _literal(literal[0], literal[2], link)]
        end = literal.end()
    return "".join([*pieces, _plain(flat[end:], link)])


def rules_linked(text: str) -> str:
    """A text in which every rule's id leads to the rule; what is between backticks stays as it is."""
    pieces = re.split(r"(`+.+?`+)", text)
    return "".join(piece if piece.startswith("`") else RULE.sub(r"{rule}`\g<0>`", piece) for piece in pieces)


def escaped(text: str) -> str:
    """A text in which nothing is markup."""
    return MARKUP.sub(r"\\\1", text)


def options_of(doc: str) -> dict[str, str]:
    """What a docstring says of each argument, by its name."""
    return {
        name: text
        for section in SECTION.finditer(doc)
        if section[1] == "Args"
        for name, text in _options(textwrap.dedent(section[2]))
    }


def _paragraphs(text: str, link: Link) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        if not paragraph.strip():
            continue
        if paragraph.startswith("    "):
            yield from ["```text", *textwrap.dedent(paragraph).splitlines(), "```", ""]
        elif paragraph.startswith("```"):
            yield from [*paragraph.splitlines(), ""]
        else:
            yield from [prose(paragraph, link), ""]


def _section(section: re.Match[str], link: Link) -> Iterator[str]:
    body = textwrap.dedent(section[2]).strip()
    if section[1] == "Returns":
        yield from [f"Returns {prose(body, link)}", ""]
        return
    for name, text in _options(body):
        yield f"- `{name}`: {prose(text, link)}"
    yield ""


def _options(body: str) -> Iterator[tuple[str, str]]:
    """The name and the text of each argument; its text goes on in lines that are set in."""
    parts: Sequence[str] = OPTION.split(body.strip())
    yield from ((name, " ".join(text.split())) for name, text in zip(parts[1::2], parts[2::2], strict=True))


def _literal(whole: str, inner: str, link: Link) -> str:
    target = link(inner)
    return f"{{py:obj}}`{inner} <{target}>`" if target else whole


def _plain(text: str, link: Link) -> str:
    """A piece of prose: rules and names become links, what is left is no markup."""
    names = {name for said in RAISED.findall(text) for name in re.findall(r"\w+", said)} | set(NAME.findall(text))
    known = {name: target for name in sorted(names) if (target := link(name))}
    words = "|".join([RULE.pattern, *(rf"\b{name}\b" for name in known)])

    def linked(met: re.Match[str]) -> str:
        return f"{{py:obj}}`{met[0]} <{known[met[0]]}>`" if met[0] in known else f"{{rule}}`{met[0]}`"

    pieces = re.split(f"({words})", text)
    return "".join(re.sub(words, linked, one) if n % 2 else escaped(one) for n, one in enumerate(pieces))
