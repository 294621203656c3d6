"""Room: which facts and which outcome lines a template summary of a given length holds.

Part of the template; specified by features/summary/template.feature (SUM_07, ANC_10).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final

from brim.summary.facts import FILES, WEIGHTIEST_FIRST, Fact, Kind
from brim.summary.fidelity import is_below
from brim.summary.telling.fact_lines import BULLET, ROOTED, fact_line, more, path_name
from brim.summary.telling.outcomes import ANCHOR, TurnOutcome
from brim.summary.telling.sentences import shortened

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
