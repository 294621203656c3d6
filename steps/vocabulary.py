"""The terms that steps share, and how each is read from their wording."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


TERMS = {"Tokens": tokens, "Count": tokens, "Number": number, "Verdict": verdict, "Quoted": quoted}


def phrase(text: str, terms: Mapping[str, Callable[[str], Any]] = MappingProxyType({})) -> parsers.cfparse:
    """A step's wording, in which {name:Term} is a term of the domain, or one that the feature brings itself."""
    return parsers.cfparse(text, extra_types={**TERMS, **terms})


def attempt(act: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What an action came to: its result, or the refusal it met."""
    try:
        return act(*args, **kwargs)
    except BrimError as refusal:
        return refusal
