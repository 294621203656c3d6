"""Which store, session, project and file a command of sessions works on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from brim.cli.limits import WrongUsage
from brim.errors import InvalidInput, StoreFailed
from brim.sessions.files import translate_os_errors
from brim.sessions.ids import safe_id
from brim.sessions.paths import default_place, default_root, is_url, validated_path
from brim.sessions.records import Record
from brim.sessions.registry import SessionInfo
from brim.sessions.session import Session
from brim.sessions.store import SessionStore, open_store

LEAST: Final = 4
"""Characters of an id that name a session, where they name one alone."""
LISTED: Final = "brim sessions list names the sessions"
SHOWN: Final = 3
"""Ids that are named at most where several are meant."""


@contextmanager
def opened(where: str | None) -> Iterator[SessionStore]:
    """The store at a path or a URL, by default the user's. Raises WrongUsage, InvalidInput or StoreFailed."""
    with closing(open_store(_checked(where))) as store:
        yield store


def _checked(where: str | None) -> str | Path:
    """The place that is opened: a URL unchanged, or a folder that can be listed or does not exist yet."""
    if where is not None and (not where.strip() or "\0" in where):
        raise WrongUsage(f"--store is {where!r}; name a folder, or postgresql://user@host/database")
    place = default_place() if where is None else where
    if isinstance(place, str) and is_url(place):
        return place
    root = validated_path(Path(place))
    require_folder(root)
    require_folder(root / "sessions")
    return root


def kept_in(where: str | None) -> Path:
    """The folder that brim writes in by itself: that of the store, or for a database the user's own."""
    place = default_place() if where is None else where
    return default_root() if isinstance(place, str) and is_url(place) else Path(place)


def require_folder(path: Path, option: str = "--store") -> None:
    """Whether a folder can be looked into, or is not there yet. Raises StoreFailed or InvalidInput."""
    try:
        with translate_os_errors(f"cannot look into {path}"):
            os.scandir(path).close()
    except StoreFailed as failure:
        if isinstance(failure.__cause__, NotADirectoryError):
            raise InvalidInput(f"{path} is no folder; name one with {option}") from failure
        if not isinstance(failure.__cause__, FileNotFoundError):
            raise


def place_of(where: str | None) -> str:
    """The place in words, and never a password."""
    place = str(default_place() if where is None else where)
    if not is_url(place):
        return place
    from brim.sessions.sql import redacted

    return redacted(place.strip())


def found(store: SessionStore, name: str) -> SessionInfo:
    """The session that is meant: by its whole id, or by the beginning or the end of one alone.

    Earlier versions cut the prefix from the ids of OpenCode: those sessions are found with it too. Raises InvalidInput.
    """
    if not name:
        raise InvalidInput(f"the id is empty; {LISTED}")
    try:
        return store.info(safe_id(name))
    except InvalidInput as error:
        from brim.transcripts.opencode import PREFIX

        ids = {one.id: one for one in store.sessions()}
        bare = name.removeprefix(PREFIX)
        meant = [bare] if bare in ids else [one for one in ids if _is_meant(one, name)]
        meant = meant or [one for one in ids if _is_meant(one, bare)]
        if len(meant) == 1:
            return ids[meant[0]]
        if not meant:
            raise InvalidInput(f"{error}; {_cure(name)}") from error
    shown = ", ".join(meant[:SHOWN]) + (", …" if len(meant) > SHOWN else "")
    raise InvalidInput(f"{name} may be any of {len(meant)} sessions ({shown}); write more of the id")


def _cure(name: str) -> str:
    """What would find a session by another name than its id (CMD_11)."""
    with suppress(OSError, ValueError):  # of a name that no path can have
        if Path(name).is_file():
            return f"it is a file: brim sessions import makes a session of it, and brim compact compacts it; {LISTED}"
    return f"an id is named by {LEAST} or more of its first or last characters; {LISTED}"


def _is_meant(session: str, name: str) -> bool:
    return len(name) >= LEAST and (session.startswith(name) or session.endswith(name))


def absence(where: str | None) -> tuple[str, ...]:
    """A note where the folder of a store does not exist, so that it does not look like an empty one."""
    place = default_place() if where is None else where
    if (isinstance(place, str) and is_url(place)) or Path(place).exists():
        return ()
    return (f"{place} does not exist yet: brim sessions import FILE makes it; --store names another folder",)


def record_in(session: Session, name: str, *kinds: type[Record]) -> str:
    """The id of a record by all of it, or by its beginning or end where that is no other's; else the name itself.

    Raises InvalidInput where several records have such an id.
    """
    ids = [record.id for record in session.records() if isinstance(record, kinds)]
    meant = [name] if name in ids else [one for one in ids if _is_meant(one, name)]
    if len(meant) > 1:
        raise InvalidInput(f"{name} may be any of {len(meant)} records of session {session.id}; write more of the id")
    return meant[0] if meant else name


def directory(project: str) -> str:
    """The absolute path of a project's directory."""
    return os.path.abspath(project)  # noqa: PTH100 - it need not be there
