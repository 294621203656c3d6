"""A conversation in the making: what the records of a file come to, before it is a transcript.

Readers add answers, other messages and compactions in the order of the file. Each result goes to the answer that called
for it, wherever its record stands; a call id that was used before gets a name of its own, for the API takes each once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from brim.conversation.messages import PLAIN, Marks
from brim.transcripts.accumulator import Told
from brim.transcripts.blocks import Block, result_block
from brim.transcripts.decoding import Json
from brim.transcripts.gathering import Gathered
from brim.transcripts.said import NO_MARKS, UNTOLD, Answer, Begun, Entry, Node, Said
from brim.transcripts.values import Damaged, Transcript

SEVERAL: Final = "{} conversations stand in the file, one after another; the window is that of the last"


class Dialogue:
    """What was said so far."""

    def __init__(self, damaged: Iterable[Damaged] = ()) -> None:
        self.nodes: list[Node] = []
        self.damaged = list(damaged)
        self.left_out: Counter[str] = Counter()
        self.notes: list[str] = []
        self.time: datetime | None = None
        """When the record was written that is being read."""
        self._begins = False
        self._ids: set[str] = set()
        self._calls: dict[str, tuple[str, Answer]] = {}

    def say(self, line: int, blocks: list[Block], marks: Marks = PLAIN, *, sent: bool = True) -> Entry:
        """Add a message that no model wrote; one without content is none."""
        entry = Entry(line, blocks, marks, sent, self.time)
        if blocks:
            self._add(entry)
        return entry

    def answer(self, line: int, told: Told = UNTOLD, marks: Marks = NO_MARKS, *, sent: bool = True) -> Answer:
        """Add a response; its blocks are put in afterwards."""
        answer = Answer(line, [], replace(told, time=told.time or self.time), marks, sent)
        self._add(answer)
        return answer

    def put(self, answer: Answer, blocks: Iterable[Block]) -> None:
        """Add blocks to a response."""
        for block in blocks:
            if block.get("type") == "tool_use" and isinstance(block.get("id"), str):
                answer.blocks.append({**block, "id": self._own_id(block["id"], answer)})
            else:
                answer.blocks.append(block)

    def result(self, line: int, call: str, content: Json, *, failed: bool = False, sent: bool = True) -> None:
        """Add the result of a call, behind the response that called; one that none called for stands alone.

        With `sent` off, the results of that response were never sent.
        """
        name, answer = self._calls.get(call, (call, None))
        block = result_block(name, content, failed=failed)
        if answer is None:
            self.say(line, [block], NO_MARKS, sent=sent)
            return
        answer.results_sent = answer.results_sent and sent
        answer.results_line = answer.results_line or line
        answer.results_time = answer.results_time or self.time
        answer.results.append(block)

    def begin(self) -> None:
        """Begin a new conversation with what is said next, where something was said before."""
        self._begins = bool(self.nodes)

    @property
    def conversations(self) -> int:
        """How many conversations something was said in."""
        return sum(isinstance(node, Begun) for node in self.nodes) + bool(self.nodes)

    def _add(self, node: Said) -> None:
        if self._begins:
            self.nodes.append(Begun())
            self._begins = False
        self.nodes.append(node)

    def harm(self, line: int, reason: str) -> None:
        """Tell of a record that was skipped."""
        self.damaged.append(Damaged(line, reason))

    def said(self) -> list[Said]:
        """The messages, without what lies between them."""
        return [node for node in self.nodes if isinstance(node, Answer | Entry)]

    def _own_id(self, name: str, answer: Answer) -> str:
        own, number = name, len(self._ids)
        while own in self._ids:
            own, number = f"{name}-{number}", number + 1
        self._ids.add(own)
        self._calls[name] = (own, answer)
        return own

    def transcript(self, name: str, **told: Any) -> Transcript:
        """What was said, as a transcript; `told` is what the file tells beside it."""
        if self.conversations > 1:
            self.notes.append(SEVERAL.format(self.conversations))
        gathered = Gathered(self.damaged)
        for node in self.nodes:
            gathered.add(node)
        collected = gathered.collected
        return Transcript(
            format=name,
            messages=tuple(collected.messages),
            lines=tuple(collected.lines),
            times=tuple(collected.times),
            model=collected.model or told.pop("model", None),
            responses=tuple(collected.responses),
            compactions=gathered.compactions(),
            unsent=frozenset(collected.unsent),
            begins=tuple(gathered.begins),
            damaged=tuple(sorted(self.damaged, key=lambda one: one.line)),
            left_out=dict(self.left_out),
            notes=tuple(self.notes),
            **{field: value for field, value in told.items() if field != "model"},
        )
