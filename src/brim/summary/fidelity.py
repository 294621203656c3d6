"""Fidelity: the share of the facts that a new context still holds.

Specified by features/summary/fidelity.feature (SUM_13).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from brim.summary.facts import FILES, Fact
from brim.summary.telling.sentences import on_one_line

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
