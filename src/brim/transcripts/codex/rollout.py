"""The items of a rollout in the order the API gets them, record by record.

A response is a run of the model's items up to the results of its calls, or up to the count of its tokens: older
versions write the count before the results, newer ones after them. A count that repeats the running total is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from brim.conversation.messages import Marks
from brim.errors import InvalidInput
from brim.transcripts.accumulator import Told, measured
from brim.transcripts.blocks import Given
from brim.transcripts.codex.counts import Counts
from brim.transcripts.codex.history import entered, is_sealed, kept, summary_of
from brim.transcripts.codex.items import item_call, item_result, marks_of, message_blocks, reasoning_block
from brim.transcripts.decoding import Json, moment, string
from brim.transcripts.dialogue import Dialogue
from brim.transcripts.said import Answer, Compacted, Entry
from brim.transcripts.values import CompactionKind, Damaged

SEALED_REASONING: Final = "reasoning (encrypted)"
ABORTED: Final = Marks(error="turn aborted", aborted=True)
STARTED: Final = ("task_started", "turn_started")
ENDED: Final = ("task_complete", "turn_complete")


class Rollout:
    """The records of a session so far."""

    def __init__(self, damaged: Iterable[Damaged]) -> None:
        self.dialogue = Dialogue(damaged)
        self.version: str | None = None
        self.system: str | None = None
        self.folder: str | None = None
        self.counts = Counts()
        self.sealed = 0  # summaries that are encrypted
        self._model: str | None = None
        self._answer: Answer | None = None
        self._task: list[Compacted] | None = None  # the compactions of a task that has no item yet
        self._by: CompactionKind = "compaction"

    def add(self, line: int, record: Given) -> None:
        """Take in the next record; one without a payload is damaged."""
        kind, payload = str(record.get("type")), record.get("payload")
        if not isinstance(payload, Mapping):
            self.dialogue.harm(line, f"a record of type {kind} has no payload")
            return
        try:
            self.dialogue.time = moment(record.get("timestamp"))
            self._take(line, kind, payload)
        except InvalidInput as error:
            self.dialogue.harm(line, str(error))

    def _take(self, line: int, kind: str, payload: Given) -> None:
        if kind == "response_item":
            self._item(line, payload)
        elif kind == "event_msg":
            self._event(payload)
        elif kind == "compacted":
            self._compacted(line, payload)
        else:
            self._about(kind, payload)

    def _about(self, kind: str, payload: Given) -> None:
        """A record about the session or the next turn."""
        self.dialogue.left_out[kind] += 1
        if kind == "session_meta":
            given = payload.get("base_instructions", payload.get("instructions"))
            told = given.get("text") if isinstance(given, Mapping) else given
            self.folder = self.folder or string(payload.get("cwd"))
            self.version = self.version or string(payload.get("cli_version"))
            self.system = self.system or string(told)
        elif kind == "turn_context":
            self._model = string(payload.get("model")) or self._model

    def _item(self, line: int, item: Given) -> None:
        self._task = None
        result = item_result(item)
        if result is not None:
            failed = result.get("is_error") is True
            self.dialogue.result(line, result["tool_use_id"], result["content"], failed=failed)
        elif item.get("type") == "message" and item.get("role") != "assistant":
            blocks = message_blocks(item)
            self.dialogue.say(line, blocks, marks_of(item.get("role"), blocks))
            self._answer = None
        else:
            self._answered(line, item)

    def _answered(self, line: int, item: Given) -> None:
        """An item that the model wrote: a text, reasoning or a call; others are left out."""
        kind, one = str(item.get("type")), reasoning_block(item) or item_call(item)
        blocks = message_blocks(item) if kind == "message" else [one] if one is not None else []
        if not blocks:
            self.dialogue.left_out[SEALED_REASONING if kind == "reasoning" else kind] += 1
            return
        answer = self._answer
        if answer is None or answer.results or answer.told.usage is not None:
            answer = self._answer = self.dialogue.answer(line, Told(None, self._model))
        self.dialogue.put(answer, blocks)

    def _event(self, event: Given) -> None:
        kind = str(event.get("type"))
        self.dialogue.left_out[kind] += 1
        if kind == "token_count" and isinstance(event.get("info"), Mapping):
            self._count(event["info"])
        elif kind in STARTED:
            self._task, self._by = [], "auto"
        elif kind in ENDED:
            self._end()
        elif kind == "turn_aborted" and self._answer is not None:
            self._answer.marks = ABORTED
        elif kind == "thread_rolled_back":
            self._roll_back(event.get("num_turns"))

    def _end(self) -> None:
        """A task ends: where it held a compaction and no item, the user asked for it."""
        for made in self._task or ():
            made.kind = "manual"
        self._task = None

    def _count(self, info: Given) -> None:
        """The tokens of the response before, unless they were told before."""
        last = self.counts.take(info)
        answer = next((node for node in reversed(self.dialogue.nodes) if isinstance(node, Answer | Compacted)), None)
        if last is not None and isinstance(answer, Answer) and answer.told.usage is None:
            answer.told = replace(answer.told, usage=measured("codex", last, answer.told.model))

    def _compacted(self, line: int, payload: Given) -> None:
        """A compaction: the history that it names, or else what is kept without one and the summary."""
        history, summary = payload.get("replacement_history"), string(payload.get("message")) or ""
        made = Compacted(line, self._by, self.counts.held, [], self.dialogue.time)
        before = kept(self.dialogue)
        self.dialogue.nodes.append(made)
        if isinstance(history, list):
            made.opening += entered(self.dialogue, line, history)
            self.sealed += sum(map(is_sealed, history))
        else:
            made.opening += [*before, *summary_of(self.dialogue, line, summary)]
        self._answer = None
        if self._task is not None:
            self._task.append(made)

    def _roll_back(self, turns: Json) -> None:
        """The user went back: the last turns are gone, with what was in them."""
        nodes = self.dialogue.nodes
        starts = [n for n, node in enumerate(nodes) if isinstance(node, Entry) and not node.marks.synthetic]
        if type(turns) is int and 0 < turns <= len(starts):
            self.dialogue.left_out["rolled back"] += len(nodes) - starts[-turns]
            del nodes[starts[-turns] :]
            self._answer = None
