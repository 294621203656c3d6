"""Changes: what altered the history that messages were written behind, and what that takes from them.

Part of the view; specified by features/sessions/view.feature (SES_04) and features/conversation/thinking.feature
(CNV_06). Thinking is bound to the exact history before it, and a usage measured exactly that history (TOK_11).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Final

from brim.conversation.messages import Message, Thinking
from brim.sessions.records.kinds import CompactionRecord, MessageRecord, PruningRecord, Record, UndoRecord

NOWHERE: Final = -1
NEVER: Final = sys.maxsize


@dataclass(frozen=True, slots=True)
class Entry:
    """A message of the view, the record it comes from (None for what brim wrote), and the basis it was written on."""

    id: str | None
    message: Message
    basis: int
    """How often what stands had changed when it was written; see `Bases`."""


class Bases:
    """Which compactions and prunings stand, followed forwards through the records that count."""

    def __init__(self) -> None:
        self.now: set[str] = set()
        """The ids of those that stand."""
        self.basis = 0
        """How often what stands had changed so far."""
        self.turns: list[AbstractSet[str]] = []
        """What each change turned: what had not stood stands from then on, and what had stood no more."""
        self._changes: set[str] = set()
        self._undos: list[UndoRecord] = []

    def take(self, record: Record) -> None:
        """Take in the next newer record."""
        if type(record) is MessageRecord:  # most are
            return
        if isinstance(record, PruningRecord) or (isinstance(record, CompactionRecord) and record.counts):
            self._changes.add(record.id)
            self._turn({record.id} - self.now)
        elif isinstance(record, UndoRecord):
            self._undos.append(record)
            self._turn(self.now ^ (self._changes - undone_by(self._undos)))

    def _turn(self, turned: AbstractSet[str]) -> None:
        self.now ^= turned
        self.turns.append(turned)
        self.basis += 1


def undone_by(undos: Sequence[UndoRecord]) -> set[str]:
    """What these undos, the oldest first, are about in the end; an undo that was undone itself counts no more."""
    undone: set[str] = set()
    for record in reversed(undos):
        note_undo(record, undone)
    return undone


def note_undo(record: UndoRecord, undone: set[str]) -> None:
    """Note what the next older undo is about among what is undone, where that undo was not undone itself."""
    if record.id not in undone and record.of < record.id:
        undone.add(record.of)


def standing_at_the_end(records: Iterable[Record]) -> frozenset[str]:
    """The compactions and prunings that stand after all of these records."""
    bases = Bases()
    for record in records:
        bases.take(record)
    return frozenset(bases.now)


def partings(turns: Sequence[AbstractSet[str]], begins: Mapping[str, int]) -> list[int]:
    """For each basis the first place whose history is another one on it than it is now; NEVER for that of now.

    What stands apart from now is what was turned since, found from the newest turn back.
    """
    apart: set[str] = set()
    found = [NEVER]
    for turned in reversed(turns):
        fresh = apart.isdisjoint(turned)
        apart ^= turned
        places = [begins.get(change, NOWHERE) for change in (turned if fresh else apart)]
        found.append(min([*places, found[-1] if fresh else NEVER]))
    return found[::-1]


def unbound_thinking_left_out(entries: Sequence[Entry], parting: Sequence[int]) -> list[Entry | None]:
    """The entries without thinking whose history is no more; None for one that held nothing else."""
    return [_without_thinking(entry) if place >= parting[entry.basis] else entry for place, entry in enumerate(entries)]


def _without_thinking(entry: Entry) -> Entry | None:
    thinking = [part for part in entry.message.parts if type(part) is Thinking]
    if not thinking:
        return entry
    if len(thinking) == len(entry.message.parts):
        return None
    return replace(entry, message=entry.message.without(thinking))
