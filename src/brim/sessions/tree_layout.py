"""Tree layout: a session as a tree of small files, one for the session, for each message and for each of its parts.

Specified by features/sessions/tree_layout.feature (SES_03). The layout is OpenCode's: session/<project>/<session>,
message/<session>/<message>, part/<message>/<part> and session_diff/<session>. What OpenCode's form cannot hold stands
under `brim` in the files of the session and its messages, and in files below brim/<session>, one for each record that
no message holds, so that the whole log comes back.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from brim.sessions.disk.failures import telling
from brim.sessions.disk.files import PRIVATE_FILE, make_folder, make_whole, write_all
from brim.sessions.places import folder_of
from brim.sessions.records.ids import safe_id
from brim.sessions.records.infos import SessionInfo
from brim.sessions.records.kinds import CarriedRecord, Record
from brim.sessions.records.lines import encode
from brim.sessions.session import Session
from brim.sessions.tree.messages import TreeMessage, TreeMessages
from brim.sessions.tree.rooms import BESIDE, DIFF, begin
from brim.sessions.viewing.rewound import counting

VERSION: Final = 2
"""The version of what brim keeps in a tree. In the first, the records beside the messages stood in one file."""
NO_PROJECT: Final = "global"
"""Where OpenCode puts the sessions of no project."""
PREFIX: Final = "ses_"


def export_tree(session: Session, folder: Path) -> Path:
    """Write a session into a tree, and tell the file of the session; it is written last.

    Raises Refused where the tree holds that session already, InvalidInput for an id that is no safe name for a file,
    StoreFailed. A tree that was not written to its end is in nobody's way: it is written anew.
    """
    info, records = session.info, list(session.records())
    name = tree_name(info.id)
    project = folder_of(info.project) if info.project else NO_PROJECT
    begin(folder, name)
    messages = TreeMessages(counting(records), info.model, info.project)
    for message in messages.read():
        _write_message(folder, name, message)
    _write(folder / DIFF / f"{name}.json", _diffs(records))
    beside = [record for record in records if record.id not in messages.held and not _is_diff(record)]
    for record in beside:
        _write(folder / BESIDE / name / f"{_checked(record.id)}.json", json.loads(encode(record)))
    path = folder / "session" / project / f"{name}.json"
    told = _session_info(info, name, project) | {"brim": {"version": VERSION, "records": len(beside)}}
    with telling(f"cannot write {path}"):
        make_folder(path.parent)
        make_whole(path, json.dumps(told).encode())
    return path


def tree_name(session: str) -> str:
    """The name of a session in a tree."""
    name = safe_id(session)
    return name if name.startswith(PREFIX) else f"{PREFIX}{name}"


def _session_info(info: SessionInfo, name: str, project: str) -> dict[str, Any]:
    told = {
        "id": name,
        "version": "brim",
        "projectID": project,
        "directory": info.project,
        "title": info.title,
        "time": {"created": info.created, "updated": info.last_active},
    }
    return told if info.parent is None else {**told, "parentID": tree_name(info.parent)}


def _is_diff(record: Record) -> bool:
    return isinstance(record, CarriedRecord) and record.kind == DIFF


def _diffs(records: Sequence[Record]) -> Sequence[Mapping[str, Any]]:
    """The changes to files that a session carries; those told last."""
    carried = [record for record in records if _is_diff(record)]
    found = (carried[-1].model_extra or {}).get("diffs") if carried else None
    return found if isinstance(found, list) else []


def _write_message(folder: Path, session: str, message: TreeMessage) -> None:
    name = _checked(message.name)
    _write(folder / "message" / session / f"{name}.json", {"id": name, "sessionID": session, **message.info})
    for number, part in enumerate(message.parts, 1):
        held = {"id": f"prt_{name.removeprefix('msg_')}_{number:05}", "sessionID": session, "messageID": name}
        _write(folder / "part" / name / f"{held['id']}.json", {**part, **held})


def _checked(name: str) -> str:
    """The name of a message or record. Raises InvalidInput where a record's id is no safe name for a file."""
    return safe_id(name)


def _write(path: Path, value: object) -> None:
    data = json.dumps(value, default=dict).encode()
    with telling(f"cannot write {path}"):
        make_folder(path.parent)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
        try:
            write_all(file, data)
        finally:
            os.close(file)
