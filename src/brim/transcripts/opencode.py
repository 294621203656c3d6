"""OpenCode sessions: an export (session, messages and parts as one JSON value), or the storage tree they are kept in.

The tree is `session/<project>/<session>.json`, `message/<session>/`, `part/<message>/`, `session_diff/<session>.json`.
A tool part holds the call and its result; a compaction is a marker of the user and a summary of the assistant; pruning
is a time on the tool part. Numbers of lines are those of the messages in their list.

Every assistant message is one answer of the API, or one a step where it holds several. A finished summary without error
closes the compaction that its user marker opened; an unfinished or failed one was never sent, nor was its marker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from brim.conversation.messages import PLAIN, SYNTHETIC, Marks
from brim.errors import InvalidInput
from brim.transcripts.blocks import WORDLESS, Block, Given, media_block, text_block, thinking_block
from brim.transcripts.builder import Carry, CompactionMark, MessageNode, Node, Revert, TranscriptBuilder, measured
from brim.transcripts.source import Json, Source, amount, mapping, moment, objects, read_source, string
from brim.transcripts.values import CompactionKind, Damaged, Transcript

NAME: Final = "opencode"
FORM: Final = "OpenCode session (an export, its storage folder or its database)"


def recognise(source: Source) -> bool:
    """Whether the file is an export or a session file of the storage tree."""
    return _is_export(source.document) or is_session(source.document)


def _is_export(document: Json) -> bool:
    if not isinstance(document, Mapping) or not isinstance(document.get("messages"), list):
        return False
    messages = document["messages"]
    if not messages:
        return isinstance(document.get("info"), Mapping) and "projectID" in document["info"]
    return any(isinstance(message, Mapping) and {"info", "parts"} <= message.keys() for message in messages)


def read(source: Source) -> Transcript:
    """Read a session. Damaged messages and parts are counted."""
    whole = gather_session(source.path, source.document) if is_session(source.document) else source
    return read_session(whole.document, whole.damaged)


PREFIX: Final = "ses_"
"""What the id of a session begins with."""
DIFFS: Final = "session_diff"
"""The folder of the changes to files, a file for each session."""
MAX_NAME_BYTES: Final = 255
"""Bytes of the longest name that file systems give a file."""
ABORTED: Final = "MessageAbortedError"
OWN: Final = ("text", "file")
"""What a user puts into a prompt."""
EMPTY: Final = ("step-start", "reasoning")
"""An aborted answer with parts of these types alone was never sent again."""


def read_session(export: Mapping[str, Json], damaged: Sequence[Damaged] = ()) -> Transcript:
    """Read an export; what is not a message is skipped and counted."""
    info = mapping(export.get("info"))
    session = OpenCodeSession(damaged, mapping(info.get("revert")))
    session.builder.read_each(enumerate(export["messages"], 1), session.add)
    session.compactions.close()
    session.builder.left_out.update(mapping(export.get("left_out")))
    return session.builder.transcript(
        NAME,
        version=string(info.get("version")),
        folder=string(info.get("directory")) or session.folder,
        system=session.system,
        model=session.model,
        session=string(info.get("id")),
        title=string(info.get("title")),
        parent=string(info.get("parentID")),
        created=moment(created(info) or None),
        about={"session": info, "diffs": export.get("diffs")} if info else None,
    )


class OpenCodeSession:
    """The messages of a session so far."""

    def __init__(self, damaged: Sequence[Damaged], revert: Given) -> None:
        self.builder = TranscriptBuilder(damaged)
        self.compactions = Compactions(self.builder.nodes)
        self.system: str | None = None
        self.folder: str | None = None
        self.model: str | None = None
        """The model that the user asked last."""
        self._revert = revert
        """Where the session was reverted to: a message, and maybe a part of it, from which on nothing is sent."""
        self._ids: set[str] = set()

    def add(self, line: int, given: Json) -> None:
        """Read the next message. Raises InvalidInput."""
        info, held = mapping(given).get("info"), mapping(given).get("parts")
        if not isinstance(info, Mapping) or not isinstance(held, list):
            raise InvalidInput("no message with info and parts")
        parts = [self._with_own_id(line, part) for part in objects(held)]
        self.builder.time = moment(created(info) or None)
        reverted = self._revert.get("messageID") if self._revert.get("partID") is None else None
        if reverted is not None and info.get("id") == reverted:
            self.builder.nodes.append(Revert())
        start = len(self.builder.nodes)
        if info.get("role") == "user":
            self._user(line, info, parts)
        elif info.get("role") == "assistant":
            self._assistant(line, info, parts)
        else:
            raise InvalidInput(f"the message has the role {info.get('role')!r}; it is the user's or the assistant's")
        self.compactions.add(line, info, parts, start)
        self.builder.nodes.append(Carry({"info": info, "parts": held}, _messages(self.builder.nodes[start:])))

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
        """The blocks of the parts; parts that OpenCode does not send have none, and are counted (CNV_09)."""
        found = [(part, blocks_of(part)) for part in parts]
        self.builder.left_out.update(f"{part.get('type')} part" for part, blocks in found if not blocks)
        return [block for _, blocks in found for block in blocks]

    def _user(self, line: int, info: Given, parts: list[Given]) -> None:
        blocks = self._counted(parts, user_blocks)
        own = [part for part in parts if part.get("type") in OWN and part.get("synthetic") is not True]
        self.system = string(info.get("system")) or self.system
        self.model = _model(mapping(info.get("model"))) or self.model
        self.builder.add_message(line, blocks, PLAIN if own else SYNTHETIC)

    def _assistant(self, line: int, info: Given, parts: list[Given]) -> None:
        path, error = mapping(info.get("path")), _error(info)
        self.folder = self.folder or string(path.get("root") or path.get("cwd"))
        aborted = mapping(info.get("error")).get("name") == ABORTED
        marks = Marks(
            summary=info.get("summary") is True, error=error, aborted=aborted, response=string(info.get("id"))
        )
        finished = bool(info.get("finish") or mapping(info.get("time")).get("completed"))
        about: dict[str, Json] = {"model": _model(info), "agent": string(info.get("agent")) or string(info.get("mode"))}
        sent = error is None or (marks.aborted and any(part.get("type") not in EMPTY for part in parts))
        for told, step in self._steps(info, parts):
            if any(part.get("id") == self._revert.get("partID") is not None for part in step):
                self.builder.nodes.append(Revert())
            blocks = self._counted(step, assistant_blocks)
            if not blocks:
                continue
            usage, cost = (
                measured("opencode", told.get("tokens"), string(info.get("modelID"))),
                amount(told.get("cost")),
            )
            about |= {"usage": usage, "cost": cost, "finished": finished}
            self.builder.add_response(line, blocks, marks=marks, sent=sent, **about)
            for part, result in ((part, result) for part in step if (result := result_block(part)) is not None):
                self.builder.time = moment(_times(part).get("end")) or self.builder.time
                failed = result.get("is_error") is True
                self.builder.add_result(line, result["tool_use_id"], result["content"], failed=failed)

    def _steps(self, info: Given, parts: list[Given]) -> Iterator[tuple[Given, list[Given]]]:
        """The steps of an answer, each with the object that has its tokens and cost: mostly one, with the answer.

        A part that the session was reverted to begins a step of its own.
        """
        steps: list[list[Given]] = [[]]
        for part in parts:
            reverted = part.get("id") == self._revert.get("partID") is not None
            if (part.get("type") == "step-start" or reverted) and steps[-1]:
                steps.append([])
            steps[-1].append(part)
        for step in steps:
            finish = next((part for part in step if part.get("type") == "step-finish"), {})
            is_told = len(steps) == 1 and measured("opencode", info.get("tokens"), None) is not None
            yield info if is_told else finish, step


def _model(given: Given) -> str | None:
    """A model with its provider; None where none is named."""
    model = string(given.get("modelID"))
    return "/".join(filter(None, (string(given.get("providerID")), model))) if model else None


def _error(info: Given) -> str | None:
    """The name of the error that ended an answer, and what it says; None where none did."""
    error = info.get("error")
    if not isinstance(error, Mapping):
        return None
    return ": ".join(
        filter(None, (string(error.get("name")) or "error", string(mapping(error.get("data")).get("message"))))
    )


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
        self._made: list[tuple[int, CompactionMark]] = []
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
        self._made.append((marker.start, CompactionMark(marker.line, marker.kind, opening=opening, time=marker.time)))

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

    def _prunings(self) -> list[tuple[int, CompactionMark]]:
        """One compaction for the outputs that were cleared between the same two messages."""
        together: dict[tuple[int, int], set[str]] = {}
        for call, time in self._pruned.items():
            later = ((start, line - 1) for created, start, line in self._times if created > time)
            together.setdefault(next(later, (len(self._nodes), self._times[-1][2])), set()).add(call)
        return [
            (
                index,
                CompactionMark(
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


ROOMS: Final = ("session", "message")
"""The folders that make a storage tree."""


def is_session(document: Json) -> bool:
    """Whether a JSON value is a session of the storage tree."""
    return (
        isinstance(document, Mapping)
        and isinstance(document.get("id"), str)
        and isinstance(document.get("time"), Mapping)
        and "messages" not in document
        and ("projectID" in document or document["id"].startswith(PREFIX))
        and "role" not in document
    )


def gather(folder: Path) -> Source:
    """The one session of a storage tree. Raises InvalidInput where it is no such tree, or holds several sessions."""
    root = next((place for place in (folder, folder / "storage") if _is_root(place)), None)
    if root is None:
        raise InvalidInput(f"{folder} is a folder, and no storage tree of OpenCode; name the file of a transcript")
    paths = sorted((root / "session").glob("*/*.json"), key=lambda path: path.stat().st_mtime)
    if not paths:
        raise InvalidInput(f"{folder} is a storage tree of OpenCode without a session; name the file of a transcript")
    sessions = paths if len(paths) == 1 else [path for path in paths if not _is_child(path)] or paths
    if len(sessions) > 1:
        raise InvalidInput(
            f"{folder} holds {len(sessions)} sessions of OpenCode; name one of them, such as {sessions[-1]}"
        )
    return read_source(sessions[0])


def _is_child(path: Path) -> bool:
    """Whether a session is that of a sub-agent."""
    try:
        document = read_source(path).document
    except InvalidInput:
        return False
    return isinstance(document, Mapping) and document.get("parentID") is not None


def root_of(path: Path) -> Path | None:
    """The storage tree that a file or a folder is read from; None where it is read by itself."""
    real = path.resolve()
    return next((one for one in (real, real / "storage", *real.parents[2:3]) if _is_root(one)), None)


def _is_root(place: Path) -> bool:
    return all((place / room).is_dir() for room in ROOMS)


def gather_session(path: Path, session: Json) -> Source:
    """The session of a file in the tree, put together as an export is. Raises InvalidInput without its tree."""
    root = path.resolve().parent.parent.parent
    if not _is_root(root):
        raise InvalidInput(f"{path} is a session of OpenCode without its messages; name the file in its storage tree")
    if not _fits(session["id"]):
        raise InvalidInput(f"{path} is of a session whose id is too long for the name of a file; correct the id")
    damaged: list[Damaged] = []
    infos = sorted(_objects(root / "message", session["id"], damaged), key=created)
    messages = [
        {"info": info, "parts": list(_objects(root / "part", info.get("id"), damaged, number))}
        for number, info in enumerate(infos, 1)
    ]
    document = {"info": session, "messages": messages, "diffs": _diffs(root, session["id"], damaged)}
    return Source(path, document=document, damaged=tuple(damaged))


def _fits(name: str) -> bool:
    return len(f"{name}.json".encode(errors="surrogatepass")) <= MAX_NAME_BYTES


def _diffs(root: Path, session: str, damaged: list[Damaged]) -> Json:
    """The changes to files that the tree has beside a session; None where it has none."""
    place = root / DIFFS / f"{session}.json"
    try:
        return read_source(place).document if Path(session).name == session and place.is_file() else None
    except InvalidInput as error:
        damaged.append(Damaged(0, str(error)))
        return None


def _objects(room: Path, name: Json, damaged: list[Damaged], number: int | None = None) -> Iterable[dict[str, Json]]:
    """The objects of the files of a folder, by name, which is by age; a file that is damaged is counted."""
    if not isinstance(name, str) or Path(name).name != name or not _fits(name):
        return
    for position, path in enumerate(sorted((room / name).glob("*.json")), 1):
        try:
            document = read_source(path).document
        except InvalidInput as error:
            document = None
            damaged.append(Damaged(number or position, str(error)))
        if isinstance(document, dict):
            yield document


ASKED: Final = "What did we do so far?"
"""What OpenCode sends in place of a compaction marker."""
SUBTASK: Final = "The following tool was executed by the user"
"""What it sends in place of a sub-task."""
MARKERS: Final = ("patch", "subtask")
"""Parts of an answer that only OpenCode knows."""
NOT_MEDIA: Final = ("text/plain", "application/x-directory")
"""Files that were read into texts of their own."""


def user_blocks(part: Given) -> list[Block]:
    """The blocks of a part of the user's message; none for a part that is never sent."""
    kind = part.get("type")
    if kind == "text":
        return [] if part.get("ignored") is True else [text_block(part.get("text"))]
    if kind == "compaction":
        return [{**part, "type": "compaction_marker"}, text_block(ASKED)]
    if kind == "subtask":
        return [dict(part), text_block(SUBTASK)]
    if kind == "file":
        return [_media(part) or dict(part)]
    return []


def assistant_blocks(part: Given) -> list[Block]:
    """The blocks of a part of an answer, without a tool's result; none for a part that is never sent."""
    kind = part.get("type")
    if kind == "text":
        return [text_block(part.get("text"))]
    if kind == "reasoning":
        signed = mapping(mapping(part.get("metadata")).get("anthropic"))  # where the model was Anthropic's
        return [thinking_block(part.get("text"), signed.get("signature"))]
    if kind == "tool":
        given = _state(part).get("input")
        return [{"type": "tool_use", "id": part.get("callID"), "name": part.get("tool"), "input": given or {}}]
    return [dict(part)] if kind in MARKERS else []


def result_block(part: Given) -> Block | None:
    """The result of a tool part; None for a call that still runs, and for another part."""
    if part.get("type") != "tool":
        return None
    state = _state(part)
    result: Block = {"type": "tool_result", "tool_use_id": part.get("callID")}
    if state.get("status") == "completed":
        return {**result, "content": _output(state)}
    if state.get("status") != "error":
        return None
    metadata = mapping(state.get("metadata"))
    partial = metadata.get("output") if metadata.get("interrupted") is True else None
    if isinstance(partial, str):
        return {**result, "content": partial}
    return {**result, "content": str(state.get("error") or WORDLESS), "is_error": True}


def cleared_at(part: Given) -> float | None:
    """When the output of a tool part was pruned, in milliseconds; None where it was not."""
    compacted = _times(part).get("compacted") if part.get("type") == "tool" else None
    return compacted if isinstance(compacted, int | float) and compacted else None


def _times(part: Given) -> Given:
    return mapping(_state(part).get("time"))


def _state(part: Given) -> Given:
    return mapping(part.get("state"))


def _media(part: Json) -> Block | None:
    """An image or a document that was sent along; None for another file, which is a marker."""
    kind, url = mapping(part).get("mime"), mapping(part).get("url")
    if not isinstance(kind, str) or not isinstance(url, str) or kind in NOT_MEDIA or not url.startswith("data:"):
        return None
    return media_block(kind, url.partition(",")[2])


def _output(state: Given) -> str | list[Block]:
    output = str(state.get("output") or "")
    attachments = state.get("attachments")
    media = [_media(one) for one in attachments] if isinstance(attachments, list) else []
    found = [block for block in media if block is not None]
    return [text_block(output), *found] if found else output
