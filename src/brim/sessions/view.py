"""The view: what the model sees of a session, worked out from its records alone.

Two steps give it:

1. `replay_from_end` reads the records that count: back to the newest finished compaction and its tail, without what a
   rewind went behind and what was undone (`Visibility`).
2. `view_of` puts their messages in order (`gather`), clears outputs that were cleared (`clear`), and pairs calls and
   results (`View`).

Thinking is bound to the exact history before it (CNV_06), and a usage measured exactly that history (TOK_11): both are
left out once a change altered that history. So each message and usage has the revision of the active changes that it
was written under, and `divergence_points` says where the history of each revision is another one now.
Specified by features/sessions/view.feature (SES_04).
"""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, takewhile
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeGuard

from brim.compaction.context_window import ContextWindow
from brim.compaction.layout import answered_lines
from brim.compaction.policy import CompactionPolicy
from brim.conversation.messages import (
    SUMMARY,
    SUMMARY_OPENING,
    Message,
    Thinking,
    ToolResult,
    sendable_form,
    user_text,
    with_checkpoint,
)
from brim.conversation.tool_pairs import Repaired, late_result_indices, pair_tools
from brim.models import NO_LIMIT, ModelLimits
from brim.pruning.tool_outputs import cleared
from brim.sessions.records import (
    CheckpointRecord,
    CompactionRecord,
    Copy,
    Learned,
    MessageRecord,
    PruningRecord,
    Record,
    RewindRecord,
    UndoRecord,
    UsageRecord,
)
from brim.summary.facts import Fact
from brim.summary.identifiers import NO_IDENTIFIERS, Identifiers
from brim.tokens.calibration import Calibration, Calibrations
from brim.tokens.usage import TokenUsage

NOWHERE: Final = -1
NEVER: Final = sys.maxsize
NO_REPAIR: Final = Repaired((), ())


@dataclass(frozen=True, slots=True)
class Measured:
    """A usage that still measures the conversation as far as `after` messages of the view."""

    after: int
    """Number of messages of the view that it measures."""
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
    """Number of messages that the newest compaction put ahead of the tail."""
    usages: tuple[Measured, ...] = ()
    """The usages that still measure the conversation."""
    facts: tuple[Fact, ...] = ()
    """The facts that must survive, from the active compaction."""
    learned: Learned | None = None
    """The calibration of a model, in characters a token, before the active compaction."""
    identifiers: Identifiers = NO_IDENTIFIERS
    """The identifiers of what has left, from the active compaction (REC_02)."""
    compaction: str | None = None
    """The record of the active compaction; None where the whole history is visible."""
    repaired: Repaired = NO_REPAIR
    """The result of the pairing: calls answered, results moved or left out."""

    def window(
        self, limits: ModelLimits = NO_LIMIT, policy: CompactionPolicy | None = None, **settings: Any
    ) -> ContextWindow:
        """The running account of this conversation; `settings` are the other arguments of ContextWindow."""
        if (learned := self.learned) is not None:
            calibrations = Calibrations()
            calibrations[learned.model] = Calibration(learned.samples, learned.characters, learned.tokens)
            settings = {"calibrations": calibrations, "model": learned.model} | settings
        window = ContextWindow(limits, policy, facts=self.facts, identifiers=self.identifiers, **settings)
        usages = {self._end_of_answer(one.after): one for one in self.usages}
        for count, message in enumerate(self.messages, 1):
            window.append(message)
            if count in usages:
                window.record(usages[count].usage, model=usages[count].model)
        return window

    def _end_of_answer(self, after: int) -> int:
        """Return how many messages precede the end of the answer that a usage behind so many measures.

        The answer can be several messages, added one by one; where one of them has a usage of its own, that goes on.
        """
        if not 0 < after <= len(self.messages) or self.messages[after - 1].role != "assistant":
            return after
        following = takewhile(lambda message: message.role == "assistant", self.messages[after:])
        end = after + sum(1 for _ in following)
        return after if any(after < one.after <= end for one in self.usages) else end


def view_of(active: Visibility) -> View:
    """The view that these records make."""
    made = active.compaction
    entries, reported, checkpoints, opened, revisions = gather(active)
    entries, begins = clear(entries, active.clearing)
    diverged = divergence_points(revisions, begins)
    sent = _sendable(entries, lambda one: one.position >= diverged[one.revision])
    paired = pair_tools([one.message for one in sent])
    late: list[tuple[int, int]] = []
    if paired.moved:  # between a call and a result that came late the history is another one now
        moved = late_result_indices([one.message for one in sent])
        late = [(sent[end].position, sent[found].position) for end, found in moved]
        sent = _sendable(sent, lambda one: _is_within(one.position, late))
        paired = pair_tools([one.message for one in sent])
    count = _messages_before([None if source is None else sent[source].position for source in paired.sources])
    usages = (one for one in reported if one.after <= diverged[one.revision])
    marked = {count(after) - 1 for after in checkpoints}
    return View(
        messages=tuple([with_checkpoint(one) if n in marked else one for n, one in enumerate(paired.messages)]),
        ids=tuple(None if source is None else sent[source].id for source in paired.sources),
        opened=count(opened),
        usages=tuple(
            Measured(count(one.after), one.usage, one.model) for one in usages if not _is_within(one.after - 1, late)
        ),
        facts=made.facts if made is not None else (),
        learned=made.learned if made is not None else None,
        identifiers=made.identifiers if made is not None else NO_IDENTIFIERS,
        compaction=made.id if made is not None else None,
        repaired=paired,
    )


State: TypeAlias = Literal["visible", "cleared", "compacted", "rewound"]
"""Whether the model sees a message: yes; yes, with a placeholder for the output of a tool; no, a summary replaces it;
no, a rewind went behind it."""


@dataclass(frozen=True)
class Visibility:
    """The records of a session that count, and what the model sees of its messages."""

    records: list[Record]
    """The records that are not rewound, oldest first, as far back as was read."""
    compaction: CompactionRecord | None = None
    """The newest finished compaction that was not undone."""
    rewound: tuple[tuple[str, str], ...] = ()
    """For each active rewind and each undo of one, the oldest first: the last record that still counts, and its own."""
    undone: frozenset[str] = frozenset()
    """The records that were undone: changes, rewinds, and undos that were undone themselves."""

    @cached_property
    def changes(self) -> Sequence[Change]:
        """The active compactions and prunings, the oldest first."""
        others = [one for one in self.records if type(one) is not MessageRecord]  # most are
        return [one for one in others if is_change(one) and one.id not in self.undone]

    @cached_property
    def clearing(self) -> Clearing:
        """The outputs that are cleared."""
        return Clearing(self.changes)

    def is_rewound(self, record: str) -> bool:
        """Return whether an active rewind, or an undo of one, went behind a record."""
        following = bisect_right(self.rewound, record, key=lambda span: span[1])
        return following < len(self.rewound) and self.rewound[following][0] < record

    def is_visible(self, message: str) -> bool:
        """Return whether the model sees a message, by its record."""
        made = self.compaction
        if self.is_rewound(message):
            return False
        return made is None or message >= min(made.tail or made.id, made.id) or message in self._opening

    @cached_property
    def _opening(self) -> frozenset[str | None]:
        return frozenset(copy.of for copy in self.compaction.opening) if self.compaction is not None else frozenset()

    def state(self, message: str, calls: Iterable[str] = ()) -> State:
        """Return what became of a message, by its record, and the calls whose outputs it holds."""
        if not self.is_visible(message):
            return "rewound" if self.is_rewound(message) else "compacted"
        return "cleared" if any(self.clearing.first(message, call) for call in calls) else "visible"


def replay_from_end(newest_first: Iterable[Record], *, whole: bool = False) -> Visibility:
    """Read back to the newest finished compaction whose summary carries no error, then on to the start of its tail.

    With `whole`, read on to the beginning. What a rewind went behind is passed over; of several undos of one change the
    newest counts. Where the first record of the tail is gone, the tail begins with the next one: ids ascend.
    """
    found: list[Record] = []
    rewound: list[tuple[str, str]] = []
    verdicts: dict[str, tuple[int, bool]] = {}
    """For what undos are about: how far back the newest of them is, and whether it counts by that."""
    made: CompactionRecord | None = None
    until: str | None = None
    for back, record in enumerate(newest_first):
        if made is not None and not whole and (made.tail is None or record.id < made.tail):
            break
        if until is not None and record.id > until:
            continue
        until = None
        found.append(record)
        if type(record) is MessageRecord:  # most are
            continue
        if isinstance(record, RewindRecord | UndoRecord) and record.to is not None:
            until = record.to
            rewound.append((min(record.to, record.id), record.id))
        if isinstance(record, UndoRecord) and record.of < record.id:
            newest, counts = verdicts.get(record.id, (back, True))
            verdicts[record.of] = min(verdicts.get(record.of, (newest, not counts)), (newest, not counts))
        elif made is None and isinstance(record, CompactionRecord) and record.counts:
            made = record if verdicts.get(record.id, (0, True))[1] else None
    undone = frozenset(name for name, (_, counts) in verdicts.items() if not counts)
    return Visibility(found[::-1], made, tuple(reversed(rewound)), undone)


def visibility_of(records: Sequence[Record]) -> Visibility:
    """Return what is visible of a whole log; its records come oldest first."""
    return replay_from_end(reversed(records), whole=True)


class ViewEntry(NamedTuple):
    """A message of the view, and the record it comes from (None for what brim wrote)."""

    id: str | None
    message: Message
    revision: int
    """The number of the revision, of the active changes, that it was written on."""
    position: int = 0
    """Its index among all."""


class Reported(NamedTuple):
    """A usage, how many entries precede it, and the revision it was measured on."""

    after: int
    usage: TokenUsage
    model: str
    revision: int


class Gathered(NamedTuple):
    """The opening of the newest compaction, then the messages recorded, and what is known of them."""

    entries: list[ViewEntry]
    """The messages, each with the revision it was written on."""
    usages: list[Reported]
    """The usages."""
    checkpoints: list[int]
    """For each checkpoint that the user made, how many entries precede it."""
    opened: int
    """Number of entries that the newest compaction put first."""
    revisions: Sequence[frozenset[str]]
    """The changes that were active, one set after another."""


def gather(active: Visibility) -> Gathered:
    """The messages of the records that count."""
    opening: list[ViewEntry] = []
    entries: list[ViewEntry] = []
    usages: list[Reported] = []
    checkpoints: list[int] = []
    effects: dict[str, tuple[str, bool]] = {}
    revisions, now = [frozenset[str]()], {one.id for one in active.changes}
    for record in active.records:
        if type(record) is MessageRecord:  # most are
            entries.append(ViewEntry(record.id, record.value, len(revisions) - 1))
            continue
        toggled = toggled_change(record, effects)
        if toggled is not None and toggled[1] != (toggled[0] in revisions[-1]):
            revisions.append(revisions[-1] ^ {toggled[0]})
        if isinstance(record, UsageRecord):
            usages.append(Reported(len(entries), record.usage, record.model, len(revisions) - 1))
        elif isinstance(record, CheckpointRecord):
            checkpoints += [len(entries)] * record.is_by_hand
        elif isinstance(record, CompactionRecord) and record.id in now:
            copies = enumerate(record.closing, -len(record.closing))  # keys below 0 are those behind the tail
            closing = [ViewEntry(record.id, _keyed(copy, record, n), len(revisions) - 1) for n, copy in copies]
            if record is active.compaction:
                entries, usages, checkpoints = _without_answered_lines(entries, usages, checkpoints)
                first = enumerate(opening_of(record))
                opening = [ViewEntry(copy.of, _keyed(copy, record, n), len(revisions) - 1) for n, copy in first]
            entries += closing
    entries = [ViewEntry(*one[:3], n) for n, one in enumerate([*opening, *entries])]
    usages = [one._replace(after=one.after + len(opening)) for one in usages]
    return Gathered(entries, usages, [one + len(opening) for one in checkpoints], len(opening), revisions)


def _without_answered_lines(
    entries: list[ViewEntry], usages: list[Reported], checkpoints: list[int]
) -> tuple[list[ViewEntry], list[Reported], list[int]]:
    """Leave out the lines with which earlier compactions closed and resumed a tool loop, as the newest one did."""
    answered = answered_lines([entry.message for entry in entries])
    if not answered:
        return entries, usages, checkpoints
    before = [*accumulate((n not in answered for n in range(len(entries))), initial=0)]
    left = [entry for n, entry in enumerate(entries) if n not in answered]
    return left, [one._replace(after=before[one.after]) for one in usages], [before[one] for one in checkpoints]


def _keyed(copy: Copy, made: CompactionRecord, number: int) -> Message:
    """A message of a compaction, with a key that no other one has."""
    return replace(copy.value, key=(made.id, number))


def opening_of(made: CompactionRecord) -> Sequence[Copy]:
    """Return what a compaction puts ahead of the tail; of a record of the first version the summary alone."""
    if made.opening or made.summary is None:
        return made.opening
    summary = user_text(f"{SUMMARY_OPENING}\n\n{made.summary.content}", SUMMARY)
    return (Copy(message=dict(summary.raw), marks=SUMMARY),)


Change: TypeAlias = CompactionRecord | PruningRecord


def is_change(record: Record) -> TypeGuard[Change]:
    """Return whether it is a pruning, or a finished compaction: both change what is visible, until they are undone."""
    return isinstance(record, PruningRecord) or (isinstance(record, CompactionRecord) and record.counts)


class Clearing:
    """For each output the first of some changes that clears it."""

    def __init__(self, changes: Iterable[Change]) -> None:
        self._of: defaultdict[str, list[tuple[str | None, Change]]] = defaultdict(list)
        """By the call: the records that hold its output (as in ClearedOutput), each with the change that clears it."""
        for change in changes:
            for output in change.cleared:
                self._of[output.call].append((output.message, change))

    def first(self, holder: str | None, call: str) -> Change | None:
        """The first change that cleared an output of this record; a change clears nothing that was written after it."""
        holder = holder or ""
        found = (change for of, change in self._of.get(call, ()) if of in {None, holder} and holder <= change.id)
        return next(found, None)


def clear(entries: Sequence[ViewEntry], clearing: Clearing) -> tuple[list[ViewEntry], dict[str, int]]:
    """The entries with these outputs cleared, and the index where each pruning begins to show.

    A compaction shows from the beginning, whatever it clears.
    """
    out, begins = list(entries), dict[str, int]()
    for n, entry in enumerate(entries):
        parts = list(entry.message.parts)
        for at, part in enumerate(entry.message.parts):
            change = clearing.first(entry.id, part.call_id) if type(part) is ToolResult else None
            if change is not None and type(part) is ToolResult and part != (placeholder := cleared(part)):
                parts[at] = placeholder
                out[n] = entry._replace(message=entry.message.with_parts(tuple(parts)))
                if isinstance(change, PruningRecord):
                    begins.setdefault(change.id, n)
    return out, begins


def toggled_change(record: Record, effects: dict[str, tuple[str, bool]]) -> tuple[str, bool] | None:
    """The compaction or pruning that a record is or undoes, and whether that is active by it.

    `effects` has the same for the records before, and gets this one.
    """
    if is_change(record):
        effects[record.id] = (record.id, True)
    elif isinstance(record, UndoRecord) and record.of in effects and record.of < record.id:
        change, is_active = effects[record.of]
        effects[record.id] = (change, not is_active)
    else:
        return None
    return effects[record.id]


def divergence_points(revisions: Sequence[frozenset[str]], begins: Mapping[str, int]) -> list[int]:
    """For each revision the first index whose history is another one in it than it is now; NEVER where none is."""
    now = revisions[-1]
    return [min((begins.get(change, NOWHERE) for change in then ^ now), default=NEVER) for then in revisions]


def _sendable(entries: Iterable[ViewEntry], is_unbound: Callable[[ViewEntry], bool]) -> list[ViewEntry]:
    """The messages as they can be sent, without thinking whose history is another one now (CNV_06, CNV_09)."""
    out: list[ViewEntry] = []
    for entry in entries:
        message: Message | None = entry.message
        thinking = [part for part in entry.message.parts if type(part) is Thinking] if is_unbound(entry) else []
        if thinking:
            message = entry.message.without(thinking) if len(thinking) < len(entry.message.parts) else None
        if message is not None and (sendable := sendable_form(message)) is not None:
            out.append(entry if sendable is entry.message else entry._replace(message=sendable))
    return out


def _is_within(index: int, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start < index < end for start, end in spans)


def _messages_before(indices: Sequence[int | None]) -> Callable[[int], int]:
    """A function: how many messages of the repaired view come from what precedes an index; indices ascend."""
    known = [(index, n) for n, index in enumerate(indices, 1) if index is not None]
    ascending = [index for index, _ in known]

    def count(before: int) -> int:
        found = bisect_left(ascending, before)
        return known[found - 1][1] if found else 0

    return count
