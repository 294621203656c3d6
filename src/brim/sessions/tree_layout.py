"""Tree layout: a session as a tree of small files, one for the session, for each message and for each of its parts.

Specified by features/sessions/tree_layout.feature (SES_03). The layout is OpenCode's: session/<project>/<session>,
message/<session>/<message>, part/<message>/<part> and session_diff/<session>. The log lies beside, as
brim/<session>.jsonl: an import takes it back as it is, unless OpenCode changed the tree since. What was imported from
OpenCode is written as OpenCode wrote it (SES_16).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any, Final, TypeAlias

from brim.conversation.messages import Raw, ToolResult
from brim.conversation.tool_pairs import results_of
from brim.errors import InvalidInput, Refused
from brim.sessions.files import PRIVATE_FILE, make_folder, make_whole, no_links, translate_os_errors, write_all
from brim.sessions.ids import is_safe, safe_id
from brim.sessions.importing import Imported, RecordBuilder, import_transcript, imported, new_session
from brim.sessions.lines import DamagedLine, read_records
from brim.sessions.log import FileLog
from brim.sessions.opencode_records import document_of
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
    SessionRecord,
    UsageRecord,
)
from brim.sessions.registry import SessionInfo, info_from_header, with_record
from brim.sessions.session import Session
from brim.sessions.store import SessionStore
from brim.sessions.view import visibility_of
from brim.tokens.usage import TokenUsage
from brim.transcripts.opencode import (
    DIFFS,
    MARKERS,
    PREFIX,
    gather,
    gather_session,
    is_session,
    read_session,
)
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


class TreeMessages:
    """The messages that a log becomes in a tree."""

    def __init__(self, records: Sequence[Record], model: str, directory: str) -> None:
        """`records` are those that count, oldest first."""
        self._records, self._model, self._directory = records, model, directory
        self._active = {one.id for one in visibility_of(records).changes}
        self._cleared = dict(self._clearings())
        self._asked = ""
        self._time = 0
        self._by_id = {record.id: record for record in records}
        self._foreign = {name: one for one in records if isinstance(one, ForeignRecord) for name in one.held}
        """For each record that was read from a document of OpenCode: the record of that."""
        self._names: dict[str, str] = {}
        """For each of them the message of the tree that it became."""
        self._in_calls: set[str] = set()
        """The results that are in the parts of their calls."""

    def _clearings(self) -> Iterator[tuple[str, int]]:
        for record in self._records:
            if isinstance(record, PruningRecord) and record.id in self._active:
                yield from ((one.call, record.time) for one in record.cleared)

    def read(self) -> Iterator[TreeMessage]:
        """The messages, the oldest first."""
        for place, record in enumerate(self._records):
            self._time = max(self._time, record.time)
            if isinstance(record, ForeignRecord):
                yield from self._as_it_was(record)
            elif record.id in self._foreign:
                continue
            elif isinstance(record, MessageRecord) and record.id not in self._in_calls:
                yield self._answer(place, record) if record.value.role == "assistant" else self._said(record)
            elif isinstance(record, CompactionRecord) and record.id in self._active:
                yield from self._compaction(record)

    def _as_it_was(self, record: ForeignRecord) -> Iterator[TreeMessage]:
        """The message as OpenCode wrote it; none for the session itself, and for a compaction that was undone."""
        changes = {name for name in record.held if isinstance(self._by_id.get(name), CompactionRecord)}
        if record.format != OPENCODE or "info" not in record.document or not changes <= self._active:
            return
        document = document_of(record, self._by_id)
        info, parts = dict(mapping(document["info"])), list(map(dict, objects(document.get("parts"))))
        name, ids = str(info.get("id") or ""), [str(part.get("id") or "") for part in parts]
        if not is_safe(name) or name in self._names:
            name = f"msg_{record.id}"
        self._names |= dict.fromkeys((name, *record.held), name)
        if info.get("role") == "user":
            self._asked = name
        is_ordered = all(map(is_safe, ids)) and ids == sorted(set(ids))
        yield TreeMessage(name, info, parts, ids if is_ordered else ())

    def _said(self, record: MessageRecord) -> TreeMessage:
        marks = record.value.marks
        parts = user_parts(record.message.get("content"), synthetic=marks.synthetic or marks.summary)
        self._asked = f"msg_{record.id}"
        return TreeMessage(self._asked, self._user_info(), parts)

    def _answer(self, place: int, record: MessageRecord) -> TreeMessage:
        parts = assistant_parts(record.message.get("content"), self._results(place), self._cleared, self._time)
        info = self._assistant_info(self._usage(place))
        if record.marks.error is not None:
            name, _, words = record.marks.error.partition(": ")
            info["error"] = {"name": name, "data": {"message": words or name}}
        after = next((one for one in self._after(place) if isinstance(one, MessageRecord)), None)
        if after is not None and all(type(part) is ToolResult for part in after.value.parts):
            self._in_calls.add(after.id)
        return TreeMessage(f"msg_{record.id}", info, parts)

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
        text = {"type": "text", "text": record.words}
        summary = {"summary": True, "mode": "compaction", "agent": "compaction"}
        yield TreeMessage(f"{self._asked}S", self._assistant_info(None) | summary, [text])
        for number, copy in enumerate(record.closing):
            parts = user_parts(copy.message.get("content"), synthetic=True)
            info = self._assistant_info(None) if copy.value.role == "assistant" else self._user_info()
            yield TreeMessage(f"{self._asked}T{number}", info, parts)

    def _user_info(self) -> dict[str, Any]:
        model = {"providerID": "", "modelID": self._model}
        return {"role": "user", "time": {"created": self._time}, "agent": AGENT, "model": model}

    def _assistant_info(self, usage: UsageRecord | None) -> dict[str, Any]:
        agent = (usage.agent if usage is not None else "") or AGENT
        return {
            "role": "assistant",
            "time": {"created": self._time, "completed": self._time},
            "parentID": self._asked,
            "modelID": self._model,
            "providerID": "",
            "mode": agent,
            "agent": agent,
            "path": {"cwd": self._directory, "root": self._directory},
            "cost": (usage.cost if usage is not None else None) or 0,
            "tokens": _tokens(usage.usage if usage is not None else TokenUsage(input=0)),
            "finish": "stop",
        }


def _tokens(usage: TokenUsage) -> dict[str, Any]:
    cache = {"read": usage.cache_read, "write": usage.cache_write}
    counts = {"input": usage.input - usage.cache_write, "output": usage.output, "reasoning": usage.reasoning}
    return {"total": usage.total, **counts, "cache": cache}


TREE_VERSION: Final = 4
"""The version of what brim keeps in a tree."""
LOGS: Final = "brim"
"""The folder of the logs in a tree."""
NO_PROJECT: Final = "global"
"""Where OpenCode puts the sessions of no project."""
CHANGED: Final = (
    "the files are no longer as brim exported them: the session is what they hold, and the log beside them what was "
    "exported"
)


def export_tree(session: Session, folder: Path) -> Path:
    """Write a session into a tree; the path of its file, which is written last (SES_03).

    Raises Refused where the tree has that session or a message of that id already, also of an export that was
    interrupted, InvalidInput for an id that is not safe as the name of a file, StoreFailed.
    """
    info, lines = session.info, list(session.journal.lines())
    session.damaged.clear()
    records = list(read_records(lines, session.damaged))
    name = tree_name(info.id)
    document, files = _rendered(name, records, info.model, info.project)
    files |= {Path(DIFFS, f"{name}.json"): _diffs(records)}
    project = str(document.get("projectID"))
    if not document or not is_safe(project):
        project = folder_of(info.project) if info.project else NO_PROJECT
    path = folder / "session" / project / f"{name}.json"
    document |= _session_info(info, name, project, document)
    document["brim"] = {"version": TREE_VERSION}
    with translate_os_errors(f"cannot write {folder}"):
        _require_free(folder, name, {*files, path.relative_to(folder)})
        _make(folder, Path(LOGS, f"{name}.jsonl"), b"".join(line.data + b"\n" for line in lines))
        make_folder(folder / "message" / name)
        for place, part in files.items():
            _write(folder, place, part)
        _make(folder, path.relative_to(folder), json.dumps(document).encode())
    return path


def tree_name(session: str) -> str:
    """The name of a session in a tree."""
    name = safe_id(session)
    return name if name.startswith(PREFIX) else f"{PREFIX}{name}"


def _rendered(
    name: str, records: Sequence[Record], model: str, directory: str
) -> tuple[dict[str, Any], dict[Path, Any]]:
    """Return what OpenCode said of a session, and the files of messages and parts by their places in the tree."""
    about, active = _session_and_active(records)
    files: dict[Path, Any] = {}
    for message in TreeMessages(active, model, directory).read():
        own, count = safe_id(message.name), len(message.parts)
        ids = message.ids or [f"prt_{own.removeprefix('msg_')}_{number:05}" for number in range(1, count + 1)]
        files[Path("message", name, f"{own}.json")] = {**message.info, "id": own, "sessionID": name}
        for part, one in zip(ids, message.parts, strict=True):
            files[Path("part", own, f"{part}.json")] = {**one, "id": part, "sessionID": name, "messageID": own}
    return about, files


def _require_free(folder: Path, name: str, places: Iterable[Path]) -> None:
    """Raise Refused where the tree has something of this session, or of another in its places; OSError for a link."""
    if any((folder / "session").glob(f"*/{name}.json")):
        raise Refused(f"{folder} holds session {name} already; name another folder")
    own = {place.parent if place.parts[0] == "part" else place for place in places}
    for place in (Path("message", name), Path(LOGS, f"{name}.jsonl"), *sorted(own)):
        no_links(folder, folder / place)
        if os.path.lexists(folder / place):
            raise Refused(
                f"{folder} holds {place} of an unfinished export or of another session already; name another folder"
            )


def _logged(log: Path, damaged: list[DamagedLine]) -> list[Record]:
    """The records of the log in a tree. Raises InvalidInput, Refused and StoreFailed."""
    with closing(FileLog(log)) as journal:
        return list(read_records(journal.lines(), damaged))


def _session_info(info: SessionInfo, name: str, project: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what brim knows of a session, in OpenCode's form; `given` is what OpenCode said of it."""
    times = {"created": info.created, **mapping(given.get("time", {"updated": info.last_active}))}
    document = {
        "id": name,
        "version": given.get("version", "brim"),
        "projectID": project,
        "title": info.title,
        "time": times,
    }
    document |= {} if given and "directory" not in given else {"directory": info.project}
    if info.parent is None or not is_safe(info.parent):
        return document
    return {**document, "parentID": tree_name(info.parent)}


def _is_about(record: Record) -> bool:
    return isinstance(record, ForeignRecord) and record.format == OPENCODE and "session" in record.document


def _session_and_active(records: Sequence[Record]) -> tuple[dict[str, Any], Sequence[Record]]:
    """Return what OpenCode said of the session, and the records that count.

    Messages that were taken back in OpenCode are in its tree until the session goes on.
    """
    about = next((one for one in reversed(records) if _is_about(one)), None)
    if not isinstance(about, ForeignRecord):
        return {}, visibility_of(records).records
    session = dict(mapping(document_of(about, {})["session"]))
    if added := [one.time for one in records if one.id > about.id]:
        session["time"] = {**mapping(session.get("time")), "updated": max(added)}
    since = [one for one in records if about.held and one.id > about.held[0]]
    if since and all(isinstance(one, ForeignRecord | CarriedRecord | RenameRecord | ModelRecord) for one in since):
        return session, visibility_of([one for one in records if one.id not in about.held]).records
    return {name: one for name, one in session.items() if name != "revert"}, visibility_of(records).records


def _diffs(records: Sequence[Record]) -> Sequence[Mapping[str, Any]]:
    """The changes to files that a session carries; the newest."""
    carried = [record for record in records if isinstance(record, CarriedRecord) and record.kind == DIFFS]
    found = (carried[-1].model_extra or {}).get("diffs") if carried else None
    return found if isinstance(found, list) else []


def _make(folder: Path, place: Path, data: bytes) -> None:
    """Make a file of a tree at once, whole and lasting. Raises OSError."""
    no_links(folder, folder / place)
    make_folder((folder / place).parent)
    make_whole(folder / place, data)


def _write(folder: Path, place: Path, document: object) -> None:
    """Make a file of a tree at a place below its folder. Raises OSError, also where a folder below it is a link."""
    path = folder / place
    no_links(folder, path)
    make_folder(path.parent)
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    try:
        write_all(file, json.dumps(document, default=dict).encode())
    finally:
        os.close(file)


def import_tree(store: SessionStore, path: Path) -> Imported:
    """Make a session of one that brim exported into a tree (SES_03): of its file, or of a tree with one session.

    Its log is the one in the tree. Where OpenCode changed the tree since, the session is what the tree holds. Raises
    InvalidInput where the path is no such session, Refused where a newer brim wrote it.
    """
    source = gather(path) if path.is_dir() else read_source(path)
    session = source.document
    if not is_session(session) or "brim" not in session:
        raise InvalidInput(f"{path} is no session that brim exported; name its file below `session`, or the tree")
    safe_id(session["id"].removeprefix(PREFIX))
    _require_version(source.path, mapping(session["brim"]).get("version"))
    tree, damaged = gather_session(source.path, session), list[DamagedLine]()
    log = source.path.resolve().parents[2] / LOGS / f"{session['id']}.jsonl"
    records = _logged(log, damaged)
    notes = tuple(f"{log.name}: {one.reason}" for one in damaged)
    first = records[0] if records else None
    if not isinstance(first, SessionRecord):
        raise InvalidInput(f"{log} does not begin with the record of a session; export the session anew")
    info = reduce(with_record, records, info_from_header(first))
    exported, files = _rendered(session["id"], records, info.model, info.project)
    found = [document for one in tree.document["messages"] for document in (one["info"], *one["parts"])]
    about = (session.get("title"), session.get("revert"), tree.document["diffs"] or [])
    is_same = _canonical(found) == _canonical(files.values()) and not tree.damaged
    if not is_same or about != (info.title, exported.get("revert"), _diffs(records)):
        made = import_transcript(store, read_session(tree.document, tree.damaged))
        return replace(made, notes=(*notes, *made.notes, CHANGED))
    fields = {name: getattr(first, name) for name in ("project", "title", "model", "window")}
    parent = first.parent if first.parent is not None and is_safe(first.parent) else None

    def draft(drafts: RecordBuilder) -> None:
        drafts.records += records[1:]

    drafts = new_session(store, draft, **fields, parent=parent, created=first.time, head=first.id)
    return imported(drafts, notes)


def _canonical(documents: Iterable[Mapping[str, Any]]) -> list[str]:
    return sorted(json.dumps(one, sort_keys=True, default=dict) for one in documents)


def _require_version(path: Path, version: object) -> None:
    if version != TREE_VERSION:
        raise Refused(
            f"{path} is of version {version}, and this brim reads {TREE_VERSION}: export it anew with this brim"
        )
