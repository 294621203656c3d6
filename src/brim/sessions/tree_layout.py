"""Tree layout: a session as a tree of small files, one for the session, for each message and for each of its parts.

Specified by features/sessions/tree_layout.feature (SES_03). The layout is OpenCode's: session/<project>/<session>,
message/<session>/<message>, part/<message>/<part> and session_diff/<session>. brim's records are under `brim` in the
files of the messages, without the texts that their parts have, and in files below brim/<session>, one for each record
that is of no message, so that the whole log comes back. What was imported from OpenCode is written as OpenCode wrote
it (SES_16).
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from brim.conversation.messages import Raw, ToolResult
from brim.conversation.tool_pairs import results_of
from brim.errors import InvalidInput, Refused
from brim.sessions.files import (
    PRIVATE_FILE,
    make_folder,
    make_whole,
    no_links,
    regular_size,
    translate_os_errors,
    write_all,
)
from brim.sessions.ids import is_safe, safe_id
from brim.sessions.lines import encode
from brim.sessions.opencode_records import document_of, without_texts
from brim.sessions.paths import folder_of
from brim.sessions.records import (
    CarriedRecord,
    CompactionRecord,
    ForeignRecord,
    MessageRecord,
    ModelRecord,
    PruningRecord,
    Record,
    RenameRecord,
    UsageRecord,
)
from brim.sessions.registry import SessionInfo
from brim.sessions.session import Session
from brim.sessions.view import active_changes, without_rewound
from brim.tokens.usage import TokenUsage
from brim.transcripts.opencode import DIFFS, MARKERS, PREFIX, cleared_at
from brim.transcripts.opencode import NAME as OPENCODE
from brim.transcripts.source import mapping, objects, read_source

Part: TypeAlias = dict[str, Any]


def user_parts(content: object, *, synthetic: bool) -> list[Part]:
    """The parts of a message of the user; a tool's result is in the part of its call."""
    parts = [part for block in blocks_of(content) for part in _common(block)]
    return [part | {"synthetic": True} if synthetic and part["type"] == "text" else part for part in parts]


def assistant_parts(content: object, results: Mapping[str, Raw], cleared: Mapping[str, int], time: int) -> list[Part]:
    """The parts of an answer; `results` and `cleared` (milliseconds since 1970) are by the id of the call."""
    parts: list[Part] = []
    for block in blocks_of(content):
        kind, name = block.get("type"), str(block.get("id"))
        if kind == "thinking":
            parts.append(_reasoning(block, time))
        elif kind == "tool_use":
            parts.append(_tool(block, results.get(name), cleared.get(name), time))
        elif kind in MARKERS:
            parts.append(dict(block))
        else:
            parts += _common(block)
    return parts


def blocks_of(content: object) -> list[Raw]:
    """The blocks of a content; a bare text is one block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, Mapping)] if isinstance(content, list | tuple) else []


def _common(block: Raw) -> Iterator[Part]:
    """The part of a text, or of an image or a document; none for another block."""
    if block.get("type") == "text":
        yield {"type": "text", "text": block.get("text")}
    elif (file := _file(block)) is not None:
        yield file


def _file(block: Raw) -> Part | None:
    source = block.get("source")
    if block.get("type") not in {"image", "document"} or not isinstance(source, Mapping):
        return None
    if source.get("type") != "base64":
        return None
    mime = str(source.get("media_type"))
    return {"type": "file", "mime": mime, "url": f"data:{mime};base64,{source.get('data')}"}


def _reasoning(block: Raw, time: int) -> Part:
    part: Part = {"type": "reasoning", "text": block.get("thinking"), "time": {"start": time, "end": time}}
    if block.get("signature"):
        part["metadata"] = {"anthropic": {"signature": block["signature"]}}
    return part


def _tool(call: Raw, result: Raw | None, cleared: int | None, time: int) -> Part:
    part: Part = {"type": "tool", "callID": call.get("id"), "tool": call.get("name")}
    return part | {"state": {"input": call.get("input"), **_state(result, cleared, time)}}


def _state(result: Raw | None, cleared: int | None, time: int) -> Part:
    if result is None:
        return {"status": "running", "time": {"start": time}}
    ran = {"start": time, "end": time} | ({"compacted": cleared} if cleared is not None else {})
    blocks = blocks_of(result.get("content"))
    words = "\n".join(str(block.get("text")) for block in blocks if block.get("type") == "text")
    if result.get("is_error") is True:
        return {"status": "error", "error": words, "time": ran}
    files = [file for block in blocks if (file := _file(block)) is not None]
    attached = {"attachments": files} if files else {}
    return {"status": "completed", "output": words, "title": "", "metadata": {}, "time": ran, **attached}


EXTRA_DIR: Final = "brim"
"""The folder of the records that are of no message, a file each."""


def begin(folder: Path, name: str, project: str) -> None:
    """Make the folders of a session; the files of an export that was interrupted are deleted first.

    Raises Refused where the tree has the session already, or messages of it that brim did not write; StoreFailed.
    """
    message, beside = folder / "message" / name, folder / EXTRA_DIR / name
    with translate_os_errors(f"cannot write {folder}"):
        for path in (message, beside, folder / "part", folder / DIFFS, folder / "session" / project):
            no_links(folder, path)
        is_whole = any((folder / "session").glob(f"*/{name}.json"))
        if is_whole or (message.exists() and not beside.exists()):
            raise Refused(f"{folder} holds session {name} already; name another folder")
        if beside.exists():
            _require_own(folder, name)
            _clear(folder, name)
        make_folder(beside)
        make_folder(message)


def _require_own(folder: Path, name: str) -> None:
    """Raises Refused where the folders of an unfinished export hold what it did not write; OSError for a link."""
    message = folder / "message" / name
    messages = list(message.iterdir()) if message.is_dir() else []
    rooms = [room for path in messages if (room := folder / "part" / path.stem).is_dir()]
    others = [path for path in (folder / EXTRA_DIR / name).iterdir() if path.suffix != ".json"]
    for path in [*others, *messages, *(path for room in rooms for path in room.iterdir())]:
        no_links(folder, path)
        is_own = path.suffix == ".json" and is_safe(path.stem)
        if is_own and regular_size(path):  # one without a byte is what a full disk leaves
            try:
                told = mapping(read_source(path).document)
            except InvalidInput:
                told = {}
            is_own = told.get("sessionID") == name and ("brim" in told or path.parent != message)
        if not is_own:
            raise Refused(f"{path} is of no unfinished export of {name}; move it away, or name another folder")


def _clear(folder: Path, name: str) -> None:
    """Delete what was written so far: a message is written before its parts, and its name is that of their folder."""
    message = folder / "message" / name
    for path in message.glob("*.json"):
        if is_safe(path.stem):
            _remove(folder / "part" / path.stem)
    _remove(message)
    (folder / DIFFS / f"{name}.json").unlink(missing_ok=True)
    _remove(folder / EXTRA_DIR / name)


def _remove(folder: Path) -> None:
    """Delete a folder with its content. Raises OSError where it is a link, whose target stays."""
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)


def lines_beside(session: Path, name: str, count: int) -> Iterator[dict[str, Any]]:
    """The records in the folder of a session, as lines have them. Raises InvalidInput where their number is wrong."""
    room = session.resolve().parents[2] / EXTRA_DIR / name
    paths = sorted(room.glob("*.json"))
    if len(paths) != count:
        raise InvalidInput(
            f"{session}: of the {count} records beside its messages {len(paths)} are in {room}; export the session anew"
        )
    for path in paths:
        document = read_source(path).document
        if not isinstance(document, dict):
            raise InvalidInput(f"{path} holds no record; export the session anew")
        yield document


AGENT: Final = "build"
"""The agent that OpenCode names by default."""


@dataclass(slots=True)
class TreeMessage:
    """A message of the tree: `info` as in its file, and its parts in order."""

    name: str
    info: dict[str, Any]
    parts: list[Part]
    ids: Sequence[str] = ()
    """The ids of its parts, where they have their own."""
    records: Sequence[Record] = ()
    """What the log has of it."""
    foreign: ForeignRecord | None = None
    """The record of these very files, where OpenCode wrote them."""


class TreeMessages:
    """The messages that a log becomes in a tree."""

    def __init__(self, records: Sequence[Record], model: str, directory: str) -> None:
        """`records` are those that count, oldest first."""
        self._records, self._model, self._directory = records, model, directory
        self._stands = active_changes(records)
        self._cleared = dict(self._clearings())
        imported = max((record.id for record in records if isinstance(record, ForeignRecord)), default="")
        self._cleared_since = dict(self._clearings(imported))
        """What was cleared since the session was imported: what OpenCode cleared is in its own documents."""
        self._asked = ""
        self._time = 0
        self._by_id = {record.id: record for record in records}
        self._foreign = {name: one for one in records if isinstance(one, ForeignRecord) for name in one.held}
        """For each record that was read from a document of OpenCode: the record of that."""
        self._names: dict[str, str] = {}
        """For each of them the message of the tree that it became."""
        self._told: set[str] = set()
        """The results that are in the parts of their calls."""

    def _clearings(self, after: str = "") -> Iterator[tuple[str, int]]:
        for record in self._records:
            if isinstance(record, PruningRecord) and record.id in self._stands and record.id > after:
                yield from ((one.call, record.time) for one in record.cleared)

    def read(self) -> Iterator[TreeMessage]:
        """The messages, the oldest first."""
        for place, record in enumerate(self._records):
            self._time = max(self._time, record.time)
            if isinstance(record, ForeignRecord):
                yield from self._as_it_was(record)
            elif record.id in self._foreign:
                continue
            elif isinstance(record, MessageRecord) and record.id not in self._told:
                yield self._answer(place, record) if record.value.role == "assistant" else self._said(record)
            elif isinstance(record, CompactionRecord) and record.id in self._stands:
                yield from self._compaction(record)

    def _as_it_was(self, record: ForeignRecord) -> Iterator[TreeMessage]:
        """The message as OpenCode wrote it; none for the session itself, and for a compaction that was undone."""
        changes = {name for name in record.held if isinstance(self._by_id.get(name), CompactionRecord)}
        if record.format != OPENCODE or "info" not in record.document or not changes <= self._stands:
            return
        document = document_of(record, self._by_id)
        info, parts = dict(mapping(document["info"])), list(map(self._with_clearing, objects(document.get("parts"))))
        name, ids = str(info.get("id")), [str(part.get("id")) for part in parts]
        if not is_safe(name) or name in self._names:
            name = f"msg_{record.id}"
        self._names |= dict.fromkeys((name, *record.held), name)
        if info.get("role") == "user":
            self._asked = name
        is_ordered = all(map(is_safe, ids)) and ids == sorted(set(ids))
        held = [one for other in record.held if isinstance(one := self._by_id.get(other), MessageRecord)]
        yield TreeMessage(name, info, parts, ids if is_ordered else (), held, record)

    def _with_clearing(self, part: Mapping[str, Any]) -> Part:
        """The part of a tool with the time when its output was cleared since; any other as it is."""
        cleared = self._cleared_since.get(str(part.get("callID"))) if cleared_at(part) is None else None
        if cleared is None or not isinstance(state := part.get("state"), Mapping):
            return dict(part)
        return {**part, "state": {**state, "time": {**mapping(state.get("time")), "compacted": cleared}}}

    def _said(self, record: MessageRecord) -> TreeMessage:
        marks = record.marks
        parts = user_parts(record.message.get("content"), synthetic=marks.synthetic or marks.summary)
        self._asked = f"msg_{record.id}"
        return TreeMessage(self._asked, self._user_info(), parts, records=[record])

    def _answer(self, place: int, record: MessageRecord) -> TreeMessage:
        parts = assistant_parts(record.message.get("content"), self._results(place), self._cleared, self._time)
        info = self._assistant_info(self._usage(place))
        if record.marks.error is not None:
            name, _, told = record.marks.error.partition(": ")
            info["error"] = {"name": name, "data": {"message": told or name}}
        after = next((one for one in self._after(place) if isinstance(one, MessageRecord)), None)
        records = [record]
        if after is not None and all(type(part) is ToolResult for part in after.value.parts):
            records.append(after)
            self._told.add(after.id)
        return TreeMessage(f"msg_{record.id}", info, parts, records=records)

    def _results(self, place: int) -> dict[str, Any]:
        """The results between this answer and the next, by their calls."""
        found: dict[str, Any] = {}
        for record in self._after(place):
            if isinstance(record, MessageRecord):
                if record.value.role == "assistant":
                    break
                found |= {part.call_id: part.raw for part in results_of(record.value)}
        return found

    def _usage(self, place: int) -> UsageRecord | None:
        after = next(self._after(place), None)
        return after if isinstance(after, UsageRecord) else None

    def _after(self, place: int) -> Iterator[Record]:
        """The records behind a place."""
        return map(self._records.__getitem__, range(place + 1, len(self._records)))

    def _compaction(self, record: CompactionRecord) -> Iterator[TreeMessage]:
        """A marker of the user, the summary that answers it, and what sends the model on."""
        self._asked = f"msg_{record.id}"
        is_automatic = bool(record.closing) if record.automatic is None else record.automatic
        marker: Part = {"type": "compaction", "auto": is_automatic}
        if record.tail is not None:
            marker["tail_start_id"] = self._names.get(record.tail, f"msg_{record.tail}")
        yield TreeMessage(self._asked, self._user_info(), [marker])
        told = {"type": "text", "text": record.summary.content if record.summary is not None else ""}
        summary = {"summary": True, "mode": "compaction", "agent": "compaction"}
        yield TreeMessage(f"{self._asked}S", self._assistant_info(None) | summary, [told])
        for number, copy in enumerate(record.closing):
            parts = user_parts(copy.message.get("content"), synthetic=True)
            info = self._user_info() if copy.value.role == "user" else self._assistant_info(None)
            yield TreeMessage(f"{self._asked}T{number}", info, parts)

    def _user_info(self) -> dict[str, Any]:
        model = {"providerID": "", "modelID": self._model}
        return {"role": "user", "time": {"created": self._time}, "agent": AGENT, "model": model}

    def _assistant_info(self, told: UsageRecord | None) -> dict[str, Any]:
        agent = (told.agent if told is not None else "") or AGENT
        return {
            "role": "assistant",
            "time": {"created": self._time, "completed": self._time},
            "parentID": self._asked,
            "modelID": self._model,
            "providerID": "",
            "mode": agent,
            "agent": agent,
            "path": {"cwd": self._directory, "root": self._directory},
            "cost": (told.cost if told is not None else None) or 0,
            "tokens": _tokens(told.usage if told is not None else TokenUsage(input=0)),
            "finish": "stop",
        }


def _tokens(usage: TokenUsage) -> dict[str, Any]:
    cache = {"read": usage.cache_read, "write": usage.cache_write}
    counts = {"input": usage.input - usage.cache_write, "output": usage.output, "reasoning": usage.reasoning}
    return {"total": usage.total, **counts, "cache": cache}


TREE_VERSION: Final = 3
"""The version of what brim keeps in a tree."""
NO_PROJECT: Final = "global"
"""Where OpenCode puts the sessions of no project."""


def export_tree(session: Session, folder: Path) -> Path:
    """Write a session into a tree; the path of its file, which is written last.

    Raises Refused where the tree has that session or a message of that id already, InvalidInput for an id that is not
    safe as the name of a file, StoreFailed. After an interrupted export the session can be written again.
    """
    info, records = session.info, list(session.records())
    about = next((one for one in reversed(records) if _is_about(one)), None)
    told, standing = _as_it_stands(records, about)
    name = tree_name(info.id)
    project = str(told.get("projectID"))
    if not told or not is_safe(project):
        project = folder_of(info.project) if info.project else NO_PROJECT
    begin(folder, name, project)
    messages = TreeMessages(standing, info.model, info.project)
    written = list(messages.read())
    for message in written:
        if os.path.lexists(folder / "part" / safe_id(message.name)):
            raise Refused(f"{folder} holds message {message.name} of another session already; name another folder")
    for message in written:
        _write_message(folder, name, message)
    _write(folder, Path(DIFFS, f"{name}.json"), _diffs(records))
    held = {record.id for message in written for record in (*message.records, message.foreign) if record is not None}
    beside = [record for record in records if record.id not in held and not _is_diff(record)]
    for record in beside:
        _write(folder, Path(EXTRA_DIR, name, f"{safe_id(record.id)}.json"), json.loads(encode(record)))
    path = folder / "session" / project / f"{name}.json"
    told |= _session_info(info, name, project, told) | {"brim": {"version": TREE_VERSION, "records": len(beside)}}
    with translate_os_errors(f"cannot write {path}"):
        _make_room(folder, path)
        make_whole(path, json.dumps(told).encode())
    return path


def tree_name(session: str) -> str:
    """The name of a session in a tree."""
    name = safe_id(session)
    return name if name.startswith(PREFIX) else f"{PREFIX}{name}"


def _session_info(info: SessionInfo, name: str, project: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """What brim knows of a session, in OpenCode's form; `given` is what OpenCode said of it."""
    times = {"created": info.created, **mapping(given.get("time", {"updated": info.last_active}))}
    told = {
        "id": name,
        "version": given.get("version", "brim"),
        "projectID": project,
        "title": info.title,
        "time": times,
    }
    told |= {} if given and "directory" not in given else {"directory": info.project}
    if info.parent is None or not is_safe(info.parent):
        return told
    return {**told, "parentID": tree_name(info.parent)}


def _is_about(record: Record) -> bool:
    return isinstance(record, ForeignRecord) and record.format == OPENCODE and "session" in record.document


def _as_it_stands(records: Sequence[Record], about: Record | None) -> tuple[dict[str, Any], list[Record]]:
    """What OpenCode said of the session, and the records that count.

    Messages that were taken back in OpenCode are in its tree until the session goes on.
    """
    if not isinstance(about, ForeignRecord):
        return {}, without_rewound(records)
    given = document_of(about, {})["session"]
    if not isinstance(given, Mapping):
        raise InvalidInput(f"record {about.id} says nothing of a session of OpenCode; import the session anew")
    told = dict(given)
    if added := [one.time for one in records if one.id > about.id]:
        told["time"] = {**mapping(told.get("time")), "updated": max(added)}
    since = [one for one in records if about.held and one.id > about.held[0]]
    if since and all(isinstance(one, ForeignRecord | CarriedRecord | RenameRecord | ModelRecord) for one in since):
        return told, without_rewound([one for one in records if one.id not in about.held])
    return {name: one for name, one in told.items() if name != "revert"}, without_rewound(records)


def _is_diff(record: Record) -> bool:
    return isinstance(record, CarriedRecord) and record.kind == DIFFS


def _diffs(records: Sequence[Record]) -> Sequence[Mapping[str, Any]]:
    """The changes to files that a session carries; the newest."""
    carried = [record for record in records if _is_diff(record)]
    found = (carried[-1].model_extra or {}).get("diffs") if carried else None
    return found if isinstance(found, list) else []


def _write_message(folder: Path, session: str, message: TreeMessage) -> None:
    name, info, lines = message.name, dict(message.info), [json.loads(encode(record)) for record in message.records]
    ids = message.ids or [f"prt_{name.removeprefix('msg_')}_{number:05}" for number in range(1, len(message.parts) + 1)]
    place = {"sessionID": session, "messageID": name}
    parts = [{**part, "id": own_id, **place} for own_id, part in zip(ids, message.parts, strict=True)]
    count, short = without_texts(lines, parts)
    info["brim"] = {"texts": count, "records": short}
    if message.foreign is not None:
        info["brim"]["foreign"] = message.foreign.model_dump(include={"v", "kind", "id", "time", "format", "held"})
    _write(folder, Path("message", session, f"{name}.json"), {**info, "id": name, "sessionID": session})
    for part in parts:
        _write(folder, Path("part", name, f"{part['id']}.json"), part)


def _make_room(folder: Path, path: Path) -> None:
    """Make the folders of a file in a tree. Raises OSError where the file or a folder below the tree's is a link."""
    no_links(folder, path)
    make_folder(path.parent)


def _write(folder: Path, place: Path, value: object) -> None:
    """Make a file of a tree at a place below its folder. Raises StoreFailed."""
    data, path = json.dumps(value, default=dict).encode(), folder / place
    with translate_os_errors(f"cannot write {path}"):
        _make_room(folder, path)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
        try:
            write_all(file, data)
        finally:
            os.close(file)
