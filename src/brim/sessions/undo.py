"""Undoing: which compaction, pruning or rewind is taken back, and which undo.

Specified by features/sessions/undo.feature (SES_11, CHK_09). Nothing is removed: an undo is a record, and so is a redo.
A rewind is taken back by another one, to the record before it (decision 0061).
"""

from __future__ import annotations

from collections.abc import Sequence

from brim.errors import Refused
from brim.sessions.records import CompactionRecord, MessageRecord, Record, RewindRecord, UndoRecord
from brim.sessions.view import active_changes, undone_by, without_rewound


def newest_change(records: Sequence[Record]) -> Record:
    """The active compaction, pruning or rewind that was made last. Raises Refused where there is none.

    A summary that a fork began with is of messages of the other session, and can be undone only there.
    """
    found = _changes(records)
    if not found:
        raise Refused("there is nothing to undo: nothing that is visible was compacted, pruned or rewound")
    newest = found[-1]
    if isinstance(newest, CompactionRecord) and newest.source is not None:
        raise Refused(
            f"the summary was made in session {newest.source.session}, and can be undone only there; open that"
        )
    return newest


def newest_undo(records: Sequence[Record]) -> Record:
    """The undo that was made last, where nothing was compacted, pruned or rewound since. Raises Refused."""
    undos = [record for record in records if isinstance(record, UndoRecord)]
    undone, names = undone_by(undos), {record.id for record in undos}
    found = [
        one
        for one in records
        if (isinstance(one, UndoRecord) and one.id not in undone and one.of not in names)
        or (isinstance(one, RewindRecord) and one.of is not None and not one.again)
    ]
    if not found or any(change.id > found[-1].id for change in _changes(records)):
        raise Refused("there is no undo to take back: nothing was undone since the last change")
    return found[-1]


def require_nothing_said(records: Sequence[Record], undo: RewindRecord, to: str) -> None:
    """Raises Refused where a redo that goes back to the record `to` would take out what was said after the undo."""
    count = sum(isinstance(one, MessageRecord) and one.id > undo.id for one in records)
    if count:
        said = "1 message was" if count == 1 else f"{count:,} messages were"
        raise Refused(f"{said} said after the undo, and a redo would take that out; to do so, rewind to record {to}")


def _changes(records: Sequence[Record]) -> list[Record]:
    """What an undo can take back, the oldest first: not that another tool began a conversation."""
    active = active_changes(records)
    active |= {one.id for one in records if isinstance(one, RewindRecord) and one.of is None and not one.begins}
    return [one for one in records if one.id in active]


def rewound_messages(records: Sequence[Record], rewind: RewindRecord) -> list[MessageRecord]:
    """The messages that a rewind took out of what is visible; `records` are all of the log, the oldest first."""
    before = without_rewound([one for one in records if one.id < rewind.id])
    return [one for one in before if isinstance(one, MessageRecord) and one.id > rewind.to]
