"""Facts: what of a conversation has to outlast a compaction, collected as it grows and without a model.

Specified by features/summary/facts.feature (SUM_13) and features/summary/previous_summary.feature (SUM_09).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Final, Literal, NamedTuple, TypeAlias

from brim.conversation.turns import Response, ToolUse, Turn
from brim.selection.evidence import (
    EDITING_TOOLS,
    LISTS,
    PATH_FIELDS,
    READING_TOOLS,
    changed_paths,
    changes_file,
    command_of,
    created_paths,
    is_one_of,
    named_path,
    only_shows,
    read_paths,
    test_outcome,
    to_dos,
)

MADE: Final = "TaskCreate"
CHANGED: Final = "TaskUpdate"
"""Tools that make and change one task at a time; a task's number is in the answer to the first."""
TODO_TOOLS: Final = frozenset({*LISTS, MADE, CHANGED})
OVER: Final = frozenset({"completed", "deleted"})
TASK_NUMBER: Final = re.compile(r"#(\w+)")


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
        number = TASK_NUMBER.search(use.output)
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


OPENING: Final = 200
"""Characters of an opening: of what the user wrote, of a sentence, of a command."""
NO_PROSE: Final = ("#", "|", "```")
"""How headings, tables and code begin."""
CONSTRAINTS_MAX: Final = 10
"""Constraints that are taken from one message at most, the first ones."""

SENTENCE_END: Final = re.compile(
    r"\s(?:(?<=[.!?]\s)|(?<=[.!?][\"'*_)\]\u201d]\s)|(?<=[.!?]\*\*\s))\s*(?![a-z\s])",
)
"""Space after a full stop, an exclamation or a question mark, perhaps with a closing mark, and no small letter next."""
FENCE: Final = re.compile(r"^(```|~~~).*?(?:^\1|\Z)", re.DOTALL | re.MULTILINE)
LIMITING: Final = ("must", "never", "always", "only", "don", "do not", "avoid", "make sure", "without")
"""What a line holds in which a constraint may stand, in small letters."""
CONSTRAINT: Final = re.compile(
    r"\b(?:must(?:n['\u2019]?t)?|never|always|only|don['\u2019]?t|do not|avoid|make sure|without)\b", re.IGNORECASE
)
REMARK: Final = re.compile(
    r"\b(?:i|we|you) (?:really )?(?:don['\u2019]?t|do not) (?:know|think|see|understand|remember|care|mind|have)\b"
    r"|\bdon['\u2019]?t (?:worry|you think)\b",
    re.IGNORECASE,
)
"""Sentences of that form tell something, and lay nothing down."""
DECIDING: Final = ("deci", "agreed", "let's", "let\u2019s", "go with")
DECISION: Final = re.compile(
    r"\W*(?:(?:decision|decided|agreed)\b|we(?:['\u2019]ve| have)? (?:decided|agreed)\b"
    r"|i(?:['\u2019]ve| have)? decided\b|let['\u2019]s (?:go with|use|stick with|keep)\b|go with\b)",
    re.IGNORECASE,
)
BULLET: Final = re.compile(r"\A\s*(?:[>#*+-]+\s+)*(?:\d+[.)]\s+)?(?:\[[ xX]\]\s+)?")
"""What stands before the words of a heading, a quotation, an item of a list or a box to tick."""


def on_one_line(text: str) -> str:
    """The text with every stretch of white space as one space, and none around it."""
    return " ".join(text.split())


def opening(text: str) -> str:
    """The first 200 characters of a text on one line."""
    return " ".join(text.split(maxsplit=OPENING)[:OPENING])[:OPENING].rstrip()


def shortened(text: str, characters: int = OPENING) -> str:
    """A text on one line, cut after so many characters, with an ellipsis in place of what follows."""
    line = on_one_line(text)
    return line if len(line) <= characters else f"{line[:characters].rstrip()}…"


def first_sentence(text: str, characters_min: int = 0) -> str:
    """The first sentence without its full stop or colon; headings and tables are passed over where words follow.

    A sentence shorter than `characters_min` is followed by the next ones, until there are as many.
    """
    said = ""
    for sentence in _spoken(text):
        joint = " " if said.endswith((".", "!", "?", ":")) else ": "
        said = f"{said}{joint}{sentence}" if said else sentence
        if len(said) >= characters_min:
            break
    return shortened(said.rstrip(".: "))


def _spoken(text: str) -> Iterator[str]:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    prose = [line for line in lines if not line.startswith(NO_PROSE)] or lines[:1]
    for line in prose:
        rest = BULLET.sub("", line.replace("**", ""))
        while rest:
            end = SENTENCE_END.search(rest)
            yield rest[: end.start()] if end else rest
            rest = rest[end.end() :] if end else ""


def laid_down(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The openings of the sentences in which a user says what must or must never be done, and what is decided."""
    constraints: dict[str, None] = {}
    decisions: dict[str, None] = {}
    for line in _prose(text):
        lowered = line.lower()
        for words, found, says in ((LIMITING, constraints, _limits), (DECIDING, decisions, _decides)):
            if any([word in lowered for word in words]):  # noqa: C419  a generator costs as much again
                found.update(dict.fromkeys(opening(one) for one in _sentences(line) if says(one)))
    return tuple(constraints)[:CONSTRAINTS_MAX], tuple(decisions)


def _prose(text: str) -> list[str]:
    return (FENCE.sub("", text) if "```" in text or "~~~" in text else text).splitlines()


def _sentences(line: str) -> Iterator[str]:
    for sentence in SENTENCE_END.split(line if line[:1].isalpha() else BULLET.sub("", line)):
        if sentence.strip():
            yield sentence.strip()


def _limits(sentence: str) -> bool:
    return CONSTRAINT.search(sentence) is not None and not sentence.endswith("?") and not _remarks(sentence)


def _remarks(sentence: str) -> bool:
    lowered = sentence.lower()
    return ("don" in lowered or "do not" in lowered) and REMARK.search(sentence) is not None


def _decides(sentence: str) -> bool:
    return DECISION.match(sentence) is not None


ENTRY: Final = re.compile(r"\A(?:cd [^&;|]+&& )+")
"""Going to a folder first makes no other command of it."""
CLIPPING: Final = re.compile(r" ?(?:2>&1|[12]?>+ ?\S+|\| ?(?:tail|head|grep|tee)\b[^|;&]*)")
"""Nor does clipping, filtering or storing what it prints."""
NAMED: Final = re.compile(r"(?:error|exception|fatal|panic)\b(?:\[\w+\])?:", re.IGNORECASE)
"""An error that is named: a word of the kind and a colon."""
TELLING: Final = re.compile(
    r"\b(?:error|failed|fatal|panic|cannot|can't|not found|no such|denied|refused)\b", re.IGNORECASE
)
"""Words that tell of a failure."""
END: Final = 4_000
"""Characters at each end of a long output in which its telling line is looked for."""
DECLINED: Final = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "The user rejected permission",
    "[Request interrupted by user",
)
"""How harnesses report that the user did not let a tool run."""
THE_USER_SAID: Final = "the user said:"
CLUTTER: Final = re.compile(r"</?tool_use_error>|\x1b\[[\d;]*m")
"""A harness's tags and a terminal's colours."""
FRAME: Final = "=-_*~ \t\r━─═┃│║╭╮╰╯┌┐└┘"
"""What lines are ruled and framed with."""
STATUS_LINE: Final = re.compile(r"exit (?:code|status)\b|command failed\b", re.IGNORECASE)


def ran(use: ToolUse) -> str:
    """The command that a tool use ran; empty for the editors whose input calls its own act a command."""
    command = command_of(use)
    return "" if command and "path" in use.input else command


def command_key(command: str) -> str:
    """What runs of the same command have in common: folder, white space and the clipping of its output aside.

    A script of several lines is only itself.
    """
    plain = on_one_line(command)
    if "\n" in command or not (plain.startswith("cd ") or ">" in plain or "|" in plain):
        return plain
    return CLIPPING.sub("", ENTRY.sub("", plain)).strip() or plain


def telling_line(output: str) -> str:
    """The line of a failed run's output that says most: it names an error, tells of a failure, or comes first."""
    ends = output if len(output) <= 2 * END else f"{output[:END]}\n{output[-END:]}"
    lines = (CLUTTER.sub("", line).strip(FRAME) for line in ends.split("\n"))
    said = [line for line in lines if line and not STATUS_LINE.match(line)]
    for words in (NAMED, TELLING):
        for line in said:
            if words.search(line):
                return opening(line)
    return opening(said[0]) if said else ""


def declined(output: str) -> bool:
    """Whether a result says that the user did not let the tool run: nothing failed then, and nothing was done."""
    return output.startswith(DECLINED)


def declined_with(output: str) -> str:
    """What the user said on declining; empty where that was nothing."""
    return opening(output.partition(THE_USER_SAID)[2])


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


FOLDER: Final = re.compile(r"\(paths below ([^)]+)\)")
"""How a summary names the folder of its paths once: one is held where its folder is named so, and the rest of it."""
IN_A_NAME: Final = re.compile(r"[\w/\\.~-]")
"""Characters of a path: one is only found where none of these stands before it."""
GOES_ON: Final = re.compile(r"[\w/-]|\.\w")
"""What goes on with a path after it."""
WORD: Final = re.compile(r"\w+(?:(?:\.|-+)\w+)*")
"""A word, a name or a number, without what stands around it."""


@dataclass(frozen=True, slots=True)
class Fidelity:
    """How many facts there are, how many are held, their share, and those that are missing."""

    facts: int
    """How many facts there are."""
    kept: int
    """How many of them are held."""
    share: Fraction
    """Their share, 0 to 1; 1 where there is no fact."""
    missing: tuple[Fact, ...]
    """Those that are missing, in the order they were asked for."""


def fidelity(facts: Sequence[Fact], context: str) -> Fidelity:
    """Look for every fact in the text of a context, however its white space is set; the share is 1 without facts."""
    held = _Held(context)
    missing = tuple(fact for fact in facts if not held.holds(fact))
    kept = len(facts) - len(missing)
    return Fidelity(len(facts), kept, Fraction(kept, len(facts)) if facts else Fraction(1), missing)


def is_below(path: str, folder: str) -> bool:
    """Whether a path leads through a folder."""
    return path.startswith(folder) and path[len(folder) : len(folder) + 1] in ("/", "\\")


def below_folder(path: str, folder: str) -> str:
    """The path from a folder on, or the whole path where it does not lead through it."""
    return path[len(folder) + 1 :] if folder and is_below(path, folder) else path


class _Held:
    """A context on one line, and where its words stand in it, so that a fact is looked for in few places."""

    __slots__ = ("folders", "known", "places", "text")

    def __init__(self, context: str) -> None:
        self.text = on_one_line(context)
        self.folders = tuple(dict.fromkeys(FOLDER.findall(self.text)))
        self.places: dict[str, list[int]] = {}
        for word in WORD.finditer(self.text):
            self.places.setdefault(word[0], []).append(word.start())
        self.known = frozenset(self.places)

    def holds(self, fact: Fact) -> bool:
        if fact.kind in FILES:
            return any(self._has_path(path) for path in self._spellings(fact.text))
        return self._has_text(fact.text)

    def _spellings(self, path: str) -> Iterable[str]:
        yield path
        for folder in self.folders:
            if is_below(path, folder):
                yield below_folder(path, folder)

    def _has_text(self, text: str) -> bool:
        """A text may begin and end within a word of the context, so that only its inner words are known to be there."""
        inner = WORD.findall(text)[1:-1]
        if not inner:
            return text in self.text
        if not self.known.issuperset(inner):
            return False
        return next(self._found(text, list(WORD.finditer(text))[1:-1]), None) is not None

    def _has_path(self, path: str) -> bool:
        """A path has to stand there alone: neither the end of a longer one nor the beginning of another name."""
        words = list(WORD.finditer(path))
        if not words:
            return path in self.text
        if not self.known.issuperset(WORD.findall(path)):
            return False
        return any(self._is_alone(at, at + len(path)) for at in self._found(path, words))

    def _found(self, text: str, words: Sequence[re.Match[str]]) -> Iterator[int]:
        """Where a text stands, looked for where the rarest of these words of it does."""
        rarest = min(words, key=lambda word: len(self.places[word[0]]))
        for place in self.places[rarest[0]]:
            at = place - rarest.start()
            if at >= 0 and self.text.startswith(text, at):
                yield at

    def _is_alone(self, start: int, stop: int) -> bool:
        return not (start and IN_A_NAME.match(self.text, start - 1)) and not GOES_ON.match(self.text, stop)
