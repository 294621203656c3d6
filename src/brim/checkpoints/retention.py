"""Retention: which checkpoints of a session are kept, by their age and number.

Specified by features/checkpoints/retention.feature (CHK_08).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from brim.checkpoints.settings import CheckpointSettings
from brim.sessions.records import CheckpointRecord, ForgottenRecord, Record, RestoreRecord

DAY_MS: Final = 24 * 60 * 60 * 1_000


def active_restores(records: Sequence[Record]) -> list[RestoreRecord]:
    """The restores that an undo can take back, the oldest first."""
    restores = [one for one in records if isinstance(one, RestoreRecord)]
    undone = {one.undoes for one in restores}
    return [one for one in restores if one.undoes is None and one.id not in undone]


def checkpoints_of(records: Sequence[Record]) -> list[CheckpointRecord]:
    """The checkpoints of a session that were not removed, the oldest first."""
    gone = {name for one in records if isinstance(one, ForgottenRecord) for name in one.checkpoints}
    return [one for one in records if isinstance(one, CheckpointRecord) and one.id not in gone]


def expired(records: Sequence[Record], settings: CheckpointSettings, now: int) -> list[CheckpointRecord]:
    """The checkpoints that are too old or too many at a time (milliseconds), the oldest first.

    The newest is none of them, nor are the two that an active restore stands between: its target and its undo's.
    """
    found = checkpoints_of(records)
    safe = {one.id for one in found[-1:]} | {name for one in active_restores(records) for name in (one.of, one.safety)}
    newest = {one.id for one in found[-settings.keep_checkpoints :]}
    oldest = now - settings.keep_days * DAY_MS
    return [one for one in found if one.id not in safe and (one.id not in newest or one.time < oldest)]
