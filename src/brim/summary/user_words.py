"""The user's words: which messages of the user a summary carries word for word, and how one is shortened.

Specified by features/summary/user_words.feature (SUM_18).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from decimal import Decimal
from typing import Final
from unicodedata import category, combining

from brim.tokens.exact import Number, checked_share

WORDS_SHARE: Final = Decimal("0.1")
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
ITEM: Final = "- "
INDENT: Final = "  "
"""Before each further line of a message: only brim's own lines begin in the first column."""


def words_limit(tokens: int, share: Number) -> int:
    """Tokens of the user's words at most: a share of so many tokens, 2,000 at least and 20,000 at most.

    Raises Refused where the share is no share.
    """
    part = checked_share(share, "the share of the user's words")
    return max(MIN_WORDS_TOKENS, min(tokens * part.numerator // part.denominator, MAX_WORDS_TOKENS))


def words_section(messages: Sequence[str], max_chars: int, *, has_first: bool = True) -> str:
    """The messages under a heading, each an item whose further lines are indented; at most `max_chars` characters.

    The first message comes first, then the newest, whole; the one that crosses the limit is shortened, and those
    between are counted. A first message that is larger than half of the room leaves that half to the newest. Without
    `has_first` the conversation's first message is in an earlier summary, and the first one here is like any other.
    """
    if not messages:
        return ""
    room = max_chars - len(HEADING)
    items: list[str] = []  # the newest first, until they are more than there is room for
    size = 0
    for message in reversed(messages):
        items.append(f"\n{_item(message)}")
        size += len(items[-1])
        if size > room:
            break
    else:
        return "".join([HEADING, *reversed(items)])
    note = f"\n{left_out(len(messages), sum(map(len, messages)))}"
    room -= len(note)
    least = 1 if has_first else 0
    others = size - len(items[-1]) if len(items) == len(messages) else size
    first = _fitting(messages[0], max(room // 2, room - others)) if has_first else ""
    room -= len(first)
    newest: list[str] = []
    for message, item in zip(reversed(messages[least:]), items, strict=False):
        part = _fitting(message, room)
        if part:
            newest.append(part)
        room -= len(part)
        if part != item:
            break
    gone = messages[1 if first else 0 : len(messages) - len(newest)]
    note = f"\n{left_out(len(gone), sum(map(len, gone)))}" if gone else ""
    if not (first or newest):
        note = f"{COUNTED}{note[1:]}"
        return note if len(note) <= max_chars else ""
    return "".join([HEADING, first, note, *reversed(newest)])


def left_out(count: int, characters: int) -> str:
    """The line that counts messages which are not shown."""
    return f"… {count:,} message{'' if count == 1 else 's'}, {characters:,} characters left out"


def bounded(messages: Sequence[str], max_chars: int = REMEMBERED_CHARS) -> list[str]:
    """The messages that are handed on: the first, then the newest, at most so many characters together."""
    if sum(map(len, messages)) <= max_chars:
        return [*messages]
    first = without_middle(messages[0], max_chars // 2)
    room = max_chars - len(first)
    newest: list[str] = []
    for message in reversed(messages[1:]):
        kept = without_middle(message, room)
        if kept:
            newest.append(kept)
        room -= len(kept)
        if kept != message:
            break
    return [first, *reversed(newest)]


def _item(message: str) -> str:
    return f"{ITEM}{textwrap.indent(message, INDENT).lstrip()}"


def _fitting(message: str, room: int) -> str:
    """The message as an item on a line of its own, shortened where it is longer than the room; empty without room."""
    item, size = f"\n{_item(message)}", len(message)
    while len(item) > room:
        size = size * room // len(item)  # each line takes an indent besides
        kept = without_middle(message, size) if size >= MIN_PART else ""
        if not kept:
            return ""
        item = f"\n{_item(kept)}"
    return item


def without_middle(text: str, max_chars: int) -> str:
    """The text, in place of its middle the number of characters left out where it is longer than `max_chars`.

    No character that is made of several code points is cut. Empty where there is no room for anything of it.
    """
    if len(text) <= max_chars:
        return text
    room = max_chars - len(_gap(len(text)))
    start, stop = room // 2, len(text) - (room - room // 2)
    while start > 0 and _joins(text, start):
        start -= 1
    while stop < len(text) and _joins(text, stop):
        stop += 1
    return f"{text[:start]}{_gap(characters_of(text[start:stop]))}{text[stop:]}" if start > 0 else ""


def characters_of(removed: str) -> int:
    """How many characters leave with a text, those that it says were left out of it before included."""
    notes = [*NOTE.finditer(removed)]
    return len(removed) + sum(int(one[1].replace(",", "")) - len(one[0]) for one in notes)


def _gap(characters: int) -> str:
    return f" [… {characters:,} characters left out …] "


ZERO_WIDTH_JOINER: Final = "\u200d"
SKIN_TONES: Final = range(0x1F3FB, 0x1F400)
FLAG_LETTERS: Final = range(0x1F1E6, 0x1F200)
FLAG_TAGS: Final = range(0xE0020, 0xE0080)
HANGUL_ENDINGS: Final = (range(0x1160, 0x1200), range(0xD7B0, 0xD800))
"""Vowels and final consonants that continue a syllable."""
LOW_SURROGATES: Final = range(0xDC00, 0xE000)
VIRAMA: Final = 9
"""The combining class of the sign that joins two consonants of an Indic script."""


def _joins(text: str, index: int) -> bool:
    """Whether the character at an index continues the one before it (Unicode's grapheme clusters, UAX 29).

    Neighboring flags count as one, so that no flag is ever halved.
    """
    before, here = text[index - 1], text[index]
    if here.isascii():
        return here == "\n" and before == "\r"
    code = ord(here)
    return (
        category(here).startswith("M")
        or ZERO_WIDTH_JOINER in (before, here)
        or code in SKIN_TONES
        or code in FLAG_TAGS
        or code in LOW_SURROGATES
        or (code in FLAG_LETTERS and ord(before) in FLAG_LETTERS)
        or any(code in endings for endings in HANGUL_ENDINGS)
        or (combining(before) == VIRAMA and here.isalpha())
    )
