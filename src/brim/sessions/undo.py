"""Undoing: which compaction, pruning or rewind is taken back, and which undo.

Specified by features/sessions/undo.feature (SES_11, CHK_09). Nothing is removed: an undo is a record, and so is a redo.
An undo of a rewind, and its redo, go back to the record before what they take back (decision 0226).
"""

from __future__ import annotations

from collections.abc import Sequence

from brim.errors import Refused
from brim.sessions.records import CompactionRecord, MessageRecord, Record, RewindRecord, UndoRecord
from brim.sessions.view import Visibility, is_change, visibility_of


def newest_change(active: Visibility) -> Record:
    """The active compaction, pruning or rewind that was made last. Raises Refused where there is none.

    A summary that a fork began with is of messages of the other session, and can be undone only there.
    """
    found = _changes(active)
    if not found:
        raise Refused("there is nothing to undo: nothing that is visible was compacted, pruned or rewound")
    newest = found[-1]
    if isinstance(newest, CompactionRecord) and newest.source is not None:
        raise Refused(
            f"the summary was made in session {newest.source.session}, and can be undone only there; open that"
        )
    return newest


def newest_undo(active: Visibility) -> UndoRecord:
    """The undo that was made last, where nothing was compacted, pruned or rewound since. Raises Refused."""
    undos = (one for one in active.records if isinstance(one, UndoRecord))
    found = [one for one in undos if not one.redo and one.id not in active.undone]
    if not found or any(change.id > found[-1].id for change in _changes(active)):
        raise Refused("there is no undo to take back: nothing was undone since the last change")
    return found[-1]


def require_nothing_said(records: Sequence[Record], undo: UndoRecord, to: str) -> None:
    """Raises Refused where a redo that goes back to the record `to` would take out what was said after the undo."""
    count = sum(isinstance(one, MessageRecord) and one.id > undo.id for one in records)
    if count:
        said = "1 message was" if count == 1 else f"{count:,} messages were"
        raise Refused(f"{said} said after the undo, and a redo would take that out; to do so, rewind to record {to}")


def _changes(active: Visibility) -> list[Record]:
    """Return what an undo can take back, the oldest first: not that another tool began a conversation."""
    changes = (one for one in active.records if is_change(one) or (isinstance(one, RewindRecord) and not one.begins))
    return [one for one in changes if one.id not in active.undone]


def rewound_messages(records: Sequence[Record], rewind: RewindRecord) -> list[MessageRecord]:
    """The messages that a rewind took out of what is visible; `records` are all of the log, the oldest first."""
    before = visibility_of([one for one in records if one.id < rewind.id])
    return [one for one in before.records if isinstance(one, MessageRecord) and one.id > rewind.to]
