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
from brim.evidence.tools import act_of, base_name
from brim.summary.user_words import bounded, listed_messages

TODO_ACTS: Final = frozenset({"lists", "adds", "updates"})
TASK_NUMBER: Final = re.compile(r"#(\w+)")


SENTENCE_CHARS: Final = 600
"""Characters of a constraint or a decision at most: a longer one is cut, with an ellipsis."""
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
CONSTRAINT: Final = re.compile(
    r"\b(?:must(?:n['\u2019]?t)?|never|always|only|don['\u2019]?t|do not|avoid|make sure|without)\b", re.IGNORECASE
)
REMARK: Final = re.compile(
    r"\b(?:i|we|you) (?:really )?(?:don['\u2019]?t|do not) (?:know|think|see|understand|remember|care|mind|have)\b"
    r"|\bdon['\u2019]?t (?:worry|you think)\b|\b(?:yet|for now)\b",
    re.IGNORECASE,
)
"""Sentences of this form are remarks, or orders for the moment, no constraints."""
DECISION: Final = re.compile(
    r"\W*(?:(?:decision|decided|agreed)\b|we(?:['\u2019]ve| have)? (?:decided|agreed)\b"
    r"|i(?:['\u2019]ve| have)? decided\b|let['\u2019]s (?:go with|use|stick with|keep)\b|go with\b)",
    re.IGNORECASE,
)
MAY_STATE: Final = re.compile(
    r"must|never|always|only|don['\u2019]?t|do not|avoid|make sure|without|deci|agreed|let['\u2019]s|go with"
)
"""A cheap test first: a message that has none of these in small letters states no constraint or decision."""
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
    prose = [line for line in lines if not line.startswith(("#", "|", "```"))] or lines[:1]
    for line in prose:
        rest = BULLET.sub("", line.replace("**", ""))
        while rest:
            end = SENTENCE_END.search(rest)
            yield rest[: end.start()] if end else rest
            rest = rest[end.end() :] if end else ""


@advisory("constraints and decisions", lambda _: ((), ()))
def extract_constraints_and_decisions(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the sentences that say what must or must never be done, and those that decide something."""
    constraints: dict[str, None] = {}
    decisions: dict[str, None] = {}
    for sentence in _sentences(text) if MAY_STATE.search(text.casefold()) else ():
        if CONSTRAINT.search(sentence) and not sentence.endswith("?") and not REMARK.search(sentence):
            constraints[shortened(sentence, SENTENCE_CHARS)] = None
        if DECISION.match(sentence):
            decisions[shortened(sentence, SENTENCE_CHARS)] = None
    return tuple(constraints)[:10], tuple(decisions)


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences that a person wrote, as far as one can tell: no code, no quotation, no document."""
    text = without_elements(FENCE.sub("", text), TAGGED)
    if heading := DOCUMENT.search(text):
        text = text[: heading.start()]
    for line in WRAPPED.sub(r"\1 ", text).splitlines():
        if not line.lstrip().startswith(">"):
            yield from filter(None, map(str.strip, SENTENCE_END.split(BULLET.sub("", line))))


class ResponseWork(NamedTuple):
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
    responses: Final[tuple[ResponseWork, ...]]
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


def turn_work(turn: Turn, evidence: Sequence[Sequence[Evidence]] | None = None) -> TurnWork:
    """Read what the user asked in a turn, and what was done; `evidence`: of each response, if it was read already."""
    if evidence is None:
        evidence = [read_response(response) for response in turn.responses]
    pairs = zip(turn.responses, evidence, strict=True)
    responses = tuple(ResponseWork(THOUGHT.sub("", response.text).strip(), tuple(read)) for response, read in pairs)
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
    if not asked:
        return []
    words = bounded([fact.text for fact in asked])
    forgotten = sum(map(_length, asked)) - sum(map(_characters, words))
    first = asked[0]._replace(text=words[0], forgotten=max(forgotten, 0))
    newest = zip(words[1:], asked[len(asked) - len(words) + 1 :], strict=True)
    return [first, *(one._replace(text=text, forgotten=0) for text, one in newest)]


ROOTED: Final = re.compile(r"/|[A-Za-z]:[\\/]")
"""A path from the root, of either kind of system."""
DRIVE: Final = re.compile(r"\A([A-Za-z]):[\\/]")


class FactCollector:
    """A running account of the facts: each turn is added once.

    `inherited` are the facts of an earlier compaction (SUM_09): they are older than every turn, and what happens in the
    turns acts on them as on any other.
    """

    __slots__ = ("_failed", "_files", "_inherited", "_names", "_stated", "_todos")

    def __init__(self, inherited: Iterable[Fact] = ()) -> None:
        inherited = tuple(inherited)
        self._stated: dict[tuple[Kind, str], Fact] = {}
        """The user's messages, constraints and decisions."""
        self._failed: dict[Subject, Fact] = {}
        self._inherited: dict[str, Subject] = {}
        """Excerpts of inherited failed commands, by which a later run is matched, to their subjects."""
        self._todos: dict[str, Fact] = {}
        """By their number, those of a list by their words."""
        self._files: dict[str, Fact] = {}
        """The one fact of each path, in the order of its last mention."""
        self._names: dict[str, tuple[str, ...]] = {}
        """The paths with each name, the one last told of last."""
        for fact in (*(fact for fact in inherited if fact.kind != "request"), *requests_to_remember(inherited)):
            self._inherit(fact)

    @advisory("inherited facts", lambda *_: None)
    def _inherit(self, fact: Fact) -> None:
        if fact.kind == "todo":
            self._todos[fact.number or fact.text] = fact
        elif fact.kind in FILES:
            self._files[fact.text] = fact
            self._put_name(fact.text)
        elif fact.kind == "failed_command":
            about = self._inherited[fact.text] = subject_of(fact.text)
            self._failed[about] = fact
        else:
            self._stated[fact.kind, fact.text] = fact

    def add(self, work: TurnWork) -> None:
        """Add the next turn."""
        stated: dict[Kind, tuple[str, ...]]
        stated = {"constraint": work.constraints, "decision": work.decisions, "request": work.words}
        for kind, texts in stated.items():
            for text in texts:
                known = self._stated.pop((kind, text), None)
                self._stated[kind, text] = Fact(kind, text, work.index, forgotten=known.forgotten if known else 0)
        with reading(work.turn.start):
            for response in work.responses:
                self._take(response.evidence, work.index)

    def facts(self, open_turn: TurnWork | None = None) -> tuple[Fact, ...]:
        """Return every fact, weightiest kind first, each kind in the order of time; with a turn that still goes on."""
        if open_turn is not None:
            ahead = self.copy()
            ahead.add(open_turn)
            return ahead.facts()
        kinds = (self._stated, self._failed, self._todos, self._files)
        found = chain.from_iterable(facts.values() for facts in kinds)
        return tuple(sorted(found, key=lambda fact: WEIGHTIEST_FIRST.index(fact.kind)))

    def copy(self) -> FactCollector:
        """Return an independent copy."""
        other = FactCollector()
        for name in self.__slots__:
            setattr(other, name, dict(getattr(self, name)))
        return other

    @advisory("facts", lambda *_: None)
    def _take(self, evidence: Sequence[Evidence], turn: int) -> None:
        """Add what the tool uses of one response did: commands and to-dos first, then the files."""
        touched: list[TouchedFile] = []
        for one in evidence:
            self._record_run(one.event, one.command, turn)
            if one.use.succeeded and act_of(one.use) in TODO_ACTS:
                self._follow_todos(one, turn)
            else:
                touched += one.touched
        for change in touched:
            path = on_one_line(change.path)
            if 0 < len(path) <= MAX_PATH_CHARS:
                self._record_file(path.rstrip("/\\") or path, change.act, turn)

    def _follow_todos(self, evidence: Evidence, turn: int) -> None:
        """Follow a successful use of a tool that writes to-dos: a list replaces the one before, a task has a number."""
        use, act = evidence.use, act_of(evidence.use)
        if act == "lists":
            numbered = {number: fact for number, fact in self._todos.items() if fact.number}
            listed = [excerpt(item.text) for item in evidence.todos if item.is_open and item.text.strip()]
            self._todos = {words: Fact("todo", words, turn) for words in listed} | numbered
            return
        words, number = excerpt(text_of(use.input.get("subject") or "")), excerpt(text_of(use.input.get("taskId")))
        if act == "adds":
            found = TASK_NUMBER.search(use.output)
            number = found[1] if found else ""
        if act == "updates" and is_one_of(use.input.get("status"), {"completed", "deleted"}):
            self._todos.pop(number, None)
        elif words:
            self._todos[number or words] = Fact("todo", words, turn, number=number)

    def _record_file(self, path: str, act: FileAct, turn: int) -> None:
        """Put the one fact of a path: new stays new when it is changed, and changed stays changed when it is read."""
        path = self._known(path)
        before = self._files.pop(path, None)
        if act == "deleted":
            for run in [run for run in self._failed if runs_script(run.about, path)]:
                del self._failed[run]  # a script that is gone is no unresolved error: nothing can cure it
            for file in [file for file in self._files if file.startswith((f"{path}/", f"{path}\\"))]:
                if self._files[file].kind != "read_file":
                    self._files[file] = Fact("deleted_file", self._files.pop(file).text, turn)
            if before is None and is_temporary(path):
                return
        self._files[path] = Fact(_kind_of(act, before.kind if before else None), path, turn)
        self._put_name(path)

    def _put_name(self, path: str) -> None:
        name = base_name(path)
        self._names[name] = (*(one for one in self._names.get(name, ()) if one != path), path)

    def _known(self, path: str) -> str:
        """Return the path by which the file is known.

        A command names a path from its folder, which nothing tells: it is the newest known path from the root that ends
        in it, and a path from the root takes the place of one that it ends in.
        """
        if path in self._files:
            return path
        for known in reversed(self._names.get(base_name(path), ())):
            if known in self._files and _may_be_one(known, path):
                whole = max(known, path, key=len)
                self._files[whole] = self._files.pop(known)._replace(text=whole)
                return whole
        return path

    def _record_run(self, event: SucceededUse | FailedUse | None, command: str, turn: int) -> None:
        """Add a failed command, or remove those that a success resolves; any run judges an inherited one anew."""
        if event is None or (isinstance(event, FailedUse) and not event.command):
            return
        if self._inherited and (about := self._inherited.pop(excerpt(command), None)):
            self._failed.pop(about, None)
        if isinstance(event, FailedUse):
            self._failed.pop(event.subjects[0], None)
            fact = Fact("failed_command", excerpt(event.command), turn, event.reason, tests=event.tests)
            self._failed[event.subjects[0]] = fact
        else:
            successes = Successes()
            successes.add(event)
            for about, fact in [*self._failed.items()]:
                if successes.resolve([about], tests=fact.tests):
                    del self._failed[about]


def with_slashes(path: str) -> str:
    """Return the path as a shell on Windows has it: of C: it makes /c."""
    return DRIVE.sub(lambda drive: f"/{drive[1].lower()}/", path).replace("\\", "/")


def _may_be_one(*paths: str) -> bool:
    """Return whether two paths are the same, or one is from the root and ends in the other."""
    end, whole = sorted(map(with_slashes, paths), key=len)
    return end == whole or (whole.startswith("/") and not end.startswith("/") and whole.endswith(f"/{end}"))


def runs_script(about: str, path: str) -> bool:
    """Return whether the program of a command, or its first argument, has the name of this file with an ending."""
    name = base_name(path)
    return "." in name and name in map(base_name, about.split(maxsplit=2)[:2])


def _kind_of(act: FileAct, before: Kind | None) -> Kind:
    """Return what a file is after an act: created stays so when it is changed, changed when it is read.

    Changed is not what it stays when it is restored.
    """
    if act == "deleted":
        return "deleted_file"
    if act == "read":
        return "read_file" if before in {None, "deleted_file"} else before
    if act == "restored" and before != "created_file":  # of what a commit holds of it nothing is known
        return "read_file"
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
PARTS_MAX: Final = 16
"""Parts of an ending of a path at most, so that the time for a path does not grow with its depth."""
WORD: Final = re.compile(r"\w+")
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
    missing: tuple[Fact, ...] = field(repr=False)
    """The facts that are missing and the messages of which words are missing, in the order of the facts."""
    missing_words: tuple[MissingWords, ...] = field(repr=False)
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
    facts: Sequence[Fact], summary: str, kept: str | SearchText = "", *, user_text: str = "", tokens: int = 0
) -> RetentionReport:
    """Look for every fact in a summary and in the text that is kept, and for each piece of the user's messages.

    How white space is set does not matter; a piece that is there once is present once. Only the summary may shorten a
    path, by a folder or to its last parts: what is kept contains words of tools, which could mean another folder.

    Args:
        facts: what has to survive.
        summary: of the user's messages, those that it lists as such are looked at alone.
        kept: all text of the messages that are kept, also of the model and of tools.
        user_text: the user's own words in these messages.
        tokens: of the summary and the messages; 0 where they were not counted.
    """
    told = SearchText(summary, shortens=True)
    kept = kept if isinstance(kept, SearchText) else SearchText(kept)
    own = (SearchText(listed_messages(summary)), SearchText(user_text))
    missing: list[Fact] = []
    missing_words: list[MissingWords] = []
    pieces = {fact.text: tuple(_pieces(fact.text)) for fact in facts if fact.kind == "request"}
    wanted = Counter(piece for fact in facts for piece in pieces.get(fact.text, ()) if fact.kind == "request")
    present = {piece: max(one.count(piece, count) for one in own) for piece, count in wanted.items()}
    files = (fact.text for fact in facts if fact.kind in FILES)
    named = (path for path in files if told.words.issuperset(WORD.findall(base_name(path))))
    paths = sorted(named, key=len, reverse=True)
    shortest = {end: path for path in paths for end in _endings(path)}
    ends = {path: [end for end in _endings(path)[1:] if shortest[end] == path] for path in paths}
    for fact in facts:
        if fact.kind != "request":
            missing += [] if told.holds(fact, ends.get(fact.text, ())) or kept.holds(fact) else [fact]
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


def _endings(path: str) -> list[str]:
    """Return the path and its last parts, two or more."""
    return [path, *(path[slash.end() :] for slash in [*SLASH.finditer(path)][-PARTS_MAX:-1])]


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


class SearchText:
    """A text on one line, in which facts are looked for; the set of its words excludes most absent ones at once."""

    __slots__ = ("folders", "text", "words")

    def __init__(self, text: str, *, shortens: bool = False) -> None:
        self.text = on_one_line(text)
        opened = self.text.split(FOLDER_OPENING)[1:] if shortens else []
        self.folders = frozenset(text.partition(")")[0] for text in opened if ")" in text)
        self.words = frozenset(WORD.findall(self.text))

    def count(self, piece: str, most: int) -> int:
        """Count how often a piece is there, up to `most` times.

        Neither end of it may be within a word, unless it is so long that it may be a part of one itself.
        """
        if len(piece) >= PIECE_CHARS:
            return min(self.text.count(piece), most)
        whole = (at for at in self._places(piece) if not (self._is_in_word(at) or self._is_in_word(at + len(piece))))
        return sum(1 for _ in islice(whole, most))

    def holds(self, fact: Fact, ends: Sequence[str] = ()) -> bool:
        """Return whether a fact, no message of the user, is there; a path perhaps below a folder, or an end of it."""
        if fact.kind in FILES:
            return any(map(self.has_name, (fact.text, *(below_folder(fact.text, one) for one in self.folders), *ends)))
        return on_one_line(fact.text.removesuffix("…")) in self.text

    def has_name(self, name: str) -> bool:
        """Return whether a path or a name is there by itself: not the end of a longer one nor its beginning."""
        return any(
            not (at and IN_A_NAME.match(self.text, at - 1)) and not GOES_ON.match(self.text, at + len(name))
            for at in self._places(name)
        )

    def _places(self, text: str) -> Iterator[int]:
        """Yield the offsets of a text that begins and ends with the beginning and the end of a word, if with words."""
        at = self.text.find(text) if self.words.issuperset(WORD.findall(text)) else -1
        while at >= 0:
            yield at
            at = self.text.find(text, at + 1)

    def _is_in_word(self, at: int) -> bool:
        return 0 < at < len(self.text) and WORD.fullmatch(self.text, at - 1, at + 1) is not None
