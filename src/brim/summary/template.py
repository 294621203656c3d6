"""Template: the summary that needs no model, put together from facts and outcome lines within a size limit.

Specified by features/summary/template.feature (SUM_07).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import Final, Literal, TypeAlias

from brim.conversation.turns import Response, ToolUse, Turn
from brim.selection.anchors import Anchor, weightiest_first
from brim.selection.evidence import EDITING_TOOLS, changed_paths, test_outcome
from brim.summary.facts import (
    FILES,
    WEIGHTIEST_FIRST,
    Fact,
    Failure,
    Kind,
    Report,
    TurnWork,
    Work,
    base_name,
    collect_facts,
    first_sentence,
    is_below,
    on_one_line,
    ran,
    shortened,
    tests_of,
    turn_work,
)
from brim.summary.previous_summary import (
    BUILD,
    BULLET,
    DONE,
    EARLIER,
    FILES_TITLE,
    INTENT,
    NO_FILES,
    ROOTED,
    ROWS,
    TITLES,
    Earlier,
    carried,
    fact_line,
    left_out_note,
    more,
    own_words,
    path_name,
    read_earlier,
)

DONE_MARK: Final = "✓"
FAILED_MARK: Final = "✗"
BRIEF: Final = 80
"""Characters: of a command at most, where a line goes on to say how it failed; of an answer beside others at least."""
ANCHOR: Final = "[ANCHOR]"


@dataclass(frozen=True)
class TurnOutcome:
    """The lines of a turn, as an ordinary one and as an anchor; each is made when it is first asked for, and kept."""

    work: TurnWork

    @property
    def index(self) -> int:
        """The turn's."""
        return self.work.index

    @property
    def request(self) -> str:
        """The opening of what the user asked."""
        return self.work.request

    @cached_property
    def told(self) -> tuple[tuple[str, int], ...]:
        """Each line of an ordinary turn with the number of outcomes it tells: like ones in a row are one line."""
        return tuple((line if n == 1 else f"{line} ({n} times)", n) for line, n in _told_lines(self.work))

    @property
    def told_beside(self) -> tuple[tuple[str, int], ...]:
        """Of an anchor the lines beside the one that tells its answer."""
        return self.told[:-1] if len(self.told) == 1 or _ends_answered(self.work.turn) else self.told

    @cached_property
    def anchor_line(self) -> str:
        """The answer of an anchor in full; without one what its turn came to."""
        return _anchor_line(self.work)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of an ordinary turn."""
        return tuple(line for line, _ in self.told)

    @property
    def anchor(self) -> tuple[str, ...]:
        """The lines of an anchor; the last of them is the answer in full."""
        return (*(line for line, _ in self.told_beside), self.anchor_line)

    @cached_property
    def count(self) -> int:
        """How many outcomes its lines tell, found without making them."""
        responses = self.work.turn.responses
        return (len(responses) > 1 and sum(map(_came_to_something, responses))) or 1

    @property
    def count_beside(self) -> int:
        """How many outcomes of an anchor are told beside its answer."""
        return self.count - (self.count == 1 or _ends_answered(self.work.turn))

    @cached_property
    def report(self) -> tuple[Report, str] | None:
        """The turn's last test report, with the command that printed it."""
        uses = ((use, ran(use)) for use in reversed(self.work.turn.tool_uses))
        return next(((told, command) for use, command in uses if (told := tests_of(use, command))), None)


def outcome_line(turn: Turn, *, is_anchor: bool = False) -> str:
    """A turn in one line: a mark, the files it changed and the first sentence of its answer, or an anchor in full."""
    work = turn_work(turn)
    return _anchor_line(work) if is_anchor else _turn_line(work, _standing(work.works))


def turn_outcome(work: TurnWork) -> TurnOutcome:
    """A turn's lines: one where it has one response, else one for each that changed a file, failed or answered."""
    return TurnOutcome(work)


def _standing(works: Sequence[Work]) -> list[tuple[Failure, ...]]:
    """For each response the failures that nothing later in the turn cured."""
    cured: set[str] = set()
    passing = False
    standing: list[tuple[Failure, ...]] = []
    for work in reversed(works):
        left: list[Failure] = []
        for event in reversed(work.events):
            if isinstance(event, Failure):
                if cured.isdisjoint(event.subjects) and not (event.tests and passing):
                    left.append(event)
            else:
                cured.update(event.cures)
                passing = passing or event.passing
        standing.append(tuple(reversed(left)))
    standing.reverse()
    return standing


def _turn_line(work: TurnWork, standing: Sequence[Sequence[Failure]]) -> str:
    failures = [failure for left in standing for failure in left]
    changed = [path for one in work.works for path in one.changed]
    return _line(failures, changed, _told(work, failures))


def _told(work: TurnWork, failures: Sequence[Failure]) -> str:
    """The first sentence of the answer; without one what failed or was done, and last what was asked in vain."""
    answer = next((one.text for one in reversed(work.works) if one.text), "")
    if answer:
        return first_sentence(answer)
    if failures:
        return _failed(failures[-1])
    done = next((one.did for one in reversed(work.works) if one.did), "")
    return done or (f"No answer to: {work.request}" if work.request else "No answer")


def _told_lines(work: TurnWork) -> Iterator[tuple[str, int]]:
    """Each line with how often it comes in a row."""
    works, standing = work.works, _standing(work.works)
    lines: list[str] = []
    if len(works) > 1:  # one response is the turn
        parts = zip(works, standing, work.turn.responses, strict=True)
        lines = [_response_line(one, left) for one, left, response in parts if _came_to_something(response)]
    for line, group in groupby(lines or [_turn_line(work, standing)]):
        yield line, sum(1 for _ in group)


def _came_to_something(response: Response) -> bool:
    """Whether it changed a file, failed or answered."""
    if not response.tool_uses:
        return bool(response.text.strip())
    return any(use.succeeded is False or _changed(use) for use in response.tool_uses)


def _changed(use: ToolUse) -> bool:
    return use.name in EDITING_TOOLS and bool(changed_paths(use)) and not ran(use)


def _ends_answered(turn: Turn) -> bool:
    return bool(turn.responses) and not turn.responses[-1].tool_uses and bool(turn.responses[-1].text.strip())


def _response_line(work: Work, left: Sequence[Failure]) -> str:
    """As a turn's line, with what failed named where the response's own words do not say it."""
    told = first_sentence(work.text, 0 if work.calls else BRIEF)
    if left:
        told = f"{told} ({_failed(left[-1])})" if told else _failed(left[-1])
    elif any(isinstance(event, Failure) for event in work.events):
        told = f"{told or work.did} (failed, cured later)"
    return _line(left, work.changed, told)


def _failed(failure: Failure) -> str:
    reason = f": {failure.reason}" if failure.reason else ""
    return shortened(f"{shortened(failure.did, BRIEF)} {failure.verb}{reason}")


def _line(failures: Sequence[Failure], changed: Sequence[str], told: str) -> str:
    names = ", ".join(dict.fromkeys(on_one_line(base_name(path)) for path in changed))
    did = f"Modified {names}" if names else ""
    return f"{FAILED_MARK if failures else DONE_MARK} {': '.join(filter(None, (did, told)))}"


def _anchor_line(work: TurnWork) -> str:
    answer = next((text for one in reversed(work.turn.responses) if (text := one.text.strip())), "")
    if answer:
        return f"{ANCHOR} {answer}"
    return f"{ANCHOR} {_turn_line(work, _standing(work.works))[2:]}"


SHORTEST: Final = 2
"""Characters of an outcome line at least: its mark and a space."""
SAMPLE: Final = 64
"""How many paths of a kind, the last ones, are looked at to find the folder that most of them are in."""
SLASH: Final = re.compile(r"[\\/]")
MARGIN: Final = 4
"""Characters that a fact takes beside its own: a bullet and a line break, or quotation marks and a comma."""


class Chosen:
    """The facts a summary has room for, in the order of time, and how many of each kind are left out."""

    __slots__ = ("facts", "folder", "left_out")

    def __init__(self, facts: Mapping[Kind, Sequence[Fact]], left_out: Mapping[Kind, int], folder: str) -> None:
        """As choose_facts found them."""
        self.facts = facts
        self.left_out = left_out
        self.folder = folder

    def in_order(self) -> tuple[Fact, ...]:
        """The facts, weightiest kind first and each kind in the order of time."""
        return tuple(fact for kind in WEIGHTIEST_FIRST for fact in self.facts.get(kind, ()))

    def listed(self, kind: Kind) -> list[str]:
        """A line for each fact of a kind that is no file, and one for those left out."""
        lines = [f"{BULLET}{fact_line(fact)}" for fact in self.facts.get(kind, ())]
        return [*lines, *(f"{BULLET}{count}" for count in self._more(kind))]

    def paths(self, kind: Kind) -> str:
        """The paths of a kind, below the folder where they are in it, and how many are left out."""
        names = [path_name(fact.text, self.folder) for fact in self.facts.get(kind, ())]
        return ", ".join([*names, *self._more(kind)])

    def _more(self, kind: Kind) -> tuple[str, ...]:
        count = self.left_out.get(kind, 0)
        return (more(count),) if count else ()


def choose_facts(facts: Iterable[Fact], room: int) -> Chosen:
    """Choose by weight of the kind, then the newest, a kind taking half of what is left at most, and then what remains.

    Of what the user wrote the very first message comes before the newest: it is the task.
    """
    waiting: dict[Kind, list[Fact]] = {}
    for kind, group in groupby(facts, key=attrgetter("kind")):
        waiting.setdefault(kind, []).extend(group)
    folder = common_folder([fact.text for kind in FILES for fact in waiting.get(kind, ())[-SAMPLE:]])
    asked = waiting.get("request", [])
    asked[:] = [*asked[1:], *asked[:1]]
    taken: dict[Kind, list[Fact]] = {kind: [] for kind in waiting}
    room -= len(folder)
    for portion in (2, 1):
        for kind in WEIGHTIEST_FIRST:
            if kind in waiting:
                room -= _take(waiting[kind], taken[kind], room // portion, len(folder))
    for kind, have in taken.items():
        have.reverse()
        if kind == "request" and have:
            have.insert(0, have.pop())
    return Chosen(taken, {kind: len(left) for kind, left in waiting.items()}, folder)


def _take(waiting: list[Fact], taken: list[Fact], room: int, folder: int) -> int:
    """Move facts from the end of those waiting while there is room, and tell how much they took."""
    used = 0
    while waiting:
        fact = waiting[-1]
        size = len(fact.text) + len(fact.detail) + len(fact.mark) + MARGIN - (folder if fact.kind in FILES else 0)
        if used + size > room:
            break
        used += size
        taken.append(waiting.pop())
    return used


def common_folder(paths: Sequence[str]) -> str:
    """The folder that, named once, spares most characters; empty where that spares none."""
    sample = sorted(path for path in paths if ROOTED.match(path))
    if not sample:
        return ""
    middle = sample[len(sample) // 2]
    folders = [middle[: slash.start()] for slash in SLASH.finditer(middle, 1)]
    spared, folder = max(((_spared(sample, one), one) for one in folders if ")" not in one), default=(0, ""))
    return folder if spared else ""


def _spared(paths: Iterable[str], folder: str) -> int:
    below = sum(1 for path in paths if is_below(path, folder))
    return (below - 1) * len(folder)


def choose_lines(outcomes: Sequence[TurnOutcome], anchors: Iterable[int], room: int) -> tuple[list[str], int]:
    """Choose outcome lines, in the order of time: the anchors' as they come, then the newest of the others.

    An anchor is told in full where half of the room that is left suffices, else in short.

    Args:
        outcomes: the turns, in the order of time.
        anchors: the turns that are anchors, weightiest first.
        room: characters.

    Returns:
        The lines, and how many outcomes are left out, those that one line would tell together counted singly.
    """
    ranks = {turn: rank for rank, turn in enumerate(anchors)}
    anchored = [one for one in outcomes if one.index in ranks] if ranks else []
    anchored.sort(key=lambda one: ranks[one.index])
    told: dict[int, str] = {}
    for outcome in anchored:
        if room <= len(ANCHOR):
            break
        line = outcome.anchor_line
        line = line if len(line) < room // 2 else shortened(line)
        if len(line) < room:
            told[outcome.index] = line
            room -= len(line) + 1
    return _newest(outcomes, ranks.keys(), told, room)


def _newest(
    outcomes: Sequence[TurnOutcome], anchors: Collection[int], told: Mapping[int, str], room: int
) -> tuple[list[str], int]:
    """The lines of the anchors, and of the others as long as there is room; of what has none only the number."""
    lines: list[str] = []
    left_out = 0
    for outcome in reversed(outcomes):
        is_anchor = outcome.index in anchors
        if outcome.index in told:
            lines.append(told[outcome.index])
        elif is_anchor:
            left_out += 1
        if room <= SHORTEST:
            left_out += outcome.count_beside if is_anchor else outcome.count
            continue
        for line, number in reversed(outcome.told_beside if is_anchor else outcome.told):
            if len(line) >= room:
                room = 0
            if room:
                lines.append(line)
                room -= len(line) + 1
            else:
                left_out += number
    lines.reverse()
    return lines, left_out


def section(chosen: Chosen, kind: Kind) -> tuple[str, ...]:
    """The title and the lines of a kind that is no file; empty where there is none of it."""
    lines = chosen.listed(kind)
    return (f"{TITLES[kind]}:", *lines) if lines else ()


def file_section(chosen: Chosen) -> tuple[str, ...]:
    """The title and the rows of the files; empty where there is none."""
    below = f" (paths below {chosen.folder})" if chosen.folder else ""
    rows = [f"{BULLET}{label}: {paths}" for label, kind in ROWS.items() if (paths := chosen.paths(kind))]
    return (f"{FILES_TITLE}{below}:", *rows) if rows else ()


def sections(chosen: Chosen, kinds: Sequence[Kind]) -> Iterator[str]:
    """The sections of these kinds in their order, the files as one where the first of them stands."""
    for kind in kinds:
        if kind not in FILES:
            yield from section(chosen, kind)
        elif kind == FILES[0]:
            yield from file_section(chosen)


BuildStatus: TypeAlias = Literal["passing", "failing", "unknown"]


def build_status(outputs: Sequence[str]) -> BuildStatus:
    """The verdict of the last output that tells of tests; unknown where none does. Outputs in the order of time."""
    for output in reversed(outputs):
        told = test_outcome(output)
        if told:
            return told
    return "unknown"


CHARACTERS_MAX: Final = 16_000
"""Characters of a template summary at most, some 4,000 tokens (SUM_07)."""
NOTES: Final = 100
"""Characters set aside for the heading of the outcomes and the note of how many are left out."""


def template_summary(
    turns: Sequence[Turn],
    anchors: Iterable[Anchor] = (),
    facts: Sequence[Fact] | None = None,
    *,
    characters_max: int = CHARACTERS_MAX,
    earlier: str = "",
) -> str:
    """Summarise turns without a model; facts are collected from the turns where none are given."""
    outcomes = [turn_outcome(turn_work(turn)) for turn in turns]
    found = collect_facts(turns) if facts is None else facts
    return assemble_summary(outcomes, found, anchors, characters_max=characters_max, earlier=earlier)


def assemble_summary(
    outcomes: Sequence[TurnOutcome],
    facts: Sequence[Fact],
    anchors: Iterable[Anchor] = (),
    *,
    characters_max: int = CHARACTERS_MAX,
    earlier: str = "",
) -> str:
    """Put a summary together, never longer than `characters_max`.

    Args:
        outcomes: of the turns that are summarised, in the order of time.
        facts: what has to survive, each kind in the order of time; three fifths of the room are theirs at most.
        anchors: those among the turns; the heaviest, then the newest, are written in full while there is room.
        characters_max: the limit.
        earlier: the text of an earlier summary that this one replaces; a quarter of the room is its at most. Its facts
            are not carried along with it: they are to be among `facts`, where they still hold.
    """
    before = read_earlier(earlier)
    chosen = choose_facts(facts, characters_max * 3 // 5)
    context = "\n".join([*_context(chosen, outcomes, before), *_earlier(before, characters_max // 4)])
    told_first = [anchor.turn for anchor in weightiest_first(anchors)]
    lines, left_out = choose_lines(outcomes, told_first, characters_max - len(context) - NOTES)
    done = ["", DONE, *left_out_note(left_out), *map(own_words, lines)] if lines or left_out else []
    return "\n".join([context, *done])[: max(characters_max, 0)]


def _context(chosen: Chosen, outcomes: Sequence[TurnOutcome], before: Earlier) -> Iterator[str]:
    yield from file_section(chosen) or (NO_FILES,)
    yield from section(chosen, "request") or ("Goals: none stated",)
    yield from section(chosen, "constraint")
    yield from section(chosen, "decision")
    yield from section(chosen, "failed_command") or ("Unresolved errors: none",)
    yield f"{BUILD}{_build(outcomes) or before.build or 'unknown'}"
    yield from section(chosen, "todo")
    yield f"{INTENT}{_intent(outcomes) or before.intent or 'none stated'}"


def _build(outcomes: Sequence[TurnOutcome]) -> str:
    report = next((outcome.report for outcome in reversed(outcomes) if outcome.report), None)
    return f"{report[0]} ({shortened(report[1])})" if report else ""


def _intent(outcomes: Sequence[TurnOutcome]) -> str:
    asked = next((outcome.request for outcome in reversed(outcomes) if outcome.request), "")
    return f'"{asked}"' if asked else ""


def _earlier(before: Earlier, room: int) -> tuple[str, ...]:
    lines = carried(before, room)
    return ("", EARLIER, *lines) if lines else ()
