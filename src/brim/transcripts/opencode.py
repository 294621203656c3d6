"""OpenCode sessions: an export (session, messages and parts as one JSON value), or the storage tree they are kept in.

The tree is `session/<project>/<session>.json`, `message/<session>/`, `part/<message>/`, `session_diff/<session>.json`.
A tool part holds the call and its result; a compaction is a marker of the user and a summary of the assistant; pruning
is a time on the tool part. Numbers of lines are those of the messages in their list.

Every assistant message is one answer of the API, or one a step where it holds several. A finished summary without error
closes the compaction that its user marker opened; an unfinished or failed one was never sent, nor was its marker.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from brim.conversation.messages import PLAIN, SYNTHETIC, Marks
from brim.errors import InvalidInput
from brim.transcripts.blocks import WORDLESS, Block, Given, media_block, text_block, thinking_block
from brim.transcripts.reader import Compaction, Entry, Reader, expand, measured
from brim.transcripts.source import Json, Source, amount, mapping, moment, objects, read_source, string
from brim.transcripts.values import Carried, CompactionKind, Damaged, Transcript

NAME: Final = "opencode"
PREFIX: Final = "ses_"
"""What the id of a session begins with."""
DIFFS: Final = "session_diff"
"""The folder of the changes to files, a file for each session."""
MAX_NAME_BYTES: Final = 255
"""Bytes of the longest name that file systems give a file."""
ABORTED: Final = "MessageAbortedError"
EMPTY: Final = ("step-start", "reasoning")
"""An aborted answer with parts of these types alone was never sent again."""


def read_session(export: Mapping[str, Json], damaged: Sequence[Damaged] = ()) -> Transcript:
    """Read an export; what is not a message is skipped and counted."""
    return OpenCode(Source(Path(), document=export, damaged=[*damaged])).read()


@dataclass(frozen=True, slots=True)
class _Marker:
    """A user message that asked for a compaction."""

    line: int
    kind: CompactionKind
    start: int
    entries: list[Entry]
    tail: str | None
    time: datetime | None


class OpenCode(Reader):
    """The messages of a session, and what was compacted and pruned between them."""

    name = NAME
    form = "OpenCode session (an export, its storage folder or its database)"

    def __init__(self, source: Source) -> None:
        whole = gather_session(source.path, source.document) if is_session(source.document) else source
        super().__init__(whole)
        self._info = mapping(whole.document.get("info"))
        self._revert = mapping(self._info.get("revert"))
        """Where the session was reverted to: a message, and maybe a part of it, from which on nothing is sent."""
        self._count = 0
        """How many messages there are so far."""
        self._call_ids: set[str] = set()
        self._markers: dict[str, _Marker] = {}
        self._made: list[tuple[int, Compaction]] = []
        """Each with the index of the entry that it comes before."""
        self._firsts: dict[str, int] = {}
        """For the id of each message: the index of its first entry."""
        self._times: list[tuple[float, int, int]] = []
        """When each message was created, its first index and its line."""
        self._pruned: dict[str, float] = {}
        self._about: set[int] = set()
        """The entries that markers and summaries became, by identity."""

    @classmethod
    def recognise(cls, source: Source) -> bool:
        """Return whether the file is an export or a session file of the storage tree."""
        messages = source.listed("messages") if isinstance(source.document, dict) else None
        if messages is None:
            return is_session(source.document)
        info = mapping(mapping(source.document).get("info"))
        return any({"info", "parts"} <= one.keys() for one in objects(messages)) or (
            not messages and "projectID" in info
        )

    def records(self) -> Iterable[tuple[int, Json]]:
        """Return the messages with their numbers."""
        return enumerate(self.source.document["messages"], 1)

    def add(self, line: int, record: Json) -> None:
        """Read the next message. Raises InvalidInput."""
        info, given = mapping(record).get("info"), mapping(record).get("parts")
        if not isinstance(info, dict) or not isinstance(given, list):
            raise InvalidInput("no message with info and parts")
        parts = [self._with_own_call_id(line, part) for part in objects(given)]
        self.time = moment(created(info) or None)
        if info.get("id") == self._revert.get("messageID") is not None and self._revert.get("partID") is None:
            self.about["rewound"] = self._count
        start, first = len(self.nodes), self._count
        if info.get("role") == "user":
            self._user(line, info, parts)
        elif info.get("role") == "assistant":
            self._assistant(line, info, parts)
        else:
            raise InvalidInput(f"the message has the role {info.get('role')!r}; it is the user's or the assistant's")
        entries = [node for node in self.nodes[start:] if isinstance(node, Entry)]
        self._count = first + len(expand(entries))
        self._compact(line, info, parts, start, entries)
        self.carried.append(Carried(self._count, {"info": info, "parts": given}, tuple(range(first, self._count))))

    def _with_own_call_id(self, line: int, part: Given) -> Given:
        """Return a tool part whose id no other has: some files have ids masked alike, and the API takes each once."""
        if part.get("type") != "tool":
            return part
        given = string(part.get("callID"))
        name, number = given or f"call-{line}", len(self._call_ids)
        while name in self._call_ids:
            name, number = f"{given or 'call'}-{line}-{number}", number + 1
        self._call_ids.add(name)
        return {**part, "callID": name}

    def _counted(self, parts: Sequence[Given], blocks_of: Callable[[Given], list[Block]]) -> list[Block]:
        """Return the blocks of the parts; parts that OpenCode does not send have none, and are counted (CNV_09)."""
        found = [(part, blocks_of(part)) for part in parts]
        self.left_out.update(f"{part.get('type')} part" for part, blocks in found if not blocks)
        return [block for _, blocks in found for block in blocks]

    def _user(self, line: int, info: Given, parts: list[Given]) -> None:
        own = any(part.get("type") in ("text", "file") and part.get("synthetic") is not True for part in parts)
        self.about["system"] = string(info.get("system")) or self.about.get("system")
        self.about["model"] = _model(mapping(info.get("model"))) or self.about.get("model")
        self.add_message(line, self._counted(parts, user_blocks), PLAIN if own else SYNTHETIC)

    def _assistant(self, line: int, info: Given, parts: list[Given]) -> None:
        path, error = mapping(info.get("path")), mapping(info.get("error"))
        self.tell(folder=string(path.get("root") or path.get("cwd")))
        said = (string(error.get("name")) or "error", string(mapping(error.get("data")).get("message")))
        marks = Marks(
            summary=info.get("summary") is True,
            error=": ".join(filter(None, said)) if isinstance(info.get("error"), dict) else None,
            aborted=error.get("name") == ABORTED,
            response=string(info.get("id")),
        )
        sent = marks.error is None or (marks.aborted and any(part.get("type") not in EMPTY for part in parts))
        for counted, step in self._steps(info, parts):
            if any(part.get("id") == self._revert.get("partID") is not None for part in step):
                self.about["rewound"] = self._count
            blocks = self._counted(step, assistant_blocks)
            if not blocks:
                continue
            response = self.add_response(
                line,
                blocks,
                marks=marks,
                sent=sent,
                model=_model(info),
                agent=string(info.get("agent")) or string(info.get("mode")),
                usage=measured("opencode", counted.get("tokens"), string(info.get("modelID"))),
                cost=amount(counted.get("cost")),
                finished=bool(info.get("finish") or mapping(info.get("time")).get("completed")),
            )
            for part, result in ((part, result) for part in step if (result := result_block(part)) is not None):
                self.time = moment(_times(part).get("end")) or self.time
                failed = result.get("is_error") is True
                self.add_result(line, result["tool_use_id"], result["content"], failed=failed)
            self._count += len(expand([response]))

    def _steps(self, info: Given, parts: list[Given]) -> Iterator[tuple[Given, list[Given]]]:
        """Yield the steps of an answer, each with the object that has its tokens: mostly one, with the answer.

        A part that the session was reverted to begins a step of its own.
        """
        steps: list[list[Given]] = [[]]
        for part in parts:
            reverted = part.get("id") == self._revert.get("partID") is not None
            if (part.get("type") == "step-start" or reverted) and steps[-1]:
                steps.append([])
            steps[-1].append(part)
        is_one = len(steps) == 1 and measured("opencode", info.get("tokens"), None) is not None
        for step in steps:
            yield info if is_one else next((part for part in step if part.get("type") == "step-finish"), {}), step

    def _compact(self, line: int, info: Given, parts: Sequence[Given], start: int, entries: list[Entry]) -> None:
        """Note what a message whose first entry has this index says of compactions and of outputs that were cleared."""
        name = str(info.get("id"))
        self._firsts[name] = start
        self._times.append((created(info), start, line))
        for part in parts:
            time = cleared_at(part)
            if time is not None:
                self._pruned[str(part.get("callID"))] = time
            if part.get("type") == "compaction" and info.get("role") == "user":
                kind: CompactionKind = "manual" if part.get("auto") is False else "auto"
                asked = moment(created(info) or None)
                self._about.update(map(id, entries))
                self._markers[name] = _Marker(line, kind, start, entries, string(part.get("tail_start_id")), asked)
        if info.get("role") != "assistant" or info.get("summary") is not True:
            return
        self._about.update(map(id, entries))
        if info.get("error") is not None or not info.get("finish"):
            _mark_unsent(entries)
        elif entries and (marker := self._markers.pop(str(info.get("parentID")), None)) is not None:
            opening = [*marker.entries, *entries, *self._tail(marker)]
            made = Compaction(marker.line, marker.kind, opening=opening, time=marker.time)
            self._made.append((marker.start, made))

    def _tail(self, marker: _Marker) -> list[Entry]:
        """Return what was kept word for word, from the message named on to the marker; nothing where that is gone.

        It is sent behind the summary. Older markers and summaries in it are not: the newer summary replaces them.
        """
        start = self._firsts.get(marker.tail, marker.start) if marker.tail is not None else marker.start
        return [
            one for one in self.nodes[start : marker.start] if isinstance(one, Entry) and id(one) not in self._about
        ]

    def finish(self) -> None:
        """Put what was found between the messages; markers that no summary answered were never sent."""
        for marker in self._markers.values():
            _mark_unsent(marker.entries)
        made = sorted([*self._made, *self._prunings()], key=lambda one: one[0])
        for index, compaction in reversed(made):
            self.nodes.insert(index, compaction)
        info, export = self._info, self.source.document
        self.left_out.update(mapping(export.get("left_out")))
        self.about |= {"folder": string(info.get("directory")) or self.about.get("folder")}
        self.tell(
            version=string(info.get("version")),
            session=string(info.get("id")),
            title=string(info.get("title")),
            parent=string(info.get("parentID")),
            created=moment(created(info) or None),
            about={"session": info, "diffs": export.get("diffs")} if info else None,
        )

    def _prunings(self) -> list[tuple[int, Compaction]]:
        """Return one compaction for the outputs that were cleared between the same two messages."""
        together: dict[tuple[int, int], dict[str, float]] = {}
        for call, time in self._pruned.items():
            later = ((start, line - 1) for created, start, line in self._times if created > time)
            place = next(later, (len(self.nodes), self._times[-1][2]))
            together.setdefault(place, {})[call] = time
        return [
            (index, Compaction(line, "prune", cleared=frozenset(calls), time=moment(max(calls.values()))))
            for (index, line), calls in together.items()
        ]


def _model(given: Given) -> str | None:
    """Return a model with its provider; None where none is named."""
    model = string(given.get("modelID"))
    return "/".join(filter(None, (string(given.get("providerID")), model))) if model else None


def _mark_unsent(entries: Sequence[Entry]) -> None:
    for entry in expand(entries):
        entry.sent = False


def created(info: Mapping[str, Json]) -> float:
    """Return when a message was created, in milliseconds since 1970; 0 where it does not say."""
    created = mapping(info.get("time")).get("created")
    return created if isinstance(created, int | float) else 0


ROOMS: Final = ("session", "message")
"""The folders that make a storage tree."""


def is_session(document: Json) -> bool:
    """Return whether a JSON value is a session of the storage tree."""
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
    """Return whether a session is that of a sub-agent."""
    try:
        document = read_source(path).document
    except InvalidInput:
        return False
    return isinstance(document, Mapping) and document.get("parentID") is not None


def root_of(path: Path) -> Path | None:
    """Return the storage tree that a file or a folder is read from; None where it is read by itself."""
    real = Path(os.path.realpath(path))
    return next((one for one in (real, real / "storage", *real.parents[2:3]) if _is_root(one)), None)


def _is_root(place: Path) -> bool:
    return all((place / room).is_dir() for room in ROOMS)


def gather_session(path: Path, session: Json) -> Source:
    """Return the session of a file in the tree, put together as an export is. Raises InvalidInput without its tree."""
    root = Path(os.path.realpath(path)).parent.parent.parent
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
    return Source(path, document=document, damaged=damaged)


def _fits(name: str) -> bool:
    return len(f"{name}.json".encode(errors="surrogatepass")) <= MAX_NAME_BYTES


def _diffs(root: Path, session: str, damaged: list[Damaged]) -> Json:
    """Return the changes to files that the tree has beside a session; None where it has none."""
    place = root / DIFFS / f"{session}.json"
    try:
        return read_source(place).document if Path(session).name == session and place.is_file() else None
    except InvalidInput as error:
        damaged.append(Damaged(0, str(error)))
        return None


def _objects(room: Path, name: Json, damaged: list[Damaged], number: int | None = None) -> Iterable[dict[str, Json]]:
    """Yield the objects of the files of a folder, by name, which is by age; a file that is damaged is counted."""
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


MARKERS: Final = ("patch", "subtask")
"""Parts of an answer that only OpenCode knows."""


def user_blocks(part: Given) -> list[Block]:
    """Return the blocks of a part of the user's message; none for a part that is never sent."""
    kind = part.get("type")
    if kind == "text":
        return [] if part.get("ignored") is True else [text_block(part.get("text"))]
    if kind == "compaction":
        return [{**part, "type": "compaction_marker"}, text_block("What did we do so far?")]  # as OpenCode sends
    if kind == "subtask":
        return [dict(part), text_block("The following tool was executed by the user")]
    if kind == "file":
        return [_media(part) or dict(part)]
    return []


def assistant_blocks(part: Given) -> list[Block]:
    """Return the blocks of a part of an answer, without a tool's result; none for a part that is never sent."""
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
    """Return the result of a tool part; None for a call that still runs, and for another part."""
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
    """Return when the output of a tool part was pruned, in milliseconds; None where it was not."""
    compacted = _times(part).get("compacted") if part.get("type") == "tool" else None
    return compacted if isinstance(compacted, int | float) and compacted else None


def _times(part: Given) -> Given:
    return mapping(_state(part).get("time"))


def _state(part: Given) -> Given:
    return mapping(part.get("state"))


def _media(part: Json) -> Block | None:
    """Return an image or a document that was sent along; None for another file, which is a marker."""
    kind, url = mapping(part).get("mime"), mapping(part).get("url")
    is_read = kind in ("text/plain", "application/x-directory")  # into texts of their own
    if not isinstance(kind, str) or not isinstance(url, str) or is_read or not url.startswith("data:"):
        return None
    return media_block(kind, url.partition(",")[2])


def _output(state: Given) -> str | list[Block]:
    output = str(state.get("output") or "")
    found = [block for one in objects(state.get("attachments")) if (block := _media(one)) is not None]
    return [text_block(output), *found] if found else output
