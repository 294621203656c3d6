"""Facts: what of a conversation has to outlast a compaction, collected as it grows and without a model.

Specified by features/summary/facts.feature (SUM_13).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final, Literal, NamedTuple, TypeAlias

from brim.conversation.turns import ToolUse, Turn
from brim.selection.file_changes import READING_TOOLS, changed_paths, created_paths, named_path
from brim.summary.runs import ran
from brim.summary.sentences import opening
from brim.summary.todos import TODO_TOOLS, TodoList, todo_step
from brim.summary.work import Failure, Success, TurnWork, event_of, turn_work

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


class Fact(NamedTuple):
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
        for response in work.turn.responses:
            if response.tool_uses:
                self._take(response.tool_uses, work.index)

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

    def _take(self, uses: Sequence[ToolUse], turn: int) -> None:
        """Add what the tool uses of one response did: what ran, what was written down, and then the files."""
        touched: list[tuple[Kind, str]] = []
        for use in uses:
            if use.succeeded is None:
                continue
            command = ran(use)
            if self._failed or not use.succeeded:
                self._run(event_of(use, command), turn)
            if use.succeeded and not command:
                if use.name in TODO_TOOLS:
                    self._note(use, turn)
                elif use.name in READING_TOOLS:
                    touched.append(("read_file", named_path(use) or ""))
                else:
                    touched += _written(use)
        if len(uses) > 1:
            touched.sort(key=_rank)
        for kind, path in touched:
            if path:
                self._file(path, kind, turn)

    def _note(self, use: ToolUse, turn: int) -> None:
        step = todo_step(use)
        if step is not None:
            self._todos.take(step, turn)

    def _file(self, path: str, kind: Kind, turn: int) -> None:
        """A path has one fact: new stays new when it is changed, and changed stays changed when it is read."""
        before = self._where.get(path)
        if before != kind:
            if before is not None:
                kind = max(before, kind, key=MOST_LAST.index)
                del self._told[before][path]
            self._where[path] = kind
        told = self._told[kind]
        told.pop(path, None)
        told[path] = Fact(kind, path, turn)

    def _run(self, event: Success | Failure | None, turn: int) -> None:
        if isinstance(event, Failure):
            if event.command:
                key = event.subjects[0]
                self._failed[key] = event
                self._tell("failed_command", opening(event.command), turn, key=key, detail=event.reason)
        elif event is not None:
            cured = [key for key in event.cures if key in self._failed]
            if event.passing:
                cured += [key for key, failure in self._failed.items() if failure.tests and key not in cured]
            for key in cured:
                del self._failed[key], self._told["failed_command"][key]


def _written(use: ToolUse) -> list[tuple[Kind, str]]:
    """The files that a use which went well changed, then those of them that it created."""
    changed: list[tuple[Kind, str]] = [("modified_file", path) for path in changed_paths(use)]
    return [*changed, *(("created_file", path) for path in created_paths(use))] if changed else []


def _rank(touched: tuple[Kind, str]) -> int:
    return FILES.index(touched[0])


MOST_LAST: Final[tuple[Kind, ...]] = ("read_file", "modified_file", "created_file")
"""What may happen to a file, what is told of it in the end last."""


def collect_facts(turns: Iterable[Turn]) -> tuple[Fact, ...]:
    """The facts of a conversation's turns, from the beginning."""
    collector = FactCollector()
    for turn in turns:
        collector.add(turn_work(turn))
    return collector.facts()
