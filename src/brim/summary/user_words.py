"""The user's words: which messages of the user a summary carries word for word, and how one is shortened.

Specified by features/summary/user_words.feature (SUM_18).
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial
from typing import Final

from brim.errors import advisory
from brim.tokens.exact import Number, checked_share

WORDS_SHARE: Final = Decimal("0.2")
"""The share of the usable context, or of a smaller conversation, that the user's words take at most."""
MAX_WORDS_TOKENS: Final = 20_000
"""Tokens of the user's words at most: as many as Codex keeps of user messages."""
MIN_WORDS_TOKENS: Final = 2_000
"""Tokens of the user's words that are allowed in any conversation."""
REMEMBERED_CHARS: Final = 200_000
"""Characters of the user's words that are handed on from compaction to compaction: more than any summary shows."""
NOTE: Final = re.compile(
    r"(?: \[)?… (?:[\d,]{1,20} messages?, )?(\d{1,3}(?:,\d{3}){0,5}) characters left out(?: …\] )?"
)
"""Says how much was left out of a text."""
HEADING: Final = "What the user wrote, word for word:"
MIN_PART: Final = 200
"""Characters of room in which a message is shortened at least: with less it is left out and counted."""
COUNTED: Final = "User's words: "
NOTHING: Final = f"{COUNTED}none"
INDENT: Final = "  "
"""Before each line that is not brim's, but for the first of an item: only brim's own begin in the first column."""
LEFT_OUT: Final = "… {:,} characters left out"


def words_limit(tokens: int, share: Number) -> int:
    """Return the limit of the user's words in tokens: a share of so many, 2,000 at least and 20,000 at most.

    Raises Refused where the share is no share.
    """
    part = checked_share(share, "the share of the user's words")
    return max(MIN_WORDS_TOKENS, min(tokens * part.numerator // part.denominator, MAX_WORDS_TOKENS))


def words_section(messages: Sequence[str], max_chars: int, *, has_first: bool = True) -> str:
    """List the messages under a heading, further lines of each indented; at most `max_chars` characters.

    The first message comes first, then the newest, whole; the one that crosses the limit is shortened, and those
    between are counted. A first message that is larger than half of the room leaves that half to the newest. Without
    `has_first` the conversation's first message is in an earlier summary, and the first one here is like any other.
    """
    if not messages:
        return ""
    room = max_chars - len(HEADING)
    if sum(map(len, messages)) <= room and len(items := "".join(map(_item, messages))) <= room:
        return f"{HEADING}{items}"
    room -= len(f"\n{left_out(len(messages), sum(map(len, messages)))}")
    first, newest = first_and_newest(messages, room, partial(fitting, lay_out=_item), has_first=has_first)
    gone = messages[1 if first else 0 : len(messages) - len(newest)]
    note = left_out(len(gone), sum(map(len, gone))) if gone else ""
    if not (first or newest):
        return f"{COUNTED}{note}" if len(COUNTED) + len(note) <= max_chars else ""
    return "".join([HEADING, first, note and f"\n{note}", *newest])


def first_and_newest(
    messages: Sequence[str], room: int, fit: Callable[[str, int], str], *, has_first: bool = True
) -> tuple[str, list[str]]:
    """Return the first message and the newest ones, the one that crosses the limit as `fit` shortens it.

    A first message that is larger than half of the room leaves that half to the newest.
    """
    others = messages[1:] if has_first else messages
    size = 0
    for message in reversed(others):
        size += len(fit(message, sys.maxsize))
        if size > room:
            break
    first = fit(messages[0], max(room // 2, room - size)) if has_first else ""
    room -= len(first)
    newest: list[str] = []
    for message in reversed(others):
        part = fit(message, room)
        newest += [part] if part else []
        room -= len(part)
        if part != fit(message, sys.maxsize):
            break
    return first, newest[::-1]


def left_out(count: int, characters: int) -> str:
    """Write the line that counts messages which are not shown."""
    return f"… {count:,} message{'' if count == 1 else 's'}, {characters:,} characters left out"


def bounded(messages: Sequence[str], max_chars: int = REMEMBERED_CHARS) -> list[str]:
    """Return the messages that are handed on: the first, then the newest, at most so many characters together."""
    first, newest = first_and_newest(messages, max_chars, without_middle)
    return [first, *newest]


def _item(message: str) -> str:
    return f"\n- {textwrap.indent(message, INDENT).lstrip()}"


def fitting(text: str, room: int, lay_out: Callable[[str], str]) -> str:
    """Return the text as it is laid out, without its middle where that is longer than the room; empty without room."""
    laid_out, size = lay_out(text), len(text)
    while len(laid_out) > room:
        size = size * room // len(laid_out)  # each line takes an indent besides
        kept = without_middle(text, size) if size >= MIN_PART else ""
        if not kept:
            return ""
        laid_out = lay_out(kept)
    return laid_out


def without_middle(text: str, max_chars: int) -> str:
    """Return the text, in place of its middle the number of characters left out where it is longer than `max_chars`.

    It is cut at white space where some is near. Empty without room for anything of it.
    """
    if len(text) <= max_chars:
        return text
    room = max_chars - len(_gap(len(text)))
    if room < 2:  # noqa: PLR2004 -- a character at each end
        return ""
    head, tail = text[: room // 2], text[len(text) - (room - room // 2) :]
    head, tail = re.sub(r"(?<=\S)\s\S{0,40}\Z", "", head), re.sub(r"\A\S{0,40}\s(?=\S)", "", tail)
    return f"{head}{_gap(characters_of(text[len(head) : len(text) - len(tail)]))}{tail}"


def characters_of(removed: str) -> int:
    """Return how many characters are removed with a text, those that it says were left out of it before included."""
    notes = [*NOTE.finditer(removed)]
    return len(removed) + sum(int(one[1].replace(",", "")) - len(one[0]) for one in notes)


def _gap(characters: int) -> str:
    return f" [{LEFT_OUT.format(characters)} …] "


ITEM: Final = re.compile(r"\A(?:\s|[-*•…]\s|\d{1,3}[.)]\s)")
"""How an item of a list begins, or a further line of it."""
TITLE: Final = re.compile(r"(?=.{1,100}\Z)(?:#{1,6} .*|(?:\d{1,2}[.)] |(?=[A-Z*]))(?:\*\*[^*]+\*\*:?|[^*]+:)\s*)")
"""A heading in the first column: in Markdown's form, in bold, or with a colon behind it."""
OF_THE_USER: Final = re.compile(
    r"""(?=.*\buser)(?=.*\b(?:asked|messages?|prompts?|requested|requests?|said|words|written|wrote)\b)
    (?:[\W\d]*\b(?:all|and|as|asked|by|chronological|conversation|direct|each|earlier|every|exact|explicit|feedback|first
    |for|from|full|goals?|had|has|human|in|initial|instructions?|intents?|is|key|last|latest|list|made|main|messages?
    |newest|of|or|order|original|own|previous|prompts?|questions?|quoted|recent|requested|requests?|s|said|sent|session
    |so|far|that|the|their|this|users?|verbatim|what|words?|written|wrote)\b)+
    (?:[ ]to[ ]the[ ](?:assistant|agent|model))?\W*""",
    re.IGNORECASE | re.VERBOSE,
)
"""A title of the user's own messages; one with other words may deny them, and what it lists is then listed again."""


@advisory("an earlier summary", lambda _: "")
def listed_messages(summary: str) -> str:
    """Return what a summary lists as the user's messages; the same words elsewhere in it may be anyone's."""
    return split_listed(summary)[0]


def split_listed(summary: str) -> tuple[str, str]:
    """Return the lines below titles of the user's messages, and all other lines but these titles.

    A list ends at the next title; one of items also at a line that neither is an item nor is indented.
    """
    listed: list[str] = []
    rest: list[str] = []
    is_listed, has_items = False, False
    for line in summary.split("\n"):
        if TITLE.fullmatch(line):
            is_listed, has_items = OF_THE_USER.fullmatch(line) is not None, False
            rest += [] if is_listed else [line]
        else:
            is_item = ITEM.match(line) is not None
            is_listed = is_listed and (is_item or not has_items or not line)
            has_items = is_listed and (has_items or is_item)
            (listed if is_listed else rest).append(line)
    return "\n".join(listed), "\n".join(rest)
