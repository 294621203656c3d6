"""To-dos: the list that a model keeps with its to-do tools, and which of its items are open.

Part of the facts; specified by features/summary/facts.feature (SUM_13).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from brim.conversation.turns import ToolUse
from brim.selection.todo_lists import LISTS, is_one_of, to_dos
from brim.summary.telling.sentences import opening

MADE: Final = "TaskCreate"
CHANGED: Final = "TaskUpdate"
"""Tools that make and change one task at a time; a task's number is in the answer to the first."""
TODO_TOOLS: Final = frozenset({*LISTS, MADE, CHANGED})
OVER: Final = frozenset({"completed", "deleted"})
NUMBER: Final = re.compile(r"#(\w+)")


@dataclass(frozen=True, slots=True)
class TodoStep:
    """One use of a to-do tool: the whole list anew (items), or one task made or changed (its number)."""

    items: tuple[str, ...] | None = None
    number: str = ""
    words: str = ""
    closed: bool = False


def todo_step(use: ToolUse) -> TodoStep | None:
    """What a tool use did to the to-do list; None where it did nothing to one, or did not succeed."""
    if not use.succeeded:
        return None
    if use.name in LISTS:
        return TodoStep(items=tuple(opening(item.text) for item in to_dos(use) if item.is_open and item.text.strip()))
    if use.name == MADE:
        number = NUMBER.search(use.output)
        words = _subject(use)
        return TodoStep(number=number[1] if number else words, words=words)
    if use.name == CHANGED:
        closed = is_one_of(use.input.get("status"), OVER)
        return TodoStep(number=str(use.input.get("taskId")), words=_subject(use), closed=closed)
    return None


def _subject(use: ToolUse) -> str:
    return opening(str(use.input.get("subject") or ""))


@dataclass(slots=True)
class TodoList:
    """The open items after any number of steps: those of the last whole list, and single tasks by their number."""

    items: dict[str, int] = field(default_factory=dict)
    """Words to the turn they come from."""
    tasks: dict[str, tuple[str, int]] = field(default_factory=dict)
    """A task's number to its words and the turn it was made in."""

    def take(self, step: TodoStep, turn: int) -> None:
        """Take one step, made in a turn."""
        if step.items is not None:
            self.items = dict.fromkeys(step.items, turn)
        elif step.closed:
            self.tasks.pop(step.number, None)
        elif step.words:
            self.tasks[step.number] = (step.words, turn)

    def open(self) -> dict[str, int]:
        """The words of every open item, with the turn each comes from."""
        return {**self.items, **dict(self.tasks.values())}

    def copy(self) -> TodoList:
        """A list that goes its own way from here."""
        return TodoList(dict(self.items), dict(self.tasks))
