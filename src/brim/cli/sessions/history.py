"""What was compacted and cleared in a session, and what became of each."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, TypeAlias

from brim.sessions.lines import read_records
from brim.sessions.records import CompactionRecord, MessageRecord, PruningRecord, RewindRecord, UndoRecord
from brim.sessions.session import Session
from brim.sessions.view import active_changes, is_rewound, replay_from_end, rewound_spans, undone_by

Change: TypeAlias = CompactionRecord | PruningRecord
STANDS: Final = "stands"


@dataclass(frozen=True, slots=True)
class Changed:
    """A compaction or a pruning, and what became of it."""

    record: Change
    state: str
    """It stands, was undone or replaced, failed, or was left behind by a rewind."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a log holds: how many messages, and the changes, the oldest first."""

    messages: int
    changes: tuple[Changed, ...]


def recorded(session: Session) -> Recorded:
    """Read all of a log. Raises Refused where a record is of a newer version."""
    messages, changes, turned = 0, list[Change](), list[UndoRecord | RewindRecord]()
    for record in session.records():
        messages += isinstance(record, MessageRecord)
        if isinstance(record, CompactionRecord | PruningRecord):
            changes.append(record)
        elif isinstance(record, UndoRecord | RewindRecord):
            turned.append(record)
    now = active_changes(replay_from_end(read_records(session.journal.lines_reversed(), [])).records)
    return Recorded(messages, tuple(Changed(one, _state(one, now, turned)) for one in changes))


def _state(change: Change, now: AbstractSet[str], turned: Sequence[UndoRecord | RewindRecord]) -> str:
    if isinstance(change, CompactionRecord) and not change.counts:
        return "failed"
    if change.id in now:
        return STANDS
    spans = rewound_spans((one.to, one.id) for one in turned if isinstance(one, RewindRecord))
    if is_rewound(change.id, spans):
        return "left behind"
    undone = undone_by([one for one in turned if isinstance(one, UndoRecord) and not is_rewound(one.id, spans)])
    return "undone" if change.id in undone else "replaced"
