"""Facts: what of a conversation has to outlast a compaction, collected as it grows and without a model.

Specified by features/summary/facts.feature (SUM_13) and features/summary/succession.feature (SUM_09).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final, Literal, NamedTuple, TypeAlias

from brim.conversation.turns import ToolUse, Turn
from brim.selection.file_changes import EDITING_TOOLS, READING_TOOLS, changed_paths, created_paths, named_path
from brim.summary.telling.runs import command_key, ran
from brim.summary.telling.sentences import on_one_line, opening
from brim.summary.telling.todos import TODO_TOOLS, TodoList, todo_step
from brim.summary.telling.work import Failure, Success, TurnWork, event_of, turn_work

Kind: TypeAlias = Literal[
    "constraint", "decision", "request", "failed_command", "todo", "modified_file", "created_file", "read_file"
]
"""What a fact is."""
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
WRITING_TOOLS: Final = EDITING_TOOLS | {"write_file", "replace", "write_to_file", "replace_in_file"}
"""Tools whose successful call changes the file it names; those of Gemini CLI and Cline too."""
EDITORS: Final = frozenset({"str_replace_editor", "str_replace_based_edit_tool"})
"""Tools with an act of their own in the field `command`: those of Anthropic, SWE-agent and OpenHands."""
EDITS: Final = frozenset({"create", "str_replace", "insert", "undo_edit"})
HANDED_ON: Final = -1
"""The turn of a fact that an earlier summary tells: before all turns."""
TESTS: Final = "tests"
"""The mark of a failed command that reported failing tests: a later passing run cures it."""
NUMBER: Final = re.compile(r"\w+")


class Fact(NamedTuple):
    """Something that has to survive: its text on one line, and the last turn that told it."""

    kind: Kind
    """What it is: a constraint, a decision, a request, a command that fails, a task or a file."""
    text: str
    """What has to be held, on one line."""
    turn: int
    """The index of the last turn that told it; -1 where an earlier summary did."""
    detail: str = ""
    """Why it is so: for a failed command the line that says it. No part of what fidelity asks for."""
    mark: str = ""
    """What later events know it by: the number of a single task (#2), or that a command ran tests (tests)."""


class FactCollector:
    """A running account of the facts: each turn is added once, at a cost that does not grow with the conversation."""

    __slots__ = ("_failed", "_handed", "_todos", "_told", "_where")

    def __init__(self) -> None:
        """Begin with no facts."""
        self._told: dict[Kind, dict[str, Fact]] = {kind: {} for kind in WEIGHTIEST_FIRST}
        self._where: dict[str, Kind] = {}
        """Which kind of fact a path is."""
        self._failed: dict[str, Failure] = {}
        """Failures that stand, by the key of their command."""
        self._handed: dict[str, str] = {}
        """Of those that an earlier summary tells: the opening of the command to that key."""
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

    def hand_on(self, facts: Iterable[Fact]) -> None:
        """Take over the facts of an earlier summary: older than all that was added, and what comes acts on them."""
        older: dict[Kind, dict[str, Fact]] = {kind: {} for kind in WEIGHTIEST_FIRST}
        for fact in facts:
            if fact.kind == "todo":
                self._hand_on_todo(fact)
            else:
                older[fact.kind][self._key(fact)] = fact
        for kind, told in older.items():
            newer = self._told[kind]
            self._told[kind] = {key: fact for key, fact in told.items() if key not in newer} | newer

    def _key(self, fact: Fact) -> str:
        """What later events find a fact by that is handed on, and nothing that was found since is forgotten for it."""
        if fact.kind in FILES:
            self._where.setdefault(fact.text, fact.kind)
        if fact.kind != "failed_command":
            return fact.text
        key = command_key(fact.text)
        if key not in self._failed:
            self._failed[key] = Failure((key,), "", fact.detail, fact.text, fact.mark == TESTS)
            self._handed[fact.text] = key
        return key

    def _hand_on_todo(self, fact: Fact) -> None:
        todos = self._todos
        if fact.mark:
            todos.tasks.setdefault(fact.mark.removeprefix("#"), (fact.text, fact.turn))
        else:
            todos.items.setdefault(fact.text, fact.turn)

    def facts(self, open_turn: TurnWork | None = None) -> tuple[Fact, ...]:
        """Every fact, weightiest kind first and each kind in the order of time; with a turn that is still going on."""
        if open_turn is not None:
            ahead = self.copy()
            ahead.add(open_turn)
            return ahead.facts()
        tasks = self._todos.tasks.items()
        marks = {words: f"#{n}" for n, (words, _) in tasks if n != words and NUMBER.fullmatch(n)}
        todos = self._todos.open().items()
        self._told["todo"] = {words: Fact("todo", words, turn, mark=marks.get(words, "")) for words, turn in todos}
        return tuple(chain.from_iterable(told.values() for told in self._told.values()))

    def copy(self) -> FactCollector:
        """An account that goes its own way from here."""
        other = FactCollector()
        other._told = {kind: dict(told) for kind, told in self._told.items()}
        other._where = dict(self._where)
        other._failed = dict(self._failed)
        other._handed = dict(self._handed)
        other._todos = self._todos.copy()
        return other

    def _tell(self, kind: Kind, text: str, turn: int) -> None:
        told = self._told[kind]
        told.pop(text, None)
        told[text] = Fact(kind, text, turn)

    def _take(self, uses: Sequence[ToolUse], turn: int) -> None:
        """Add what the tool uses of one response did: what ran, what was written down, and then the files."""
        touched: list[tuple[Kind, str]] = []
        for use in uses:
            if use.succeeded is None:
                continue
            command = ran(use)
            if self._failed or not use.succeeded:
                self._run(event_of(use, command), command, turn)
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
            name = on_one_line(path) if " " in path or not path.isprintable() else path
            if name:
                self._file(name, kind, turn)

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

    def _run(self, event: Success | Failure | None, command: str, turn: int) -> None:
        if isinstance(event, Failure):
            if event.command:
                self._meet(command)
                self._fail(event, turn)
        elif event is not None:
            self._meet(command)
            cured = [key for key in event.cures if key in self._failed]
            if event.passing:
                cured += [key for key, failure in self._failed.items() if failure.tests and key not in cured]
            for key in cured:
                self._forget(key)

    def _meet(self, command: str) -> None:
        """A command whose failure was handed on has run again: how it went this time is what counts."""
        key = self._handed.pop(opening(command), None) if self._handed else None
        if key is not None and key in self._failed:
            self._forget(key)

    def _forget(self, key: str) -> None:
        del self._failed[key], self._told["failed_command"][key]

    def _fail(self, event: Failure, turn: int) -> None:
        key, text = event.subjects[0], opening(event.command)
        self._failed[key] = event
        told = self._told["failed_command"]
        told.pop(key, None)
        told[key] = Fact("failed_command", text, turn, event.reason, TESTS if event.tests else "")


def _written(use: ToolUse) -> list[tuple[Kind, str]]:
    """The files that a use which went well changed, then those of them that it created."""
    if use.name in EDITORS:
        return _edited(use)
    changed: list[tuple[Kind, str]] = [("modified_file", path) for path in changed_paths(use, WRITING_TOOLS)]
    return [*changed, *(("created_file", path) for path in created_paths(use))] if changed else []


def _edited(use: ToolUse) -> list[tuple[Kind, str]]:
    act, path = use.input.get("command"), named_path(use) or ""
    if not isinstance(act, str):
        return []
    if act == "view":
        return [("read_file", path)]
    return [("created_file" if act == "create" else "modified_file", path)] if act in EDITS else []


def _rank(touched: tuple[Kind, str]) -> int:
    return FILES.index(touched[0])


MOST_LAST: Final[tuple[Kind, ...]] = ("read_file", "modified_file", "created_file")
"""What may happen to a file, what is told of it in the end last."""


def collect_facts(turns: Iterable[Turn], handed_on: Iterable[Fact] = ()) -> tuple[Fact, ...]:
    """The facts of a conversation's turns, from the beginning, or from those on that an earlier summary tells."""
    collector = FactCollector()
    collector.hand_on(handed_on)
    for turn in turns:
        collector.add(turn_work(turn))
    return collector.facts()
