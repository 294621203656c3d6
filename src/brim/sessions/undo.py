"""Undoing: which compaction or pruning counts no more, and which undo is taken back.

Specified by features/sessions/undo.feature (SES_11). Nothing is removed: an undo is a record, and so is taking it back.
"""

from __future__ import annotations

from collections.abc import Sequence

from brim.errors import Refused
from brim.sessions.records import CompactionRecord, Record, UndoRecord
from brim.sessions.view import active_changes, undone_by


def newest_change(records: Sequence[Record]) -> str:
    """The compaction or pruning that an undo is about: the newest active one. Raises Refused where none does.

    A summary that a fork began with is of messages of the other session, and can be undone only there.
    """
    standing = active_changes(records)
    if not standing:
        raise Refused("there is nothing to undo: no compaction and no pruning stands in what is visible")
    newest = max(standing)
    made = next(record for record in records if record.id == newest)
    if isinstance(made, CompactionRecord) and made.source is not None:
        raise Refused(f"the summary was made in session {made.source.session}, and can be undone only there; open that")
    return newest


def newest_undo(records: Sequence[Record]) -> str:
    """The undo that is taken back: the newest, where nothing was compacted or pruned since. Raises Refused."""
    undos = [record for record in records if isinstance(record, UndoRecord)]
    undone, names = undone_by(undos), {record.id for record in undos}
    newest = max((one.id for one in undos if one.id not in undone and one.of not in names), default="")
    if not newest or any(change > newest for change in active_changes(records)):
        raise Refused("there is no undo to take back: nothing was undone since the last compaction")
    return newest
