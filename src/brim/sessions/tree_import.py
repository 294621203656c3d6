"""Reading a tree: a session in OpenCode's layout becomes a session of brim.

Part of the tree layout; specified by features/sessions/tree_layout.feature (SES_03). A tree that brim wrote gives the
whole log back, under new ids; one that OpenCode wrote is read as a transcript.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from brim.errors import InvalidInput, Refused
from brim.sessions.ids import safe_id
from brim.sessions.importing import Imported, RecordBuilder, import_transcript, new_session
from brim.sessions.lines import Unreadable, decode
from brim.sessions.records import CarriedRecord, CompactionRecord, MessageRecord, PruningRecord
from brim.sessions.store import SessionStore
from brim.sessions.tree_layout import DIFF, PREFIX, TREE_VERSION, lines_beside, restored
from brim.transcripts.opencode import NAME, tree
from brim.transcripts.opencode.session import read_session
from brim.transcripts.source import Source, read_source


def import_tree(store: SessionStore, path: Path, *, name: str | None = None) -> Imported:
    """Make a session of one in a tree: its own file, or the tree where it holds one session.

    Raises InvalidInput where it is no such tree, Refused where a newer brim wrote it.
    """
    source = tree.gather(path) if path.is_dir() else read_source(path)
    session = source.document
    if not tree.is_session(session):
        raise InvalidInput(f"{path} is no session of a tree; name a file below its folder of sessions, or the tree")
    safe_id(session["id"].removeprefix(PREFIX))
    whole = tree.gather_session(source.path, session)
    about: dict[str, Any] = {"project": _text(session.get("directory")), "title": _text(session.get("title"))}
    about |= {"name": name}
    if "brim" not in session:
        transcript = read_session(NAME, whole.document, whole.damaged)
        if not transcript.messages:
            raise InvalidInput(f"{path} holds no message; name a session in which something was said")
        return import_transcript(store, transcript, **about)
    return _imported(store, whole, about)


def _imported(store: SessionStore, tree: Source, about: dict[str, Any]) -> Imported:
    """Make a session of one that brim wrote into a tree."""
    session, lines = tree.document["info"], _lines(tree)

    def draft(drafts: RecordBuilder) -> None:
        _renumber(drafts, lines)
        for diffs in _diffs(tree.path, session["id"]):
            drafts.add(CarriedRecord, kind=DIFF, diffs=diffs)

    drafts = new_session(store, draft, **about, **_begun(session, lines))
    return Imported(
        session=drafts.session.session,
        messages=sum(isinstance(record, MessageRecord) for record in drafts.records),
        compactions=sum(isinstance(record, CompactionRecord | PruningRecord) for record in drafts.records),
        notes=tuple(one.reason for one in tree.damaged),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _lines(tree: Source) -> list[dict[str, Any]]:
    """Every record of a tree that brim wrote, oldest first. Raises InvalidInput, Refused."""
    try:
        beside = _beside(tree.path, tree.document["info"])
        lines = [*beside, *(line for message in tree.document["messages"] for line in _restored(message))]
        for line in lines:
            decode(json.dumps(line).encode())
        return sorted(lines, key=lambda line: line["id"])
    except (Unreadable, KeyError, TypeError, AttributeError, IndexError) as error:
        raise InvalidInput(
            f"{tree.path}: what brim keeps in it was changed ({error}); export the session anew"
        ) from error


def _beside(path: Path, session: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    """The records that no message holds, as lines have them. Raises Refused where a newer brim wrote them."""
    told = session["brim"]
    version = told.get("version") if isinstance(told, Mapping) else None
    if isinstance(version, int) and version > TREE_VERSION:
        raise Refused(
            f"{path} is of version {version}, and this brim reads up to {TREE_VERSION}: read it with a newer brim"
        )
    records: Iterable[dict[str, Any]] = told["records"]
    return lines_beside(path, session["id"], records) if isinstance(records, int) else records


def _restored(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The records of one message; one that was added to the tree since is none of brim's."""
    return restored(message["info"], message["parts"]) if "brim" in message["info"] else iter(())


def _begun(session: Mapping[str, Any], lines: list[dict[str, Any]]) -> dict[str, Any]:
    """The model and the parent that the session began with; its own record knows them best."""
    first = next((line for line in lines if line["kind"] == "session"), None)
    if first is None:
        return {"parent": _text(session.get("parentID")).removeprefix(PREFIX) or None}
    return {"model": _text(first.get("model")), "parent": first.get("parent")}


def _renumber(drafts: RecordBuilder, lines: list[dict[str, Any]]) -> None:
    """Draft the records under ids of the new session; what speaks of another record speaks of it by its new id."""
    ids: dict[str, str] = {}
    for line in lines:
        if line["kind"] == "session":
            ids[line["id"]] = drafts.session.id
            continue
        ids[line["id"]] = drafts.next_id()
        told = json.dumps({**line, **_references(line, ids), "id": ids[line["id"]]})
        drafts.records.append(decode(told.encode()))


def _references(line: Mapping[str, Any], ids: Mapping[str, str]) -> dict[str, Any]:
    """What a record says of others, by their new ids."""

    def new(name: Any) -> Any:
        return ids.get(name, name) if isinstance(name, str) else name

    told: dict[str, Any] = {name: new(line[name]) for name in ("tail", "earlier", "to", "of") if name in line}
    if isinstance(line.get("replaces"), list):
        told["replaces"] = [new(name) for name in line["replaces"]]
    for name in ("opening", "closing"):
        if name in line:
            told[name] = [{**copy, "of": new(copy.get("of"))} for copy in line[name]]
    if "cleared" in line:
        told["cleared"] = [{**one, "message": new(one.get("message"))} for one in line["cleared"]]
    return told


def _diffs(path: Path, session: str) -> Iterator[list[Any]]:
    """The changes to files that lie in the tree beside a session; none where there are none."""
    place = path.resolve().parents[2] / DIFF / f"{session}.json"
    if place.is_file():
        held = read_source(place).document
        if isinstance(held, list) and held:
            yield held
