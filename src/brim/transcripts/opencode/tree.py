"""The storage tree of OpenCode: `session/<project>/<session>.json`, `message/<session>/`, `part/<message>/`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from brim.errors import InvalidInput
from brim.transcripts.source import Json, Source, read_source
from brim.transcripts.values import Damaged

ROOMS: Final = ("session", "message")
"""The folders that make a storage tree."""


def is_session(document: Json) -> bool:
    """Whether a JSON value is a session of the storage tree."""
    return (
        isinstance(document, Mapping)
        and isinstance(document.get("id"), str)
        and isinstance(document.get("time"), Mapping)
        and "messages" not in document
        and ("projectID" in document or document["id"].startswith("ses_"))
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
    damaged: list[Damaged] = []
    infos = sorted(_objects(root / "message", session["id"], damaged), key=_created)
    messages = [
        {"info": info, "parts": list(_objects(root / "part", info.get("id"), damaged, number))}
        for number, info in enumerate(infos, 1)
    ]
    return Source(path, document={"info": session, "messages": messages}, damaged=tuple(damaged))


def _objects(room: Path, name: Json, damaged: list[Damaged], number: int | None = None) -> Iterable[dict[str, Json]]:
    """The objects of the files of a folder, by name, which is by age; a file that is damaged is counted."""
    if not isinstance(name, str) or Path(name).name != name:
        return
    for position, path in enumerate(sorted((room / name).glob("*.json")), 1):
        try:
            document = read_source(path).document
        except InvalidInput as error:
            document = None
            damaged.append(Damaged(number or position, str(error)))
        if isinstance(document, dict):
            yield document


def _created(info: Mapping[str, Json]) -> float:
    time = info.get("time")
    created = time.get("created") if isinstance(time, Mapping) else None
    return created if isinstance(created, int | float) else 0
