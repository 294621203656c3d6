"""Template: the summary that needs no model, put together from facts and outcome lines within a size limit.

Specified by features/summary/template.feature (SUM_07).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import Final, Literal, NamedTuple, TypeAlias

from brim.conversation.turns import Turn
from brim.errors import advisory
from brim.evidence.failures import FailedUse, SucceededUse, Successes, on_one_line, subject_of
from brim.evidence.tools import base_name
from brim.selection.anchors import Anchor, weightiest_first
from brim.summary.facts import (
    FILES,
    ROOTED,
    SLASH,
    WEIGHTIEST_FIRST,
    Fact,
    Kind,
    ResponseWork,
    SearchText,
    TurnWork,
    below_folder,
    collect_facts,
    first_sentence,
    requests_to_remember,
    runs_script,
    shortened,
    turn_work,
)
from brim.summary.identifiers import NO_IDENTIFIERS, Identifiers, index_section
from brim.summary.previous_summary import DONE, Earlier, carry_over, indented, items_of, read_earlier, without_listed
from brim.summary.user_words import NOTHING, words_section

BRIEF_CHARS: Final = 80
"""Of a command at most, where a line goes on to say how it failed; of an answer beside other lines at least."""
ANCHOR: Final = "[ANCHOR]"


class OutcomeLine(NamedTuple):
    """What came of a turn, or of one response of it."""

    short: str
    """The mark, the files changed, and the first sentence of what the model said."""
    whole: str
    """The same with all that it said, further lines indented."""


@dataclass(frozen=True)
class TurnOutcome:
    """The lines of a turn, as an ordinary one and as an anchor."""

    work: TurnWork

    @cached_property
    def lines(self) -> tuple[OutcomeLine, ...]:
        """The lines of an ordinary turn: of each response that changed a file, failed or answered, or one in all."""
        return tuple(_lines(self.work))

    @property
    def lines_beside_anchor(self) -> tuple[OutcomeLine, ...]:
        """Of an anchor's turn the lines beside the one of its answer."""
        lines = self.lines
        if len(lines) == 1:  # of a turn without a response too
            return ()
        last = self.work.turn.responses[-1]
        return lines[:-1] if last.text.strip() and not last.tool_uses else lines

    @property
    def anchor_line(self) -> str:
        """The answer of an anchor in full; without one what its turn came to."""
        answer = next((one.text for one in reversed(self.work.responses) if one.text), "")
        return f"{ANCHOR} {indented(answer).lstrip() if answer else _turn_line(self.work).short[2:]}"

    @property
    def count(self) -> int:
        """How many outcomes its lines have, found without making them."""
        responses = self.work.responses
        return (len(responses) > 1 and sum(one.has_outcome for one in responses)) or 1


def _uncured(works: Sequence[ResponseWork]) -> list[tuple[FailedUse, ...]]:
    """Return for each response the failures that nothing later in the turn resolved."""
    later = Successes()
    uncured: list[tuple[FailedUse, ...]] = []
    for work in reversed(works):
        left: list[FailedUse] = []
        for event in reversed(work.events):
            if isinstance(event, SucceededUse):
                later.add(event)
            elif not later.resolve(event.subjects, tests=event.tests):
                left.append(event)
        uncured.append(tuple(reversed(left)))
    uncured.reverse()
    return uncured


def _lines(work: TurnWork) -> list[OutcomeLine]:
    responses = work.responses
    if len(responses) > 1:
        pairs = zip(responses, _uncured(responses), strict=True)
        lines = [_response_line(one, left) for one, left in pairs if one.has_outcome]
    return (len(responses) > 1 and lines) or [_turn_line(work)]


def _turn_line(work: TurnWork) -> OutcomeLine:
    """Write how the turn went, the files it changed, and its answer.

    Without an answer it is what failed or was done, and last what was asked in vain.
    """
    works, request = work.responses, work.request
    failures = [failure for left in _uncured(works) for failure in left]
    changed = [path for one in works for path in one.changed]
    answer = next((one.text for one in reversed(works) if one.text), "")
    if answer:
        return _line(failures, changed, first_sentence(answer, 0), answer)
    if failures:
        return _line(failures, changed, _failed(failures[-1]))
    did = next((one.did for one in reversed(works) if one.did), "")
    return _line(failures, changed, did or (f"No answer to: {shortened(request)}" if request else "No answer"))


def _response_line(work: ResponseWork, left: Sequence[FailedUse]) -> OutcomeLine:
    """Write a line like a turn's; what failed is named where the response's own words do not say it."""
    words, failed = first_sentence(work.text, 0 if work.evidence else BRIEF_CHARS), ""
    if left:
        failed = f" ({_failed(left[-1])})" if words else _failed(left[-1])
    elif any(isinstance(event, FailedUse) for event in work.events):
        words, failed = words or work.did, " (failed, cured later)"
    return _line(left, work.changed, words, work.text, failed)


def _failed(failure: FailedUse) -> str:
    reason = f": {failure.reason}" if failure.reason else ""
    return shortened(f"{shortened(failure.did, BRIEF_CHARS)} {failure.verb}{reason}")


def _line(
    failures: Sequence[FailedUse], changed: Sequence[str], words: str, text: str = "", behind: str = ""
) -> OutcomeLine:
    names = ", ".join(dict.fromkeys(on_one_line(base_name(path)) for path in changed))
    mark, did = "✗" if failures else "✓", f"Modified {names}" if names else ""
    short, whole = (
        f"{mark} {': '.join(filter(None, (did, f'{said}{behind}')))}"
        for said in (words, indented(text).strip() or words)
    )
    return OutcomeLine(short, whole)


TITLES: Final[Mapping[Kind, str]] = {
    "constraint": "Constraints the user stated",
    "decision": "Decisions the user marked",
    "failed_command": "Last seen failing",
    "todo": "Open to-dos",
}
"""The headings of the kinds; the files have one for all their kinds."""
USER_SENTENCES: Final[frozenset[Kind]] = frozenset({"constraint", "decision"})
"""The kinds that are sentences of the user's own messages."""
FILES_TITLE: Final = "Active files"
ITEM: Final = "- "
SAMPLED_PATHS: Final = 64
"""How many paths of a kind, the last ones, are looked at to find the folder that most of them are in."""
FACT_CHARS: Final = 4
"""Characters that a fact takes beside its own: a bullet and a line break, or quotation marks and a comma."""


@dataclass(frozen=True, slots=True)
class ChosenFacts:
    """The facts a summary has room for, in the order of time, and how many of each kind are left out."""

    facts: Mapping[Kind, Sequence[Fact]]
    left_out: Mapping[Kind, int]
    folder: str
    """The folder that is named once; paths in it are written from there on."""
    said: frozenset[Kind]
    """Kinds that are sentences of the user: a section without lines says that they stand in the user's words."""

    def section(self, kind: Kind) -> list[str]:
        """Write the heading and lines of a kind; those of all files under the first kind of file, none under others."""
        if kind in FILES:
            return self._files() if kind == FILES[0] else []
        lines = [f"{ITEM}{line}" for line in (*map(_fact_line, self.facts.get(kind, ())), *self._more(kind))]
        if not lines and kind in self.said:
            return [f"{TITLES[kind]}: see what the user wrote"]
        return [f"{TITLES[kind]}:", *lines] if lines else []

    def _files(self) -> list[str]:
        below = f" (paths below {self.folder})" if self.folder else ""
        rows: list[str] = []
        for kind in FILES:
            names = [below_folder(fact.text, self.folder) for fact in self.facts.get(kind, ())]
            if names := [*names, *self._more(kind)]:
                rows.append(f"{ITEM}{kind.removesuffix('_file')}: {', '.join(names)}")
        return [f"{FILES_TITLE}{below}:", *rows] if rows else []

    def _more(self, kind: Kind) -> tuple[str, ...]:
        count = self.left_out.get(kind)
        return (f"… {count:,} more",) if count else ()


def _fact_line(fact: Fact) -> str:
    return f"{fact.text}{_note(fact)}: {fact.detail}" if fact.detail else f"{fact.text}{_note(fact)}"


def _note(fact: Fact) -> str:
    return f" (#{fact.number})" if fact.number else " (tests)" if fact.tests else ""


def choose_facts(facts: Iterable[Fact], max_chars: int, words: str = "") -> ChosenFacts:
    """Choose by weight of the kind, then the newest; a kind takes half of what is left at most, and then what remains.

    The user's messages are not among them: they have a section of their own (SUM_18). Nor are constraints and decisions
    that stand in these words of the user.
    """
    facts, waiting = [*facts], dict[Kind, list[Fact]]()
    for kind, group in groupby(without_shown(facts, words), key=attrgetter("kind")):
        if kind != "request":
            waiting.setdefault(kind, []).extend(group)
    folder = common_folder([fact.text for kind in FILES for fact in waiting.get(kind, ())[-SAMPLED_PATHS:]])
    taken: dict[Kind, list[Fact]] = {kind: [] for kind in waiting}
    left = max_chars - len(folder)
    for portion in (2, 1):
        for kind in WEIGHTIEST_FIRST:
            if kind in waiting:
                left -= _take(waiting[kind], taken[kind], left // portion, len(folder))
    for have in taken.values():
        have.reverse()
    left_out = {kind: len(rest) for kind, rest in waiting.items()}
    return ChosenFacts(taken, left_out, folder, frozenset(fact.kind for fact in facts if fact.kind in USER_SENTENCES))


def facts_to_remember(facts: Sequence[Fact], max_chars: int) -> tuple[Fact, ...]:
    """Return the facts that a record hands on: the user's messages within their own limit (SUM_18), others chosen."""
    kept = requests_to_remember(facts)
    chosen = choose_facts(facts, max_chars).facts
    return tuple(fact for kind in WEIGHTIEST_FIRST for fact in (kept if kind == "request" else chosen.get(kind, ())))


def _take(waiting: list[Fact], taken: list[Fact], max_chars: int, folder: int) -> int:
    """Move facts from the end of those waiting while there is room; returns the characters that they take."""
    used = 0
    while waiting:
        fact = waiting[-1]
        size = len(fact.text) + len(fact.detail) + len(_note(fact)) + FACT_CHARS - (folder if fact.kind in FILES else 0)
        if used + size > max_chars:
            break
        used += size
        taken.append(waiting.pop())
    return used


def common_folder(paths: Iterable[str]) -> str:
    """Return the folder of most paths that, named once, spares most characters; empty where there is none."""
    rooted = [*filter(ROOTED.match, paths)]
    shared = Counter(path[: slash.start()] for path in rooted for slash in SLASH.finditer(path, 1))
    spared = {
        folder: (n - 1) * len(folder)
        for folder, n in shared.items()
        if 2 * n >= max(len(rooted), 4) and ")" not in folder
    }
    return max(spared, key=lambda folder: (spared[folder], folder), default="")


@advisory("what a turn came to", lambda outcomes, *_: ([], len(outcomes)))
def choose_lines(outcomes: Sequence[TurnOutcome], anchors: Iterable[int], max_chars: int) -> tuple[list[str], int]:
    """Choose outcome lines, in the order of time: the anchors' as they come, then the newest of the others.

    An anchor is written in full where it takes less than half of the room that is left, else in short. Of the others
    the newest are written whole in a third of the room; a line that stands already is not written again.

    Args:
        outcomes: the turns, in the order of time.
        anchors: the turns that are anchors, weightiest first.
        max_chars: the limit, with a line break for each line.

    Returns:
        The lines, and how many outcomes are left out for want of room, equal ones counted singly.
    """
    by_turn = {one.work.index: one for one in outcomes}
    left = max_chars
    full: dict[int, str] = {}
    for turn in anchors:
        if turn in by_turn and left > len(ANCHOR):
            line = by_turn[turn].anchor_line
            line = line if len(line) < left // 2 else shortened(line)
            if len(line) < left:
                full[turn] = line
                left -= len(line) + 1
    lines: list[str] = []
    written: set[str] = set()
    left_out, left_whole = 0, left // 3
    for turn, outcome in reversed(by_turn.items()):
        lines += [full[turn]] if turn in full else []
        if left <= len("✓ "):
            left_out += outcome.count - (turn in full)
            continue
        for one in reversed(outcome.lines_beside_anchor if turn in full else outcome.lines):
            if one.short in written:
                continue
            line = one.whole if len(one.whole) < min(left, left_whole) else one.short
            left = left if len(line) < left else 0
            if left:
                written.add(one.short)
                lines.append(line)
                left -= len(line) + 1
                left_whole -= len(line) + 1 if line != one.short else 0
            else:
                left_out += 1
    return lines[::-1], left_out


BuildStatus: TypeAlias = Literal["passing", "failing", "unknown"]


def build_status(works: Iterable[TurnWork], facts: Iterable[Fact] = ()) -> tuple[BuildStatus, str]:
    """Return what the last test run in these turns reported, and its command; unknown where none reported of tests.

    A run of a script that the facts know as deleted says nothing of what is there.
    """
    gone = [fact.text for fact in facts if fact.kind == "deleted_file"]
    for work in reversed([*works]):
        for one in reversed(work.evidence):
            run = subject_of(one.command).about
            if one.tests and not any(runs_script(run, path) for path in gone):
                return one.tests, one.command
    return "unknown", ""


SUMMARY_SHARE: Final = Decimal("0.2")
"""The share of the usable context, or of a smaller conversation, that a template's summary takes (SUM_07)."""
MAX_SUMMARY_CHARS: Final = 16_000
"""The limit of a template's summary in characters, some 4,000 tokens, if `summary_share` gives less (SUM_07)."""
NOTE_CHARS: Final = 100
"""Characters set aside for the heading of the outcomes and the note of how many are left out."""


def template_summary(
    turns: Sequence[Turn],
    anchors: Iterable[Anchor] = (),
    facts: Sequence[Fact] | None = None,
    *,
    max_chars: int = MAX_SUMMARY_CHARS,
    words_chars: int | None = None,
    previous_summary: str = "",
) -> str:
    """Summarize turns without a model; facts are collected from the turns where none are given."""
    outcomes = [TurnOutcome(turn_work(turn)) for turn in turns]
    found = collect_facts(turns) if facts is None else facts
    return assemble_summary(
        outcomes,
        found,
        anchors,
        max_chars=max_chars,
        words_chars=max_chars // 2 if words_chars is None else words_chars,
        previous_summary=previous_summary,
        has_first=not previous_summary,
    )


def assemble_summary(
    outcomes: Sequence[TurnOutcome],
    facts: Sequence[Fact],
    anchors: Iterable[Anchor],
    *,
    max_chars: int,
    words_chars: int,
    previous_summary: str,
    has_first: bool,
    identifiers: Identifiers = NO_IDENTIFIERS,
    index_chars: int = 0,
    with_turns: bool = False,
    held_elsewhere: str = "",
    kept_words: str = "",
) -> str:
    """Put a summary together: at most `max_chars`, and what the user's words take beyond half of it.

    Args:
        outcomes: of the turns that are summarized, in the order of time.
        facts: what has to survive, each kind in the order of time; those that are no words of the user take at most
            three fifths of the room beside the words.
        anchors: those among the turns; the heaviest, then the newest, are written in full while there is room.
        max_chars: the limit; the user's words take up to half of it, and what more they need of `words_chars` is added.
        words_chars: the limit of the user's words.
        previous_summary: the text that this summary replaces. No fact is read from it (SUM_09). What of it is text
            shares the limit of the user's words, and takes what the facts leave, but for a fifth of the room beside the
            words, which is for the outcomes.
        has_first: whether the facts go back to the user's first message; else it is in the earlier summary.
        identifiers: those of all that was removed, for the index at the end (REC_02).
        index_chars: the limit of the index, in what the facts leave.
        with_turns: whether it has the turns too.
        held_elsewhere: the other text of the new context; an identifier in it is not listed.
        kept_words: the user's words in it; a constraint, a decision or the last intent in them is not written again.
    """
    # room: for all but the user's words; limit: of the whole; least: for outcomes; left: for index and earlier text
    asked = [fact.text for fact in facts if fact.kind == "request"]
    said = {*map(on_one_line, asked), *items_of(kept_words)}
    earlier = without_listed(read_earlier(previous_summary, is_known=has_first), said)
    words, shared = words_beside(asked, earlier, words_chars, has_first=has_first)
    taken = len(words) + shared
    room = max_chars - min(taken, max_chars // 2)
    chosen = choose_facts(facts, room * 3 // 5, f"{words}\n{kept_words}")
    context = [*_context(chosen, words, outcomes, facts, kept_words, continues=bool(previous_summary.strip()))]
    above = "\n".join(context)
    weighed = [anchor.turn for anchor in weightiest_first(anchors)]
    limit = room + taken
    answered = [outcome for outcome in outcomes if outcome.work.turn.responses or not outcome.work.request]
    least = len("\n".join(choose_lines(answered, weighed, room // 5)[0])) + NOTE_CHARS if answered else 0
    left = limit - len(above) - least - len("\n\n")
    shown = (SearchText(f"{above}\n{earlier.words}"), SearchText(held_elsewhere))
    most = min(index_chars, left - shared) - len("\n\n")
    index = index_section(identifiers, most, shown=shown, folder=chosen.folder, with_turns=with_turns)
    index = f"\n\n{index}" if index else ""
    carried = carry_over(earlier, left - len(index), shared)
    context += ["", carried] if carried else []
    free = limit - len("\n".join(context)) - NOTE_CHARS - len(index)
    lines, left_out = choose_lines(answered, weighed, free)
    lines, left_out = _with_earlier(lines, left_out, earlier.done, free)
    note = [f"… {left_out:,} earlier outcome{'s' if left_out > 1 else ''} left out"] if left_out else []
    done = ["", DONE, *note, *lines] if lines or left_out else []
    text, room = "\n".join([*context, *done]), max(limit - len(index), 0)
    return (text if len(text) <= room else f"{text[: room - 1]}…" if room > 1 else text[:room]) + index


def _with_earlier(lines: list[str], left_out: int, earlier: Sequence[str], max_chars: int) -> tuple[list[str], int]:
    """Return the lines with the newest of the earlier ones that have room before them, and how many are left out.

    An earlier one that is no anchor is told in short.
    """
    free = max_chars - sum(len(line) + 1 for line in lines)
    for whole in reversed(earlier):
        line = whole if whole.startswith(ANCHOR) else shortened(whole)
        if note := OUTCOMES_NOTE.fullmatch(line):
            left_out += int(note[1].replace(",", ""))
        elif left_out or len(line) >= free:
            left_out += 1
        else:
            lines = [line, *lines]
            free -= len(line) + 1
    return lines, left_out


OUTCOMES_NOTE: Final = re.compile(r"… ([\d,]{1,12}) earlier outcomes? left out")


def words_beside(asked: Sequence[str], earlier: Earlier, max_chars: int, *, has_first: bool) -> tuple[str, int]:
    """Return the section of the user's messages, and the characters that it leaves to the words of an earlier summary.

    These have all that the messages leave, and a quarter of the limit in any case.
    """
    size = len(carry_over(Earlier(earlier.words), max_chars, max_chars))
    shared = min(size, max(max_chars - len(words_section(asked, max_chars)), max_chars // 4))
    return words_section(asked, max_chars - shared, has_first=has_first), shared


def without_shown(facts: Iterable[Fact], words: str) -> list[Fact]:
    """Return the facts without the constraints and decisions that stand in the user's words."""
    shown = on_one_line(words)
    return [fact for fact in facts if fact.kind not in USER_SENTENCES or fact.text.removesuffix("…") not in shown]


def _context(
    chosen: ChosenFacts,
    words: str,
    outcomes: Sequence[TurnOutcome],
    facts: Sequence[Fact],
    kept_words: str,
    *,
    continues: bool,
) -> Iterator[str]:
    """Yield the sections; where an earlier summary follows, none says that the user wrote or intended nothing."""
    status, command = build_status((outcome.work for outcome in outcomes), facts)
    intent = next((one.work.request for one in reversed(outcomes) if one.work.request), "")
    intent = intent or next((fact.text for fact in reversed(facts) if fact.kind == "request"), "")
    yield from chosen.section(FILES[0]) or [f"{FILES_TITLE}: none"]
    if words or not (intent or continues):  # all that the user wrote may be in messages that stay
        yield words or NOTHING
    yield from chosen.section("constraint")
    yield from chosen.section("decision")
    yield from chosen.section("failed_command") or [f"{TITLES['failed_command']}: none"]
    yield f"Build status: {status} ({shortened(command)})" if command else f"Build status: {status}"
    yield from chosen.section("todo")
    quoted = f'Last intent: "{shortened(intent)}"' if intent else "Last intent: none stated"
    if intent and on_one_line(intent) in on_one_line(f"{words}\n{kept_words}"):
        yield min("Last intent: see what the user wrote last", quoted, key=len)
    elif intent or not continues:
        yield quoted
