"""Clearing: the outputs that prunings and compactions took out, in one pass over the messages.

Part of the view; specified by features/sessions/view.feature (SES_04) and pruning/tool_outputs.feature (PRN_07).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from brim.conversation.messages import Message, ToolResult
from brim.pruning.tool_outputs import PLACEHOLDER
from brim.sessions.records.kinds import CompactionRecord, PruningRecord
from brim.sessions.viewing.changes import Entry

Change: TypeAlias = CompactionRecord | PruningRecord


class _Clearing:
    """For each output the first of some changes that clears it."""

    def __init__(self, changes: Iterable[Change]) -> None:
        self._changes = [change for change in changes if change.cleared]
        self._of: dict[tuple[str | None, str], int] = {}
        """By the record that holds the output, and its call."""
        self._anywhere: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        """By the call alone: the changes that clear it wherever it stood then, their ids ascending."""
        for number, change in enumerate(self._changes):
            for output in change.cleared:
                self._note(number, change.id, output.message, output.call)

    def _note(self, number: int, change: str, holder: str | None, call: str) -> None:
        if holder is None:
            known = self._anywhere[call]
            if not known or change > known[-1][0]:
                known.append((change, number))
        elif holder <= change:
            self._of.setdefault((holder, call), number)

    def first(self, holder: str | None, output: ToolResult) -> Change | None:
        """The first change that cleared an output of this record; what was written behind a change it leaves alone."""
        known = self._anywhere.get(output.call_id, ())
        place = bisect_left(known, (holder or "", 0))
        found = [number for _, number in known[place : place + 1]]
        if (holder, output.call_id) in self._of:
            found.append(self._of[holder, output.call_id])
        return self._changes[min(found)] if found else None


def clear(entries: Sequence[Entry], changes: Iterable[Change]) -> tuple[list[Entry], dict[str, int]]:
    """The entries with the outputs of these changes cleared, and the place where each pruning begins to show.

    Changes come in their order. A compaction shows from the beginning, whatever it clears.
    """
    out, begins = list(entries), dict[str, int]()
    clearing = _Clearing(changes)
    for place, entry in enumerate(entries):
        cleared = _cleared(entry, clearing)
        if cleared:
            out[place] = replace(entry, message=_with_placeholders(entry.message, cleared))
            for change in cleared.values():
                if isinstance(change, PruningRecord):
                    begins.setdefault(change.id, place)
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
