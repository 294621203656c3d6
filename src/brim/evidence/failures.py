"""Failures: what a use of a tool was about, how it failed, and what a later success resolves.

Specified by features/summary/facts.feature (SUM_13).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import product
from posixpath import join, normpath
from typing import Final, NamedTuple

from brim.errors import advisory

EXCERPT_CHARS: Final = 200
"""Characters of an opening: of what the user wrote, of a sentence, of a command."""


def on_one_line(text: str) -> str:
    """Return the text with every stretch of white space as one space, and none around it."""
    return " ".join(text.split())


def excerpt(text: str) -> str:
    """Return the first 200 characters of a text on one line."""
    return " ".join(text.split(maxsplit=EXCERPT_CHARS)[:EXCERPT_CHARS])[:EXCERPT_CHARS].rstrip()


CHANGE_FOLDER: Final = re.compile(r"cd ([^&;|]+?) ?(?:&&|;) ")
"""A change of folder does not make it another command, but a run elsewhere."""
OUTPUT_CLIPPING: Final = re.compile(r" ?(?:2>&1|[12]?>+ ?\S+|\| ?(?:tail|head|grep|tee)\b[^|;&]*)")
"""Nor does cutting, filtering or storing its output."""
NAMED_ERROR: Final = re.compile(r"(?:error|exception|fatal|panic)\b(?:\[\w+\])?:", re.IGNORECASE)
"""An error that is named: a word of the kind and a colon."""
LOCATED: Final = re.compile(r"(?:\[[\w:]+\] )?[^\s:]+\.[a-z]+:\d+:(?:\d+:)? \S")
"""What a compiler or a linter says of a line of a file."""
FAILURE_WORDS: Final = re.compile(
    r"\b(?:error|fail|failed|fatal|panic|cannot|can't|not found|no such|denied|refused)\b", re.IGNORECASE
)
"""Words of a failure."""
SCANNED_CHARS: Final = 4_000
"""Characters at each end of a long output in which the line of its failure is looked for."""
CLUTTER: Final = re.compile(r"</?tool_use_error>|\x1b\[[\d;]*m")
"""A harness's tags and a terminal's colours."""
FRAME_CHARS: Final = "=-_*~ \t\r━─═┃│║╭╮╰╯┌┐└┘"
"""What lines are ruled and framed with."""
STATUS_LINE: Final = re.compile(
    r"exit (?:code|status)\b|command failed\b|<returncode>-?\d+</returncode>\Z|</?output>\Z|output:\Z"
    r"|(?:chunk id|wall time|original token count): \S|process exited with code \d",
    re.IGNORECASE,
)
"""Lines in which agents frame an output; they say nothing of the reason."""


class Subject(NamedTuple):
    """What a use was about: a command and the folder in which it ran, or a tool and the file or what it was given."""

    about: str
    folder: str = ""
    """Empty where it is not known."""

    def is_in(self, folder: str) -> bool:
        """Return whether it may have been in this folder; if it was in a named one, an unknown one is another."""
        short, long = sorted((self.folder, folder), key=len)
        return not self.folder or (bool(short) and f"/{long}".endswith(f"/{short}"))


def subject_of(command: str, folder: str = "") -> Subject:
    """Return what a run of a command from a folder was about, whatever its white space and its output's cutting.

    A script of several lines is only itself.
    """
    plain = on_one_line(command)
    if "\n" in command:
        return Subject(plain, folder)
    rest = plain
    if moved := CHANGE_FOLDER.match(plain):
        rest, folder = plain[moved.end() :], normpath(join(folder, moved[1].strip("\"'")))
    return Subject(OUTPUT_CLIPPING.sub("", rest).strip() or plain, folder)


STEPS: Final = re.compile(r"&&|\|\||[;|]")
"""What is between the commands of a script."""
PATH: Final = re.compile(r"[/.]|::")
"""What is in a word that names a file, a folder or a test."""
RUNNER: Final = re.compile(r"(?:(?:uv|poetry|pdm) run |npx |python[\d.]* -m )+")
"""What a test runner is started by."""


FILTER: Final = re.compile(
    r"--(?:co|lf|lib|sw)\b|-(?:run|short|[gkmpt])\b(?:[ =]\S+)?"
    r"|(?<![\w-])--[\w-]*(?:changed|failed|filter|grep|ignore|match|only|package|project|run|shard|skip|test)"
    r"(?:[ =]\S+)?"
)
"""Options by which a test runner leaves tests out, or runs none, with their values."""


class _Step(NamedTuple):
    """A command of a script, as a test runner reads it."""

    words: list[str]
    """Its program and arguments, without options."""
    paths: list[str]
    """Those of them that name files, folders or tests."""
    filters: set[str]
    """The options that leave tests out."""


@lru_cache(maxsize=256)
def _steps(script: str) -> list[_Step]:
    steps: list[_Step] = []
    for command in (RUNNER.sub("", one.strip()) for one in STEPS.split(script)):
        plain = FILTER.sub("", command).split()
        words = [one.removesuffix("...") for one in plain if one[0] != "-" and not one.isdecimal()]
        steps.append(_Step(words, [*filter(PATH.search, words)], {*FILTER.findall(command)}))
    return steps


def _covers(passing: _Step, failed: _Step) -> bool:
    """Return whether a command runs the tests of another: by the same program, all or those at or above its paths."""
    ran, above, filters = passing
    wanted, paths, others = failed
    if ran[:1] != wanted[:1] or not filters <= others:
        return False
    is_there = bool(paths) and all(any(_holds(folder, one) for folder in above) for one in paths)
    known = all(any(_holds(one, other) for other in wanted) for one in ran if one not in above)
    return known and (is_there or not above)


def _holds(one: str, other: str) -> bool:
    """Return whether a word is the same as another, or the folder, file or test class that it is in."""
    return other == one or other.startswith((f"{one.rstrip('/')}/", f"{one}::", f"{one}["))


def failure_line(output: str) -> str:
    """Return a failed run's most telling line: the first with a named error, a place, a failure's words, or any."""
    ends = output if len(output) <= 2 * SCANNED_CHARS else f"{output[:SCANNED_CHARS]}\n{output[-SCANNED_CHARS:]}"
    lines = (CLUTTER.sub("", line).strip(FRAME_CHARS) for line in ends.split("\n"))
    telling = [line for line in lines if line and not STATUS_LINE.match(line)]
    for words in (NAMED_ERROR.search, LOCATED.match, FAILURE_WORDS.search):
        for line in telling:
            if words(line):
                return excerpt(line)
    return excerpt(telling[0]) if telling else ""


class SucceededUse(NamedTuple):
    """A use that succeeded: the subjects whose failures it resolves, and whether it reported passing tests."""

    resolves: tuple[Subject, ...]
    passing: bool = False


class FailedUse(NamedTuple):
    """A use that failed: the subjects that cure it once they succeed, what it did, and the line that says why."""

    subjects: tuple[Subject, ...]
    did: str
    reason: str
    command: str = ""
    """Empty where it ran none."""
    tests: bool = False
    """It reported failing tests, so that a later passing run of them resolves it."""
    verb: str = "failed"
    """Declined where the user did not let it run."""


class Successes:
    """Uses that succeeded, and the failures before them that they resolve."""

    def __init__(self) -> None:
        self._folders: dict[str, set[str]] = {}
        self._passing: set[Subject] = set()

    def add(self, success: SucceededUse) -> None:
        """Add a use that succeeded."""
        for about, folder in success.resolves:
            self._folders.setdefault(about, set()).add(folder)
        self._passing.update(success.resolves if success.passing else ())

    @advisory("what a success resolves", lambda *_, **__: False)
    def resolve(self, subjects: Iterable[Subject], *, tests: bool) -> bool:
        """Return whether the same succeeded in the same folder, or the tests that failed passed."""
        return any(
            any(map(one.is_in, self._folders.get(one.about, ())))
            or (tests and any(one.is_in(passing.folder) and _reruns(passing, one) for passing in self._passing))
            for one in subjects
        )


def _reruns(passing: Subject, failed: Subject) -> bool:
    return any(_covers(*steps) for steps in product(_steps(passing.about), _steps(failed.about)))
