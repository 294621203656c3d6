"""Failures: what a use of a tool was about, how it failed, and what a later success resolves.

Specified by features/summary/facts.feature (SUM_13).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
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
FAILURE_WORDS: Final = re.compile(
    r"\b(?:error|failed|fatal|panic|cannot|can't|not found|no such|denied|refused)\b", re.IGNORECASE
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


def _ends_in(path: str, end: str) -> bool:
    return path == end or path.endswith(f"/{end}")


class Subject(NamedTuple):
    """What a use was about: a command and the folder in which it ran, or a tool and the file or what it was given."""

    about: str
    folder: str = ""
    """Empty where it is not known."""

    def is_in(self, folder: str) -> bool:
        """Return whether it may have been in this folder; if it was in a named one, an unknown one is another."""
        short, long = sorted((self.folder, folder), key=len)
        return not self.folder or (bool(short) and _ends_in(long, short))


def subject_of(command: str, folder: str = "") -> Subject:
    """Return what a run of a command from a folder was about, whatever its white space and its output's cutting.

    A script of several lines is only itself.
    """
    plain = on_one_line(command)
    if "\n" in command or not (plain.startswith("cd ") or ">" in plain or "|" in plain):
        return Subject(plain, folder)
    at, folders = 0, [folder]
    while (change := CHANGE_FOLDER.match(plain, at)) and change.end() < len(plain):
        folders.append(change[1].strip("\"'"))
        at = change.end()
    folder = normpath(join(*folders)) if at else folder
    return Subject(OUTPUT_CLIPPING.sub("", plain[at:]).strip() or plain, folder)


STEPS: Final = re.compile(r"\s*(?:&&|\|\||[;|])\s*")
"""What is between the commands of a script."""
NARROWING: Final = re.compile(
    r"-[gkmpt]\b|-run\b|-short\b|--(?:co|lf|lib|sw)\b"
    r"|--[\w-]*(?:changed|failed|filter|grep|ignore|match|only|package|project|run|shard|skip|test)",
    re.IGNORECASE,
)
"""Options by which a test runner leaves tests out, or runs none, perhaps with the value behind them."""
PATH_LIKE: Final = re.compile(r".*(?:[/.]|::)")
RUNNER: Final = re.compile(r"(?:(?:uv|poetry|pdm) run |npx |python[\d.]* -m )+")
"""What a test runner is started by."""


def _selected(command: str) -> tuple[list[str], set[tuple[str, str]]]:
    """Return the operands of a test run, its program first, and its filters."""
    words = RUNNER.sub("", command).split()
    filters = {pair for pair in pairwise([*words, ""]) if NARROWING.match(pair[0])}
    values = {value for _, value in filters}
    operands = [one for one in words if one[0] != "-" and one not in values and not one.isdecimal() and "=" not in one]
    return operands, filters


def _covers(passing: str, failed: str) -> bool:
    """Return whether a command runs the tests of another: all, or the same files, or the folders they are in."""
    (ran, filters), (wanted, wanted_filters) = _selected(passing), _selected(failed)
    if ran[:1] != wanted[:1]:
        ran, wanted = ([one for one in words if PATH_LIKE.match(one)] for words in (ran[1:], wanted[1:]))
    while ran and ran[:1] == wanted[:1] and not PATH_LIKE.match(ran[0]):
        ran, wanted = ran[1:], wanted[1:]
    paths = {normpath(one.removesuffix("...")) for one in ran}
    is_there = bool(wanted) and all(
        any(one == path or one.startswith((f"{path}/", f"{path}::")) for path in paths) for one in map(normpath, wanted)
    )
    return filters <= wanted_filters and (not ran or "." in paths or is_there)


def failure_line(output: str) -> str:
    """Return a failed run's most telling line: the first that names an error, else has a failure's words, else any."""
    ends = output if len(output) <= 2 * SCANNED_CHARS else f"{output[:SCANNED_CHARS]}\n{output[-SCANNED_CHARS:]}"
    lines = (CLUTTER.sub("", line).strip(FRAME_CHARS) for line in ends.split("\n"))
    said = [line for line in lines if line and not STATUS_LINE.match(line)]
    for words in (NAMED_ERROR, FAILURE_WORDS):
        for line in said:
            if words.search(line):
                return excerpt(line)
    return excerpt(said[0]) if said else ""


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

    __slots__ = ("_folders", "_passing")

    def __init__(self, *successes: SucceededUse) -> None:
        self._folders: dict[str, set[str]] = {}
        self._passing: set[Subject] = set()
        for one in successes:
            self.add(one)

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
            or (tests and any(one.is_in(passing.folder) and _runs_tests_of(passing, one) for passing in self._passing))
            for one in subjects
        )


def _runs_tests_of(passing: Subject, failed: Subject) -> bool:
    return any(_covers(ran, wanted) for ran in STEPS.split(passing.about) for wanted in STEPS.split(failed.about))
