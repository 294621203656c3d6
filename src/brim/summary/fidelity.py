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
from brim.summary.sentences import on_one_line

FOLDER: Final = re.compile(r"\(paths below ([^)]+)\)")
"""How a summary names the folder of its paths once: one is held where its folder is named so, and the rest of it."""
IN_A_NAME: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-/\\.~")
"""Characters of a path: one is only found where none of these stands before it."""
GOES_ON: Final = re.compile(r"[\w/-]|\.\w")
"""What goes on with a path after it."""
NEAR: Final = 500
"""Characters after the fact before in which the next is looked for first."""
WORD: Final = re.compile(r"[\w.-]+")


@dataclass(frozen=True, slots=True)
class Fidelity:
    """How many facts there are, how many are held, their share, and those that are missing."""

    facts: int
    kept: int
    share: Fraction
    missing: tuple[Fact, ...]


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

    __slots__ = ("cursor", "folders", "found_words", "places", "text")

    def __init__(self, context: str) -> None:
        self.text = on_one_line(context)
        found = frozenset(WORD.findall(self.text))
        self.found_words = found.union(word.rstrip(".-") for word in found)
        self.folders = tuple(dict.fromkeys(FOLDER.findall(self.text)))
        self.places: dict[str, list[int]] = {}
        self.cursor = 0

    def holds(self, fact: Fact) -> bool:
        if fact.kind in FILES:
            return any(self._has(path, alone=True) for path in self._spellings(fact.text))
        return self._has(fact.text, alone=False)

    def _spellings(self, path: str) -> Iterable[str]:
        yield path
        for folder in self.folders:
            if is_below(path, folder):
                yield below_folder(path, folder)

    def _has(self, text: str, *, alone: bool) -> bool:
        """A path has to stand alone; a text may begin and end within a word, so that only its inner words are known."""
        words = WORD.findall(text)
        if not self.found_words.issuperset(words if alone else words[1:-1]):
            return False
        for at in self._candidates(text, alone=alone):
            if self.text.startswith(text, at) and not (alone and self._goes_on(at, at + len(text))):
                self.cursor = at
                return True
        return False

    def _goes_on(self, start: int, stop: int) -> bool:
        return self.text[max(start - 1, 0) : start] in IN_A_NAME or GOES_ON.match(self.text, stop) is not None

    def _candidates(self, text: str, *, alone: bool) -> Iterator[int]:
        """Where it may begin: soon after the fact before, as in a template; else wherever its rarest word stands."""
        near = self.text.find(text, self.cursor, self.cursor + len(text) + NEAR)
        if near >= 0:
            yield near
        found = list(WORD.finditer(text))
        words = found if alone else found[1:-1]
        if words:
            rarest = min(words, key=lambda word: len(self._places(word[0])))
            yield from (place - rarest.start() for place in self._places(rarest[0]))
        elif (anywhere := self.text.find(text)) >= 0:
            yield anywhere

    def _places(self, word: str) -> Sequence[int]:
        if not self.places:
            for found in WORD.finditer(self.text):
                self.places.setdefault(found[0], []).append(found.start())
                if found[0].endswith((".", "-")):
                    self.places.setdefault(found[0].rstrip(".-"), []).append(found.start())
        return self.places.get(word, ())
