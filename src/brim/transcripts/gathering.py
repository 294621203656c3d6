"""A dialogue as messages: each answer and its results, each other message, and what stands first after a compaction."""

from __future__ import annotations

from collections.abc import Sequence

from brim.conversation.messages import read_message
from brim.errors import InvalidInput
from brim.transcripts.accumulator import Collected
from brim.transcripts.said import NO_MARKS, Begun, Compacted, Entry, Node, Said
from brim.transcripts.values import CompactionRecord, Damaged


class Gathered:
    """The messages of the nodes so far, and where each stands. What is none is added to the damage."""

    def __init__(self, damaged: list[Damaged]) -> None:
        self.collected = Collected()
        self.begins: list[int] = []
        self._damaged = damaged
        self._places: dict[int, range] = {}
        self._compacted: list[tuple[int, Compacted]] = []

    def add(self, node: Node) -> None:
        """Add what a node comes to; one with a block that is none is damaged."""
        start = len(self.collected.messages)
        if isinstance(node, Begun):
            self.begins.append(start)
        elif isinstance(node, Compacted):
            self._compacted.append((start, node))
        else:
            try:
                self._said(node)
            except InvalidInput as error:
                self._damaged.append(Damaged(node.line, str(error)))
            self._places[id(node)] = range(start, len(self.collected.messages))

    def _said(self, node: Said) -> None:
        if isinstance(node, Entry):
            message = read_message({"role": "user", "content": node.blocks}, node.marks)
            self.collected.append(node.line, message, sent=node.sent, time=node.time)
            return
        if node.blocks:
            message = read_message({"role": "assistant", "content": node.blocks}, node.marks)
            self.collected.respond(node.line, message, node.told, sent=node.sent)
        if node.results:
            message = read_message({"role": "user", "content": node.results}, NO_MARKS)
            sent = node.sent and node.results_sent
            self.collected.append(node.results_line, message, sent=sent, time=node.results_time)

    def compactions(self) -> tuple[CompactionRecord, ...]:
        """The compactions, each with the places of what stands first after it."""
        return tuple(
            CompactionRecord(
                made.kind, made.line, before, made.recorded, opening=self._opening(made.opening), time=made.time
            )
            for before, made in self._compacted
        )

    def _opening(self, nodes: Sequence[Said]) -> tuple[int, ...]:
        return tuple(index for node in nodes for index in self._places.get(id(node), ()))
