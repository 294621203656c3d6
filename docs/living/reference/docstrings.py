"""Docstrings as reStructuredText: public names as links, arguments as a list, no other markup."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from typing import Final

ARGUMENTS: Final = re.compile(r"(?m)^Args:\n((?:[ \t]+.*\n?|\n(?=[ \t]))+)")
OPTION: Final = re.compile(r"(?m)^(\w+): ")
LITERAL: Final = re.compile(r"`+(.+?)`+", re.DOTALL)
NAME: Final = re.compile(r"\b(?:[A-Z][a-z]+(?:[A-Z][a-z]+)+|[A-Z]{4,}|[a-z]+(?:_[a-z]+)+)\b")
"""A word that can only be a name: two capitals in it, capitals alone, or an underscore."""
RAISED: Final = re.compile(r"\b(?:Raises|is|a|an) +((?:[A-Z]\w+(?:, and |, | and | or )?)+)")


def restructured(doc: str, targets: Mapping[str, str]) -> list[str]:
    """The lines of a docstring; `targets` are the whole names of the public ones."""
    lines = []
    for paragraph in filter(str.strip, re.split(r"\n\s*\n", doc.strip("\n"))):
        if ARGUMENTS.match(paragraph):
            lines += [f"- ``{name}``: {prose(text, targets)}" for name, text in options_of(paragraph).items()]
        elif paragraph.startswith("    "):
            lines += [".. code-block:: text", "", *textwrap.indent(textwrap.dedent(paragraph), "   ").splitlines()]
        else:
            lines.append(prose(paragraph, targets))
        lines.append("")
    return lines


def options_of(doc: str) -> dict[str, str]:
    """What a docstring says of each argument, by its name."""
    found = ARGUMENTS.search(doc)
    parts = OPTION.split(textwrap.dedent(found[1]).strip()) if found else [""]
    return {name: " ".join(text.split()) for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def prose(text: str, targets: Mapping[str, str]) -> str:
    """A text on one line; what is between backticks is a literal, or a link too."""
    pieces = LITERAL.split(" ".join(text.split()))
    return "".join(_literal(one, targets) if n % 2 else _plain(one, targets) for n, one in enumerate(pieces))


def _literal(words: str, targets: Mapping[str, str]) -> str:
    first, dot, rest = words.partition(".")
    linked = first in targets and rest.isidentifier() is bool(dot)
    return f"\\ :py:obj:`{words} <{targets[first]}{dot}{rest}>`\\ " if linked else f"\\ ``{words}``\\ "


def _plain(text: str, targets: Mapping[str, str]) -> str:
    """A piece of prose: names become links, what is left is no markup."""
    names = {name for said in RAISED.findall(text) for name in re.findall(r"\w+", said)} | set(NAME.findall(text))
    known = "|".join(rf"\b{name}\b" for name in sorted(names & targets.keys()))
    pieces = re.split(f"({known})", text) if known else [text]
    escaped = (_literal(one, targets) if n % 2 else re.sub(r"([\\*_|])", r"\\\1", one) for n, one in enumerate(pieces))
    return "".join(escaped)
