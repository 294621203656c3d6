"""The turns of a growing conversation, each read once, when the next one begins."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from brim.conversation.messages import Message
from brim.conversation.turns import Turn, read_turn
from brim.selection.anchors import THRESHOLD, Anchor, detect, turn_failed
from brim.selection.file_changes import EDITING_TOOLS
from brim.summary.facts import Fact, FactCollector
from brim.summary.telling.outcomes import TurnOutcome, turn_outcome
from brim.summary.telling.work import TurnWork, turn_work
from brim.tokens.exact import Number


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """What is known of one turn: where it stands, what it anchors, and what to say of it."""

    turn: Turn
    work: TurnWork
    outcome: TurnOutcome
    anchor: Anchor | None
    failed: bool
    """A tool failed in it: an error before, for the next turn (ANC_05)."""


BEFORE_THE_FIRST: Final = -1
"""The index of what was done before the first turn, in a conversation that goes on after a compaction."""


class TurnLog:
    """The turns that ended, and the one that goes on.

    What the model did before the first user message belongs to no turn (CNV_03), but its work is told of all the same:
    it is the first record, and its index is no turn's.
    """

    __slots__ = ("_detect", "closed", "facts_so_far", "starts")

    def __init__(
        self, *, anchor_confidence: Number = THRESHOLD, editing_tools: Collection[str] = EDITING_TOOLS
    ) -> None:
        """Begin before the first turn."""
        self._detect = partial(detect, threshold=anchor_confidence, editing_tools=editing_tools)
        self.starts: list[int] = []
        """For each turn, the position of the message it begins with."""
        self.closed: list[TurnRecord] = []
        self.facts_so_far = FactCollector()
        """The facts of what ended."""

    def begin(self, messages: Sequence[Message], position: int) -> None:
        """A turn begins at `position`, the end of these messages: what was before it has ended."""
        ended = self.going_on(messages)
        if ended is not None:
            self.closed.append(ended)
            self.facts_so_far.add(ended.work)
        self.starts.append(position)

    def hand_on(self, facts: Iterable[Fact]) -> None:
        """Take over facts that were known before, older than whatever is told of in the turns (SUM_09)."""
        self.facts_so_far.hand_on(facts)

    def going_on(self, messages: Sequence[Message]) -> TurnRecord | None:
        """What has not ended; None where nothing has begun."""
        index = len(self.starts) - 1
        start = self.starts[index] if self.starts else _first_answer(messages)
        if start == len(messages):
            return None
        turn = read_turn(messages, index, start, len(messages))
        return self.record(turn, previous_error=bool(self.closed) and self.closed[-1].failed)

    def record(self, turn: Turn, *, previous_error: bool) -> TurnRecord:
        """All that is known of a turn."""
        work = turn_work(turn)
        anchor = None if turn.index == BEFORE_THE_FIRST else self._detect(turn, previous_error=previous_error)
        return TurnRecord(turn, work, turn_outcome(work), anchor, turn_failed(turn))

    def facts(self, last: TurnRecord | None) -> tuple[Fact, ...]:
        """What must survive of all of it, what goes on included."""
        return self.facts_so_far.facts(last.work if last else None)


def _first_answer(messages: Sequence[Message]) -> int:
    return next((n for n, message in enumerate(messages) if message.role == "assistant"), len(messages))
