"""What was rewound: the records that a session left behind when it went back.

Part of the view, of recall and of the tree layout. Ids are in the order of time, so what a rewind leaves behind is a
span of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from brim.sessions.records.kinds import Record, RewindRecord

Span: TypeAlias = tuple[str, str]
"""The last record that still counts, and the rewind; what stands between them is left behind."""


class Rewinds:
    """The rewinds that stand, met from the newest record back.

    A rewind that a later one left behind stands no more: what it had left behind counts again as far as that goes.
    """

    def __init__(self) -> None:
        self.spans: list[Span] = []
        """What they leave behind, the newest first."""
        self._until: str | None = None
        """The record that the last one went back to: what is newer is passed over."""

    def pass_over(self, name: str, to: str | None = None) -> bool:
        """Whether the next older record is left behind; `to` is what it went back to, where it is a rewind."""
        if self._until is not None and name > self._until:
            return True
        self._until = to
        if to is not None:
            self.spans.append((to, name))
        return False


def standing_spans(rewinds: Iterable[Span]) -> list[Span]:
    """The spans of the rewinds that stand, the newest first; `rewinds` are all of them, in any order."""
    met = Rewinds()
    for to, name in sorted(rewinds, key=lambda one: one[1], reverse=True):
        met.pass_over(name, to)
    return met.spans


def is_left_behind(name: str, spans: Iterable[Span]) -> bool:
    """Whether a record stands in one of these spans."""
    return any(to < name < rewind for to, rewind in spans)


def counting(records: Sequence[Record]) -> list[Record]:
    """The records that no rewind left behind, in their order."""
    met = Rewinds()
    kept = [record for record in reversed(records) if not met.pass_over(record.id, went_back(record))]
    return kept[::-1]


def went_back(record: Record) -> str | None:
    """The record that a rewind went back to; None for any other record."""
    return record.to if isinstance(record, RewindRecord) else None
