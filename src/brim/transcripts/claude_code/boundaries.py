"""Boundaries of Claude Code: what a compaction put in place of what, and what a micro-compaction cleared.

After a `compact_boundary` the model sees the summary, then the messages kept word for word (which stand before the
boundary in the file), then what follows. A `microcompact_boundary` names the calls whose results it cleared; its
`preTokens` is the size of the results it looked at, not of the context, and is not taken for one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from brim.transcripts.accumulator import Collected
from brim.transcripts.claude_code.nodes import Boundary, Entry, Node, Results
from brim.transcripts.decoding import Json, moment
from brim.transcripts.values import CompactionKind, CompactionRecord

ENDS: Final = ("headUuid", "tailUuid")
"""The names of the ends of a kept segment."""


class Borders:
    """The compactions of a session, completed as the messages after them come in."""

    def __init__(self, collected: Collected, holders: Mapping[str, Node | Results | None]) -> None:
        self.collected = collected
        self.holders = holders
        self._indices: dict[int, int] = {}
        """For each node, by its identity: the index of its message."""
        self._open: tuple[Boundary, int] | None = None
        """The last boundary that waits for its summary, and how many messages stand before it."""

    def cross(self, boundary: Boundary) -> None:
        """Pass a boundary."""
        before = len(self.collected.messages)
        if boundary.micro:
            cleared = _strings(boundary.metadata.get("compactedToolIds"))
            made = CompactionRecord(
                "micro",
                boundary.line,
                before,
                cleared=frozenset(cleared),
                time=moment(boundary.record.get("timestamp")),
            )
            self.collected.compactions.append(made)
        else:
            self.close()
            self._open = (boundary, before)

    def met(self, node: Node | Results, index: int) -> None:
        """Learn where a node's message stands; a summary completes the boundary before it."""
        self._indices[id(node)] = index
        if isinstance(node, Entry) and node.marks.summary:
            if self._open is not None:
                self._complete(*self._open, summary=(index,))
            elif index > 0:
                made = CompactionRecord("auto", node.line, index, opening=(index,), time=node.time)
                self.collected.compactions.append(made)
        elif self._open is not None and node.line > self._open[0].line and not isinstance(node, Entry):
            self.close()

    def close(self) -> None:
        """End the wait for a summary. Where nothing follows the boundary, what stood before is still what there is."""
        if self._open is not None:
            boundary, before = self._open
            self._complete(boundary, before, summary=() if before < len(self.collected.messages) else None)

    def _complete(self, boundary: Boundary, before: int, summary: tuple[int, ...] | None) -> None:
        self._open = None
        data = boundary.metadata
        kind: CompactionKind = "manual" if data.get("trigger") == "manual" else "auto"
        tokens = data.get("preTokens")
        recorded = tokens if type(tokens) is int else None
        opening = None if summary is None else (*summary, *self._preserved(data, before))
        time = moment(boundary.record.get("timestamp"))
        made = CompactionRecord(kind, boundary.line, before, recorded, opening=opening, time=time)
        self.collected.compactions.append(made)

    def _preserved(self, data: Mapping[str, Json], before: int) -> list[int]:
        """Indices of the messages kept word for word, in the order of the file."""
        named = data.get("preservedMessages")
        uuids = _strings(named.get("uuids")) if isinstance(named, Mapping) else self._segment(data)
        indices = {self._indices.get(id(self.holders.get(uuid)), before) for uuid in uuids}
        return sorted(index for index in indices if index < before)

    def _segment(self, data: Mapping[str, Json]) -> list[str]:
        """Ids of the records from the head to the tail of the segment that was kept."""
        segment = data.get("preservedSegment")
        ends = _strings([segment.get(end) for end in ENDS]) if isinstance(segment, Mapping) else []
        order = list(self.holders)
        places = [order.index(uuid) for uuid in ends if uuid in self.holders]
        return order[places[0] : places[1] + 1] if len(places) == len(ENDS) else []


def _strings(given: Json) -> list[str]:
    return [item for item in given if isinstance(item, str)] if isinstance(given, list) else []
