"""Facts: what of a conversation has to outlast a compaction, collected as it grows and without a model.

Specified by features/summary/facts.feature (SUM_13).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Final, Literal, TypeAlias

from brim.conversation.turns import Turn
from brim.summary.sentences import opening
from brim.summary.todos import TodoList
from brim.summary.work import Failure, TurnWork, Work, turn_work

Kind: TypeAlias = Literal[
    "constraint", "decision", "request", "failed_command", "todo", "modified_file", "created_file", "read_file"
]
WEIGHTIEST_FIRST: Final[tuple[Kind, ...]] = (
    "constraint",
    "decision",
    "request",
    "failed_command",
    "todo",
    "modified_file",
    "created_file",
    "read_file",
)
"""The user's own words first, then what is still broken or open, then the files: changed, new, only read."""
FILES: Final[tuple[Kind, ...]] = ("modified_file", "created_file", "read_file")


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that has to survive: its text on one line, and the last turn that told it."""

    kind: Kind
    text: str
    turn: int
    detail: str = ""
    """Why it is so: for a failed command the line that says it. No part of what fidelity asks for."""


class FactCollector:
    """A running account of the facts: each turn is added once, at a cost that does not grow with the conversation."""

    __slots__ = ("_failed", "_todos", "_told", "_where")

    def __init__(self) -> None:
        """Begin with no facts."""
        self._told: dict[Kind, dict[str, Fact]] = {kind: {} for kind in WEIGHTIEST_FIRST}
        self._where: dict[str, Kind] = {}
        """Which kind of fact a path is."""
        self._failed: dict[str, Failure] = {}
        """Failures that stand, by the key of their command."""
        self._todos = TodoList()

    def add(self, work: TurnWork) -> None:
        """Add the next turn."""
        for text in work.constraints:
            self._tell("constraint", text, work.index)
        for text in work.decisions:
            self._tell("decision", text, work.index)
        if work.request:
            self._tell("request", work.request, work.index)
        for one in work.works:
            self._touch(one, work.index)
            self._run(one, work.index)
            for step in one.todos:
                self._todos.take(step, work.index)

    def facts(self, open_turn: TurnWork | None = None) -> tuple[Fact, ...]:
        """Every fact, weightiest kind first and each kind in the order of time; with a turn that is still going on."""
        if open_turn is not None:
            ahead = self.copy()
            ahead.add(open_turn)
            return ahead.facts()
        self._told["todo"] = {words: Fact("todo", words, turn) for words, turn in self._todos.open().items()}
        return tuple(chain.from_iterable(told.values() for told in self._told.values()))

    def copy(self) -> FactCollector:
        """An account that goes its own way from here."""
        other = FactCollector()
        other._told = {kind: dict(told) for kind, told in self._told.items()}
        other._where = dict(self._where)
        other._failed = dict(self._failed)
        other._todos = self._todos.copy()
        return other

    def _tell(self, kind: Kind, text: str, turn: int, *, key: str = "", detail: str = "") -> None:
        told = self._told[kind]
        told.pop(key or text, None)
        told[key or text] = Fact(kind, text, turn, detail)

    def _touch(self, work: Work, turn: int) -> None:
        for path in work.changed:
            self._file(path, "modified_file", turn)
        for path in work.created:
            self._file(path, "created_file", turn)
        for path in work.read:
            self._file(path, "read_file", turn)

    def _file(self, path: str, kind: Kind, turn: int) -> None:
        """A path has one fact: new stays new when it is changed, and changed stays changed when it is read."""
        before = self._where.get(path, kind)
        stays = kind if before == kind else max(before, kind, key=MOST_LAST.index)
        if stays != before:
            del self._told[before][path]
        self._where[path] = stays
        self._tell(stays, path, turn)

    def _run(self, work: Work, turn: int) -> None:
        for event in work.events:
            if isinstance(event, Failure):
                if event.command:
                    key = event.subjects[0]
                    self._failed[key] = event
                    self._tell("failed_command", opening(event.command), turn, key=key, detail=event.reason)
            elif self._failed:
                cured = [key for key in event.cures if key in self._failed]
                if event.passing:
                    cured += [key for key, failure in self._failed.items() if failure.tests and key not in cured]
                for key in cured:
                    del self._failed[key], self._told["failed_command"][key]


MOST_LAST: Final[tuple[Kind, ...]] = ("read_file", "modified_file", "created_file")
"""What may happen to a file, what is told of it in the end last."""


def collect_facts(turns: Iterable[Turn]) -> tuple[Fact, ...]:
    """The facts of a conversation's turns, from the beginning."""
    collector = FactCollector()
    for turn in turns:
        collector.add(turn_work(turn))
    return collector.facts()
