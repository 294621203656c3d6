"""The previous summary: opaque text that the next summary carries along, by sections. No fact is read from it.

Specified by features/summary/previous_summary.feature (SUM_09).
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from itertools import groupby
from typing import Final

from brim.errors import advisory
from brim.summary.user_words import NOTE, characters_of, without_middle

INDENT: Final = "  "
"""Before each line of a text that brim did not write: only brim's own lines begin in the first column."""
CARRIED: Final = "From the earlier summary:"
"""The heading that an earlier summary is carried below."""
LEVELS: Final = 8
"""How many summaries inside one another are merged at once; brim writes one, a forged text may have more."""


class Rank(IntEnum):
    """What a section is about, from what is cheapest to lose to what is lost last."""

    PAST = 0
    """Outcomes, files, code, analysis."""
    OTHER = 1
    """Text without a heading, or below one that says nothing of the others."""
    OPEN = 2
    """Open work: pending tasks, errors, next steps, current work."""
    WORDS = 3
    """What the user wants: goals, constraints, decisions."""
    MESSAGES = 4
    """A list of the user's own messages."""


OWN_MESSAGES: Final = re.compile(
    r"""\A\W*(?:(?:all|the|every|each|list|of|newest|recent|latest|earlier|previous|last|first|explicit|exact|original
        |verbatim|quoted|key|main|initial|human|direct)[ -]+)*
    (?:users?['\u2019]?s?[ ](?:own[ ]|explicit[ ]|exact[ ]|verbatim[ ])*(?:messages?|requests?|prompts?|words)
        |(?:messages?|requests?|prompts?|words)[ ]
            (?:(?:from|by|of)[ ]the[ ]user|(?:that[ ])?the[ ]user[ ](?:sent|wrote|made))
            (?:[ ]to[ ]the[ ](?:assistant|agent|model))?
        |(?:what[ ])?(?:the[ ])?user[ ](?:has[ ]|had[ ])?(?:wrote|said|asked|requested|written)(?:[ ]for)?)
    (?:[ ](?:and|or|&)[ ](?:messages?|requests?|prompts?|words|intents?|goals?|feedback|instructions?|questions?))?
    (?:\W+(?:word[- ]for[- ]word|verbatim|as[- ]is|exact|quoted|chronological(?:ly)?|in[ ](?:full|order|their[ ]order)
        |so[ ]far|in[ ]this[ ](?:conversation|session))\b)*\W*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
"""A heading of the user's own messages. One in other words may deny them, and what it lists is then listed again."""
TITLES: Final[tuple[tuple[Rank, re.Pattern[str]], ...]] = (
    (Rank.MESSAGES, OWN_MESSAGES),
    (
        Rank.WORDS,
        re.compile(
            r"\b(users?|requests?|goals?|intent|objectives?|task|constraints?|decisions?|instructions?|requirements?"
            r"|required|preferences?|preserved?)\b",
            re.IGNORECASE,
        ),
    ),
    (
        Rank.OPEN,
        re.compile(
            r"\b(pending|open|unresolved|remain\w*|to-?dos?|next|current|progress|state|status|errors?|problems?"
            r"|issues?|questions?|block\w*|fail\w*)\b",
            re.IGNORECASE,
        ),
    ),
    (
        Rank.PAST,
        re.compile(
            r"\b(done|complet\w*|outcomes?|actions?|analysis|files?|identifiers|code|technical|concepts?|history)\b",
            re.IGNORECASE,
        ),
    ),
)
"""The words of a heading that say what its section is about; the first that is found decides."""
HEADING_CHARS: Final = 100
"""Characters of a heading at most."""
MARK: Final = re.compile(r"(#{1,6}|\d{1,2}[.)])[ \t]+")
STATE: Final = re.compile(r"(Active files|User's words|Unresolved errors|Build status|Last intent): (.+)")
"""A section of brim's on one line: a newer one replaces it."""
NOTHING: Final = frozenset({"none", "none stated", "unknown"})
LISTED: Final = re.compile(r"([-*•✓✗…]|\d{1,3}[.)]|\[ANCHOR\])\s")
"""The beginning of an item of a list; an equal item is written once."""
FILE_ROW: Final = re.compile(r"(- (?:modified|created|deleted|read): )(.*)")
"""A row of the files of a summary."""
MORE: Final = re.compile(r"… (\d{1,3}(?:,\d{3}){0,3}) more")
LEFT_OUT: Final = "… {:,} characters left out"
NOTE_CHARS: Final = 40
"""Characters set aside for such a note."""
MIN_PART_CHARS: Final = 60
"""Characters of room in which an item is shortened at least, the note in its middle included."""
SAME_CHARS: Final = 60
"""Characters at the beginning by which an item that was shortened is found equal to the whole one."""


@dataclass(frozen=True)
class Section:
    """A heading as it is written, empty for text ahead of the first one, and the items below it."""

    heading: str
    rank: Rank
    items: tuple[str, ...] = ()

    @cached_property
    def text(self) -> str:
        """The heading and the items."""
        return "\n".join([self.heading, *self.items] if self.heading else self.items).rstrip()

    @cached_property
    def size(self) -> int:
        """Characters that it takes, its indent and a line break included."""
        return len(indented(self.text)) + 1

    @cached_property
    def least(self) -> int:
        """Characters in which a list of messages shows the first one, which takes half of the room at most."""
        return 2 * replace(self, items=self.items[:1]).size


Sections = Mapping[tuple[str, int], Section]
"""The sections by heading, and how many of the same heading precede them in a summary."""


def indented(text: str) -> str:
    """The text with an indent before every line that is not blank: none of them reads like a heading of brim's."""
    return textwrap.indent(text, INDENT)


@advisory("an earlier summary", lambda text, most, **_: f"{CARRIED}\n{indented(text)}"[: max(most, 0)])
def carry_over(
    previous_summary: str, max_chars: int, *, words_chars: int, shown: str, without: str | None = None
) -> str:
    """The text, indented and below a heading of brim's: whole where it has room, else its sections shortened.

    Args:
        previous_summary: brim's summary, or that of another tool. What it carries itself is merged into its sections.
        max_chars: the limit, in which the user's words beyond `words_chars` are included.
        words_chars: characters of the user's words that are carried besides.
        shown: the text ahead of it in the new summary; an item that stands there is not written again.
        without: how the headings of sections begin that the new summary has from what is known: they are left out.
    """
    merged = _merged(previous_summary)
    if without is not None:
        merged = {key: one for key, one in merged.items() if not key[0].startswith(without)}
    return _carried([*_unshown(merged, shown)], max_chars, words_chars)


@advisory("an earlier summary", lambda *_, **__: "")
def carry_words(previous_summary: str, max_chars: int, *, newer_chars: int, shown: str) -> str:
    """The sections of the user's words alone, in what newer words leave of `max_chars`.

    For the first of the user's messages and for the other sections there is room in any case, up to a half of it.
    """
    words = [one for one in _unshown(_merged(previous_summary), shown) if one.rank >= Rank.WORDS]
    least = sum(one.least if one.rank is Rank.MESSAGES else one.size for one in words) + len(CARRIED) + 3 * NOTE_CHARS
    return _carried(words, 0, max(max_chars - newer_chars, min(least, max_chars // 2)))


@advisory("an earlier summary", lambda _: "")
def listed_messages(summary: str) -> str:
    """What a summary lists as the user's messages; the same words elsewhere in it may be anyone's."""
    return "\n".join(item for one in _merged(summary).values() if one.rank is Rank.MESSAGES for item in one.items)


def _carried(sections: Sequence[Section], max_chars: int, words_chars: int) -> str:
    words = sum(one.size for one in sections if one.rank >= Rank.WORDS)
    if words:
        words += len(CARRIED)
    limit = max_chars + min(words, words_chars) - len(CARRIED)
    text = "\n".join(one.text for one in _within(sections, limit, words_chars - len(CARRIED)))
    return f"{CARRIED}\n{indented(text)}" if text else ""


def _merged(summary: str) -> Sections:
    """The sections of a summary, those of the one that it carries merged into them."""
    found = _sections(summary.strip("\n"))
    newer = [found]
    for _ in range(LEVELS):
        carried = [key for key in newer[-1] if key[0] == CARRIED]
        if not carried:
            break
        text = "\n".join(item for key in carried for item in newer[-1][key].items)
        newer[-1] = {key: one for key, one in newer[-1].items() if key[0] != CARRIED}
        newer.append(_sections("".join(line.removeprefix(INDENT) for line in text.splitlines(keepends=True))))
    merged: dict[tuple[str, int], Section] = {}
    for generation in reversed(newer):
        for key, section in generation.items():
            merged[key] = _joined(merged[key], section) if key in merged else section
    return merged


def _joined(older: Section, newer: Section) -> Section:
    """Two sections of a heading in the order of time; of equal items the newest stays, but the very first in place."""
    first = older.items[:1]
    new = [item for item in newer.items if not _key(item) or [_key(item)] != [*map(_key, first)]]
    again = {_key(item) for item in new} - {""}
    items = (*first, *(item for item in older.items[1:] if _key(item) not in again), *new)
    return replace(newer, items=tuple(_one_note(_one_row_each(items))))


def _one_row_each(items: Sequence[str]) -> Iterator[str]:
    """The rows of files with one row of each kind, which the first row of the kind takes the place of."""
    rows: dict[str, dict[str, None]] = {}
    more: Counter[str] = Counter()
    for row in filter(None, map(FILE_ROW.fullmatch, items)):
        names = row[2].split(", ")
        counts = [count for name in names if (count := MORE.fullmatch(name))]
        more[row[1]] += sum(int(count[1].replace(",", "")) for count in counts)
        rows.setdefault(row[1], {}).update(dict.fromkeys(name for name in names if not MORE.fullmatch(name)))
    for item in items:
        found = FILE_ROW.fullmatch(item)
        if found is None:
            yield item
        elif shown := [*rows.pop(found[1], ()), *(f"… {n:,} more" for n in (more.pop(found[1], 0),) if n)]:
            yield f"{found[1]}{', '.join(shown)}"


def _one_note(items: Iterable[str]) -> Iterator[str]:
    """The items, of several notes in a row about what was left out their sum."""
    for are_notes, group in groupby(items, key=lambda item: NOTE.fullmatch(item.strip()) is not None):
        found = [*group]
        yield from [LEFT_OUT.format(characters_of("".join(found)))] if are_notes else found


def _unshown(sections: Sections, shown: str) -> Iterator[Section]:
    """The sections without what is written already, and without those that nothing is left of."""
    written = _sections(shown)
    items = {_words(item) for one in written.values() for item in one.items} | {*map(_words, shown.split("\n"))}
    beginnings: dict[str, list[str]] = {}
    for item in items:
        beginnings.setdefault(item[:SAME_CHARS], []).append(item)

    def is_shown(item: str) -> bool:
        words = _key(item)
        if not words or words in items:
            return bool(words)
        gap = NOTE.search(words)
        return gap is not None and any(
            whole.startswith(words[: gap.start()]) and whole.endswith(words[gap.end() :])
            for whole in beginnings.get(words[:SAME_CHARS], ())
        )

    for key, section in sections.items():
        left = tuple(item for item in section.items if not is_shown(item))
        if (left or not section.items) and not (not section.items and key in written):
            yield replace(section, items=left)


def _key(item: str) -> str:
    """By what an item of a list is found equal to another; empty for other text, which may say the same twice."""
    return _words(item) if LISTED.match(item.lstrip()) and not NOTE.fullmatch(item.strip()) else ""


def _words(item: str) -> str:
    """The item on one line, without the mark of a list."""
    return " ".join(LISTED.sub("", item.strip(), count=1).split())


def _sections(text: str) -> Sections:
    found: dict[tuple[str, int], Section] = {}
    count: Counter[str] = Counter()
    title, rank, form = "", Rank.OTHER, ""
    lines: list[str] = []

    def close() -> None:
        while lines and not lines[-1].strip():
            lines.pop()
        if lines or title.startswith("#"):
            found[title, count[title]] = Section(title, rank, tuple(_items(lines)))
            count[title] += 1
        lines.clear()

    for line, fenced in _lines(text):
        state = None if fenced else STATE.fullmatch(line)
        heading = None if fenced or state else _heading(line, form)
        if state:
            close()
            title, rank = state[1], _rank(state[1])
            if state[2] not in NOTHING:
                found[title, 0] = Section(line, rank)
            title, rank = "", Rank.OTHER
        elif heading:
            close()
            title, rank, form = line.rstrip(), *heading
        elif lines or line.strip():
            lines.append(line)
    close()
    return found


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """The lines, and whether each is in fenced code; a fence that is never closed is none."""
    lines = text.split("\n")
    fences = [n for n, line in enumerate(lines) if line.startswith("```")]
    fences = fences[: len(fences) // 2 * 2]
    marks = iter([*fences, len(lines)])
    mark, inside = next(marks), False
    for number, line in enumerate(lines):
        if number == mark:
            mark, inside = next(marks), not inside
        yield line, inside


def _heading(line: str, form_before: str) -> tuple[Rank, str] | None:
    """What a heading's section is about, and the form of the heading; None for a line of text.

    A heading begins in the first column and stands alone: in Markdown's form, in bold, or with a colon behind it, with
    or without a number. One that says nothing of what its section is about has the form of the heading before it.
    """
    line = line.rstrip()
    if len(line) > HEADING_CHARS or not line or line[0].isspace():
        return None
    mark = MARK.match(line)
    rest = line[mark.end() :] if mark else line
    title = rest.strip("*: ")
    bold = rest.startswith("**") and rest.endswith(("**", "**:")) and "**" not in title
    form = ("1." if mark[1][0].isdigit() else mark[1]) if mark else "**" if bold else ":"
    marked = form.startswith("#") or bold or (rest.endswith(":") and "**" not in rest)
    if not marked or not title or (form == ":" and not (title[0].isupper() and rest.endswith(":"))):
        return None
    rank = _rank(title)
    if rank is Rank.OTHER and line != CARRIED:
        above = form in ("#", "##") or (form.startswith("#") and len(form) <= len(form_before))
        if form == ":" or (form != form_before and not above):
            return None
    return rank, form


def _rank(title: str) -> Rank:
    return next((rank for rank, words in TITLES if words.search(title)), Rank.OTHER)


def _items(lines: Sequence[str]) -> Iterator[str]:
    """Each line with the lines below it that are indented further."""
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    item: list[str] = []
    for line in lines:
        if item and line[margin : margin + 1].strip():
            yield "\n".join(item)
            item = []
        item.append(line)
    if item:
        yield "\n".join(item)


def _within(sections: Sequence[Section], max_chars: int, words_chars: int) -> list[Section]:
    """The sections within a limit: what is cheapest to lose is shortened first, and of it the longest section.

    The user's words are shortened ahead of open work as far as they exceed `words_chars`, and after it otherwise: first
    the messages, down to the first one and the newest that fit, then all of them.
    """
    left_out = 0
    kept: dict[int, Section] = dict(enumerate(sections))
    excess = sum(one.size for one in sections) - max_chars
    if excess > 0:
        excess += NOTE_CHARS + len(INDENT)
    listed = [one for one in sections if one.rank is Rank.MESSAGES]
    others, first = sum(one.size for one in sections if one.rank is Rank.WORDS), sum(one.least for one in listed)
    words, messages = (Rank.WORDS, Rank.MESSAGES), (Rank.MESSAGES,)
    for ranks, least in (
        ((Rank.PAST,), 0),
        ((Rank.OTHER,), 0),
        (messages, max(first, words_chars - others)),
        (words, words_chars),
        ((Rank.OPEN,), 0),
        (messages, first),
        (words, 0),
    ):
        chosen = {n: one.size for n, one in kept.items() if one.rank in ranks}
        spare = min(excess, sum(chosen.values()) - least)
        if spare <= 0:
            continue
        level = _level(chosen.values(), sum(chosen.values()) - spare)
        for number in sorted(chosen, key=chosen.__getitem__, reverse=True):
            if spare <= 0:
                break
            short = _shortened(kept[number], max(level, chosen[number] - spare))
            saved = chosen[number] - (short.size if short else 0)
            if short:
                kept[number] = short
            else:
                left_out += characters_of(kept.pop(number).text)
            spare -= saved
            excess -= saved
    note = [Section("", Rank.OTHER, (LEFT_OUT.format(left_out),))] if left_out and max_chars >= NOTE_CHARS else []
    return [*note, *kept.values()]


def _level(sizes: Iterable[int], total: int) -> int:
    """The size that none of these may exceed for them to be this many together."""
    ascending = sorted(sizes)
    for number, size in enumerate(ascending):
        share = total // (len(ascending) - number)
        if size > share:
            return share
        total -= size
    return ascending[-1] if ascending else 0


def _shortened(section: Section, max_chars: int) -> Section | None:
    """The section without its oldest items, but for the first message; of the user's other words and of text without a
    heading the middle is left out.

    None where there is no room for any of it.
    """
    room = max_chars - len(INDENT) - len(section.heading) - 1 - NOTE_CHARS
    items = [(len(indented(item)) + 1, item) for item in section.items]
    beginning = {Rank.MESSAGES: items[:1], Rank.WORDS: items, Rank.OTHER: items}.get(section.rank, [])
    head = _from(beginning, room // 2) if len(items) > 1 else []
    tail = [*reversed(_from([*reversed(items[len(head) :])], room - sum(len(indented(one)) + 1 for one in head)))]
    if not tail and not head:
        return None
    removed = items[len(head) : len(items) - len(tail)]
    note = [LEFT_OUT.format(characters_of("\n".join(item for _, item in removed)))] if removed else []
    return replace(section, items=(*head, *note, *tail))


def _from(items: Sequence[tuple[int, str]], room: int) -> list[str]:
    """The first items that have room; where not even one has, the first without its middle."""
    taken: list[str] = []
    for size, item in items:
        if size > room:
            break
        taken.append(item)
        room -= size
    if not taken and items and (short := _part(items[0][1], room)):
        taken.append(short)
    return taken


def _part(item: str, room: int) -> str:
    """The item without its middle, its indent included in the room; empty without room for a part worth reading."""
    size = min(room, len(item))
    while size >= MIN_PART_CHARS:
        short = without_middle(item, size)
        if (taken := len(indented(short)) + 1) <= room:
            return short
        size = size * room // taken  # each line takes an indent besides
    return ""
