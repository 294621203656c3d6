"""Snapshots: the files of a project as a git tree in a store of brim's own.

Specified by features/checkpoints/snapshots.feature (CHK_02, CHK_03, CHK_11, CHK_12). A snapshot is a commit: its tree
has the files, its message the permissions that git has no room for. The project's own repository is only read.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, cast

from filelock import FileLock, Timeout

from brim.checkpoints.git import DAMAGE_CURE, FilesChanged, Git, write_changed
from brim.checkpoints.worktree import CHUNK, LINK, PERMISSIONS, Version, WorkTree
from brim.errors import InvalidInput, Refused, StoreFailed, shown
from brim.sessions.files import make_folder, no_links, translate_os_errors, write_whole
from brim.sessions.paths import default_root, folder_of, system_clock

MAX_NEW_BYTES: Final = 2 * 1024 * 1024
"""A file that no snapshot holds yet is left out above this (CHK_03)."""
PATIENCE_S: Final = 10
"""How long the store of a project is waited for where another process uses it."""
ATTEMPTS: Final = 3
"""Attempts to take a snapshot of files that change meanwhile."""
PATHS_A_CALL: Final = 500
"""Paths that git is given in one command line."""
FIRST_FILES: Final = 1_000
"""Files of the first batch that git records."""
BATCH_FILES: Final = 10_000
"""The most files of a batch: each command of git has limited time."""
BATCH_BYTES: Final = 16 * 1024 * 1024
"""Bytes of the files that git records at once."""
CHECKSUM: Final = 20
"""Bytes at the end of git's index that are a checksum of it."""
LAST: Final = "last.json"


class Snapshot(NamedTuple):
    """A commit in the store, and the paths that it lacks (CHK_03)."""

    commit: str
    left_out: tuple[str, ...]


class Change(NamedTuple):
    """A file in two snapshots; None where one has no such file."""

    path: str
    before: Version | None
    after: Version | None


class FileChange(NamedTuple):
    """A file that differs between two snapshots, for people."""

    path: str
    """From the project's folder."""
    status: str
    """added, removed, changed, or mode where the permissions alone differ."""
    added: int | None
    """Lines that are new; None for a file that is no text."""
    removed: int | None
    """Lines that are gone; None for a file that is no text."""


class FilePermissions(NamedTuple):
    """The permissions of a snapshot's files: the usual ones by the umask, and the others by path."""

    umask: int
    unusual: Mapping[str, int]

    def of(self, path: str, mode: int) -> int:
        """The permissions of a file that git has under this mode."""
        if mode == LINK:
            return LINK
        usual = (0o777 if mode & 0o100 else 0o666) & ~self.umask
        return self.unusual.get(path, usual)


class SnapshotStore:
    """The snapshots of one project, below brim's home (CHK_12). Raises a BrimError of one line for whatever fails."""

    def __init__(self, project: Path | str, home: Path | None = None) -> None:
        """`home` is brim's folder, by default the user's. Raises InvalidInput where the project is no folder."""
        self.project = Path(os.path.realpath(project))
        if not self.project.is_dir():
            raise InvalidInput(
                f"there is no folder {shown(str(project))}: name the project's; if it moved, its new one"
            )
        self.home = Path(os.path.realpath(home or default_root()))
        self.folder = self.home / "checkpoints" / folder_of(str(self.project))
        self.git = Git(self.folder, self.project)
        self.first_batch = FIRST_FILES
        """Files that git records at first; an interrupted snapshot keeps the batches that are done.

        The batches double: each costs a write of the index to the disk.
        """
        self._known: dict[str, FilePermissions] = {}
        """The permissions of snapshots that were read."""

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let no other process use the store meanwhile. Raises Refused where one does for long."""
        with translate_os_errors(f"cannot lock {self.folder}"):
            no_links(self.home, self.folder)
            make_folder(self.folder)
            lock = FileLock(self.folder / "lock", timeout=PATIENCE_S, mode=0o600)
            try:
                lock.acquire()
            except Timeout:
                raise Refused(
                    f"another process works on the checkpoints of {self.project}; try again when it has ended"
                ) from None
        try:
            with translate_os_errors(f"cannot write {self.folder}"):
                (self.folder / "index.lock").unlink(missing_ok=True)  # of a git that was killed
            yield
        finally:
            lock.release()

    def take(self, on_files: Callable[[int], None] = lambda _: None) -> Snapshot:
        """A snapshot of the files as they are now; the holder of the store calls it. Raises StoreFailed.

        Where it is interrupted, the next one goes on with the files recorded so far; `on_files` receives their number.
        """
        for _ in range(ATTEMPTS - 1):
            with suppress(FilesChanged):
                return self._take(on_files)
        return self._take(on_files)

    def _take(self, on_files: Callable[[int], None]) -> Snapshot:
        self.git.make()
        self._copy_excludes(self._repository)
        changed = self.git.start("diff-files", "-z", "--name-only")
        others = self.git.start("ls-files", "-z", "--others", "--exclude-standard", "--", ".", *self._own_home)
        try:
            recorded = _texts(self.git.finish(changed))
        except StoreFailed:
            others.kill()
            others.communicate()
            raise
        new, left_out = self._sorted_out(_texts(self.git.finish(others)))
        last = self._last()
        if last is not None and not recorded and not new and not last["fresh"]:
            return Snapshot(last["commit"], left_out)
        fresh = last["fresh"] if last is not None else ()
        dirty = dict.fromkeys([*recorded, *self._former_names(new), *new, *fresh])
        return Snapshot(self._recorded(dirty, last, on_files), left_out)

    def record(self, paths: Iterable[str]) -> str:
        """The commit of the last snapshot with these files as well, whatever their size and what ignores them.

        Like every recorded file they stay recorded. Raises StoreFailed.
        """
        return self._recorded(dict.fromkeys(paths), self._last(), lambda _: None)

    def _former_names(self, new: Iterable[str]) -> list[str]:
        """The names that git's index has of new files, where names that differ in case alone are one file.

        Git takes a file that got another name so for one that is still there.
        """
        wanted = {path.casefold() for path in new} if self.is_caseless else set[str]()
        return [one for one in _texts(self.git.run("ls-files", "-z")) if one.casefold() in wanted] if wanted else []

    @cached_property
    def is_caseless(self) -> bool:
        """Whether names in the project that differ in case alone are one file, as on macOS."""
        with translate_os_errors(f"cannot look into {self.project}"), WorkTree(self.project) as tree:
            return tree.is_caseless

    @cached_property
    def _own_home(self) -> tuple[str, ...]:
        """What keeps brim's own folder out of the snapshots of a project that it lies in."""
        if self.project not in self.home.parents:
            return ()
        return (f":(exclude,top,literal){self.home.relative_to(self.project)}",)

    @cached_property
    def _repository(self) -> Path | None:
        """The folder of the repository that the project is or lies in."""
        found = next((one for one in (self.project, *self.project.parents) if (one / ".git").exists()), None)
        if found in (None, self.project):
            return found
        self._copy_excludes(found)
        own = self.git.ignored(found, _joined([str(self.project)]))
        return None if own else found  # a repository that ignores the whole project says nothing about its files

    def _copy_excludes(self, repository: Path | None) -> None:
        """Exclude here as well what the user's repository excludes."""
        data = b""
        if repository is not None:
            with translate_os_errors(f"cannot read what {repository} excludes"):
                path = _git_folder(repository) / "info" / "exclude"
                data = path.read_bytes() if path.is_file() else b""
        with translate_os_errors(f"cannot write {self.folder}"):
            write_changed(self.folder / "info" / "exclude", data)

    def _sorted_out(self, others: list[str]) -> tuple[list[str], tuple[str, ...]]:
        """Of paths that are not recorded yet those to be recorded, and those that are left out."""
        if others and self._repository is not None and self._repository != self.project:
            asked = _joined(path for path in others if not path.endswith("/"))
            ignored = {*_texts(self.git.ignored(self._repository, asked))}
            others = [path for path in others if path not in ignored]
        new, left_out = list[str](), list[str]()
        with WorkTree(self.project) as tree:
            for path in others:
                found = None if path.endswith("/") else tree.stat(path)
                if path.endswith("/") or ".git" in path.lower().split("/"):
                    left_out.append(path)
                elif found is not None:
                    (left_out if found.st_size > MAX_NEW_BYTES else new).append(path)
        return new, tuple(left_out)

    def _recorded(self, dirty: Iterable[str], last: Mapping[str, Any] | None, on_files: Callable[[int], None]) -> str:
        """The commit of the files as they are, of which these paths may differ from git's index.

        Git compares times in whole seconds: a file that was changed in this second is looked at again the next time.
        """
        permissions = (
            self._permissions_of_index() if last is None else FilePermissions(last["umask"], {**last["unusual"]})
        )
        unusual = dict(permissions.unusual)
        there, gone, fresh = dict[str, int](), list[str](), list[str]()
        just_now = system_clock() // 1_000 - 1
        with WorkTree(self.project) as tree:
            for path in dirty:
                found = tree.stat(path)
                unusual.pop(path, None)
                if found is None or not (stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)):
                    gone.append(path)
                    continue
                there[path] = found.st_size
                if found.st_ctime >= just_now:
                    fresh.append(path)
                mode = found.st_mode & PERMISSIONS
                if stat.S_ISREG(found.st_mode) and mode != permissions.of("", mode):
                    unusual[path] = mode
        if gone:
            self.git.run("update-index", "--force-remove", "-z", "--stdin", given=_joined(gone))
        done = 0
        for paths in _batches(there, self.first_batch):
            self.git.run("update-index", "--add", "--replace", "-z", "--stdin", given=_joined(paths))
            on_files(done := done + len(paths))
        tree_id = self.git.run("write-tree").decode().strip()
        about = {"umask": permissions.umask, "unusual": unusual}
        message = json.dumps(about, sort_keys=True).encode()
        commit = self.git.run("commit-tree", tree_id, given=message).decode().strip()
        self._known = {commit: FilePermissions(permissions.umask, unusual)}
        with translate_os_errors(f"cannot write {self.folder}"):
            about_last = json.dumps({"index": self._index_checksum(), "commit": commit, "fresh": fresh, **about})
            write_whole(self.folder / LAST, about_last.encode())
        return commit

    def _index_checksum(self) -> str:
        try:
            with open(self.folder / "index", "rb") as index:  # noqa: PTH123
                index.seek(-CHECKSUM, os.SEEK_END)
                return index.read().hex()
        except FileNotFoundError:
            return ""

    def _last(self) -> dict[str, Any] | None:
        """What is known of the commit that git's index is of; None where it is of none yet, or of a lost one."""
        try:
            state = json.loads((self.folder / LAST).read_bytes())
            return state if state["index"] == self._index_checksum() and self._holds(state["commit"]) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _holds(self, commit: str) -> bool:
        """Whether a commit is there: in a file of its own, as git writes it, or packed."""
        if (self.folder / "objects" / commit[:2] / commit[2:]).is_file():
            return True
        asked = self.git.start("cat-file", "-e", commit)
        asked.communicate()
        return asked.returncode == 0

    def _permissions_of_index(self) -> FilePermissions:
        """The permissions of the files that git's index holds, read from the files."""
        umask = self._umask()
        usual, unusual = FilePermissions(umask, {}), {}
        with WorkTree(self.project) as tree:
            for path in _texts(self.git.run("ls-files", "-z")):
                found = tree.stat(path)
                if found is not None and stat.S_ISREG(found.st_mode):
                    mode = found.st_mode & PERMISSIONS
                    if mode != usual.of("", mode):
                        unusual[path] = mode
        return FilePermissions(umask, unusual)

    def _umask(self) -> int:
        """The umask, as a new file has it: os.umask could only read it by changing it for other threads as well."""
        probe = self.folder / "umask"
        with translate_os_errors(f"cannot write {probe}"):
            probe.unlink(missing_ok=True)
            file = os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o777)
            try:
                return 0o777 & ~os.fstat(file).st_mode
            finally:
                os.close(file)
                probe.unlink()

    def keep(self, session: str, commit: str) -> None:
        """Keep a snapshot for a session until `drop`; nothing else protects it from `free`."""
        path = self.folder / self._ref(session, commit)
        with translate_os_errors(f"cannot write {path}"):
            make_folder(path.parent)
            write_changed(path, commit.encode() + b"\n")

    def _ref(self, session: str, commit: str) -> str:
        return f"refs/brim/{folder_of(session)}/{commit}"

    def free(self, session: str, kept: Iterable[str]) -> int:
        """Drop all snapshots of a session but those that are kept, and free their disk space; the bytes freed."""
        refs = self.git.run("for-each-ref", "--format=%(refname)", f"refs/brim/{folder_of(session)}/").decode().split()
        wanted = {self._ref(session, commit) for commit in kept}
        before = self._size()
        given = "".join(f"delete {ref}\0\0" for ref in refs if ref not in wanted)
        self.git.run("update-ref", "-z", "--stdin", given=given.encode())
        (self.folder / LAST).unlink(missing_ok=True)  # its commit may go
        self.git.run("gc", "--quiet", "--prune=now")
        return before - self._size()

    def _size(self) -> int:
        """Bytes on the disk."""
        found = (os.lstat(os.path.join(folder, name)) for folder, _, names in os.walk(self.folder) for name in names)  # noqa: PTH118
        return sum(one.st_blocks * 512 for one in found)

    @property
    def is_made(self) -> bool:
        """Whether a snapshot was ever taken."""
        return (self.folder / "HEAD").exists()

    def require(self, commit: str) -> None:
        """Raise StoreFailed where the store does not hold a snapshot."""
        if self.is_made:
            self.git.make()
            with suppress(StoreFailed):
                self._permissions(commit)
                return
        raise StoreFailed(
            f"{self.folder} does not hold this snapshot of {self.project}: the store was removed or damaged, or "
            "the checkpoint was made of a folder elsewhere: move that back to where it was"
        )

    def _permissions(self, commit: str) -> FilePermissions:
        """The permissions that a snapshot recorded; the last ones are kept."""
        if commit not in self._known:
            body = self.git.run("cat-file", "commit", commit).partition(b"\n\n")[2]
            try:
                read = json.loads(body)
                self._known[commit] = FilePermissions(read["umask"], read["unusual"])
            except (ValueError, KeyError, TypeError) as error:
                raise StoreFailed(f"{commit} in {self.folder} is no snapshot of brim's; name a checkpoint") from error
        return self._known[commit]

    def changes(self, before: str, after: str) -> list[Change]:
        """The files in which two snapshots differ, by path."""
        older, newer = self._permissions(before), self._permissions(after)
        raw = _texts(self.git.run("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", before, after))
        found: dict[str, Change] = {}
        for entry, path in zip(raw[::2], raw[1::2], strict=True):
            old_mode, new_mode, old, new, _ = entry.removeprefix(":").split()
            found[path] = Change(path, _version(path, old_mode, old, older), _version(path, new_mode, new, newer))
        for path, version in self._files(after, _other_permissions(older, newer) - found.keys()).items():
            earlier = version._replace(mode=older.of(path, version.mode))
            later = version._replace(mode=newer.of(path, version.mode))
            if earlier != later:
                found[path] = Change(path, earlier, later)
        return [found[path] for path in sorted(found)]

    def _files(self, commit: str, paths: AbstractSet[str]) -> dict[str, Version]:
        """Of these paths those that a snapshot holds, with git's own modes."""
        found, asked = {}, sorted(paths)
        for start in range(0, len(asked), PATHS_A_CALL):
            literal = [f":(top,literal){path}" for path in asked[start : start + PATHS_A_CALL]]
            for line in _texts(self.git.run("ls-tree", "-r", "-z", "--full-tree", commit, "--", *literal)):
                about, _, path = line.partition("\t")
                mode, _, blob = about.split()
                found[path] = Version(blob, int(mode, 8))
        return {path: version for path, version in found.items() if path in paths}

    def has(self, commits: Iterable[str], path: str) -> bool:
        """Whether some of the snapshots hold a path, as a file or as a folder."""
        listed = ("ls-tree", "--full-tree", "--name-only")
        return path == "." or any(self.git.run(*listed, one, "--", f":(top,literal){path}") for one in commits)

    def held_in(self, commits: Iterable[str], paths: Iterable[str]) -> set[str]:
        """Of these paths those that some of the snapshots hold."""
        left, found = {*paths}, set[str]()
        for commit in dict.fromkeys(commits):
            if not left:
                break
            found |= self._files(commit, left).keys() & left
            left -= found
        return found

    def summary(self, before: str, after: str, paths: Sequence[str] = ()) -> list[FileChange]:
        """The files in which two snapshots differ, with their lines; all of them where no paths are named."""
        counted = self.git.run(*_DIFF, "-z", "--numstat", before, after)
        counts = {path: (added, removed) for added, removed, path in (one.split("\t", 2) for one in _texts(counted))}
        return [
            FileChange(one.path, _status(one), *map(_count, counts.get(one.path, ("0", "0"))))
            for one in self.changes(before, after)
            if not paths or is_among(one.path, paths)
        ]

    def patch(self, before: str, after: str, paths: Sequence[str] = ()) -> str:
        """The difference of two snapshots, in the form of git diff."""
        named = [f":(top,literal){path}" for path in paths]
        return os.fsdecode(self.git.run(*_DIFF, "-p", before, after, "--", *named))

    def contents(self, blobs: Sequence[str]) -> Iterator[Iterator[bytes]]:
        """The contents of these blobs, each to be read before the next. Raises StoreFailed where one is missing."""
        if not blobs:
            return
        running = self.git.start("cat-file", "--batch")
        asking, answers = cast("IO[bytes]", running.stdin), cast("IO[bytes]", running.stdout)
        try:
            for blob in blobs:
                asking.write(blob.encode() + b"\n")
                asking.flush()
                head = answers.readline().split()
                if len(head) != 3 or head[1] != b"blob":  # noqa: PLR2004  name, kind and size
                    raise StoreFailed(f"{self.folder} lacks a file of this snapshot, {blob}; {DAMAGE_CURE}")
                yield _pieces(answers, int(head[2]))
                answers.read(1)
        finally:
            running.kill()
            running.communicate()


_DIFF: Final = ("diff-tree", "-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--full-index")


def _batches(sizes: Mapping[str, int], first: int) -> Iterator[list[str]]:
    """Paths with the bytes of their files, in batches that double from `first` files on."""
    batch, left, most = list[str](), BATCH_BYTES, first
    for path, size in sizes.items():
        if batch and (len(batch) == most or size > left):
            yield batch
            batch, left, most = [], BATCH_BYTES, min(2 * most, BATCH_FILES)
        batch.append(path)
        left -= size
    if batch:
        yield batch


def _pieces(source: IO[bytes], size: int) -> Iterator[bytes]:
    while size and (piece := source.read(min(size, CHUNK))):
        size -= len(piece)
        yield piece


def _texts(data: bytes) -> list[str]:
    return [os.fsdecode(one) for one in data.split(b"\0")[:-1]]


def _joined(paths: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def _version(path: str, mode: str, blob: str, permissions: FilePermissions) -> Version | None:
    number = int(mode, 8)
    return Version(blob, permissions.of(path, number)) if number else None


def _other_permissions(one: FilePermissions, other: FilePermissions) -> set[str]:
    """The paths that may have other permissions in two snapshots although git sees no difference."""
    paths = one.unusual.keys() | other.unusual.keys()
    return {path for path in paths if one.unusual.get(path) != other.unusual.get(path) or one.umask != other.umask}


def is_among(path: str, paths: Iterable[str]) -> bool:
    """Whether a path is one of these, or lies below one; a slash at the end is no part of it, and a dot is all."""
    return any(one == "." or path == one.rstrip("/") or path.startswith(f"{one.rstrip('/')}/") for one in paths)


def _status(change: Change) -> str:
    if change.before is None or change.after is None:
        return "added" if change.before is None else "removed"
    return "mode" if change.before.blob == change.after.blob else "changed"


def _count(lines: str) -> int | None:
    return None if lines == "-" else int(lines)


def _git_folder(repository: Path) -> Path:
    """The folder of a repository that its work trees share. Raises OSError."""
    own = repository / ".git"
    if own.is_file():  # a work tree, or a submodule
        own = repository / os.fsdecode(own.read_bytes()).removeprefix("gitdir:").strip()
    common = own / "commondir"
    return own / os.fsdecode(common.read_bytes()).strip() if common.is_file() else own
