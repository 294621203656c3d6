"""A session of OpenCode: its messages, its compactions and prunings.

Every assistant message is one answer of the API, or one a step where it holds several. A finished summary without error
closes the compaction that its user marker opened; an unfinished or failed one was never sent, nor was its marker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from brim.conversation.messages import PLAIN, SYNTHETIC, Marks
from brim.errors import InvalidInput
from brim.transcripts.blocks import Block, Given
from brim.transcripts.builder import Compaction, MessageNode, Node, TranscriptBuilder, measured
from brim.transcripts.opencode.parts import assistant_blocks, cleared_at, result_block, user_blocks
from brim.transcripts.source import Json, mapping, moment, objects, string
from brim.transcripts.values import CompactionKind, Damaged, Transcript

ABORTED: Final = "MessageAbortedError"
OWN: Final = ("text", "file")
"""What a user puts into a prompt."""
EMPTY: Final = ("step-start", "reasoning")
"""What an aborted answer may hold and still be nothing that was sent."""


def read_session(name: str, export: Mapping[str, Json], damaged: Sequence[Damaged]) -> Transcript:
    """Read an export; messages that are none are skipped and counted."""
    session = Session(damaged)
    session.builder.read_each(enumerate(export["messages"], 1), session.add)
    session.compactions.close()
    info = mapping(export.get("info"))
    return session.builder.transcript(
        name,
        version=string(info.get("version")),
        folder=string(info.get("directory")) or session.folder,
        system=session.system,
    )


class Session:
    """The messages of a session so far."""

    def __init__(self, damaged: Sequence[Damaged]) -> None:
        self.builder = TranscriptBuilder(damaged)
        self.compactions = Compactions(self.builder.nodes)
        self.system: str | None = None
        self.folder: str | None = None
        self._ids: set[str] = set()

    def add(self, line: int, given: Json) -> None:
        """Read the next message. Raises InvalidInput."""
        info, held = mapping(given).get("info"), mapping(given).get("parts")
        if not isinstance(info, Mapping) or not isinstance(held, list):
            raise InvalidInput("no message with info and parts")
        parts = [self._with_own_id(line, part) for part in objects(held)]
        self.builder.time = moment(created(info) or None)
        start = len(self.builder.nodes)
        if info.get("role") == "user":
            self._user(line, info, parts)
        elif info.get("role") == "assistant":
            self._assistant(line, info, parts)
        else:
            raise InvalidInput(f"the message has the role {info.get('role')!r}; it is the user's or the assistant's")
        self.compactions.add(line, info, parts, start)

    def _with_own_id(self, line: int, part: Given) -> Given:
        """A tool part whose id no other has: some files have ids masked alike, and the API takes each once."""
        if part.get("type") != "tool":
            return part
        given = string(part.get("callID"))
        name, number = given or f"call-{line}", len(self._ids)
        while name in self._ids:
            name, number = f"{given or 'call'}-{line}-{number}", number + 1
        self._ids.add(name)
        return {**part, "callID": name}

    def _counted(self, parts: Sequence[Given], blocks_of: Callable[[Given], list[Block]]) -> list[Block]:
        """The blocks of the parts; parts that OpenCode keeps for itself have none, and are counted (CNV_09)."""
        found = [(part, blocks_of(part)) for part in parts]
        self.builder.left_out.update(f"{part.get('type')} part" for part, blocks in found if not blocks)
        return [block for _, blocks in found for block in blocks]

    def _user(self, line: int, info: Given, parts: list[Given]) -> None:
        blocks = self._counted(parts, user_blocks)
        own = [part for part in parts if part.get("type") in OWN and part.get("synthetic") is not True]
        if isinstance(info.get("system"), str):
            self.system = info["system"]
        self.builder.add_message(line, blocks, PLAIN if own else SYNTHETIC)

    def _assistant(self, line: int, info: Given, parts: list[Given]) -> None:
        path, error = mapping(info.get("path")), _error(info)
        self.folder = self.folder or string(path.get("root") or path.get("cwd"))
        marks = Marks(
            summary=info.get("summary") is True, error=error, aborted=error == ABORTED, response=string(info.get("id"))
        )
        model = string(info.get("modelID"))
        of_provider = "/".join(filter(None, (string(info.get("providerID")), model))) if model else None
        sent = error is None or (marks.aborted and any(part.get("type") not in EMPTY for part in parts))
        for tokens, step in _steps(info, parts):
            blocks = self._counted(step, assistant_blocks)
            if not blocks:
                continue
            usage = measured("opencode", tokens, model)
            self.builder.add_response(line, blocks, usage=usage, model=of_provider, marks=marks, sent=sent)
            for result in filter(None, map(result_block, step)):
                failed = result.get("is_error") is True
                self.builder.add_result(line, result["tool_use_id"], result["content"], failed=failed)


def _steps(info: Given, parts: list[Given]) -> Iterator[tuple[Json, list[Given]]]:
    """The steps of an assistant message with their tokens: nearly always one, whose tokens are the message's."""
    steps: list[list[Given]] = [[]]
    for part in parts:
        if part.get("type") == "step-start" and steps[-1]:
            steps.append([])
        steps[-1].append(part)
    if len(steps) == 1:
        yield info.get("tokens"), parts
        return
    for step in steps:
        yield next((part.get("tokens") for part in step if part.get("type") == "step-finish"), None), step


def _error(info: Given) -> str | None:
    error = info.get("error")
    return str(error.get("name") or "error") if isinstance(error, Mapping) else None


@dataclass(frozen=True, slots=True)
class _Marker:
    """A user message that asked for a compaction."""

    line: int
    kind: CompactionKind
    start: int
    nodes: list[MessageNode]
    tail: str | None
    time: datetime | None


class Compactions:
    """What was compacted and pruned in a session, in the order of its messages."""

    def __init__(self, nodes: list[Node]) -> None:
        self._nodes = nodes
        self._markers: dict[str, _Marker] = {}
        self._made: list[tuple[int, Compaction]] = []
        """Each with the index of the node that it comes before."""
        self._starts: dict[str, int] = {}
        """For the id of each message: the index of its first node."""
        self._times: list[tuple[float, int, int]] = []
        """When each message was created, its first index and its line."""
        self._pruned: dict[str, float] = {}
        self._about: set[int] = set()
        """The nodes that markers and summaries became, by identity."""

    def add(self, line: int, info: Given, parts: Sequence[Given], start: int) -> None:
        """Add a message of the session whose nodes begin at an index."""
        name, nodes = str(info.get("id")), _messages(self._nodes[start:])
        self._starts[name] = start
        self._times.append((created(info), start, line))
        for part in parts:
            time = cleared_at(part)
            if time is not None:
                self._pruned[str(part.get("callID"))] = time
            if part.get("type") == "compaction" and info.get("role") == "user":
                kind: CompactionKind = "manual" if part.get("auto") is False else "auto"
                asked = moment(created(info) or None)
                self._markers[name] = _Marker(line, kind, start, nodes, string(part.get("tail_start_id")), asked)
                self._about.update(map(id, nodes))
        if info.get("role") == "assistant" and info.get("summary") is True:
            self._about.update(map(id, nodes))
            self._summarized(info, nodes)

    def _summarized(self, info: Given, nodes: list[MessageNode]) -> None:
        """A summary: where it is finished and without error it closes what its marker opened."""
        if info.get("error") is not None or not info.get("finish"):
            _mark_unsent(nodes)
            return
        marker = self._markers.get(str(info.get("parentID")))
        if marker is None or not nodes:
            return
        self._markers.pop(str(info.get("parentID")))
        opening = [*marker.nodes, *nodes, *self._tail(marker)]
        self._made.append((marker.start, Compaction(marker.line, marker.kind, opening=opening, time=marker.time)))

    def _tail(self, marker: _Marker) -> list[MessageNode]:
        """What was kept word for word, from the message named on to the marker; nothing where that is gone.

        It is sent behind the summary. Older markers and summaries in it are not: the newer summary replaces them.
        """
        start = self._starts.get(marker.tail, marker.start) if marker.tail is not None else marker.start
        return [node for node in _messages(self._nodes[start : marker.start]) if id(node) not in self._about]

    def close(self) -> None:
        """Put what was found between the messages; markers that no summary answered were never sent."""
        for marker in self._markers.values():
            _mark_unsent(marker.nodes)
        made = sorted([*self._made, *self._prunings()], key=lambda one: one[0])
        for index, compaction in reversed(made):
            self._nodes.insert(index, compaction)

    def _prunings(self) -> list[tuple[int, Compaction]]:
        """One compaction for the outputs that were cleared between the same two messages."""
        together: dict[tuple[int, int], set[str]] = {}
        for call, time in self._pruned.items():
            later = ((start, line - 1) for created, start, line in self._times if created > time)
            together.setdefault(next(later, (len(self._nodes), self._times[-1][2])), set()).add(call)
        return [
            (
                index,
                Compaction(
                    line,
                    "prune",
                    cleared=frozenset(calls),
                    time=moment(max(self._pruned[call] for call in calls)),
                ),
            )
            for (index, line), calls in together.items()
        ]


def _messages(nodes: Sequence[Node]) -> list[MessageNode]:
    return [node for node in nodes if isinstance(node, MessageNode)]


def _mark_unsent(nodes: Sequence[MessageNode]) -> None:
    for node in nodes:
        node.sent = False


def created(info: Mapping[str, Json]) -> float:
    """When a message was created, in milliseconds since 1970; 0 where it does not say."""
    time = info.get("time")
    created = time.get("created") if isinstance(time, Mapping) else None
    return created if isinstance(created, int | float) else 0
