"""The main chain of a Claude Code session, built record by record in the order of the file.

The records of one response are joined by its id, and whatever stands between them goes behind it. Each result goes to
the response that called for it. A record met again (a fork copies its parent's history) is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from brim.conversation.messages import Marks, Message, Part, ToolCall, ToolResult, read_message
from brim.errors import InvalidInput
from brim.tokens.usage import SYNTHETIC_MODEL
from brim.transcripts.claude_code.nodes import Answer, Boundary, Entry, Node, Record, Results
from brim.transcripts.claude_code.records import (
    injected,
    is_boundary,
    kind_of,
    marks_of,
    message_of,
    own_blocks,
    response_id,
)
from brim.transcripts.decoding import Json, moment, string
from brim.transcripts.values import Damaged


class Chain:
    """The nodes of the main chain, in the order the API gets them."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.holders: dict[str, Node | Results | None] = {}
        """For the id of each record of the main chain, in order: what it became part of."""
        self.damaged: list[Damaged] = []
        self.left_out: Counter[str] = Counter()
        self.versions: Counter[str] = Counter()
        self.folder: str | None = None
        self.aside: dict[str | int, Mapping[str, Json]] = {}
        """The last record of each response of sub-agents, by its id, or its line where it has none."""
        self._answers: dict[str, Answer] = {}
        self._callers: dict[str, Answer] = {}
        self._answered: set[str] = set()

    def add(self, line: int, record: Record) -> None:
        """Take in the next record."""
        uuid = record.get("uuid")
        if isinstance(uuid, str) and uuid in self.holders:
            self.left_out["repeated"] += 1
            return
        self._count_version(record)
        self.folder = self.folder or string(record.get("cwd"))
        try:
            holder = self._place(line, record)
        except InvalidInput as error:
            self.damaged.append(Damaged(line, str(error)))
            return
        if isinstance(uuid, str):
            self.holders[uuid] = holder

    def _count_version(self, record: Record) -> None:
        if isinstance(record.get("version"), str):
            self.versions[record["version"]] += 1

    def _place(self, line: int, record: Record) -> Node | Results | None:
        """Put a record where it belongs; None where it is no part of what is sent."""
        kind = record.get("type")
        if record.get("isSidechain") is True:
            self.left_out["sidechain"] += 1
            if kind == "assistant" and isinstance(record.get("message"), Mapping):
                self.aside[response_id(record) or line] = record["message"]
            return None
        if kind == "assistant":
            return self._assistant(line, record)
        if kind == "user":
            return self._user(line, record)
        if is_boundary(record):
            return self._append(Boundary(line, record))
        return self._injected(line, record)

    def _append(self, node: Node) -> Node:
        self.nodes.append(node)
        return node

    def _injected(self, line: int, record: Record) -> Node | None:
        """An attachment or a command's output, where its text is known."""
        content = injected(record)
        if content is None:
            self.left_out[kind_of(record)] += 1
            return None
        message = read_message({"role": "user", "content": content[0]}, content[1])
        time = moment(record.get("timestamp"))
        return self._append(Entry(line, "user", message.parts, message.raw, content[1], time=time))

    def _assistant(self, line: int, record: Record) -> Node | None:
        message = message_of(record, "assistant")
        given: Mapping[str, Json] = record["message"]
        self.left_out.update(f"{block['type']} block" for block in own_blocks(given))
        if record.get("isApiErrorMessage") is True or given.get("model") == SYNTHETIC_MODEL:
            marks = Marks(error=message.text or "API error")
            return self._append(
                Entry(
                    line,
                    "assistant",
                    message.parts,
                    message.raw,
                    marks,
                    sent=False,
                    time=moment(record.get("timestamp")),
                )
            )
        answer = self._answer(line, response_id(record))
        answer.time = answer.time or moment(record.get("timestamp"))
        answer.parts += [part for part in message.parts if self._is_new(answer, part)]
        self._callers.update((part.id, answer) for part in message.parts if type(part) is ToolCall)
        answer.usage = given.get("usage") or answer.usage
        answer.model = string(given.get("model")) or answer.model
        answer.stop_reason = given.get("stop_reason") or answer.stop_reason
        return answer

    def _answer(self, line: int, name: str | None) -> Answer:
        """The response of this id: the one begun before, or a new one."""
        if name is not None and name in self._answers:
            return self._answers[name]
        answer = Answer(line, name)
        self.nodes.append(answer)
        if name is not None:
            self._answers[name] = answer
        return answer

    def _is_new(self, answer: Answer, part: Part) -> bool:
        """Whether a part is no copy of history: nothing but its results came since, or the response lacks it."""
        if type(part) is ToolCall:
            return part.id not in self._callers
        return self.nodes[-1] is answer or part not in answer.parts

    def _user(self, line: int, record: Record) -> Node | Results | None:
        message = message_of(record, "user")
        results = [part for part in message.parts if type(part) is ToolResult]
        again = [part for part in results if part.call_id in self._answered]
        self._answered.update(part.call_id for part in results)
        if results and len(again) == len(message.parts):
            self.left_out["repeated"] += 1
            return None
        caller = next((self._callers[part.call_id] for part in results if part.call_id in self._callers), None)
        if again:
            message = message.without(again)
        if caller is None:
            return self._append(
                Entry(
                    line,
                    "user",
                    message.parts,
                    message.raw,
                    marks_of(record, message),
                    time=moment(record.get("timestamp")),
                )
            )
        return _bring(caller, line, message, moment(record.get("timestamp")))


def _bring(caller: Answer, line: int, message: Message, time: datetime | None) -> Results:
    """Add a record's parts to the results of the response that called for them."""
    brought = caller.results
    if brought is None:
        brought = caller.results = Results(line, message.raw, time=time)
    for part in message.parts:
        (brought.results if type(part) is ToolResult else brought.others).append(part)
    brought.records += 1
    return brought
