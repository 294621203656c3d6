"""Wordings whose last part is in a notation of its own: a conversation in a line, or acts one after another."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pytest_bdd.parsers import StepParser

from steps.vocabulary import JOINED

LONGEST = 100
"""Characters of a line of acts at most."""


class Unread(ValueError):
    """A part of a line that its notation does not know; the message names it."""


class Notation(StepParser):
    """A wording such as `the conversation {line}`, which is matched if its last part can be read."""

    def __init__(self, name: str, read: Callable[[str], object]) -> None:
        super().__init__(name)
        self.opening, self._argument = re.fullmatch(r"(.*)\{(\w+)\}", name).groups()  # type: ignore[union-attr]
        self._read = read

    def is_matching(self, name: str) -> bool:
        """Return whether a step has this wording and a last part that can be read."""
        return name.startswith(self.opening) and self.problem(name) is None

    def parse_arguments(self, name: str) -> dict[str, Any]:
        """Return the last part of a step as it is written."""
        return {self._argument: name.removeprefix(self.opening)}

    def problem(self, name: str) -> str | None:
        """Return what of a step that begins like this cannot be read; None if nothing, or if it begins otherwise."""
        if name.startswith(self.opening):
            try:
                self._read(name.removeprefix(self.opening))
            except Unread as error:
                return str(error)
        return None


class Acts(Notation):
    """A wording such as `the agent {acts}`: what somebody does, one thing after another.

    `acts` are functions by the patterns of what they are called; the groups of a pattern are their arguments. Where a
    line would be longer than 100 characters, the wording `the agent acts` has them in a table of one column.
    """

    def __init__(self, name: str, acts: Mapping[str, Callable[..., Any]]) -> None:
        super().__init__(name, lambda text: [*self.each(text)])
        self.acts = acts

    def each(self, text: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """Yield of each act its pattern and the groups in it. Raises Unread with the first that is not known."""
        left = text
        while left:
            tried = ((one, re.match(f"(?:{one})(?={JOINED}|$)(?:{JOINED})?", left)) for one in self.acts)
            pattern, found = max(
                ((one, found) for one, found in tried if found), key=lambda one: one[1].end(), default=("", None)
            )
            if found is None:
                raise Unread(self._unknown(re.split(JOINED, left)[0]))
            yield pattern, found.groups()
            left = left[found.end() :]

    def perform(self, actor: object, lines: Sequence[str]) -> None:
        """Let somebody do what the lines say."""
        for line in lines:
            for pattern, words in self.each(line):
                self.acts[pattern](actor, *words)

    def _unknown(self, act: str) -> str:
        near = difflib.get_close_matches(act, self.acts, n=1, cutoff=0.3)
        return f"the act {act!r} is not known" + (f"; the nearest is {near[0]!r}" if near else "")


class ActsBelow(StepParser):
    """A wording such as `the agent acts`, with the acts under it: a table of one column, an act or several a line."""

    def __init__(self, name: str, grammar: Acts) -> None:
        super().__init__(name)
        self.grammar = grammar

    def is_matching(self, name: str) -> bool:
        """Return whether a step is these words."""
        return name == self.name

    def parse_arguments(self, name: str) -> dict[str, Any]:
        """Return nothing: the words have no values."""
        return {}
