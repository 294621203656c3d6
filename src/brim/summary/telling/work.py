"""Work: what was asked and done in a turn, in the few words that outcome lines and facts are made of.

What each response did is read when it is first asked for, and kept; specified by the features outcomes and facts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, NamedTuple, TypeAlias

from brim.conversation.turns import Response, ToolUse, Turn
from brim.selection.commands import only_shows
from brim.selection.file_changes import PATH_FIELDS, changed_paths, changes_file, created_paths, read_paths
from brim.selection.test_reports import test_outcome
from brim.summary.telling.runs import command_key, declined, declined_with, ran, telling_line
from brim.summary.telling.sentences import laid_down, opening
from brim.summary.telling.todos import TodoStep, todo_step

Report: TypeAlias = Literal["passing", "failing"]
REMINDER: Final = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
"""What a harness writes into a user's message is not the user's word."""


class Success(NamedTuple):
    """A use that went well: the subjects whose failures it cures, and whether it reported passing tests."""

    cures: tuple[str, ...]
    passing: bool = False


class Failure(NamedTuple):
    """A use that failed: the subjects that cure it once they succeed, what it did, and the line that says why."""

    subjects: tuple[str, ...]
    did: str
    reason: str
    command: str = ""
    """Empty where it ran none."""
    tests: bool = False
    """It reported failing tests, so that a later passing run cures it."""
    verb: str = "failed"
    """Declined where the user did not let it run."""


class Work(NamedTuple):
    """What one response said and did."""

    text: str
    calls: int = 0
    did: str = ""
    """What it did, in words, where it says nothing itself."""
    changed: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    events: tuple[Success | Failure, ...] = ()
    todos: tuple[TodoStep, ...] = ()


@dataclass(frozen=True)
class TurnWork:
    """What the user asked in a turn, and what each response did about it."""

    turn: Turn
    request: str
    """The opening of what the user wrote."""
    constraints: tuple[str, ...]
    decisions: tuple[str, ...]

    @property
    def index(self) -> int:
        """The turn's."""
        return self.turn.index

    @cached_property
    def works(self) -> tuple[Work, ...]:
        """What each response did."""
        return tuple([work_of(response) for response in self.turn.responses])


def turn_work(turn: Turn) -> TurnWork:
    """Read what the user asked; what was done is read when it is asked for."""
    asked = REMINDER.sub("", turn.request) if "<system-reminder>" in turn.request else turn.request
    constraints, decisions = laid_down(asked)
    if turn.marked and turn.answer:
        decisions = (*decisions, opening(turn.answer))
    return TurnWork(turn, opening(asked), constraints, decisions)


def work_of(response: Response) -> Work:
    """Read one response."""
    text, uses = response.text.strip(), response.tool_uses
    if not uses:
        return Work(text)
    draft = _Draft()
    for use in uses:
        draft.take(use)
    return Work(
        text,
        len(uses),
        did="" if text else opening("; ".join(dict.fromkeys(_act(use, ran(use)) for use in uses))),
        changed=tuple(draft.changed),
        created=tuple(draft.created),
        read=tuple(draft.read),
        events=tuple(draft.events),
        todos=tuple(draft.todos),
    )


class _Draft:
    """What the tool uses of a response did, taken one by one."""

    __slots__ = ("changed", "created", "events", "read", "todos")

    def __init__(self) -> None:
        self.changed: list[str] = []
        self.created: list[str] = []
        self.read: list[str] = []
        self.events: list[Success | Failure] = []
        self.todos: list[TodoStep] = []

    def take(self, use: ToolUse) -> None:
        command = ran(use)
        event = event_of(use, command)
        if event is not None:
            self.events.append(event)
            if not (command or isinstance(event, Failure)):
                self._touch(use)

    def _touch(self, use: ToolUse) -> None:
        if changes_file(use):
            self.changed += changed_paths(use)
            self.created += created_paths(use)
            return
        self.read += read_paths(use)
        step = todo_step(use)
        if step is not None:
            self.todos.append(step)


def tests_of(use: ToolUse, command: str) -> Report | None:
    """What a command reported of tests, if it ran them; a run that failed reports failing ones, whatever it printed."""
    told = test_outcome(use.output) if command and use.output and not only_shows(command) else None
    return "failing" if told and use.succeeded is False else told


def event_of(use: ToolUse, command: str) -> Success | Failure | None:
    """How a use went that ran this command, if any; None while it goes on."""
    if use.succeeded is None:
        return None
    tests = tests_of(use, command)
    if use.succeeded:
        return Success((command_key(command),) if command else _subjects(use), tests == "passing")
    return _failure(use, command, tests)


def _failure(use: ToolUse, command: str, tests: Report | None) -> Failure:
    subjects = (command_key(command),) if command else _subjects(use)
    if declined(use.output):
        return Failure(subjects, _act(use, command), declined_with(use.output), verb="declined by the user")
    return Failure(subjects, _act(use, command), telling_line(use.output), command, tests is not None)


def _subjects(use: ToolUse) -> tuple[str, ...]:
    """What a use was about: the tool with its file, or with the first word of its input; and the file it changes.

    So a failure is cured by the same tool on the same thing, and one about a file by whatever changes that file.
    """
    path = _path_of(use)
    if path:
        about = f"{use.name} {path}"
        return (about, path) if changes_file(use) or use.succeeded is False else (about,)
    return (f"{use.name} {next((value for value in use.input.values() if type(value) is str), '')}",)


def _path_of(use: ToolUse) -> str:
    given = use.input
    for name in PATH_FIELDS:
        path = given.get(name)
        if type(path) is str:
            return path
    return ""


def base_name(path: str) -> str:
    """The last name of a path, of either kind of slash."""
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _act(use: ToolUse, command: str) -> str:
    """What a use did, in words."""
    if command:
        return f"Ran {opening(command)}"
    path = _path_of(use)
    return f"{use.name} {base_name(path)}" if path else f"Used {use.name}"
