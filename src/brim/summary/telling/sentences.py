"""Sentences: openings, first sentences, and what a user lays down in them.

The wording that the facts and the outcome lines share; specified by their features (SUM_07, SUM_13).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

OPENING: Final = 200
"""Characters of an opening: of what the user wrote, of a sentence, of a command."""
NO_PROSE: Final = ("#", "|", "```")
"""How headings, tables and code begin."""
CONSTRAINTS_MAX: Final = 10
"""Constraints that are taken from one message at most, the first ones."""

SENTENCE_END: Final = re.compile(
    r"\s(?:(?<=[.!?]\s)|(?<=[.!?][\"'*_)\]\u201d]\s)|(?<=[.!?]\*\*\s))\s*(?![a-z\s])",
)
"""Space after a full stop, an exclamation or a question mark, perhaps with a closing mark, and no small letter next."""
FENCE: Final = re.compile(r"^(```|~~~).*?(?:^\1|\Z)", re.DOTALL | re.MULTILINE)
LIMITING: Final = ("must", "never", "always", "only", "don", "do not", "avoid", "make sure", "without")
"""What a line holds in which a constraint may stand, in small letters."""
CONSTRAINT: Final = re.compile(
    r"\b(?:must(?:n['\u2019]?t)?|never|always|only|don['\u2019]?t|do not|avoid|make sure|without)\b", re.IGNORECASE
)
REMARK: Final = re.compile(
    r"\b(?:i|we|you) (?:really )?(?:don['\u2019]?t|do not) (?:know|think|see|understand|remember|care|mind|have)\b"
    r"|\bdon['\u2019]?t (?:worry|you think)\b",
    re.IGNORECASE,
)
"""Sentences of that form tell something, and lay nothing down."""
DECIDING: Final = ("deci", "agreed", "let's", "let\u2019s", "go with")
DECISION: Final = re.compile(
    r"\W*(?:(?:decision|decided|agreed)\b|we(?:['\u2019]ve| have)? (?:decided|agreed)\b"
    r"|i(?:['\u2019]ve| have)? decided\b|let['\u2019]s (?:go with|use|stick with|keep)\b|go with\b)",
    re.IGNORECASE,
)
BULLET: Final = re.compile(r"\A\s*(?:[>#*+-]+\s+)*(?:\d+[.)]\s+)?(?:\[[ xX]\]\s+)?")
"""What stands before the words of a heading, a quotation, an item of a list or a box to tick."""


def on_one_line(text: str) -> str:
    """The text with every stretch of white space as one space, and none around it."""
    return " ".join(text.split())


def opening(text: str) -> str:
    """The first 200 characters of a text on one line."""
    return " ".join(text.split(maxsplit=OPENING)[:OPENING])[:OPENING].rstrip()


def shortened(text: str, characters: int = OPENING) -> str:
    """A text on one line, cut after so many characters, with an ellipsis in place of what follows."""
    line = on_one_line(text)
    return line if len(line) <= characters else f"{line[:characters].rstrip()}…"


def first_sentence(text: str, characters_min: int = 0) -> str:
    """The first sentence without its full stop or colon; headings and tables are passed over where words follow.

    A sentence shorter than `characters_min` is followed by the next ones, until there are as many.
    """
    said = ""
    for sentence in _spoken(text):
        joint = " " if said.endswith((".", "!", "?", ":")) else ": "
        said = f"{said}{joint}{sentence}" if said else sentence
        if len(said) >= characters_min:
            break
    return shortened(said.rstrip(".: "))


def _spoken(text: str) -> Iterator[str]:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    prose = [line for line in lines if not line.startswith(NO_PROSE)] or lines[:1]
    for line in prose:
        rest = BULLET.sub("", line.replace("**", ""))
        while rest:
            end = SENTENCE_END.search(rest)
            yield rest[: end.start()] if end else rest
            rest = rest[end.end() :] if end else ""


def laid_down(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The openings of the sentences in which a user says what must or must never be done, and what is decided."""
    constraints: dict[str, None] = {}
    decisions: dict[str, None] = {}
    for line in _prose(text):
        lowered = line.lower()
        for words, found, says in ((LIMITING, constraints, _limits), (DECIDING, decisions, _decides)):
            if any([word in lowered for word in words]):  # noqa: C419  a generator costs as much again
                found.update(dict.fromkeys(opening(one) for one in _sentences(line) if says(one)))
    return tuple(constraints)[:CONSTRAINTS_MAX], tuple(decisions)


def _prose(text: str) -> list[str]:
    return (FENCE.sub("", text) if "```" in text or "~~~" in text else text).splitlines()


def _sentences(line: str) -> Iterator[str]:
    for sentence in SENTENCE_END.split(line if line[:1].isalpha() else BULLET.sub("", line)):
        if sentence.strip():
            yield sentence.strip()


def _limits(sentence: str) -> bool:
    return CONSTRAINT.search(sentence) is not None and not sentence.endswith("?") and not _remarks(sentence)


def _remarks(sentence: str) -> bool:
    lowered = sentence.lower()
    return ("don" in lowered or "do not" in lowered) and REMARK.search(sentence) is not None


def _decides(sentence: str) -> bool:
    return DECISION.match(sentence) is not None
