"""Facts: what has to survive a compaction, collected as the conversation grows and without a model.

Specified by features/summary/facts.feature (SUM_13) and features/summary/previous_summary.feature (SUM_09).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain, islice
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from brim.conversation.harness_text import without_elements
from brim.conversation.turns import Turn
from brim.errors import advisory, reading, text_of
from brim.evidence.evidence import Evidence, is_one_of, read_response
from brim.evidence.failures import (
    EXCERPT_CHARS,
    FailedUse,
    Subject,
    SucceededUse,
    Successes,
    excerpt,
    on_one_line,
    subject_of,
)
from brim.evidence.shell import MAX_PATH_CHARS, FileAct, TouchedFile, is_temporary
from brim.evidence.tools import EDITING_TOOLS, act_of, base_name
from brim.summary.user_words import bounded, listed_messages

OVER: Final = frozenset({"completed", "deleted"})
TODO_ACTS: Final = frozenset({"lists", "adds", "updates"})
TASK_NUMBER: Final = re.compile(r"#(\w+)")


@dataclass(slots=True)
class TodoList:
    """The open items after any number of uses of the to-do tools."""

    items: dict[str, int] = field(default_factory=dict)
    """Of the last whole list: an item's words to the turn it comes from."""
    tasks: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Of single tasks: the number to the words and the turn."""

    def take(self, evidence: Evidence, turn: int) -> None:
        """Follow a successful use of a tool that writes to-dos, made in this turn."""
        use = evidence.use
        act = act_of(use)
        if act == "lists":
            self.items = {excerpt(item.text): turn for item in evidence.todos if item.is_open and item.text.strip()}
            return
        words = excerpt(text_of(use.input.get("subject") or ""))
        name = text_of(use.input.get("taskId"))
        if act == "adds":
            number = TASK_NUMBER.search(use.output)
            name = number[1] if number else words
        if act == "updates" and is_one_of(use.input.get("status"), OVER):
            self.tasks.pop(name, None)
        elif words:
            self.tasks[name] = (words, turn)

    def facts(self) -> dict[str, Fact]:
        """Build a fact for each open item; the keys are its words."""
        tasks = self.tasks.items()
        numbers = {words: n for n, (words, _) in tasks if n != words and NUMBER.fullmatch(n)}
        items = {**self.items, **dict(self.tasks.values())}
        return {words: Fact("todo", words, turn, number=numbers.get(words, "")) for words, turn in items.items()}


NO_PROSE: Final = ("#", "|", "```")
"""How headings, tables and code begin."""
SENTENCE_CHARS: Final = 600
"""Characters of a constraint or a decision at most: a longer one is cut, with an ellipsis."""
MAX_CONSTRAINTS: Final = 10
"""Of one message; the first ones count."""

SENTENCE_END: Final = re.compile(
    r"\s(?:(?<=[.!?]\s)|(?<=[.!?][\"'*_)\]\u201d]\s)|(?<=[.!?]\*\*\s))\s*(?![a-z\s])",
)
"""Space after a full stop, an exclamation or a question mark, perhaps with a closing mark, and no small letter next."""
WRAPPED: Final = re.compile(r"^(.{29,}[^\s.!?:;])[ \t\r]*\n[ \t]*(?=[a-z])", re.MULTILINE)
"""A line break within a sentence: in a line that is long enough to have been wrapped, before a small letter."""
FENCE: Final = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.DOTALL | re.MULTILINE)
DOCUMENT: Final = re.compile(r"^#{1,6}[ \t]", re.MULTILINE)
"""A heading: from it on a message is a document, such as a plan that was pasted."""
TAGGED: Final = re.compile(r"^<(/?)([A-Za-z_][\w.:-]*)(?:\s[^<>]*)?>", re.MULTILINE)
"""A tag that begins a line: what it encloses was pasted."""
QUOTATION: Final = ">"
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
"""Sentences of this form are remarks, no constraints."""
DECIDING: Final = ("deci", "agreed", "let's", "let\u2019s", "go with")
DECISION: Final = re.compile(
    r"\W*(?:(?:decision|decided|agreed)\b|we(?:['\u2019]ve| have)? (?:decided|agreed)\b"
    r"|i(?:['\u2019]ve| have)? decided\b|let['\u2019]s (?:go with|use|stick with|keep)\b|go with\b)",
    re.IGNORECASE,
)
BULLET: Final = re.compile(r"\A\s*(?:[>#*+-]+\s+)*(?:\d+[.)]\s+)?(?:\[[ xX]\]\s+)?")
"""The marks before the words of a heading, a quotation, an item of a list or a box to tick."""


def shortened(text: str, characters: int = EXCERPT_CHARS) -> str:
    """Put a text on one line, cut after so many characters, with an ellipsis in place of what follows."""
    line = on_one_line(text)
    return line if len(line) <= characters else f"{line[:characters].rstrip()}…"


def first_sentence(text: str, characters_min: int) -> str:
    """Return the first sentence without its full stop or colon, passing over headings and tables if words follow.

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


@advisory("constraints and decisions", lambda _: ((), ()))
def extract_constraints_and_decisions(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the sentences that say what must or must never be done, and those that decide something."""
    lowered = text.lower()
    limiting = [word for word in LIMITING if word in lowered]
    deciding = [word for word in DECIDING if word in lowered]
    constraints: dict[str, None] = {}
    decisions: dict[str, None] = {}
    for line in _prose(text) if limiting or deciding else ():
        lowered = line.lower()
        for words, found, says in ((limiting, constraints, _limits), (deciding, decisions, _decides)):
            if any([word in lowered for word in words]):  # noqa: C419  a generator costs as much again
                found.update(dict.fromkeys(shortened(one, SENTENCE_CHARS) for one in _sentences(line) if says(one)))
    return tuple(constraints)[:MAX_CONSTRAINTS], tuple(decisions)


def _prose(text: str) -> list[str]:
    """Return the lines that a person wrote, as far as one can tell: no code, no quotation, no document."""
    if "```" in text or "~~~" in text:
        text = FENCE.sub("", text)
    if "<" in text:
        text = without_elements(text, TAGGED)
    if "#" in text and (heading := DOCUMENT.search(text)):
        text = text[: heading.start()]
    text = WRAPPED.sub(r"\1 ", text)
    return [line for line in text.splitlines() if not line.lstrip().startswith(QUOTATION)]


def _sentences(line: str) -> Iterator[str]:
    for sentence in SENTENCE_END.split(line if line[:1].isalpha() else BULLET.sub("", line)):
        if sentence.strip():
            yield sentence.strip()


def _limits(sentence: str) -> bool:
    return bool(CONSTRAINT.search(sentence)) and not sentence.endswith("?") and not REMARK.search(sentence)


def _decides(sentence: str) -> bool:
    return DECISION.match(sentence) is not None


class Work(NamedTuple):
    """What one response said and did."""

    text: str
    evidence: tuple[Evidence, ...] = ()
    """What each of its tool uses did, in order."""

    @property
    def did(self) -> str:
        """What it did, in words, where it says nothing itself; empty where it does."""
        return "" if self.text else excerpt("; ".join(dict.fromkeys(one.action for one in self.evidence)))

    @property
    def changed(self) -> tuple[str, ...]:
        """Paths of the files it changed."""
        return tuple(path for one in self.evidence for path in one.changed)

    @property
    def events(self) -> tuple[SucceededUse | FailedUse, ...]:
        """How its tool uses went, those that go on left out."""
        return tuple(one.event for one in self.evidence if one.event is not None)

    @property
    def has_outcome(self) -> bool:
        """Whether it changed a file, failed or answered."""
        if not self.evidence:
            return bool(self.text)
        return any(one.failed or one.changed for one in self.evidence)


@dataclass(slots=True)
class TurnWork:
    """What the user asked in a turn, and what was done."""

    turn: Final[Turn]
    responses: Final[tuple[Work, ...]]
    """What each response of the turn said and did."""
    words: Final[tuple[str, ...]]
    """The request, and what the user wrote in results of tools."""
    constraints: Final[tuple[str, ...]]
    decisions: Final[tuple[str, ...]]

    @property
    def index(self) -> int:
        """The index of the turn."""
        return self.turn.index

    @property
    def request(self) -> str:
        """What the user wrote, whole."""
        return self.turn.request.strip()

    @property
    def evidence(self) -> list[Evidence]:
        """What each tool use of the turn did, in order."""
        return [one for work in self.responses for one in work.evidence]


THOUGHT: Final = re.compile(r"\A\s*(?:THOUGHT:|DISCUSSION\b:?)\s*")
"""The word that mini-swe-agent and SWE-agent want before the text of every response."""


def turn_work(
    turn: Turn, editing_tools: Collection[str] = EDITING_TOOLS, evidence: Sequence[Sequence[Evidence]] | None = None
) -> TurnWork:
    """Read what the user asked in a turn, and what was done.

    `evidence` is that of each response's tool uses, where they have been read, by tools that change files under these
    names (ANC_05).
    """
    if evidence is None:
        evidence = [read_response(response, editing_tools) for response in turn.responses]
    pairs = zip(turn.responses, evidence, strict=True)
    responses = tuple(Work(THOUGHT.sub("", response.text).strip(), tuple(read)) for response, read in pairs)
    words = turn.words
    found = [extract_constraints_and_decisions(one) for one in words]
    constraints = chain.from_iterable(one[0] for one in found)
    decisions = chain.from_iterable(one[1] for one in found)
    marked = [excerpt(turn.answer)] if turn.marked and turn.answer else []
    return TurnWork(turn, responses, words, tuple(constraints), (*decisions, *marked))


Kind: TypeAlias = Literal[
    "constraint",
    "decision",
    "request",
    "failed_command",
    "todo",
    "modified_file",
    "created_file",
    "deleted_file",
    "read_file",
]
"""The kinds of facts, the weightiest first."""
WEIGHTIEST_FIRST: Final[tuple[Kind, ...]] = get_args(Kind)
"""The user's own words first, then what is still broken or open, then the files: changed, new, gone, only read."""
FILES: Final[tuple[Kind, ...]] = ("modified_file", "created_file", "deleted_file", "read_file")
NUMBER: Final = re.compile(r"\w+")


class Fact(NamedTuple):
    """Something that has to survive."""

    kind: Kind
    """What it is: a constraint, a decision, a request, a command that fails, a task or a file."""
    text: str
    """What has to survive: a message of the user whole, anything else on one line."""
    turn: int
    """The index of the last turn that it comes from; an inherited fact keeps the index of its own conversation."""
    detail: str = ""
    """Of a failed command the line of its error. Fidelity does not look for it."""
    number: str = ""
    """Of a to-do the number by which later tool uses name it."""
    tests: bool = False
    """Whether a failed command reported failing tests, so that a later passing run cures it."""
    forgotten: int = 0
    """Of the user's first message how many characters of all messages are no longer remembered: they are missing."""


def requests_to_remember(facts: Iterable[Fact]) -> list[Fact]:
    """Return the user's messages among the facts, within the limit of what the next compaction is given (SUM_18)."""
    asked = [fact for fact in facts if fact.kind == "request"]
    words = bounded([fact.text for fact in asked])
    if not asked:
        return []
    forgotten = sum(map(_length, asked)) - sum(map(_characters, words))
    first = asked[0]._replace(text=words[0], forgotten=max(forgotten, 0))
    newest = zip(words[1:], asked[len(asked) - len(words) + 1 :], strict=True)
    return [first, *(one._replace(text=text, forgotten=0) for text, one in newest)]


ROOTED: Final = re.compile(r"/|[A-Za-z]:[\\/]")
"""A path from the root, of either kind of system."""
DRIVE: Final = re.compile(r"\A([A-Za-z]):[\\/]")


class FactCollector:
    """A running account of the facts: each turn is added once, at a cost that does not grow with the conversation.

    `inherited` are the facts of an earlier compaction (SUM_09): they are older than every turn, and what happens in the
    turns acts on them as on any other.
    """

    __slots__ = ("_facts", "_inherited", "_names", "_todos")

    def __init__(self, inherited: Iterable[Fact] = ()) -> None:
        inherited = tuple(inherited)
        self._facts: dict[Kind, dict[str, Fact]] = {kind: {} for kind in WEIGHTIEST_FIRST}
        """By their text; failed commands by the folder and the subject of the run, on two lines."""
        self._inherited: dict[str, str] = {}
        """Excerpts of inherited failed commands to their keys, which the excerpt may be too short for."""
        self._names: dict[str, list[str]] = {}
        """Base names of files to the paths that they were named by."""
        self._todos = TodoList()
        for fact in (*(fact for fact in inherited if fact.kind != "request"), *requests_to_remember(inherited)):
            self._inherit(fact)

    @advisory("inherited facts", lambda *_: None)
    def _inherit(self, fact: Fact) -> None:
        if fact.kind == "todo" and fact.number:
            self._todos.tasks[fact.number] = (fact.text, fact.turn)
        elif fact.kind == "todo":
            self._todos.items[fact.text] = fact.turn
        else:
            key = fact.text
            if fact.kind == "failed_command":
                key = self._inherited[fact.text] = _key(subject_of(fact.text))
            self._facts[fact.kind][key] = fact
            if fact.kind in FILES:
                self._names.setdefault(base_name(key), []).append(key)

    def add(self, work: TurnWork) -> None:
        """Add the next turn."""
        for text in work.constraints:
            self._put(text, Fact("constraint", text, work.index))
        for text in work.decisions:
            self._put(text, Fact("decision", text, work.index))
        for text in work.words:
            self._put(text, Fact("request", text, work.index))
        with reading(work.turn.start):
            for response in work.responses:
                self._take(response.evidence, work.index)

    def facts(self, open_turn: TurnWork | None = None) -> tuple[Fact, ...]:
        """Return every fact, weightiest kind first, each kind in the order of time; with a turn that still goes on."""
        if open_turn is not None:
            ahead = self.copy()
            ahead.add(open_turn)
            return ahead.facts()
        kinds = {**self._facts, "todo": self._todos.facts()}
        return tuple(chain.from_iterable(facts.values() for facts in kinds.values()))

    def copy(self) -> FactCollector:
        """Return an independent copy."""
        other = FactCollector()
        other._facts = {kind: dict(facts) for kind, facts in self._facts.items()}
        other._inherited = dict(self._inherited)
        other._names = {name: [*paths] for name, paths in self._names.items()}
        other._todos = TodoList(dict(self._todos.items), dict(self._todos.tasks))
        return other

    def _put(self, key: str, fact: Fact) -> None:
        """Add a fact as the newest of its kind."""
        facts = self._facts[fact.kind]
        known = facts.pop(key, fact)
        facts[key] = fact._replace(forgotten=known.forgotten) if known.forgotten else fact

    @advisory("facts", lambda *_: None)
    def _take(self, evidence: Sequence[Evidence], turn: int) -> None:
        """Add what the tool uses of one response did: commands and to-dos first, then the files."""
        touched: list[TouchedFile] = []
        for one in evidence:
            self._run(one.event, one.command, turn)
            if one.use.succeeded and act_of(one.use) in TODO_ACTS:
                self._todos.take(one, turn)
            else:
                touched += one.touched
        for change in touched:
            path = change.path
            name = on_one_line(path) if " " in path or not path.isprintable() else path
            if 0 < len(name) <= MAX_PATH_CHARS:
                self._file(name, change, turn)

    def _file(self, path: str, change: TouchedFile, turn: int) -> None:
        """Put the one fact of a path: new stays new when it is changed, and changed stays changed when it is read."""
        path, before = self._known(path.rstrip("/\\") or path)
        if change.act == "deleted":
            failed = self._facts["failed_command"]
            for key in [key for key in failed if runs_script(_subject(key).about, path)]:
                del failed[key]  # a script that is gone is no unresolved error: nothing can cure it
            files = [(kind, file) for kind in FILES[:2] for file in self._facts[kind]]
            for kind, file in files:
                if file.startswith((f"{path}/", f"{path}\\")):  # it is in a folder that is deleted or moved
                    del self._facts[kind][file]
                    self._put(file, Fact("deleted_file", file, turn))
        if before is None and change.act == "deleted" and is_temporary(path):
            return
        kind = _kind_of(change.act, before)
        if before and before != kind:
            del self._facts[before][path]
        self._put(path, Fact(kind, path, turn))

    def _known(self, path: str) -> tuple[str, Kind | None]:
        """Return the path that the file is known by, and its kind; None where it is new.

        A command names a path from its folder, which nothing tells: it is the newest known path from the root that ends
        in it, and a path from the root takes the place of one that it ends in.
        """
        if kind := self._kind(path):
            return path, kind
        same_name = self._names.setdefault(base_name(path), [])
        for known in reversed(same_name):
            if (kind := self._kind(known)) is None:
                continue
            whole, end = sorted((known, path), key=len, reverse=True)
            slashed, ending = with_slashes(whole), with_slashes(end)
            if slashed == ending:
                return known, kind
            if ROOTED.match(whole) and not ROOTED.match(end) and slashed.endswith(f"/{ending}"):
                if whole == path:
                    self._put(path, self._facts[kind].pop(known)._replace(text=path))
                    same_name.append(path)
                return whole, kind
        same_name.append(path)
        return path, None

    def _kind(self, path: str) -> Kind | None:
        return next((kind for kind in FILES if path in self._facts[kind]), None)

    def _run(self, event: SucceededUse | FailedUse | None, command: str, turn: int) -> None:
        """Add a failed command, or remove those that a success resolves; any run judges an inherited one anew."""
        failed = self._facts["failed_command"]
        if event is None or (isinstance(event, FailedUse) and not event.command):
            return
        if self._inherited and (key := self._inherited.pop(excerpt(command), None)):
            failed.pop(key, None)
        if isinstance(event, FailedUse):
            fact = Fact("failed_command", excerpt(event.command), turn, event.reason, tests=event.tests)
            self._put(_key(event.subjects[0]), fact)
        else:
            successes = Successes()
            successes.add(event)
            for key, fact in [*failed.items()]:
                if successes.resolve([_subject(key)], tests=fact.tests):
                    del failed[key]


def with_slashes(path: str) -> str:
    """Return the path as a shell on Windows has it: of C: it makes /c."""
    if path[1:2] != ":" and "\\" not in path:  # each deletion asks it of every file
        return path
    return DRIVE.sub(lambda drive: f"/{drive[1].lower()}/", path).replace("\\", "/")


def _key(subject: Subject) -> str:
    return f"{on_one_line(subject.folder)}\n{subject.about}"


def _subject(key: str) -> Subject:
    folder, _, about = key.partition("\n")
    return Subject(about, folder)


def runs_script(about: str, path: str) -> bool:
    """Return whether the program of a command, or its first argument, has the name of this file with an ending."""
    name = base_name(path)
    return "." in name and name in map(base_name, about.split(maxsplit=2)[:2])


def _kind_of(act: FileAct, before: Kind | None) -> Kind:
    """Return what a file is after an act: created stays so when it is changed, changed when it is read."""
    if act == "deleted":
        return "deleted_file"
    if act == "read":
        return "read_file" if before in {None, "deleted_file"} else before
    if before == "created_file" or act == "created":
        return "created_file"
    if act in {"written", "stored"}:
        return "created_file" if before is None else "modified_file"
    return "modified_file"


def collect_facts(turns: Iterable[Turn], inherited: Iterable[Fact] = ()) -> tuple[Fact, ...]:
    """Collect the facts of turns, from the beginning, or from the facts on that an earlier compaction knew."""
    collector = FactCollector(inherited)
    for turn in turns:
        collector.add(turn_work(turn))
    return collector.facts()


FOLDER_OPENING: Final = "(paths below "
"""Before a folder that a summary names once for its paths: a path in it is held where the rest of the path is."""
SLASH: Final = re.compile(r"[\\/]")
IN_A_NAME: Final = re.compile(r"[\w/\\.~-]")
"""Characters of a path: a path is found only where none of these is before it."""
GOES_ON: Final = re.compile(r"[\w/-]|\.\w")
"""Characters that continue a path."""
WORD: Final = re.compile(r"\w+")
FEW: Final = 20
"""Offsets up to which looking at each is faster than one search in the whole context."""
PIECE_CHARS: Final = 200
"""Characters of a piece of the user's words at most; the last of a longer word may have twice as many."""
PIECE: Final = re.compile(
    rf"\w{{{PIECE_CHARS}}}(?=\w{{{PIECE_CHARS}}})|\w{{{PIECE_CHARS},}}|\S.{{,{PIECE_CHARS - 1}}}(?:(?<!\w)|(?!\w))"
)
"""A piece of a line: it ends where a word ends, unless the word is longer than a piece."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of something is present."""

    present: int
    """How many, or how much, is present."""
    total: int
    """Of how many, or how much."""

    @property
    def share(self) -> Fraction:
        """The share that is present, 0 to 1; 1 where there is nothing."""
        return Fraction(self.present, self.total) if self.total else Fraction(1)

    def __str__(self) -> str:
        """Say it in words: 41 of 42."""
        return f"{self.present:,} of {self.total:,}"


class MissingWords(NamedTuple):
    """A message of the user of which words are missing."""

    message: Fact
    """The fact that holds the whole message."""
    characters: int
    """How many of its characters are missing, white space not counted."""
    total: int
    """How many it has."""
    opening: str
    """The first piece that is missing; empty where none of them is remembered any more."""


class Per1000(NamedTuple):
    """What is present for each 1,000 retained tokens."""

    facts: Fraction
    """Facts."""
    words: Fraction
    """Characters of the user's words."""


@dataclass(frozen=True, slots=True)
class RetentionReport:
    """How many of the facts, and how much of the user's words, a text has."""

    facts: Coverage
    """All facts but the user's messages."""
    words: Coverage
    """Characters of the user's messages, white space not counted; a message sent twice counts once."""
    missing: tuple[Fact, ...]
    """The facts that are missing and the messages of which words are missing, in the order of the facts."""
    missing_words: tuple[MissingWords, ...]
    """For each of these messages, how much is missing."""
    tokens: int = 0
    """Tokens of the text; 0 where they were not counted."""

    @classmethod
    def of(
        cls, facts: Sequence[Fact], missing: Collection[Fact], missing_words: Sequence[MissingWords], tokens: int = 0
    ) -> RetentionReport:
        """Build the report on a text of so many tokens that has these facts, except the missing ones."""
        messages = [fact for fact in facts if fact.kind == "request"]
        count, characters = len(facts) - len(messages), sum(map(_length, messages))
        return cls(
            Coverage(count - sum(fact.kind != "request" for fact in missing), count),
            Coverage(characters - sum(one.characters for one in missing_words), characters),
            tuple(missing),
            tuple(missing_words),
            tokens,
        )

    @property
    def per_1000(self) -> Per1000:
        """What is present for each 1,000 tokens; 0 where the tokens were not counted."""
        tokens = self.tokens or 1
        facts, words = (Fraction(1_000 * one.present, tokens) for one in (self.facts, self.words))
        return Per1000(facts, words) if self.tokens else Per1000(Fraction(0), Fraction(0))


def fidelity(
    facts: Sequence[Fact], summary: str, kept: str | Context = "", *, said: str = "", tokens: int = 0
) -> RetentionReport:
    """Look for every fact in a summary and in the text that is kept, and for each piece of the user's messages.

    How white space is set does not matter; a piece that is there once is present once. Only the summary may shorten a
    path by its folder: what is kept contains words of tools, which could name any folder.

    Args:
        facts: what has to survive.
        summary: of the user's messages, those that it lists as such are looked at alone.
        kept: all text of the messages that are kept, also of the model and of tools.
        said: the user's own words in these messages.
        tokens: of the summary and the messages; 0 where they were not counted.
    """
    contexts = (Context(summary, shortens=True), kept if isinstance(kept, Context) else Context(kept))
    own = (Context(listed_messages(summary)), Context(said))
    missing: list[Fact] = []
    missing_words: list[MissingWords] = []
    pieces = {fact.text: tuple(_pieces(fact.text)) for fact in facts if fact.kind == "request"}
    wanted = Counter(piece for fact in facts for piece in pieces.get(fact.text, ()) if fact.kind == "request")
    present = {piece: max(one.count(piece, count) for one in own) for piece, count in wanted.items()}
    for fact in facts:
        if fact.kind != "request":
            missing += [] if any(context.holds(fact) for context in contexts) else [fact]
            continue
        lost: list[str] = []
        for piece in pieces[fact.text]:
            lost += [] if present[piece] else [piece]
            present[piece] -= present[piece] > 0
        characters = sum(map(_characters, lost)) + fact.forgotten
        if characters:
            missing.append(fact)
            missing_words.append(MissingWords(fact, characters, _length(fact), lost[0] if lost else ""))
    return RetentionReport.of(facts, missing, missing_words, tokens)


def _pieces(text: str) -> Iterator[str]:
    """Yield the pieces in which a message is looked for: its lines, long ones in parts."""
    for line in map(on_one_line, text.splitlines()):
        if len(line) > PIECE_CHARS:
            yield from (piece.strip() for piece in PIECE.findall(line))
        elif line:
            yield line


def _length(message: Fact) -> int:
    """Count the characters of a message, white space left out, and those that are no longer remembered."""
    return _characters(message.text) + message.forgotten


def _characters(text: str) -> int:
    return sum(map(len, text.split()))


def below_folder(path: str, folder: str) -> str:
    """Return the path from a folder on, or the whole path where it does not lead through it."""
    leads_through = folder and path.startswith(folder) and SLASH.match(path, len(folder))
    return path[len(folder) + 1 :] if leads_through else path


class Context:
    """A text on one line with an index of its words, so that what is looked for is compared at few offsets."""

    __slots__ = ("folders", "long_words", "offsets", "text")

    def __init__(self, text: str, *, shortens: bool = False) -> None:
        self.text = on_one_line(text)
        opened = self.text.split(FOLDER_OPENING)[1:] if shortens else []
        self.folders = frozenset(text.partition(")")[0] for text in opened if ")" in text)
        self.offsets: dict[str, list[int]] = {}
        for word in WORD.finditer(self.text):
            self.offsets.setdefault(word[0], []).append(word.start())
        self.long_words = [word for word in self.offsets if len(word) >= PIECE_CHARS]

    def count(self, piece: str, most: int) -> int:
        """Count how often a piece is there, up to `most` times.

        It has to be there by itself, neither the end nor the beginning of a longer word; a part of a word that is
        longer than a piece may be anywhere in one.
        """
        if len(piece) >= PIECE_CHARS and WORD.fullmatch(piece):
            return min(sum(word.count(piece) * len(self.offsets[word]) for word in self.long_words), most)
        if not self.offsets.keys() >= {*WORD.findall(piece)}:
            return 0
        words = list(WORD.finditer(piece))
        if not words:
            return min(self.text.count(piece), most)
        found = (at for at in self._found(piece, words) if self._is_whole(at, at + len(piece)))
        return sum(1 for _ in islice(found, most))

    def holds(self, fact: Fact) -> bool:
        """Return whether a fact, no message of the user, is there; a path perhaps below a folder that is named."""
        if fact.kind in FILES:
            return any(self.has_name(path) for path in self._spellings(fact.text))
        return self._has_text(on_one_line(fact.text.removesuffix("…")))

    def _spellings(self, path: str) -> Iterable[str]:
        yield path
        for slash in SLASH.finditer(path, 1):
            if path[: slash.start()] in self.folders:
                yield path[slash.end() :]

    def _has_text(self, text: str) -> bool:
        """Return whether a text is there. It may begin and end within a word, so only inner words are looked up."""
        words: list[re.Match[str]] = []
        for word in WORD.finditer(text):
            if len(words) > 1 and words[-1][0] not in self.offsets:
                return False
            words.append(word)
        inner = words[1:-1]
        return next(self._found(text, inner), None) is not None if inner else text in self.text

    def has_name(self, name: str) -> bool:
        """Return whether a path or a name is there by itself: not the end of a longer one nor its beginning."""
        words = list(WORD.finditer(name))
        if not words:
            return name in self.text
        if any(word[0] not in self.offsets for word in reversed(words)):
            return False
        return any(self._is_alone(at, at + len(name)) for at in self._found(name, words))

    def _found(self, text: str, words: Sequence[re.Match[str]]) -> Iterator[int]:
        """Yield the offsets of a text in characters, found by the rarest of these words of it."""
        rarest = min(words, key=lambda word: len(self.offsets[word[0]]))
        offsets = self.offsets[rarest[0]]
        if len(offsets) > FEW and text not in self.text:
            return
        for offset in offsets:
            at = offset - rarest.start()
            if at >= 0 and self.text.startswith(text, at):
                yield at

    def _is_alone(self, start: int, stop: int) -> bool:
        return not (start and IN_A_NAME.match(self.text, start - 1)) and not GOES_ON.match(self.text, stop)

    def _is_whole(self, start: int, stop: int) -> bool:
        """Return whether neither end is within a word."""
        return not any(0 < at < len(self.text) and WORD.fullmatch(self.text, at - 1, at + 1) for at in (start, stop))
