"""Compactions and prunings of OpenCode, told from its messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from brim.transcripts.accumulator import Collected
from brim.transcripts.decoding import Json, moment
from brim.transcripts.opencode.parts import Given, cleared_at
from brim.transcripts.values import CompactionKind, CompactionRecord


@dataclass(frozen=True, slots=True)
class _Asked:
    """A user message that asked for a compaction."""

    line: int
    kind: CompactionKind
    messages: range
    tail: str | None
    time: datetime | None


class Compactions:
    """What was compacted and pruned in a session, in the order of its messages."""

    def __init__(self) -> None:
        self._asked: dict[str, _Asked] = {}
        self._done: list[CompactionRecord] = []
        self._failed: set[int] = set()
        self._starts: dict[str, int] = {}
        """For the id of each message: the index of its first."""
        self._times: list[tuple[float, int, int]] = []
        """When each message was created, its first index and its line."""
        self._pruned: dict[str, float] = {}
        self._about: set[int] = set()
        """The messages that markers and summaries became."""

    def met(self, line: int, info: Given, parts: Sequence[Given], messages: range) -> None:
        """Take in a message of the session and the indices of what it became."""
        name = str(info.get("id"))
        self._starts[name] = messages.start
        self._times.append((created(info), messages.start, line))
        for part in parts:
            time = cleared_at(part)
            if time is not None:
                self._pruned[str(part.get("callID"))] = time
            if part.get("type") == "compaction" and info.get("role") == "user":
                kind: CompactionKind = "manual" if part.get("auto") is False else "auto"
                tail = part.get("tail_start_id")
                tail = tail if isinstance(tail, str) else None
                self._asked[name] = _Asked(line, kind, messages, tail, moment(created(info) or None))
                self._about.update(messages)
        if info.get("role") == "assistant" and info.get("summary") is True:
            self._about.update(messages)
            self._summarised(info, messages)

    def _summarised(self, info: Given, messages: range) -> None:
        """A summary: where it is finished and without error it closes what its marker opened."""
        asked = self._asked.get(str(info.get("parentID")))
        if info.get("error") is not None or not info.get("finish"):
            self._failed.update(messages)
            return
        if asked is None or not messages:
            return
        self._asked.pop(str(info.get("parentID")))
        opening = (*asked.messages, *messages, *self._tail(asked))
        before = asked.messages.start
        self._done.append(CompactionRecord(asked.kind, asked.line, before, opening=opening, time=asked.time))

    def _tail(self, asked: _Asked) -> Iterator[int]:
        """What was kept word for word, from the message named on to the marker; nothing where that is gone.

        It is sent behind the summary. Older markers and summaries in it are not: the newer summary stands for them.
        """
        end = asked.messages.start
        start = self._starts.get(asked.tail, end) if asked.tail is not None else end
        return (index for index in range(start, end) if index not in self._about)

    def close(self, collected: Collected) -> None:
        """Hand over what was found; markers that no summary answered were never sent."""
        for asked in self._asked.values():
            self._failed.update(asked.messages)
        collected.unsent |= self._failed
        made = [*self._done, *self._prunings(len(collected.messages))]
        collected.compactions += sorted(made, key=lambda one: one.after_message)

    def _prunings(self, end: int) -> list[CompactionRecord]:
        """One record for the outputs that were cleared between the same two messages."""
        together: dict[tuple[int, int], set[str]] = {}
        for call, time in self._pruned.items():
            later = ((start, line - 1) for created, start, line in self._times if created > time)
            place = next(later, (end, self._times[-1][2]))
            together.setdefault(place, set()).add(call)
        return [
            CompactionRecord(
                "prune",
                line,
                before,
                cleared=frozenset(calls),
                time=moment(max(self._pruned[call] for call in calls)),
            )
            for (before, line), calls in together.items()
        ]


def created(info: Mapping[str, Json]) -> float:
    """When a message was created, in milliseconds since 1970; 0 where it does not say."""
    time = info.get("time")
    created = time.get("created") if isinstance(time, Mapping) else None
    return created if isinstance(created, int | float) else 0
