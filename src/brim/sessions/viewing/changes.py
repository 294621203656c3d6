"""Changes: what altered the history that messages were written behind, and what that takes from them.

Part of the view; specified by features/sessions/view.feature (SES_04) and features/conversation/thinking.feature
(CNV_06). Thinking is bound to the exact history before it, and a usage measured exactly that history (TOK_11).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias, TypeGuard

from brim.conversation.messages import Message
from brim.conversation.parts import Part, Thinking, ToolResult
from brim.pruning.clearing import PLACEHOLDER
from brim.sessions.records.kinds import (
    Cleared,
    CompactionRecord,
    MessageRecord,
    PruningRecord,
    Record,
    UndoRecord,
)

Basis: TypeAlias = frozenset[str]
"""The ids of the compactions and prunings that stand at a time."""
NOWHERE: Final = -1


@dataclass(frozen=True, slots=True)
class Entry:
    """A message of the view, the record it comes from (None for what brim wrote), and the basis it was written on."""

    id: str | None
    message: Message
    basis: Basis


class Bases:
    """Which compactions and prunings stand, followed forwards through the records that count."""

    def __init__(self) -> None:
        self.now: Basis = frozenset()
        self._changes: set[str] = set()
        self._undos: list[UndoRecord] = []

    def take(self, record: Record) -> None:
        """Take in the next newer record."""
        if type(record) is MessageRecord:  # most are
            return
        if isinstance(record, PruningRecord) or (isinstance(record, CompactionRecord) and record.counts):
            self._changes.add(record.id)
            self.now |= {record.id}
        elif isinstance(record, UndoRecord):
            self._undos.append(record)
            self.now = frozenset(self._changes - undone_by(self._undos))


def undone_by(undos: Sequence[UndoRecord]) -> set[str]:
    """What these undos, the oldest first, are about in the end; an undo that was undone itself counts no more."""
    undone: set[str] = set()
    for record in reversed(undos):
        if record.id not in undone and record.of < record.id:
            undone.add(record.of)
    return undone


def standing_at_the_end(records: Iterable[Record]) -> Basis:
    """The compactions and prunings that stand after all of these records."""
    bases = Bases()
    for record in records:
        bases.take(record)
    return bases.now


def clear(entries: Sequence[Entry], cleared: Mapping[str, Sequence[Cleared]]) -> tuple[list[Entry], dict[str, int]]:
    """The entries with the outputs of each change cleared, and where each change begins to show."""
    out = list(entries)
    begins: dict[str, int] = {}
    for change, outputs in cleared.items():
        wanted = {(output.message, output.call) for output in outputs}
        for place, entry in enumerate(out):
            if entry.id is not None and entry.id > change:
                continue
            message = _cleared(entry, wanted)
            if message is not entry.message:
                out[place] = replace(entry, message=message)
                begins.setdefault(change, place)
    return out, begins


def _cleared(entry: Entry, wanted: set[tuple[str | None, str]]) -> Message:
    parts = tuple([_placeholder(part) if _is_wanted(part, entry.id, wanted) else part for part in entry.message.parts])
    return entry.message if parts == entry.message.parts else entry.message.with_parts(parts)


def _is_wanted(part: Part, holder: str | None, wanted: set[tuple[str | None, str]]) -> TypeGuard[ToolResult]:
    return type(part) is ToolResult and ((holder, part.call_id) in wanted or (None, part.call_id) in wanted)


def _placeholder(part: ToolResult) -> ToolResult:
    return ToolResult(part.call_id, PLACEHOLDER, False, (), {**part.raw, "content": PLACEHOLDER})  # noqa: FBT003


def is_bound(basis: Basis, place: int, now: Basis, begins: Mapping[str, int]) -> bool:
    """Whether the history before this place is the one that stood when something was written on this basis."""
    return basis == now or place < _parting(basis, now, begins)


def _parting(basis: Basis, now: Basis, begins: Mapping[str, int]) -> int:
    """The first place whose history is another on this basis than it is now."""
    return min([begins.get(change, NOWHERE) for change in basis ^ now])


def unbound_thinking_left_out(entries: Sequence[Entry], now: Basis, begins: Mapping[str, int]) -> list[Entry | None]:
    """The entries without thinking whose history is no more; None for one that held nothing else."""
    bases = {entry.basis for entry in entries} - {now}
    partings = {basis: _parting(basis, now, begins) for basis in bases}
    return [
        _without_thinking(entry) if place >= partings.get(entry.basis, place + 1) else entry
        for place, entry in enumerate(entries)
    ]


def _without_thinking(entry: Entry) -> Entry | None:
    thinking = [part for part in entry.message.parts if type(part) is Thinking]
    if not thinking:
        return entry
    if len(thinking) == len(entry.message.parts):
        return None
    return replace(entry, message=entry.message.without(thinking))
