"""Files that last: private to the user, and on the disk before they are spoken of (SES_07, SES_12)."""

from __future__ import annotations

import os
import re
import secrets
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

PRIVATE_FILE: Final = 0o600
PRIVATE_FOLDER: Final = 0o700
BESIDE: Final = re.compile(r"\..+\.([0-9]+)\.[0-9a-f]{8}")
"""The name of a file that is on its way to another name: it holds the process that writes it."""
GIVEN_UP: Final = 60
"""Seconds after which such a file of a process that is gone is taken away; the process may be on another machine."""


def make_folder(path: Path) -> None:
    """Make a folder that is private to the user, and those above it that are missing."""
    if path.is_dir():
        return
    make_folder(path.parent)
    with suppress(FileExistsError):
        path.mkdir(PRIVATE_FOLDER)
        sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Bring the names in a folder to the disk."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_all(file: int, data: bytes) -> None:
    """Write all of it, in one call where the system takes it in one."""
    written = os.write(file, data)
    while written < len(data):
        written += os.write(file, data[written:])


def write_whole(path: Path, data: bytes, *, lasting: bool = False) -> None:
    """Put a file in the place of another at once: whoever reads meets the old one or the new one, whole."""
    beside = _beside(path)
    file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    try:
        with os.fdopen(file, "wb") as handle:
            handle.write(data)
            handle.flush()
            if lasting:
                os.fsync(handle.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    if lasting:
        sync_folder(path.parent)


def make_whole(path: Path, data: bytes) -> None:
    """Make a file at once, whole and lasting, or not at all. Raises FileExistsError where there is one already."""
    beside = _beside(path)
    file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    try:
        try:
            write_all(file, data)
            os.fsync(file)
        finally:
            os.close(file)
        os.link(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    sync_folder(path.parent)


def clear_left(folder: Path) -> None:
    """Take away what processes that died while they wrote left beside the files of a folder."""
    for left in folder.glob(".*"):
        if _is_left(left):
            left.unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")


def _is_left(path: Path) -> bool:
    named = BESIDE.fullmatch(path.name)
    if named is None:
        return False
    try:
        if time.time() - path.stat().st_mtime <= GIVEN_UP:
            return False
        os.kill(int(named[1]), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False
