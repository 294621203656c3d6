"""The git binary on a store of brim's own: nothing of the user's configuration, repository or hooks takes part.

Specified by features/checkpoints/snapshots.feature (CHK_02, CHK_11).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final, cast

from brim.errors import StoreFailed
from brim.sessions.files import make_folder, translate_os_errors, write_whole

OLDEST: Final = (2, 32)
"""The oldest git that can be kept from reading the user's configuration (GIT_CONFIG_GLOBAL)."""
CONFIG: Final = b"""[core]
\trepositoryFormatVersion = 0
\tbare = false
\tfileMode = true
\tsymlinks = true
\tignoreCase = false
\tautoCRLF = false
\tsafeCRLF = false
\tprotectHFS = false
\tprotectNTFS = false
\tattributesFile = /dev/null
\thooksPath = /dev/null
\tcompression = 1
\tfsync = loose-object
\tfsyncMethod = batch
[gc]
\tauto = 0
[index]
\tversion = 2
"""
"""The configuration of a store: files are recorded byte for byte."""
ATTRIBUTES: Final = b"* -text -eol -crlf -ident -filter !working-tree-encoding !diff\n"
"""These come before every attribute of the project, so that none converts a file."""
IDENTITY: Final = {
    f"GIT_{role}_{field}": value
    for role in ("AUTHOR", "COMMITTER")
    for field, value in (("NAME", "brim"), ("EMAIL", "brim@localhost"), ("DATE", "2000-01-01T00:00:00+0000"))
}
"""The same for every commit, so that equal snapshots are one commit."""
DAMAGE_CURE: Final = (
    "it is damaged: the files it still holds can be restored, and a moved or removed store is made anew"
)
CHANGE_CURE: Final = "it changes while it is recorded: end what writes it, and try again"


class FilesChanged(StoreFailed):
    """A file was changed, replaced or removed while git read it; the store is as it was."""


PATIENCE_S: Final = 300
"""Seconds after which a git that has not ended is killed: it waits for a pipe, or the disk does not answer."""
PRIVATE_UMASK: Final = 0o077
"""What git writes into a store is for the user alone."""


def user_environment() -> dict[str, str]:
    """The environment without what would lead git to another repository."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


class Git:
    """Runs git on the store of a project. Raises StoreFailed where git fails, in one line."""

    def __init__(self, folder: Path, project: Path) -> None:
        self.folder, self.project = folder, project
        self.program = shutil.which("git")

    @cached_property
    def lack(self) -> str:
        """Why there are no snapshots: git is missing or too old; empty where there are."""
        if self.program is None:
            return "git is missing: install it to keep files as well"
        answer = self._answer(["version"], user_environment())
        found = re.search(rb"(\d+)\.(\d+)", answer)
        if found is None or (int(found[1]), int(found[2])) < OLDEST:
            version = os.fsdecode(answer.strip()) or "git does not run"
            return f"{version}; install git {'.'.join(map(str, OLDEST))} or newer to keep files as well"
        return ""

    @cached_property
    def _environment(self) -> Mapping[str, str]:
        excludes = self._answer(["config", "--type=path", "--get", "core.excludesFile"], user_environment()).strip(
            b"\n"
        )
        own = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.excludesFile"} if excludes else {}
        return {
            **user_environment(),
            **IDENTITY,
            **own,
            **({"GIT_CONFIG_VALUE_0": os.fsdecode(excludes)} if excludes else {}),
            "GIT_DIR": str(self.folder),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C",
        }

    def _answer(self, arguments: Iterable[str], environment: Mapping[str, str]) -> bytes:
        """What git says to a question about the user's own; nothing where it fails."""
        try:
            asked = [self.program or "git", *arguments]
            return subprocess.run(  # noqa: S603  found on the path, as the user's shell finds it
                asked,
                cwd=self.project,
                env=environment,
                capture_output=True,
                stdin=subprocess.DEVNULL,
                check=False,
                timeout=PATIENCE_S,
            ).stdout
        except OSError:
            return b""
        except subprocess.TimeoutExpired as error:
            raise self._silence() from error

    def ignored(self, repository: Path, given: bytes) -> bytes:
        """Of these paths those that the ignore files of a repository above the project exclude. Raises StoreFailed.

        The configuration is the store's: that of the repository may name programs, such as core.fsmonitor.
        """
        running = self.start("check-ignore", "--no-index", "-z", "--stdin", work_tree=repository)
        return self.finish(running, given, fine=(0, 1))

    def _silence(self) -> StoreFailed:
        """The error of a git that did not end."""
        return StoreFailed(
            f"git did not end within {PATIENCE_S:,} seconds in {self.project}; look whether its disk answers, and "
            "whether git waits for a named pipe, such as a .gitignore that is one"
        )

    def make(self) -> None:
        """Make the store where there is none, and bring its configuration up to date. Raises StoreFailed."""
        wanted = {"config": CONFIG, "info/attributes": ATTRIBUTES, "HEAD": b"ref: refs/heads/none\n"}
        with translate_os_errors(f"cannot make {self.folder}"):
            for folder in ("objects", "refs", "info"):
                make_folder(self.folder / folder)
            for name, data in wanted.items():
                write_changed(self.folder / name, data)

    def start(self, *arguments: str, work_tree: Path | None = None) -> subprocess.Popen[bytes]:
        """Git at work in the store, on the project where no other work tree is given; `finish` gives what it says."""
        with translate_os_errors(f"cannot run {self.program}"):
            return subprocess.Popen(  # noqa: S603
                [self.program or "git", *arguments],
                cwd=self.project,
                env={**self._environment, "GIT_WORK_TREE": str(work_tree or self.project)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                umask=PRIVATE_UMASK,
            )

    def finish(self, running: subprocess.Popen[bytes], given: bytes = b"", fine: Iterable[int] = (0,)) -> bytes:
        """What git says, once it has ended. Raises StoreFailed where it failed, with its first complaint."""
        try:
            out, errors = running.communicate(given or None, timeout=PATIENCE_S)
        except subprocess.TimeoutExpired as error:
            running.kill()
            running.communicate()
            raise self._silence() from error
        except BaseException:  # a time limit, or the user's Ctrl-C: git removes its own temporary files
            running.terminate()
            running.wait()
            raise
        if running.returncode not in fine:
            with translate_os_errors(f"cannot write {self.folder}"):  # a git that was killed leaves it
                (self.folder / "index.lock").unlink(missing_ok=True)
            reads_files = "update-index" in cast("list[str]", running.args)
            raise self.failure(os.fsdecode(errors), reads_files=reads_files)
        return out

    def run(self, *arguments: str, given: bytes = b"") -> bytes:
        """What git says. Raises StoreFailed."""
        return self.finish(self.start(*arguments), given)

    def failure(self, errors: str, *, reads_files: bool = False) -> StoreFailed:
        """The error of what git complained about, while it read the project's files or the store alone."""
        lines = [line for line in errors.splitlines() if line.startswith(("error: ", "fatal: "))] or errors.splitlines()
        said = (lines or ["git ended without a word"])[0].removeprefix("error: ").removeprefix("fatal: ")
        cure = DAMAGE_CURE
        if "Permission denied" in said:
            cure = "give yourself permission, or leave the file out in .gitignore"
        elif "No space left" in errors or "write error" in errors:
            cure = "make room on the disk; nothing was changed"
        elif reads_files:  # the index was read just before
            unless = f"if nothing does, look at the store of checkpoints {self.folder}: {DAMAGE_CURE}"
            return FilesChanged(f"{self.project}: {said}; {CHANGE_CURE}; {unless}")
        elif "index" in said or "cache entry" in said:
            cure = f"remove {self.folder / 'index'}: the next checkpoint makes it anew, and no checkpoint is lost"
        return StoreFailed(f"the store of checkpoints {self.folder}: {said}; {cure}")


def write_changed(path: Path, data: bytes) -> None:
    """Write a file, whole, where it does not hold this already."""
    try:
        if path.read_bytes() == data:
            return
    except FileNotFoundError:
        pass
    write_whole(path, data)
