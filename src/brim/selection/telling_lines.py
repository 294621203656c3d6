"""Telling lines: the few lines of a long text that hold one of some words, found without reading the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

LONGEST: Final = 500
"""Characters of the longest line that is looked at: a longer one is data, not a report."""


def telling_lines(text: str, words: Iterable[str]) -> Iterator[str]:
    """The lines that hold one of the words; a line that holds several may come more than once."""
    for word in words:
        at = text.find(word)
        while at >= 0:
            start, stop = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            stop = len(text) if stop < 0 else stop
            if stop - start <= LONGEST:
                yield text[start:stop]
            at = text.find(word, stop)
