"""The view: what the model sees of a session, worked out from its records alone.

Specified by features/sessions/view.feature (SES_04). Thinking is bound to the exact history before it (CNV_06), and a
usage measured exactly that history (TOK_11): both are left out once a change altered that history.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, Final, NamedTuple, TypeAlias

from brim.compaction.context_window import ContextWindow
from brim.compaction.layout import answered_lines
from brim.compaction.policy import CompactionPolicy
from brim.conversation.messages import SUMMARY, SUMMARY_OPENING, Message, Thinking, ToolResult, sendable_form, user_text
from brim.conversation.tool_pairs import Repaired, late_result_indices, pair_tools
from brim.models import NO_LIMIT, ModelLimits
from brim.pruning.tool_outputs import PLACEHOLDER
from brim.sessions.records import (
    CompactionRecord,
    Copy,
    MessageRecord,
    PruningRecord,
    Record,
    RewindRecord,
    UndoRecord,
    UsageRecord,
)
from brim.summary.facts import Fact
from brim.tokens.usage import TokenUsage

RewoundSpan: TypeAlias = tuple[str, str]
"""The last record that still counts, and the rewind; the records between them are rewound."""


def rewound_spans(rewinds: Iterable[RewoundSpan]) -> list[RewoundSpan]:
    """The spans of the active rewinds, the newest first; `rewinds` are all of them, in any order.

    A rewind that a later one went behind is not active: what it had rewound counts again as far as that goes.
    """
    spans: list[RewoundSpan] = []
    for to, name in sorted(rewinds, key=lambda one: one[1], reverse=True):
        if not spans or name <= spans[-1][0]:
            spans.append((to, name))
    return spans


def is_rewound(name: str, spans: Iterable[RewoundSpan]) -> bool:
    """Whether a record is in one of these spans."""
    return any(to < name < rewind for to, rewind in spans)


def counting(newest_first: Iterable[Record]) -> Iterator[Record]:
    """The records that are not rewound, newest first as they are given."""
    until: str | None = None
    for record in newest_first:
        if until is None or record.id <= until:
            until = record.to if isinstance(record, RewindRecord) else None
            yield record


def without_rewound(records: Sequence[Record]) -> list[Record]:
    """The records that are not rewound, in their order."""
    return [*counting(reversed(records))][::-1]


NOWHERE: Final = -1
NEVER: Final = sys.maxsize


@dataclass(frozen=True, slots=True)
class Entry:
    """A message of the view, the record it comes from (None for what brim wrote), and its revision."""

    id: str | None
    message: Message
    revision: int
    """The revision of the active changes when it was written; see `Revisions`."""


class Revisions:
    """Which compactions and prunings are active, followed forwards through the records that count."""

    def __init__(self) -> None:
        self.now: set[str] = set()
        """The ids of the active ones."""
        self.number = 0
        """How often the active changes had changed so far."""
        self.toggles: list[AbstractSet[str]] = []
        """For each revision the changes that it made active, or inactive."""
        self._changes: set[str] = set()
        self._undos: list[UndoRecord] = []

    def take(self, record: Record) -> None:
        """Take in the next newer record."""
        if type(record) is MessageRecord:  # most are
            return
        if isinstance(record, PruningRecord) or (isinstance(record, CompactionRecord) and record.counts):
            self._changes.add(record.id)
            self._toggle({record.id} - self.now)
        elif isinstance(record, UndoRecord):
            self._undos.append(record)
            self._toggle(self.now ^ (self._changes - undone_by(self._undos)))

    def _toggle(self, toggled: AbstractSet[str]) -> None:
        self.now ^= toggled
        self.toggles.append(toggled)
        self.number += 1


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


def active_changes(records: Iterable[Record]) -> frozenset[str]:
    """The compactions and prunings that are active after all of these records."""
    revisions = Revisions()
    for record in records:
        revisions.take(record)
    return frozenset(revisions.now)


def divergence_points(toggles: Sequence[AbstractSet[str]], begins: Mapping[str, int]) -> list[int]:
    """For each revision the first index whose history is another one in it than it is now; NEVER for the newest.

    What differs from now is what was toggled since, found from the newest revision back.
    """
    apart: set[str] = set()
    found = [NEVER]
    for toggled in reversed(toggles):
        fresh = apart.isdisjoint(toggled)
        apart ^= toggled
        indices = [begins.get(change, NOWHERE) for change in (toggled if fresh else apart)]
        found.append(min([*indices, found[-1] if fresh else NEVER]))
    return found[::-1]


@dataclass(frozen=True, slots=True)
class ActiveRecords:
    """The records that count now, oldest first, as far back as what is visible reaches."""

    records: tuple[Record, ...]
    compaction: CompactionRecord | None = None
    """The newest finished compaction that was not undone."""


def replay_from_end(newest_first: Iterable[Record]) -> ActiveRecords:
    """Read back to the newest finished compaction whose summary carries no error, then on to the start of its tail.

    What a rewind went behind is passed over; what was undone counts no more. Where the first record of the tail is
    gone, the tail begins with the next one: ids ascend.
    """
    found: list[Record] = []
    undone: set[str] = set()
    made: CompactionRecord | None = None
    for record in counting(newest_first):
        if made is not None and (made.tail is None or record.id < made.tail):
            break
        if isinstance(record, UndoRecord):
            note_undo(record, undone)
        elif made is None and isinstance(record, CompactionRecord) and record.counts and record.id not in undone:
            made = record
        found.append(record)
    return ActiveRecords(tuple(reversed(found)), made)


class Reported(NamedTuple):
    """A usage, how many entries precede it, and the revision it was measured on."""

    after: int
    usage: TokenUsage
    model: str
    revision: int


class Gathered(NamedTuple):
    """The entries in order, and the usages among them."""

    entries: Sequence[Entry]
    usages: Sequence[Reported]
    opened: int
    """How many entries the newest compaction put first."""
    toggles: Sequence[AbstractSet[str]]
    """What each revision toggled; see `Revisions`."""


def gather(records: Iterable[Record], made: CompactionRecord | None, now: Container[str]) -> Gathered:
    """What the newest compaction put first, then the messages recorded, each with the revision it was written on."""
    opening: list[Entry] = []
    entries: list[Entry] = []
    usages: list[Reported] = []
    revisions = Revisions()
    for record in records:
        if type(record) is MessageRecord:  # most are
            entries.append(Entry(record.id, record.value, revisions.number))
            continue
        revisions.take(record)
        if isinstance(record, UsageRecord):
            usages.append(Reported(len(entries), record.usage, record.model, revisions.number))
        elif isinstance(record, CompactionRecord) and record.id in now:
            copies = enumerate(record.closing, -len(record.closing))  # keys below 0 are those behind the tail
            closing = [Entry(record.id, _keyed(copy, record, n), revisions.number) for n, copy in copies]
            if record is made:
                entries, usages = _without_answered_lines(entries, usages)
                first = enumerate(opening_of(record))
                opening = [Entry(copy.of, _keyed(copy, record, n), revisions.number) for n, copy in first]
            entries += closing
    usages = [one._replace(after=one.after + len(opening)) for one in usages]
    return Gathered([*opening, *entries], usages, len(opening), revisions.toggles)


def _without_answered_lines(entries: list[Entry], usages: list[Reported]) -> tuple[list[Entry], list[Reported]]:
    """Leave out the lines with which earlier compactions closed and resumed a tool loop, as the newest one did."""
    answered = answered_lines([entry.message for entry in entries])
    if not answered:
        return entries, usages
    before = [*accumulate((n not in answered for n in range(len(entries))), initial=0)]
    left = [entry for n, entry in enumerate(entries) if n not in answered]
    return left, [one._replace(after=before[one.after]) for one in usages]


def _keyed(copy: Copy, made: CompactionRecord, number: int) -> Message:
    """A message of a compaction, with a key that no other one has."""
    return replace(copy.value, key=(made.id, number))


def opening_of(made: CompactionRecord) -> Sequence[Copy]:
    """What a compaction puts ahead of the tail; a record of the first version holds the words of the summary alone."""
    if made.opening or made.summary is None:
        return made.opening
    summary = user_text(f"{SUMMARY_OPENING}\n\n{made.summary.content}", SUMMARY)
    return (Copy(message=dict(summary.raw), marks=SUMMARY),)


Change: TypeAlias = CompactionRecord | PruningRecord


class _Clearing:
    """For each output the first of some changes that clears it."""

    def __init__(self, changes: Iterable[Change]) -> None:
        self._changes = [change for change in changes if change.cleared]
        self._of: dict[tuple[str | None, str], int] = {}
        """By the record that holds the output, and its call."""
        self._anywhere: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        """By the call alone: the changes that clear it in any record then, their ids ascending."""
        for number, change in enumerate(self._changes):
            for output in change.cleared:
                self._note(number, change.id, output.message, output.call)

    @property
    def clears(self) -> bool:
        """Whether any change clears an output."""
        return bool(self._changes)

    def _note(self, number: int, change: str, holder: str | None, call: str) -> None:
        if holder is None:
            known = self._anywhere[call]
            if not known or change > known[-1][0]:
                known.append((change, number))
        elif holder <= change:
            self._of.setdefault((holder, call), number)

    def first(self, holder: str | None, output: ToolResult) -> Change | None:
        """The first change that cleared an output of this record; a change clears nothing that was written after it."""
        known = self._anywhere.get(output.call_id, ())
        index = bisect_left(known, (holder or "", 0))
        found = [number for _, number in known[index : index + 1]]
        if (holder, output.call_id) in self._of:
            found.append(self._of[holder, output.call_id])
        return self._changes[min(found)] if found else None


def clear(entries: Sequence[Entry], changes: Iterable[Change]) -> tuple[list[Entry], dict[str, int]]:
    """The entries with the outputs of these changes cleared, and the index where each pruning begins to show.

    Changes come in their order. A compaction shows from the beginning, whatever it clears.
    """
    out, begins = list(entries), dict[str, int]()
    clearing = _Clearing(changes)
    for n, entry in enumerate(entries if clearing.clears else ()):
        cleared = _cleared(entry, clearing)
        if cleared:
            out[n] = replace(entry, message=_with_placeholders(entry.message, cleared))
            for change in cleared.values():
                if isinstance(change, PruningRecord):
                    begins.setdefault(change.id, n)
    return out, begins


def _cleared(entry: Entry, clearing: _Clearing) -> dict[int, Change]:
    """Which parts of an entry are cleared, each by what; none that reads so already."""
    outputs = [(n, part) for n, part in enumerate(entry.message.parts) if type(part) is ToolResult]
    found = [(n, part, clearing.first(entry.id, part)) for n, part in outputs]
    return {n: change for n, part, change in found if change is not None and part != _placeholder(part)}


def _with_placeholders(message: Message, cleared: Container[int]) -> Message:
    parts = enumerate(message.parts)
    return message.with_parts(
        tuple([_placeholder(part) if n in cleared and type(part) is ToolResult else part for n, part in parts])
    )


def _placeholder(part: ToolResult) -> ToolResult:
    return ToolResult(part.call_id, PLACEHOLDER, False, (), {**part.raw, "content": PLACEHOLDER})  # noqa: FBT003


class Form(NamedTuple):
    """A message as it can be sent, the index of its entry, and its record."""

    entry: int
    id: str | None
    message: Message


def _sendable(forms: Iterable[Form], is_unbound: Callable[[int], bool]) -> list[Form]:
    """The messages as they can be sent, without thinking whose history is another one now (CNV_06, CNV_09)."""
    out: list[Form] = []
    for form in forms:
        message: Message | None = form.message
        thinking = [part for part in form.message.parts if type(part) is Thinking] if is_unbound(form.entry) else []
        if thinking:
            message = form.message.without(thinking) if len(thinking) < len(form.message.parts) else None
        if message is not None and (sendable := sendable_form(message)) is not None:
            out.append(form._replace(message=sendable))
    return out


NO_REPAIR: Final = Repaired((), ())


@dataclass(frozen=True, slots=True)
class Measured:
    """A usage that still measures the conversation as far as `after` messages of the view."""

    after: int
    """How many messages of the view it measures."""
    usage: TokenUsage
    """The usage."""
    model: str
    """The model that reported it."""


@dataclass(frozen=True, slots=True)
class View:
    """The conversation as the next request has it: its calls paired (CNV_04), and nothing the API refuses (CNV_09)."""

    messages: tuple[Message, ...]
    """The messages, in the order they are sent."""
    ids: tuple[str | None, ...]
    """For each message the record it comes from; None for what brim wrote: a summary, the answer to an open call."""
    opened: int = 0
    """How many of them the newest compaction put ahead of the tail."""
    usages: tuple[Measured, ...] = ()
    """The usages that still measure the conversation."""
    facts: tuple[Fact, ...] = ()
    """What must survive, from the active compaction."""
    compaction: str | None = None
    """The record of the active compaction; None where the whole history is visible."""
    repaired: Repaired = NO_REPAIR
    """What the pairing did: calls answered, results moved or left out."""

    def window(
        self, limits: ModelLimits = NO_LIMIT, policy: CompactionPolicy | None = None, **settings: Any
    ) -> ContextWindow:
        """The running account of this conversation; `settings` are the other arguments of ContextWindow."""
        window = ContextWindow(limits, policy, facts=self.facts, **settings)
        usages = {one.after: one for one in self.usages}
        for count, message in enumerate(self.messages, 1):
            window.append(message)
            if count in usages:
                window.record(usages[count].usage, model=usages[count].model)
        return window


def view_of(active: ActiveRecords) -> View:
    """The view that these records make."""
    now, made = active_changes(active.records), active.compaction
    gathered = gather(active.records, made, now)
    entries, begins = clear(gathered.entries, _changes_of(active.records, now))
    diverged = divergence_points(gathered.toggles, begins)
    written = (Form(n, one.id, one.message) for n, one in enumerate(entries))
    forms = _sendable(written, lambda n: n >= diverged[entries[n].revision])
    paired = pair_tools([form.message for form in forms])
    late: list[tuple[int, int]] = []
    if paired.moved:  # between a call and a result that came late the history is another one now
        moved = late_result_indices([form.message for form in forms])
        late = [(forms[end].entry, forms[found].entry) for end, found in moved]
        forms = _sendable(forms, lambda n: _is_within(n, late))
        paired = pair_tools([form.message for form in forms])
    indices = [None if source is None else forms[source].entry for source in paired.sources]
    count = _counting(indices)
    usages = (one for one in gathered.usages if one.after <= diverged[one.revision])
    return View(
        messages=paired.messages,
        ids=tuple(None if source is None else forms[source].id for source in paired.sources),
        opened=count(gathered.opened),
        usages=tuple(
            Measured(count(one.after), one.usage, one.model) for one in usages if not _is_within(one.after - 1, late)
        ),
        facts=made.facts if made is not None else (),
        compaction=made.id if made is not None else None,
        repaired=paired,
    )


def _is_within(index: int, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start < index < end for start, end in spans)


def _changes_of(records: Iterable[Record], now: Container[str]) -> Iterator[Change]:
    return (one for one in records if isinstance(one, PruningRecord | CompactionRecord) and one.id in now)


def _counting(indices: Sequence[int | None]) -> Callable[[int], int]:
    """A function: how many messages of the repaired view come from what precedes an index; indices ascend."""
    known = [(index, n) for n, index in enumerate(indices, 1) if index is not None]
    ascending = [index for index, _ in known]

    def count(before: int) -> int:
        found = bisect_left(ascending, before)
        return known[found - 1][1] if found else 0

    return count
