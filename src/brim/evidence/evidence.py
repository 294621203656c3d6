"""Evidence: what one tool use did, read once.

Anchors, facts, the lines of a summary and its build status read it here, and neither the call nor its output again.
Specified by features/selection/anchors.feature (ANC_05, ANC_06, ANC_08) and features/summary/facts.feature
(SUM_13).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from brim.conversation.tool_pairs import INTERRUPTED
from brim.conversation.turns import Response, ToolUse
from brim.errors import advisory, text_of
from brim.evidence.failures import FailedUse, Subject, SucceededUse, excerpt, failure_line, on_one_line, subject_of
from brim.evidence.reports import Report, last_report, read_test_report
from brim.evidence.shell import TouchedFile, may_run_tests, only_looks
from brim.evidence.tools import (
    EDITING_TOOLS,
    LISTS,
    act_of,
    base_name,
    command_run,
    folder_of,
    is_editing,
    known_as,
    named_paths,
    only_reads,
    script_run,
    touched_files,
)


class ToDo(NamedTuple):
    """One thing to do."""

    text: str
    is_open: bool


class Evidence(NamedTuple):
    """What one tool use did."""

    use: ToolUse
    command: str = ""
    """The command it ran, words joined by spaces; empty where it ran none."""
    touched: tuple[TouchedFile, ...] = ()
    """What it did to files, reading among it; empty where it did not succeed."""
    changes_file: bool = False
    """It changed a file, known or not, and did not merely keep a command's output in one (ANC_05)."""
    only_reads: bool = False
    """It read a file and did nothing besides, so that it is evidence of nothing."""
    tests: Report | None = None
    """What the command reported of tests, if it ran them; a run that failed reports failing ones.

    Unknown where it succeeded, told of failing tests, and last of passing ones.
    """
    passing: bool = False
    """Its result tells of passing tests (ANC_06); that of a file that was only read does not."""
    committed: bool = False
    """It is a commit that had something to commit (ANC_08)."""
    todos: tuple[ToDo, ...] = ()
    """The list of to-dos that it wrote, in order."""
    event: SucceededUse | FailedUse | None = None
    """How it went; None while it goes on, where that is unclear, and where a command that only looks failed."""

    @property
    def changed(self) -> tuple[str, ...]:
        """Paths of the files it changed, created or deleted, each once."""
        return tuple(dict.fromkeys(change.path for change in self.touched if change.act not in {"read", "restored"}))

    @property
    def failed(self) -> bool:
        """Whether it failed, and something is broken by that: where a command only looks, nothing is."""
        return self.use.succeeded is False and self.event is not None

    @property
    def action(self) -> str:
        """What it did, in words."""
        return _action(self.use, self.command)


def read_response(response: Response, editing_tools: Collection[str] = EDITING_TOOLS) -> tuple[Evidence, ...]:
    """Read the tool uses of a response, in order."""
    return tuple([read_use(use, editing_tools) for use in response.tool_uses])


@advisory("what a tool use did", lambda use, *_: Evidence(use))
def read_use(use: ToolUse, editing_tools: Collection[str] = EDITING_TOOLS) -> Evidence:
    """Read a tool use; `editing_tools` are the names of those that change a file (ANC_05)."""
    command = command_run(use)
    if use.succeeded is None:
        return Evidence(use, command)
    reads = only_reads(use, editing_tools)
    script = script_run(use)
    report = read_test_report(use.output) if command or not (reads or act_of(use) == "reads") else None
    tests = report if command and report and may_run_tests(script) else None
    if tests == "failing" and use.succeeded and last_report(use.output) == "passing":
        tests = "unknown"
    if not use.succeeded:
        tests = "failing" if tests else None
        event = None if only_looks(script) else _failure(use, command, editing_tools, tests=tests is not None)
        return Evidence(use, command, tests=tests, event=event)
    touched = touched_files(use, editing_tools)
    changes = is_editing(use, editing_tools) or any(one.act not in {"read", "stored"} for one in touched)
    return Evidence(
        use,
        command,
        touched,
        changes_file=changes and not reads,
        only_reads=reads,
        tests=tests,
        passing=report == "passing",
        committed="commit" in command and _commits(command, use.output),
        todos=_to_dos(use),
        event=None
        if tests == "unknown"
        else _failure(use, command, editing_tools, tests=True)  # whatever its exit code: it may be that of `tail`
        if tests == "failing"
        else SucceededUse(_subjects(use, command, editing_tools), tests == "passing"),
    )


DECLINED: Final = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "The user rejected permission",
    "[Request interrupted by user",
    "[Operation Cancelled]",
)
"""How harnesses report that the user did not let a tool run: nothing failed then, and nothing was done."""


def _failure(use: ToolUse, command: str, editing_tools: Collection[str], *, tests: bool) -> FailedUse:
    """Return how a use failed, or reported failing tests."""
    subjects = _subjects(use, command, editing_tools)
    if use.output.startswith(DECLINED):
        return FailedUse(subjects, _action(use, command), excerpt(use.said), verb="declined by the user")
    if use.output.startswith(INTERRUPTED):
        return FailedUse(subjects, _action(use, command), verb="interrupted", reason="")
    return FailedUse(subjects, _action(use, command), failure_line(use.output), command, tests)


def _subjects(use: ToolUse, command: str, editing_tools: Collection[str]) -> tuple[Subject, ...]:
    """Return what a use was about: its command, or the tool with its file or the first word of its input.

    Where a file was changed, or the use failed, the file is a second one: a failure is resolved by the same tool on the
    same thing, and by whatever changes that file.
    """
    if command:
        return (subject_of(command, folder_of(use)),)
    path = next(iter(named_paths(use)), "")
    if path:
        about = Subject(f"{use.name} {path}")
        return (about, Subject(path)) if is_editing(use, editing_tools) or use.succeeded is False else (about,)
    return (Subject(f"{use.name} {next((value for value in use.input.values() if type(value) is str), '')}"),)


def _action(use: ToolUse, command: str) -> str:
    if command:
        return f"Ran {excerpt(command)}"
    path = next(iter(named_paths(use)), "")
    return on_one_line(f"{use.name} {base_name(path)}" if path else f"Used {use.name}")


COMMIT: Final = re.compile(r"\bgit(?: -[cC] \S+| --?\w[\w-]*=\S+){0,9} commit\b(?!-)")
"""A commit, behind at most nine options: with more of them, a search would begin again at each."""


def _commits(command: str, output: str) -> bool:
    """Return whether a successful command is a commit that had something to commit, and no dry run."""
    found = any(
        match.end() > line.rfind("--dry-run") for line in command.split("\n") for match in COMMIT.finditer(line)
    )
    return found and "nothing to commit" not in output and "no changes added to commit" not in output


def _to_dos(use: ToolUse) -> tuple[ToDo, ...]:
    """Return the list that a successful use wrote, in order; empty where it wrote none."""
    field = LISTS.get(known_as(use.name))
    items = use.input.get(field) if field else None
    found: list[ToDo] = []
    for item in items if isinstance(items, (list, tuple)) else ():
        if isinstance(item, Mapping):
            text = next((item[name] for name in ("content", "step", "title", "description") if item.get(name)), "")
            found.append(ToDo(text_of(text), not is_one_of(item.get("status"), {"completed", "cancelled", "done"})))
    return tuple(found)


def is_one_of(status: object, statuses: Collection[str]) -> bool:
    """Return whether a status that a tool was called with is one of these; a value that is no text is none of them."""
    return isinstance(status, str) and status in statuses
