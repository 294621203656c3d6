"""What was rewound: the records that a session left behind when it went back.

Part of recall and of the tree layout. Ids are in the order of time, so what a rewind leaves behind is a span of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from brim.sessions.records.kinds import Record, RewindRecord

Span: TypeAlias = tuple[str, str]
"""The last record that still counts, and the rewind; what stands between them is left behind."""


def standing_spans(rewinds: Iterable[Span]) -> list[Span]:
    """The spans of the rewinds that stand, the newest first; `rewinds` are all of them, in any order.

    A rewind that a later one left behind stands no more: what it had left behind counts again as far as that goes.
    """
    spans: list[Span] = []
    until: str | None = None
    for to, name in sorted(rewinds, key=lambda one: one[1], reverse=True):
        if until is None or name <= until:
            spans.append((to, name))
            until = to
    return spans


def is_left_behind(name: str, spans: Iterable[Span]) -> bool:
    """Whether a record stands in one of these spans."""
    return any(to < name < rewind for to, rewind in spans)


def counting(records: Sequence[Record]) -> list[Record]:
    """The records that no rewind left behind, in their order."""
    spans = standing_spans((record.to, record.id) for record in records if isinstance(record, RewindRecord))
    return [record for record in records if not is_left_behind(record.id, spans)] if spans else list(records)
