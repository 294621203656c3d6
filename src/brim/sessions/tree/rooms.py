"""Rooms of a tree: where the files of one session lie, and what a tree that was never finished leaves behind.

Part of the tree layout; specified by features/sessions/tree_layout.feature (SES_03). The file of the session is written
last: a tree without it was never finished, and whoever writes it anew begins by taking that away.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from brim.errors import InvalidInput, Refused
from brim.sessions.disk.failures import telling
from brim.sessions.disk.files import make_folder
from brim.transcripts.source import read_source

DIFF: Final = "session_diff"
"""The room of the changes to files, and the kind of the record that carries them."""
BESIDE: Final = "brim"
"""The room of the records that no message holds, a file each."""


def begin(folder: Path, name: str) -> None:
    """Make the rooms of a session; what an export left in them that never came to its end is taken away first.

    Raises Refused where the tree holds the session, or messages of it that no brim wrote; StoreFailed.
    """
    message, beside = folder / "message" / name, folder / BESIDE / name
    with telling(f"cannot write {folder}"):
        is_whole = any((folder / "session").glob(f"*/{name}.json"))
        if is_whole or (message.exists() and not beside.exists()):
            raise Refused(f"{folder} holds session {name} already; name another folder")
        if beside.exists():
            _clear(folder, name)
        make_folder(beside)
        make_folder(message)


def _clear(folder: Path, name: str) -> None:
    """Take away what was written so far: a message is written before its parts, and so it tells where they are."""
    message = folder / "message" / name
    for path in message.glob("*.json"):
        _remove(folder / "part" / path.stem)
    _remove(message)
    (folder / DIFF / f"{name}.json").unlink(missing_ok=True)
    _remove(folder / BESIDE / name)


def _remove(room: Path) -> None:
    with suppress(FileNotFoundError):
        shutil.rmtree(room)


def lines_beside(session: Path, name: str, count: int) -> Iterator[dict[str, Any]]:
    """The records that lie beside a session, as lines have them. Raises InvalidInput where they are not so many."""
    room = session.resolve().parents[2] / BESIDE / name
    paths = sorted(room.glob("*.json"))
    if len(paths) != count:
        raise InvalidInput(
            f"{session}: of the {count} records beside its messages {len(paths)} lie in {room}; export the session anew"
        )
    for path in paths:
        document = read_source(path).document
        if not isinstance(document, dict):
            raise InvalidInput(f"{path} holds no record; export the session anew")
        yield document
