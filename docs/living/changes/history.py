"""The project's history as git keeps it: which versions were tagged, and the features of any revision."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Final

from steps.rulebook import Feature, UnreadableFeature, read_feature

__all__ = ["History", "PartialHistory", "UnreadableHistory", "features_on_disk"]

VERSION: Final = re.compile(r"(?:[A-Za-z]\w*[-/])?v?\d+(?:\.\d+)+(?:[-.+]?\w+)*")
"""A tag that names a version: v1.0, 0.2.0rc1, brim-1.2.3. Others are passed over."""
NO_GIT: Final = "the program git is not there"
NO_HISTORY: Final = "this copy of the project comes without its history"
NO_REPOSITORY: Final = b"not a git repository"
NOT_TRUSTED: Final = b"dubious ownership"
OF_ANOTHER: Final = "this copy of the project belongs to another user, and git does not read it for that"
LACKING: Final = b"from promisor remote"
PARTIAL: Final = "this copy of the project lacks what its older files say (a partial clone)"
SHALLOW: Final = "this copy of the project holds its newest commits alone (a shallow clone)"


class UnreadableHistory(Exception):
    """A revision that is not there, or whose features do not parse; git that does not answer."""


class PartialHistory(UnreadableHistory):
    """A revision whose files this copy lacks, as a partial clone does."""


@dataclass(frozen=True, slots=True)
class History:
    """The history of the project in a folder."""

    root: Path

    def absent(self) -> str | None:
        """Why there is none, in words; None where there is one. Raises UnreadableHistory where git refuses to say."""
        if which("git") is None:
            return NO_GIT
        asked = self._run("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        if NOT_TRUSTED in asked.stderr:
            return OF_ANOTHER
        if asked.stderr and NO_REPOSITORY not in asked.stderr:
            raise UnreadableHistory(_failure("rev-parse", asked))
        return NO_HISTORY if asked.returncode else None

    def shallow(self) -> bool:
        """Whether it holds its newest commits alone."""
        return self._text("rev-parse", "--is-shallow-repository") == "true"

    def versions(self) -> tuple[str, ...]:
        """The tags of versions that led here, the oldest first; those of one commit in the order of their numbers."""
        tags = self._text("for-each-ref", "--merged=HEAD", "--format=%(refname:strip=2)", "refs/tags").split()
        numbered = [tag for tag in tags if VERSION.fullmatch(tag)]
        return tuple(sorted(numbered, key=lambda tag: (self._age(tag), _number(tag))))

    def features(self, revision: str) -> tuple[Feature, ...]:
        """The features of a revision, by path. Raises UnreadableHistory with revision, file and line."""
        commit = self.commit(revision)
        listed = self._git("ls-tree", "-r", "-z", "--full-tree", commit, "--", "features")
        places = dict(_places(listed.decode(errors="surrogateescape")))
        contents = _contents(self._git("cat-file", "--batch", fed="\n".join(places.values())))
        return _parsed(dict(zip(places, contents, strict=True)), of=f"revision {revision}: ")

    def commit(self, revision: str) -> str:
        """The commit that a revision names; a tag before a branch of its name. Raises UnreadableHistory."""
        if why := self.absent():
            raise UnreadableHistory(f"{why}, so revision {revision!r} cannot be read")
        for name in (f"refs/tags/{revision}", revision):
            if not revision.startswith("-") and self._is_there(name):
                return self._text("rev-parse", "--verify", f"{name}^{{commit}}")
        tagged = ", ".join(self.versions()) or "none"
        cure = f"; {SHALLOW}: git fetch --unshallow --tags gets the rest" if self.shallow() else ""
        raise UnreadableHistory(f"there is no revision {revision!r}; versions that were tagged: {tagged}{cure}")

    def _is_there(self, revision: str) -> bool:
        return self._run("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").returncode == 0

    def _age(self, tag: str) -> int:
        """How many commits led to it: more than to any that it came from."""
        return int(self._text("rev-list", "--count", f"refs/tags/{tag}"))

    def _text(self, *arguments: str) -> str:
        return self._git(*arguments).decode(errors="replace").strip()

    def _git(self, *arguments: str, fed: str = "") -> bytes:
        answered = self._run(*arguments, fed=fed)
        if LACKING in answered.stderr:
            raise PartialHistory(f"{PARTIAL}: git fetch --refetch --no-filter gets the rest")
        if answered.returncode:
            raise UnreadableHistory(_failure(arguments[0], answered))
        return answered.stdout

    def _run(self, *arguments: str, fed: str = "") -> subprocess.CompletedProcess[bytes]:
        """Ask git about this folder alone, whatever repository stands around it or in the environment."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        told = {"GIT_CEILING_DIRECTORIES": str(self.root.resolve().parent), "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
        command = [which("git") or "git", "-C", str(self.root), *arguments]
        return subprocess.run(command, input=fed.encode(), capture_output=True, check=False, env=kept | told)  # noqa: S603


def features_on_disk(root: Path) -> tuple[Feature, ...]:
    """The features of this tree. Raises UnreadableHistory with file and line."""
    paths = sorted((root / "features").rglob("*.feature"))
    return _parsed({path.relative_to(root).as_posix(): path.read_bytes() for path in paths}, of="")


def _failure(command: str, answered: subprocess.CompletedProcess[bytes]) -> str:
    return f"git {command}: {answered.stderr.decode(errors='replace').strip()}"


def _number(tag: str) -> tuple[tuple[int, str], ...]:
    """A tag in its parts, numbers as numbers, so that 0.10 comes after 0.9."""
    return tuple((int(part), "") if part.isdigit() else (0, part) for part in re.findall(r"\d+|\D+", tag))


def _places(listed: str) -> Iterator[tuple[str, str]]:
    """Paths of feature files and the ids of their contents; links and what is no file are passed over."""
    for entry in filter(None, listed.split("\0")):
        told, _, path = entry.partition("\t")
        mode, _, content = told.split()
        if mode.startswith("100") and path.endswith(".feature"):
            yield path, content


def _contents(batch: bytes) -> Iterator[bytes]:
    """The contents in an answer of `git cat-file --batch`: a line with the size, then so many bytes and a line end."""
    place = 0
    while place < len(batch):
        begin = batch.index(b"\n", place) + 1
        size = int(batch[place:begin].split()[-1])
        yield batch[begin : begin + size]
        place = begin + size + 1


def _parsed(contents: dict[str, bytes], of: str) -> tuple[Feature, ...]:
    with TemporaryDirectory() as folder:
        return tuple(_read(Path(folder, "one.feature"), *one, of) for one in sorted(contents.items()))


def _read(file: Path, path: str, content: bytes, of: str) -> Feature:
    file.write_bytes(content)
    try:
        return replace(read_feature(file), path=Path(path))
    except UnreadableFeature as error:
        raise UnreadableHistory(f"{of}{path}:{error.line}: it does not parse: {error}") from error
