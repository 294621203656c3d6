"""Walking back: the records that count for what is visible, found from the newest on.

Part of the view; specified by features/sessions/view.feature (SES_04). Nothing is read here: records come in newest
first, and no more of them are asked for than what is visible needs (SES_06).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from brim.sessions.records.kinds import CompactionRecord, MessageRecord, Record, UndoRecord
from brim.sessions.viewing.changes import note_undo
from brim.sessions.viewing.rewound import Rewinds, went_back


@dataclass(frozen=True, slots=True)
class Standing:
    """The records that count now, oldest first, as far back as what is visible reaches."""

    records: tuple[Record, ...]
    compaction: CompactionRecord | None = None
    """The newest finished compaction that was not undone."""


def walk_back(newest_first: Iterable[Record]) -> Standing:
    """Walk back to the newest finished compaction whose summary carries no error, then on to the start of its tail.

    What a rewind left behind is passed over; what was undone counts no more. Where the first record of the tail is
    gone, the tail begins with the next one: ids ascend.
    """
    walk = _Walk()
    for record in newest_first:
        if walk.ends(record):
            break
        walk.take(record)
    return Standing(tuple(reversed(walk.counting)), walk.compaction)


class _Walk:
    """Where a walk back has come to."""

    def __init__(self) -> None:
        self.counting: list[Record] = []
        self.compaction: CompactionRecord | None = None
        self._undone: set[str] = set()
        self._rewinds = Rewinds()

    def ends(self, record: Record) -> bool:
        """Whether this record, and every older one, is behind the tail of the compaction that was found."""
        made = self.compaction
        return made is not None and (made.tail is None or record.id < made.tail)

    def take(self, record: Record) -> None:
        """Take in the next older record."""
        if self._rewinds.pass_over(record.id, went_back(record)):
            return
        if type(record) is MessageRecord:  # most are
            pass
        elif isinstance(record, UndoRecord):
            note_undo(record, self._undone)
        elif isinstance(record, CompactionRecord) and self._is_newest(record):
            self.compaction = record
        self.counting.append(record)

    def _is_newest(self, made: CompactionRecord) -> bool:
        return self.compaction is None and made.counts and made.id not in self._undone
