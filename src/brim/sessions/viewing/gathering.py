"""Gathering: the messages that records make, one after another, before anything is cleared or repaired.

Part of the view; specified by features/sessions/view.feature (SES_04).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import accumulate

from brim.compaction.layout import answered_lines
from brim.conversation.messages import SUMMARY, SUMMARY_OPENING, user_text
from brim.sessions.records.kinds import CompactionRecord, Copy, MessageRecord, Record, UsageRecord
from brim.sessions.viewing.changes import Bases, Entry
from brim.tokens.usage import TokenUsage


@dataclass(frozen=True, slots=True)
class Reported:
    """A usage, how many entries stand before it, and the basis it was measured on."""

    after: int
    usage: TokenUsage
    model: str
    basis: int


@dataclass(slots=True)
class Gathered:
    """The entries in order, and the usages among them."""

    entries: list[Entry] = field(default_factory=list)
    usages: list[Reported] = field(default_factory=list)
    opened: int = 0
    """How many entries the newest compaction put first."""
    turns: Sequence[AbstractSet[str]] = ()
    """What turned between the bases; see `Bases`."""


def gather(records: Iterable[Record], made: CompactionRecord | None, now: Container[str]) -> Gathered:
    """What the newest compaction put first, then the messages recorded, each on the basis it was written on."""
    opening: list[Entry] = []
    gathered = Gathered()
    bases = Bases()
    gathered.turns = bases.turns
    for record in records:
        if type(record) is MessageRecord:  # most are
            gathered.entries.append(Entry(record.id, record.value, bases.basis))
            continue
        bases.take(record)
        if isinstance(record, UsageRecord):
            gathered.usages.append(Reported(len(gathered.entries), record.usage, record.model, bases.basis))
        elif isinstance(record, CompactionRecord) and record.id in now:
            if record is made:
                _leave_out_answered_lines(gathered)
                opening = [Entry(copy.of, copy.value, bases.basis) for copy in opening_of(made)]
            gathered.entries += [Entry(record.id, copy.value, bases.basis) for copy in record.closing]
    return _opened(gathered, opening)


def _leave_out_answered_lines(gathered: Gathered) -> None:
    """Leave out the lines with which earlier compactions closed and resumed a tool loop, as the newest one did."""
    answered = answered_lines([entry.message for entry in gathered.entries])
    if answered:
        before = [*accumulate((n not in answered for n in range(len(gathered.entries))), initial=0)]
        gathered.entries = [entry for n, entry in enumerate(gathered.entries) if n not in answered]
        gathered.usages = [replace(one, after=before[one.after]) for one in gathered.usages]


def _opened(gathered: Gathered, opening: Sequence[Entry]) -> Gathered:
    """What stands ahead of the tail goes first, and the usages count it too."""
    usages = [replace(one, after=one.after + len(opening)) for one in gathered.usages]
    return Gathered([*opening, *gathered.entries], usages, len(opening), gathered.turns)


def opening_of(made: CompactionRecord) -> Sequence[Copy]:
    """What a compaction puts ahead of the tail; a record of the first version holds the words of the summary alone."""
    if made.opening or made.summary is None:
        return made.opening
    told = user_text(f"{SUMMARY_OPENING}\n\n{made.summary.content}", SUMMARY)
    return (Copy(message=dict(told.raw), marks=SUMMARY),)
