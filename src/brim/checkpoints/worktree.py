"""The files of a project: what each is, and how it is replaced. No link is followed, in the folders above it either.

Specified by features/checkpoints/restoring.feature (CHK_05). Every file is reached from the project's folder, one name
after another, so that a link which somebody puts in the way leads nowhere.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from errno import ELOOP, ENOENT, ENOTDIR
from hashlib import sha1
from pathlib import Path
from typing import Final, NamedTuple, Self

from brim.sessions.files import write_all

FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
CHUNK: Final = 1 << 20
PERMISSIONS: Final = 0o777
LINK: Final = 0o120000
"""What git calls the mode of a link."""


class Version(NamedTuple):
    """A file as a snapshot holds it: its blob, and its permissions; LINK for a link, whose blob is where it leads."""

    blob: str
    mode: int


class WorkTree:
    """The files below a folder, by their paths from there. A context manager.

    Where the file system finds a name whatever its case, a file is there only under the name that its folder lists.
    """

    def __init__(self, root: Path) -> None:
        """Raises OSError where there is no such folder."""
        self._root = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
        self._near, self._fd = "", self._root
        """The folder that was used last, and its descriptor."""
        self._listed: frozenset[str] | None = None
        """The names in that folder, where they were asked for and nothing was changed since."""
        self.is_caseless = _is_caseless(root, self._root)
        """Whether names that differ in case alone are one file."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._leave()
        os.close(self._root)

    def _leave(self) -> None:
        if self._fd != self._root:
            os.close(self._fd)
        self._near, self._fd, self._listed = "", self._root, None

    def _folder(self, path: str, *, make: bool = False) -> int:
        """The descriptor of a folder, until the next one is asked for. Raises OSError, ENOTDIR for a link."""
        if path == self._near:
            return self._fd
        self._leave()
        if not path:
            return self._root
        fd = os.dup(self._root)
        try:
            for name in path.split("/"):
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(name, dir_fd=fd)
                elif self.is_caseless:
                    _require_listed(fd, name)
                inner = os.open(name, FOLDER, dir_fd=fd)
                os.close(fd)
                fd = inner
        except BaseException:
            os.close(fd)
            raise
        self._near, self._fd = path, fd
        return fd

    def _at(self, path: str, *, make: bool = False) -> tuple[int, str]:
        folder, _, name = path.rpartition("/")
        return self._folder(folder, make=make), name

    def stat(self, path: str) -> os.stat_result | None:
        """What is there, a link itself; None where nothing is, or a folder above is a link or no folder."""
        try:
            fd, name = self._at(path)
            found = os.stat(name, dir_fd=fd, follow_symlinks=False)
            return found if self._is_listed(name) else None
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in (ELOOP, ENOTDIR):
                return None
            raise

    def _is_listed(self, name: str) -> bool:
        """Whether the folder that was used last has just this name, in its case."""
        if self.is_caseless and self._listed is None:
            self._listed = frozenset(_names(self._fd))
        return self._listed is None or name in self._listed

    def version(self, path: str) -> Version | None:
        """The file or link there; None where nothing is, a folder, a pipe or a device. Raises OSError."""
        found = self.stat(path)
        if found is None:
            return None
        fd, name = self._at(path)
        if stat.S_ISLNK(found.st_mode):
            led = os.fsencode(os.readlink(name, dir_fd=fd))
            return Version(sha1(b"blob %d\0%s" % (len(led), led)).hexdigest(), LINK)  # noqa: S324  git's own name
        if not stat.S_ISREG(found.st_mode):
            return None
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=fd)
        try:
            known = os.fstat(file)
            digest = sha1(b"blob %d\0" % known.st_size)  # noqa: S324
            while piece := os.read(file, CHUNK):
                digest.update(piece)
        finally:
            os.close(file)
        return Version(digest.hexdigest(), known.st_mode & PERMISSIONS)

    def files_below(self, path: str) -> Iterator[str]:
        """Everything in a folder that is no folder itself, by its path from the project."""
        found = self.stat(path)
        if found is None or not stat.S_ISDIR(found.st_mode):
            return
        for name in sorted(_names(self._folder(path))):
            inner = f"{path}/{name}"
            found = self.stat(inner)
            if found is not None and stat.S_ISDIR(found.st_mode):
                yield from self.files_below(inner)
            else:
                yield inner

    def obstacle_above(self, path: str) -> str:
        """The first of the folders above a path that is something else; empty where none is."""
        names = path.split("/")[:-1]
        for count in range(1, len(names) + 1):
            above = "/".join(names[:count])
            found = self.stat(above)
            if found is None:
                return ""
            if not stat.S_ISDIR(found.st_mode):
                return above
        return ""

    def is_other(self, path: str) -> bool:
        """Whether something is there that is no folder."""
        found = self.stat(path)
        return found is not None and not stat.S_ISDIR(found.st_mode)

    def make_folder(self, path: str) -> None:
        """Make a folder for the owner alone. Raises FileExistsError where something is there."""
        fd, name = self._at(path)
        self._listed = None
        os.mkdir(name, 0o700, dir_fd=fd)

    def write(self, path: str, data: Iterator[bytes], mode: int) -> None:
        """Write a file or a link that is not there yet, on the disk when this returns."""
        fd, name = self._at(path, make=True)
        self._listed = None
        if mode == LINK:
            os.symlink(os.fsdecode(b"".join(data)), name, dir_fd=fd)
            return
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=fd)
        try:
            for piece in data:
                write_all(file, piece)
            os.fchmod(file, mode)
            os.fsync(file)
        finally:
            os.close(file)

    def move(self, path: str, to: str) -> None:
        """Give a file another name, below the same folder; an empty folder of that name is removed first."""
        self.prune(to)
        to_fd, to_name = self._at(to, make=True)
        to_fd = os.dup(to_fd)
        try:
            fd, name = self._at(path)
            os.rename(name, to_name, src_dir_fd=fd, dst_dir_fd=to_fd)
        finally:
            os.close(to_fd)
            self._leave()

    def remove(self, path: str) -> None:
        """Remove a file or a link."""
        fd, name = self._at(path)
        self._listed = None
        os.unlink(name, dir_fd=fd)

    def prune(self, path: str) -> None:
        """Remove a folder where it holds nothing but empty folders; anything else stays."""
        found = self.stat(path)
        if found is None or not stat.S_ISDIR(found.st_mode):
            return
        for name in _names(self._folder(path)):
            self.prune(f"{path}/{name}")
        fd, name = self._at(path)
        with suppress(OSError):
            os.rmdir(name, dir_fd=fd)
        self._leave()

    def prune_above(self, path: str) -> None:
        """Remove the folders above a path that are empty now."""
        self._leave()
        while path := path.rpartition("/")[0]:
            try:
                fd, name = self._at(path)
                os.rmdir(name, dir_fd=fd)
            except FileNotFoundError:
                continue
            except OSError:
                return
            self._leave()

    def clear(self, folder: str) -> None:
        """Remove a folder of brim's own with the files in it."""
        for path in [*self.files_below(folder)]:
            self.remove(path)
        self.prune(folder)


def _is_caseless(root: Path, folder: int) -> bool:
    """Whether names that differ in case alone are one file: by a name with letters in a folder, else by its own."""
    with os.scandir(folder) as entries:
        inside = next((one.name for one in entries if one.name.isascii() and one.name.swapcase() != one.name), "")
    paths = (inside, inside.swapcase()) if inside else (root, root.with_name(root.name.swapcase()))
    with suppress(OSError, ValueError):
        first, second = (os.stat(one, dir_fd=folder, follow_symlinks=False) for one in paths)
        return paths[0] != paths[1] and os.path.samestat(first, second)
    return False


def _require_listed(folder: int, name: str) -> None:
    """Raise FileNotFoundError where a folder has a name in another case alone."""
    if name not in _names(folder):
        raise FileNotFoundError(ENOENT, os.strerror(ENOENT), name)


def _names(folder: int) -> list[str]:
    with os.scandir(folder) as entries:
        return [one.name for one in entries]
