"""The previous summary: what of its text the next summary carries along. No fact is read from it.

Specified by features/summary/previous_summary.feature (SUM_09).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from brim.errors import advisory
from brim.evidence.failures import on_one_line
from brim.summary.user_words import HEADING, INDENT, ITEM, LEFT_OUT, characters_of, fitting, split_listed

CARRIED: Final = "From the earlier summary:"
"""The heading that an earlier summary is carried below."""
DONE: Final = "What was done:"
"""The heading of the outcome lines."""
CARRIED_SECTION: Final = re.compile(rf"^{CARRIED}\n((?:[^\S\n].*(?:\n|\Z)|\n)*)", re.MULTILINE)
KNOWN_SECTION: Final = re.compile(
    r"(?:\A|(?<=\n\n))(?:Active files|Preserved facts:|Required facts:|Identifiers of what left).*?(?:\n\n(?=\S)|\Z)",
    re.DOTALL,
)
"""A part of a summary of brim's that is known as data; a blank line and then text in the first column end it."""
DONE_SECTION: Final = re.compile(rf"(?:\A|(?<=\n\n)){DONE}\n(.*?)(?:\n\n(?=\S)|\Z)", re.DOTALL)


class Earlier(NamedTuple):
    """What of an earlier summary has to be carried, each text with what is older first."""

    words: str = ""
    """What it lists as the user's messages, where no record tells them: a model's summary is followed by them too."""
    text: str = ""
    """The rest that no record tells: a template carries it, and a model has read it."""
    done: tuple[str, ...] = ()
    """The outcomes that brim listed, where a record tells the rest: each a line with the lines indented below it."""


def indented(text: str) -> str:
    """Return the text with an indent before every line that is not blank: none reads like a heading of brim's."""
    return textwrap.indent(text, INDENT)


@advisory("an earlier summary", lambda text, **_: Earlier(text=text))
def read_earlier(previous_summary: str, *, is_known: bool) -> Earlier:
    """Return what of a summary has to be carried.

    Args:
        previous_summary: brim's summary, or that of another tool. What it carries itself comes first, as it is older.
        is_known: whether a record tells the facts, the user's words and the identifiers of all but what it carries.
    """
    older = [re.sub(f"^{INDENT}", "", one, flags=re.MULTILINE) for one in CARRIED_SECTION.findall(previous_summary)]
    own = CARRIED_SECTION.sub("", previous_summary)
    left = KNOWN_SECTION.sub("", own) if is_known else own
    blocks = DONE_SECTION.findall(left) if is_known else []
    split = [split_listed(part) for part in (*older, DONE_SECTION.sub("", left) if is_known else left)]
    words = [words.strip("\n") for words, _ in (split[:-1] if is_known else split)]
    return Earlier(
        "\n".join(filter(None, words)),
        "\n\n".join(filter(None, (rest.strip("\n") for _, rest in split))),
        tuple(item for block in blocks for item in re.split(r"\n(?=\S)", block.rstrip())),
    )


def without_listed(earlier: Earlier, said: AbstractSet[str]) -> Earlier:
    """Return it without the messages that stand, on one line, among these."""
    items = re.split(r"\n(?=\S)", earlier.words)
    return earlier._replace(words="\n".join(item for item in items if said.isdisjoint(items_of(item))))


def items_of(words: str) -> set[str]:
    """Return the items of a list, each on one line and without its mark."""
    return {on_one_line(ITEM.sub("", item, count=1)) for item in re.split(r"\n(?=\S)", words)}


def carry_over(earlier: Earlier, max_chars: int, words_chars: int) -> str:
    """Return the text and the words below a heading of brim's: whole, or in place of the middle how much is left out.

    Args:
        earlier: what has to be carried.
        max_chars: the limit of all.
        words_chars: the limit of the words in it, their heading included.
    """
    words, text = earlier.words, ""
    words = words and fitting(
        words, min(words_chars, max_chars) - len(CARRIED), lambda text: _below(f"{HEADING}\n{text}")
    )
    if earlier.text:
        room = max_chars - len(CARRIED) - len(words)
        note = _below(LEFT_OUT.format(characters_of(earlier.text)))
        text = fitting(earlier.text, room, _below) or (note if len(note) <= room else "")
    return f"{CARRIED}{text}{words}" if text or words else ""


def _below(text: str) -> str:
    return f"\n{indented(text)}"
