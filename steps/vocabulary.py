"""The terms that steps share, and how each is read from their wording."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from parse import with_pattern
from pytest_bdd import parsers

from brim.errors import BrimError


@with_pattern(r"\d[\d,]*")
def tokens(text: str) -> int:
    """A count written with separators: 200,000."""
    return int(text.replace(",", ""))


@with_pattern(r"\d[\d,]*(?:\.\d+)?")
def number(text: str) -> Decimal:
    """A number that may have decimals: 0.95."""
    return Decimal(text.replace(",", ""))


@with_pattern(r"due|not due")
def verdict(text: str) -> bool:
    """Whether compaction is due."""
    return text == "due"


@with_pattern(r"[^\"]*")
def quoted(text: str) -> str:
    r"""A text between quotation marks; \n stands for a line break."""
    return text.replace("\\n", "\n")


@with_pattern(r"s?")
def plural(text: str) -> str:
    """The end of a noun, after one or several."""
    return text


@with_pattern(r"is|are|was|were")
def being(text: str) -> str:
    """The verb after one or several."""
    return text


TERMS = {"Tokens": tokens, "Count": tokens, "Number": number, "Verdict": verdict, "Quoted": quoted}
TERMS |= {"S": plural, "Is": being}


def phrase(text: str, terms: Mapping[str, Callable[[str], Any]] = MappingProxyType({})) -> parsers.cfparse:
    """A step's wording, in which {name:Term} is a term of the domain, or one that the feature brings itself."""
    return parsers.cfparse(text, extra_types={**TERMS, **terms})


ACTIONS = {"allowed": "allow", "asked about": "ask", "denied": "deny"}
"""What becomes of a use of a tool, and the action of a rule that says so."""
JOINED = "(?:,? and |, )(?:then )?"
"""What stands between two of several things that happen one after another."""


def several(words: Iterable[str]) -> str:
    """The pattern of one thing after another, each of which one of these patterns describes."""
    one = f"(?:{'|'.join(words)})"
    return f"{one}(?:{JOINED}{one})*"


def each(text: str, words: Collection[str]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Of one thing after another the pattern of each, and the groups in it."""
    while text:
        matches = ((one, re.match(f"{one}(?:{JOINED}|$)", text)) for one in words)
        pattern, found = next((one, found) for one, found in matches if found)
        yield pattern, found.groups()
        text = text[found.end() :]


def attempt(act: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What an action came to: its result, or the refusal it met."""
    try:
        return act(*args, **kwargs)
    except BrimError as refusal:
        return refusal
