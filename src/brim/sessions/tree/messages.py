"""Messages of the tree: the records of a log as messages of OpenCode's, in the order that they are told.

Part of the tree layout. Each has what OpenCode's own form says of it, and under `brim` what that form cannot hold: the
id of the record, its marks, and the very dictionary where the parts would not give it back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from brim.conversation.messages import PLAIN
from brim.conversation.tool_pairs import results_of
from brim.sessions.records.kinds import CompactionRecord, MessageRecord, PruningRecord, Record, UsageRecord
from brim.sessions.summary_records import VERSION
from brim.sessions.tree.parts import Part, assistant_parts, read_back, results_read_back, user_parts
from brim.sessions.viewing.changes import standing_at_the_end
from brim.tokens.usage import TokenUsage

AGENT: Final = "build"
"""The agent that OpenCode names where nothing else is told."""


@dataclass(slots=True)
class TreeMessage:
    """A message of the tree: `info` as in its file, and its parts in order."""

    name: str
    info: dict[str, Any]
    parts: list[Part] = field(default_factory=list)


class TreeMessages:
    """The messages of a log, and the records that no message holds."""

    def __init__(self, records: Sequence[Record], model: str, directory: str) -> None:
        """`records` are those that count, oldest first."""
        self._records, self._model, self._directory = records, model, directory
        self._stands = standing_at_the_end(records)
        self._cleared = dict(self._clearings())
        self.held: set[str] = set()
        """The records that the messages hold."""
        self._asked = ""
        self._time = 0

    def _clearings(self) -> Iterator[tuple[str, int]]:
        for record in self._records:
            if isinstance(record, PruningRecord) and record.id in self._stands:
                yield from ((one.call, record.time) for one in record.cleared)

    def read(self) -> Iterator[TreeMessage]:
        """The messages, the oldest first."""
        for place, record in enumerate(self._records):
            self._time = max(self._time, record.time)
            if isinstance(record, MessageRecord) and record.id not in self.held:
                self.held.add(record.id)
                yield self._answer(place, record) if record.value.role == "assistant" else self._said(record)
            elif isinstance(record, CompactionRecord) and record.id in self._stands:
                yield from self._compaction(record)

    def _said(self, record: MessageRecord) -> TreeMessage:
        marks = record.marks
        parts = user_parts(record.message.get("content"), synthetic=marks.synthetic or marks.summary)
        self._asked = f"msg_{record.id}"
        return TreeMessage(self._asked, self._user_info() | {"brim": own(record, parts)}, parts)

    def _answer(self, place: int, record: MessageRecord) -> TreeMessage:
        parts = assistant_parts(record.message.get("content"), self._results(place), self._cleared, self._time)
        info = self._assistant_info(self._usage(place)) | {"brim": own(record, parts)}
        if record.marks.error is not None:
            info["error"] = {"name": record.marks.error, "data": {"message": record.marks.error}}
        results = self._records[place + 1] if place + 1 < len(self._records) else None
        after = results_read_back(parts)
        if isinstance(results, MessageRecord) and after["content"] and results.message == after:
            self.held.add(results.id)
            info["brim"]["results"] = _about(results)
        return TreeMessage(f"msg_{record.id}", info, parts)

    def _results(self, place: int) -> dict[str, Any]:
        """The results that stand between this answer and the next, by their calls."""
        found: dict[str, Any] = {}
        for record in self._records[place + 1 :]:
            if isinstance(record, MessageRecord):
                if record.value.role == "assistant":
                    break
                found |= {part.call_id: part.raw for part in results_of(record.value)}
        return found

    def _usage(self, place: int) -> TokenUsage | None:
        after = self._records[place + 1] if place + 1 < len(self._records) else None
        return after.usage if isinstance(after, UsageRecord) else None

    def _compaction(self, record: CompactionRecord) -> Iterator[TreeMessage]:
        """A marker of the user, the summary that answers it, and what sends the model on."""
        made = {"brim": {"of": record.id}}
        self._asked = f"msg_{record.id}"
        marker: Part = {"type": "compaction", "auto": bool(record.closing)}
        if record.tail is not None:
            marker["tail_start_id"] = f"msg_{record.tail}"
        yield TreeMessage(self._asked, self._user_info() | made, [marker])
        told = {"type": "text", "text": record.summary.content if record.summary is not None else ""}
        summary = {"summary": True, "mode": "compaction", "agent": "compaction"}
        yield TreeMessage(f"{self._asked}S", self._assistant_info(None) | summary | made, [told])
        for number, copy in enumerate(record.closing):
            parts = user_parts(copy.message.get("content"), synthetic=True)
            info = self._user_info() if copy.value.role == "user" else self._assistant_info(None)
            yield TreeMessage(f"{self._asked}T{number}", info | made, parts)

    def _user_info(self) -> dict[str, Any]:
        model = {"providerID": "", "modelID": self._model}
        return {"role": "user", "time": {"created": self._time}, "agent": AGENT, "model": model}

    def _assistant_info(self, usage: TokenUsage | None) -> dict[str, Any]:
        return {
            "role": "assistant",
            "time": {"created": self._time, "completed": self._time},
            "parentID": self._asked,
            "modelID": self._model,
            "providerID": "",
            "mode": AGENT,
            "agent": AGENT,
            "path": {"cwd": self._directory, "root": self._directory},
            "cost": 0,
            "tokens": _tokens(usage or TokenUsage(input=0)),
            "finish": "stop",
        }


def own(record: MessageRecord, parts: list[Part]) -> dict[str, Any]:
    """What the parts of a message do not tell: which record it is, its marks, and where it differs, all of it."""
    told = _about(record)
    back = read_back(record.value.role, parts)
    if record.message == back:
        return told
    texts = back["content"]
    if len(texts) == 1 and record.message == {**back, "content": texts[0].get("text")}:
        return told | {"plain": True}
    return told | {"message": record.message}


def _about(record: MessageRecord) -> dict[str, Any]:
    marks = {} if record.marks == PLAIN else {"marks": asdict(record.marks)}
    return {"id": record.id, "time": record.time, **marks}


def restored(info: Mapping[str, Any], parts: list[Part]) -> Iterator[dict[str, Any]]:
    """The records that a message of brim's own tree holds, as lines have them: itself, and the results of its calls."""
    told = info["brim"]
    if "of" in told:
        return
    message = told.get("message") or read_back(str(info.get("role")), parts)
    if told.get("plain"):
        message = {**message, "content": message["content"][0]["text"]}
    yield _line(told, message)
    if "results" in told:
        yield _line(told["results"], results_read_back(parts))


def _line(told: Mapping[str, Any], message: Any) -> dict[str, Any]:
    kept = {name: told[name] for name in ("id", "time", "marks") if name in told}
    return {"v": VERSION, "kind": "message", **kept, "message": message}


def _tokens(usage: TokenUsage) -> dict[str, Any]:
    cache = {"read": usage.cache_read, "write": usage.cache_write}
    counts = {"input": usage.input - usage.cache_write, "output": usage.output, "reasoning": usage.reasoning}
    return {"total": usage.total, **counts, "cache": cache}
