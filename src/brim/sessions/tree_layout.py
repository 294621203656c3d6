"""Tree layout: a session as a tree of small files, one for the session, for each message and for each of its parts.

Specified by features/sessions/tree_layout.feature (SES_03). The layout is OpenCode's: session/<project>/<session>,
message/<session>/<message>, part/<message>/<part> and session_diff/<session>. What OpenCode's form cannot hold stands
under `brim` in the files of the session and its messages, so that the whole log comes back.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from brim.errors import Refused
from brim.sessions.disk.failures import telling
from brim.sessions.disk.files import PRIVATE_FILE, make_folder, write_all
from brim.sessions.places import folder_of
from brim.sessions.records.ids import safe_id
from brim.sessions.records.infos import SessionInfo
from brim.sessions.records.kinds import CarriedRecord, Record
from brim.sessions.records.lines import encode
from brim.sessions.session import Session
from brim.sessions.tree.messages import TreeMessage, TreeMessages
from brim.sessions.viewing.rewound import counting

DIFF: Final = "session_diff"
"""The room of the changes to files, and the kind of the record that carries them."""
VERSION: Final = 1
"""The version of what stands under `brim`."""
NO_PROJECT: Final = "global"
"""Where OpenCode puts the sessions of no project."""
PREFIX: Final = "ses_"


def export_tree(session: Session, folder: Path) -> Path:
    """Write a session into a tree, and tell the file of the session; it is written last.

    Raises Refused where the tree holds that session already, InvalidInput for an id that is no safe name for a file.
    """
    info, records = session.info, list(session.records())
    name = tree_name(info.id)
    project = folder_of(info.project) if info.project else NO_PROJECT
    path = folder / "session" / project / f"{name}.json"
    if path.exists() or (folder / "message" / name).exists():
        raise Refused(f"{folder} holds session {name} already; name another folder")
    with telling(f"cannot write {folder}"):
        make_folder(folder / "message" / name)
    messages = TreeMessages(counting(records), info.model, info.project)
    for message in messages.read():
        _write_message(folder, name, message)
    _write(folder / DIFF / f"{name}.json", _diffs(records))
    _write(path, _session_info(info, name, project) | {"brim": _beside(records, messages.held)})
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


def _beside(records: Sequence[Record], held: set[str]) -> dict[str, Any]:
    """The records that no message holds, as lines have them."""
    lines = [json.loads(encode(record)) for record in records if record.id not in held and not _is_diff(record)]
    return {"version": VERSION, "records": lines}


def _is_diff(record: Record) -> bool:
    return isinstance(record, CarriedRecord) and record.kind == DIFF


def _diffs(records: Sequence[Record]) -> Sequence[Mapping[str, Any]]:
    """The changes to files that a session carries; those told last."""
    carried = [record for record in records if _is_diff(record)]
    found = (carried[-1].model_extra or {}).get("diffs") if carried else None
    return found if isinstance(found, list) else []


def _write_message(folder: Path, session: str, message: TreeMessage) -> None:
    name = _checked(message.name)
    about = {"id": name, "sessionID": session}
    for number, part in enumerate(message.parts, 1):
        held = {"id": f"prt_{name.removeprefix('msg_')}_{number:05}", "sessionID": session, "messageID": name}
        _write(folder / "part" / name / f"{held['id']}.json", {**part, **held})
    _write(folder / "message" / session / f"{name}.json", {**about, **message.info})


def _checked(name: str) -> str:
    """The name of a message. Raises InvalidInput where a record's id is no safe name for a file."""
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
