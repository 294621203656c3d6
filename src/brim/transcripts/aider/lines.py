"""Single lines of aider's chat history: whose they are, and what those of aider itself tell."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from brim.transcripts.decoding import Json

STARTED: Final = "# aider chat started at "
BREAK: Final = "  "
"""How each line ends that the user or aider wrote; Markdown of the model's may begin as theirs do."""
USER: Final = "####"
OWN: Final = ">"
REFUSED: Final = re.compile(r"> # \d+ SEARCH/REPLACE blocks? failed")
"""How aider begins to tell the model which edits did not apply; it ends with the next line that ends as its own do."""
QUESTION: Final = re.compile(r"\(Y\)es/\(N\)o")
"""A question of aider's and what the user answered: none of it goes to the model."""
COMMAND: Final = re.compile(r"/(?!(?:ask|code|architect|context)\s)[a-z-]+")
"""A command to aider; four of them bring words for the model."""
MODEL: Final = re.compile(r"(?:Main model|Model): (\S+) with ")
VERSION: Final = re.compile(r"Aider v(\S+)$")
NUMBER: Final = r"([\d.,]+[kM]?)"
TOKENS: Final = re.compile(
    rf"Tokens: {NUMBER} sent(?:, {NUMBER} cache write)?(?:, {NUMBER} cache hit)?, {NUMBER} received"
)
UNITS: Final = {"k": 1_000, "M": 1_000_000}


def users(line: str) -> str | None:
    """The words of a line of the user's; None for another."""
    if line.startswith(f"{USER} ") and line.endswith(BREAK):
        return line.removeprefix(USER).removeprefix(" ").removesuffix(BREAK)
    return None


def aiders(line: str) -> str | None:
    """The words of a line of aider's own; None for another."""
    if line.startswith(f"{OWN} ") and line.endswith(BREAK):
        return line.removeprefix(OWN).strip()
    return None


def usage_of(told: str) -> Json:
    """The tokens that a line tells, by the names of chat completions; None where it tells none."""
    found = TOKENS.match(told)
    if found is None:
        return None
    sent, written, hit, received = (_count(number) for number in found.groups())
    cached = {"cached_tokens": hit, "cache_write_tokens": written}
    return {"prompt_tokens": sent, "completion_tokens": received, "prompt_tokens_details": cached}


def _count(shown: str | None) -> int:
    """A number as aider shows it: with thousands separated, or rounded to thousands or millions."""
    if not shown:
        return 0
    digits = shown.rstrip("kM").replace(",", "").strip(".")
    whole = re.fullmatch(r"\d+(?:\.\d+)?", digits)
    return int(Decimal(digits) * UNITS.get(shown[-1], 1)) if whole else 0
