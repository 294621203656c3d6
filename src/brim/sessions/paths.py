"""Where sessions are by default, the clock, and the name of a project's folder.

Part of the stores; specified by features/sessions/registry.feature (SES_02).
"""

from __future__ import annotations

import os
import re
import time
from datetime import datetime
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Final

import platformdirs

from brim.errors import InvalidInput

HOME: Final = "BRIM_HOME"
"""This variable names the folder of everything that brim keeps, or the URL of a database for the sessions; without it,
the folder is the platform's for such data."""
BROKEN: Final = re.compile(r"\s*+(postgres(ql)?(\+\w*)?(:|//|/[^/]*@)|[a-z][a-z0-9+.-]+:/|[^/\\]*@)", re.IGNORECASE)
"""How a URL begins that would be taken for a folder: it lacks a slash or its colon, is a path, or names a user."""
UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")


def system_clock() -> int:
    """The time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def default_place() -> str | Path:
    """Return the URL that BRIM_HOME names, else the folder of the user's sessions. Raises InvalidInput."""
    home = os.environ.get(HOME, "")
    return home if is_url(home) else default_root()


def default_root() -> Path:
    """The folder that BRIM_HOME names, else the one the platform has for such data. Raises InvalidInput."""
    home = os.environ.get(HOME, "")
    if not home or is_url(home):
        return Path(platformdirs.user_data_dir("brim", appauthor=False))
    try:
        return validated_path(Path(home)).expanduser()
    except RuntimeError as error:
        raise InvalidInput(f"{HOME} names {home}, and there is no such user; name a folder") from error


def is_url(where: str) -> bool:
    """Return whether a path is a URL of any kind."""
    return "://" in where


def validated_path(where: str | Path) -> Path:
    """A path, where the system can have one of that name, and it is no broken URL. Raises InvalidInput."""
    if BROKEN.match(str(where)):  # nothing of it is repeated: a piece may be a password
        raise InvalidInput(
            "a place that begins as a URL does is no folder; write postgresql:// with its colon and both slashes, "
            "or ./ before the name of a folder"
        )
    where = Path(where)
    try:
        is_possible = b"\0" not in os.fsencode(where)
    except UnicodeEncodeError:
        is_possible = False
    if not is_possible:
        raise InvalidInput(f"{str(where)!r} holds what no name of a folder can hold; name another")
    return where


def moment(time: int) -> str:
    """A time (milliseconds since 1970) as the user's clock shows it."""
    try:
        return f"{datetime.fromtimestamp(time / 1000).astimezone():%Y-%m-%d %H:%M}"
    except (OverflowError, OSError, ValueError):
        return "–"


def folder_of(project: str) -> str:
    """The folder of a project: its own name, made safe, and eight characters of a checksum."""
    if not project:
        return "no-project"
    own = UNSAFE.sub("-", PurePath(project).name).strip(".-")[:40]
    return f"{own or 'project'}-{sha256(project.encode(errors='surrogatepass')).hexdigest()[:8]}"
