"""Reading a tree: a session in OpenCode's layout becomes a session of brim.

Part of the tree layout; specified by features/sessions/tree_layout.feature (SES_03). A tree that brim wrote gives the
whole log back, under new ids; one that OpenCode wrote is read as a transcript.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from brim.errors import InvalidInput, Refused
from brim.sessions.ids import is_safe, safe_id
from brim.sessions.importing import Imported, RecordBuilder, draft_transcript, import_transcript, imported, new_session
from brim.sessions.lines import Unreadable, decode
from brim.sessions.opencode_records import foreign_fields, with_texts
from brim.sessions.records import (
    CarriedRecord,
    CompactionRecord,
    ForeignRecord,
    PruningRecord,
    Record,
    SessionRecord,
)
from brim.sessions.store import SessionStore
from brim.sessions.tree_layout import TREE_VERSION, lines_beside
from brim.transcripts.opencode import DIFFS, PREFIX, gather, gather_session, is_session, read_session
from brim.transcripts.source import Source, read_source


def import_tree(store: SessionStore, path: Path, *, name: str | None = None) -> Imported:
    """Make a session of one in a tree: of its file, or of the tree where that has one session.

    Raises InvalidInput where the path is neither, Refused where a newer brim wrote it.
    """
    source = gather(path) if path.is_dir() else read_source(path)
    session = source.document
    if not is_session(session):
        raise InvalidInput(f"{path} is no session of a tree; name a file below its folder of sessions, or the tree")
    safe_id(session["id"].removeprefix(PREFIX))
    whole = gather_session(source.path, session)
    if "brim" not in session:
        transcript = read_session(whole.document, whole.damaged)
        if not transcript.messages:
            raise InvalidInput(f"{path} holds no message; name a session in which something was said")
        return import_transcript(store, transcript, name=name)
    about: dict[str, Any] = {"project": _text(session.get("directory")), "title": _text(session.get("title"))}
    return _imported(store, whole, about | {"name": name})


def _imported(store: SessionStore, tree: Source, about: dict[str, Any]) -> Imported:
    """Make a session of one that brim wrote into a tree."""
    session, records = tree.document["info"], _records(tree)

    added = [message for message in tree.document["messages"] if "brim" not in message["info"]]

    def draft(drafts: RecordBuilder) -> None:
        _renumber(drafts, records)
        if added:  # OpenCode went on with the session
            draft_transcript(drafts, read_session({"messages": added}))
        if diffs := tree.document["diffs"]:
            drafts.add(CarriedRecord, kind=DIFFS, diffs=diffs)

    drafts = new_session(store, draft, **about, **_begun(session, records))
    return imported(drafts, tuple(one.reason for one in tree.damaged))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _records(tree: Source) -> list[Record]:
    """Every record of a tree that brim wrote, oldest first. Raises InvalidInput, Refused."""
    try:
        beside = _beside(tree.path, tree.document["info"])
        lines = [*beside, *(line for message in tree.document["messages"] for line in _restored(message))]
        return sorted((decode(json.dumps(line).encode()) for line in lines), key=lambda record: record.id)
    except (Unreadable, InvalidInput, KeyError, TypeError, AttributeError, IndexError) as error:
        raise InvalidInput(
            f"{tree.path}: what brim keeps in it was changed ({error}); export the session anew"
        ) from error


def _beside(path: Path, session: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    """The records that are of no message, as lines have them. Raises Refused where a newer brim wrote them."""
    version = session["brim"]["version"]
    if version > TREE_VERSION:
        raise Refused(f"{path} is of version {version}, and this brim reads {TREE_VERSION}: read it with a newer brim")
    if version < TREE_VERSION:
        raise InvalidInput(f"{path} is of version {version}, and this brim reads {TREE_VERSION}: export it anew")
    return lines_beside(path, session["id"], session["brim"]["records"])


def _restored(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The records of one message; none of a message that was added to the tree since."""
    info, parts = dict(message["info"]), message["parts"]
    told = info.pop("brim", None)
    if told is not None:
        yield from with_texts(told["texts"], told["records"], parts)
        if "foreign" in told:
            yield told["foreign"] | {"document": {"info": info, "parts": parts}}


def _begun(session: Mapping[str, Any], records: Sequence[Record]) -> dict[str, Any]:
    """The time, the model and the parent that the session began with; its own record knows them best.

    A parent whose id is not safe as the name of a file is left out: no session has such an id.
    """
    first = next((record for record in records if isinstance(record, SessionRecord)), None)
    parent = _text(session.get("parentID")).removeprefix(PREFIX) if first is None else first.parent or ""
    told = {} if first is None else {"model": first.model, "window": first.window, "created": first.time}
    return {**told, "parent": parent if is_safe(parent) else None}


def _renumber(drafts: RecordBuilder, records: Sequence[Record]) -> None:
    """Draft the records under ids of the new session; what names another record names it by its new id."""
    ids: dict[str, str] = {}
    known: dict[str, Record] = {}
    for record in records:
        if isinstance(record, SessionRecord):
            ids[record.id] = drafts.session.id
            continue
        ids[record.id] = drafts.next_id(record.time)
        made = record.model_copy(update={**_references(record, ids), "id": ids[record.id]})
        if isinstance(made, ForeignRecord) and made.texts is None:
            held = [known[name] for name in made.held if name in known]
            made = made.model_copy(update=foreign_fields(made.document, held))
        known[made.id] = made
        drafts.records.append(made)


def _references(record: Record, ids: Mapping[str, str]) -> dict[str, Any]:
    """What a record says of others, by their new ids."""

    def new(name: Any) -> Any:
        return ids.get(name, name) if isinstance(name, str) else name

    told: dict[str, Any] = {}
    if isinstance(record, ForeignRecord):
        told["held"] = tuple(map(new, record.held))
    for name in {"tail", "earlier", "to", "of"} & record.__class__.model_fields.keys():
        told[name] = new(getattr(record, name))
    if isinstance(record, CompactionRecord):
        told["replaces"] = tuple(map(new, record.replaces)) if record.replaces is not None else None
        for name in ("opening", "closing"):
            told[name] = tuple(copy.model_copy(update={"of": new(copy.of)}) for copy in getattr(record, name))
    if isinstance(record, CompactionRecord | PruningRecord):
        told["cleared"] = tuple(one.model_copy(update={"message": new(one.message)}) for one in record.cleared)
    return told
