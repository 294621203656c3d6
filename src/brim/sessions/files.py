"""Files that last: private to the user, on the disk before they are acknowledged, and their errors in one line.

Specified by features/sessions/log.feature (SES_07, SES_12).
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EACCES, EEXIST, EINVAL, ELOOP, ENOLCK, ENOSYS, ENOTSUP, EOPNOTSUPP, EPERM, EROFS
from pathlib import Path
from typing import Final

from brim.errors import StoreFailed

REACH_CURE: Final = "see that it can be reached, and that there is room"
PERMISSION_CURE: Final = "give yourself permission, or name another folder"
LINK_CURE: Final = "put the file or folder itself in its place"
LOCK_CURE: Final = "its file system has no locks: use a folder on another one"


@contextmanager
def translate_os_errors(what: str, cure: str = "") -> Iterator[None]:
    """Raise StoreFailed for a failure of the operating system: what was tried, what was met and what would cure it."""
    try:
        yield
    except OSError as error:
        denied = isinstance(error, PermissionError) or error.errno == EROFS
        known = {ELOOP: LINK_CURE, ENOLCK: LOCK_CURE, EOPNOTSUPP: LOCK_CURE}
        cure = cure or (PERMISSION_CURE if denied else known.get(error.errno or 0, REACH_CURE))
        raise StoreFailed(f"{what}: {reason_of(error)}; {cure}") from error


def reason_of(error: OSError) -> str:
    """Return what the system met, in words."""
    if error.errno == ELOOP:
        return "it is a link, and links inside a store are not followed"
    return error.strerror or str(error)


PRIVATE_FILE: Final = 0o600
ORDINARY_FILE: Final = 0o666
"""Of this the user's own mask takes away."""
PRIVATE_FOLDER: Final = 0o700
MAX_NAME_CHARS: Final = 40
"""Characters of a name that the name of such a file repeats, so that it is never too long."""
NO_LINKS: Final = frozenset({EPERM, EACCES, ENOSYS, ENOTSUP, EOPNOTSUPP})
"""What a file system says that has no hard links."""


def make_folder(path: Path) -> None:
    """Make a folder that is private to the user, and those above it that are missing."""
    if path.is_dir():
        return
    make_folder(path.parent)
    with suppress(FileExistsError):
        path.mkdir(PRIVATE_FOLDER)
        sync_folder(path.parent)


def no_links(root: Path, path: Path) -> None:
    """Raise OSError (ELOOP) where a path below a root is a link or leads through one; none is if missing (SES_15)."""
    while path != root and root in path.parents:
        if path.is_symlink():
            raise OSError(ELOOP, os.strerror(ELOOP), str(path))
        path = path.parent


def regular_size(path: str | Path) -> int:
    """The bytes of a file. Raises OSError for a link (ELOOP), and for a folder, pipe or device (EINVAL)."""
    found = os.lstat(path)
    if stat.S_ISLNK(found.st_mode):
        raise OSError(ELOOP, os.strerror(ELOOP), str(path))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(EINVAL, "it is no ordinary file", str(path))
    return found.st_size


def open_regular(path: Path, flags: int) -> int:
    """Open a file and no link, folder, pipe or device. Raises OSError, as `regular_size` does."""
    file = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(EINVAL, "it is no ordinary file", str(path))
    return file


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


def write_synced(file: int, data: bytes) -> None:
    """Write all of it to the disk."""
    write_all(file, data)
    os.fsync(file)


def write_whole(path: Path, data: bytes, *, private: bool = True) -> None:
    """Replace a file at once: a reader, and a machine that failed, meets the old one or the new one, whole.

    One that is not private has the permissions of the old one, and no others on the way, or those that the umask gives.
    Raises PermissionError where the old one is not the user's to write.
    """
    is_kept = not private and path.exists()
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(EACCES, os.strerror(EACCES), str(path))
    with _beside(path, data, PRIVATE_FILE if private or is_kept else ORDINARY_FILE) as beside:
        if is_kept:
            shutil.copymode(path, beside)
        beside.replace(path)


def make_whole(path: Path, data: bytes) -> None:
    """Make a file at once, whole and lasting, or not at all. Raises FileExistsError where there is one already."""
    with _beside(path, data, PRIVATE_FILE) as beside:
        _link(beside, path)
    sync_folder(path.parent)


@contextmanager
def _beside(path: Path, data: bytes, mode: int) -> Iterator[Path]:
    """A file with this data beside a path, under a name of its own; deleted at the end where it still has that name."""
    beside = path.with_name(f".{path.name[:MAX_NAME_CHARS]}.{os.getpid()}.{secrets.token_hex(4)}")
    file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        try:
            write_synced(file, data)
        finally:
            os.close(file)
        yield beside
    finally:
        beside.unlink(missing_ok=True)


def _link(beside: Path, path: Path) -> None:
    """Give a file its name where nothing has that yet; without hard links, as far as that is known just before."""
    try:
        os.link(beside, path)
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        if path.exists():
            raise FileExistsError(EEXIST, "there is one already", str(path)) from None
        beside.replace(path)


def has_ended(pid: int) -> bool:
    """Return whether a process of this machine has ended; False where that cannot be found out."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False
