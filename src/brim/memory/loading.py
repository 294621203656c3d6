"""Memory: the texts of the memory files of a folder, each with where it comes from, and what could not be loaded.

Specified by features/memory/loading.feature (MEM_02, MEM_03, MEM_09).
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Self

from brim.errors import InvalidInput
from brim.memory.discovery import DEPRECATED, NAMES, Origin, configured_paths, is_there, places_of, repository_root
from brim.memory.front_matter import FrontMatterError, NoEndError, read_front_matter
from brim.memory.imports import MAX_DEPTH, Import, find_imports
from brim.memory.settings import DEFAULT, MemorySettings, read_settings
from brim.sessions.files import open_regular

INTRODUCTION: Final = "Instructions from: "
OUTSIDE: Final = "it leads outside of the project; external_imports = true in the user's brim.toml allows it"
MAX_FILES: Final = 100
"""Memory files that are loaded: each costs time and tokens, and one may import any number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFile:
    """A memory file that is loaded."""

    path: Path
    """Where it is, absolute; a link in the path stays."""
    text: str
    """Its text without front matter and the white space around it."""
    origin: Origin
    """Global, of the project, or configured; an imported file has that of the file that imports it."""
    imported_by: Path | None = None
    """The file that imports it; None for one that was found or configured."""
    paths: tuple[str, ...] = ()
    """The patterns of the files that its instructions are for, by its front matter; empty for all files."""

    @property
    def introduction(self) -> str:
        """The line above its text."""
        files = f" (for files that match {', '.join(self.paths)})" if self.paths else ""
        return f"{INTRODUCTION}{self.path}{files}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The memory files of a folder, in the order in which their texts are joined (MEM_02)."""

    folder: Path
    """The agent's current folder, absolute."""
    settings: MemorySettings = DEFAULT
    """The settings by which the files were found."""
    files: tuple[MemoryFile, ...] = ()
    """The files that are loaded."""
    warnings: tuple[str, ...] = ()
    """What could not be loaded, and what is deprecated: each names the file, and its line where there is one."""

    @classmethod
    def load(cls, folder: Path | str = ".", mode: str | None = None, *, settings: MemorySettings = DEFAULT) -> Self:
        """The memory files of a folder; warns of what could not be loaded.

        Args:
            folder: the agent's current folder.
            mode: opencode, claude-code or nearest; by default that of the settings (MEM_01).
            settings: the table [memory] as a value; the library reads no brim.toml.

        Raises InvalidInput for a required file that is missing or cannot be read, and for settings that cannot be.
        """
        memory = cls.read(folder, mode, settings=settings)
        for warning in memory.warnings:
            warnings.warn(warning, stacklevel=2)
        return memory

    @classmethod
    def read(cls, folder: Path | str = ".", mode: str | None = None, *, settings: MemorySettings = DEFAULT) -> Self:
        """As load, but what could not be loaded is only in `warnings`."""
        if mode is not None:
            settings = read_settings({**dict(settings), "mode": mode})
        where = Path(os.path.abspath(folder))  # noqa: PTH100  a link in the path stays, as the user sees it
        if not where.is_dir():
            raise InvalidInput(f"there is no folder {folder}; name the folder in which the agent works")
        loader = _Loader(where, settings)
        loader.load_all()
        return cls(folder=where, settings=settings, files=tuple(loader.files), warnings=tuple(loader.warnings))

    def reload(self) -> Self:
        """The memory as its files are now; raises and warns as load does."""
        return type(self).load(self.folder, settings=self.settings)

    @property
    def text(self) -> str:
        """The text of all files, each introduced by its path; empty where there is none."""
        return "\n\n".join(f"{file.introduction}\n{file.text}" for file in self.files if file.text)


class _Loader:
    """The files that are loaded so far, and what was met."""

    def __init__(self, folder: Path, settings: MemorySettings) -> None:
        self.files: list[MemoryFile] = []
        self.warnings: list[str] = []
        self._folder, self._settings = folder, settings
        try:
            self._root = repository_root(folder)
        except OSError as error:
            raise InvalidInput(f"{folder} cannot be looked into: {error.strerror or error}") from error
        self._seen: set[Path] = set()

    def load_all(self) -> None:
        mode = self._settings.mode
        for path, origin in places_of(self._folder, self._root, mode):
            taken = self._take(path, origin, within=None if origin == "global" else self._bound(path))
            if taken and path.name == DEPRECATED:
                self.warnings.append(f"{path}: the name {DEPRECATED} is deprecated; rename it to {NAMES[0]}")
            if taken and mode == "nearest":
                break
        for file in self._settings.files:
            paths = configured_paths(file, self._folder, self._root)
            if file.required and not paths:
                raise InvalidInput(
                    f"the memory file {file.path!r} is required, and there is none; "
                    "make it, or leave `required` out of the settings"
                )
            for path in paths:
                within = None if file.leads_outside else self._bound(path)
                if not self._take(path, "configured", within=within) and file.required:
                    raise InvalidInput(f"a required memory file cannot be loaded: {self.warnings[-1]}")

    def _bound(self, path: Path) -> Path:
        """The folder that a file which is not the user's own may not lead out of."""
        return self._root if path.is_relative_to(self._root) else path.parent

    def _take(self, path: Path, origin: Origin, *, within: Path | None) -> bool:
        """Load a file and what it imports; whether it is loaded, here or before."""
        try:
            real = path.resolve(strict=True)
            self._check_bound(real, within)
            if real not in self._seen:
                self._load(path, real, MemoryFile(path=path, text="", origin=origin), (), within=within)
        except (OSError, RuntimeError, UnreadableError) as error:
            self.warnings.append(f"{path}{_reason(error)}")
            return False
        return True

    def _is_of_project(self, path: Path) -> bool:
        return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(self._root))

    def _check_bound(self, real: Path, within: Path | None) -> None:
        if (
            within is not None
            and not self._settings.external_imports
            and not real.is_relative_to(os.path.realpath(within))
        ):
            raise UnreadableError(OUTSIDE)

    def _load(self, path: Path, real: Path, file: MemoryFile, chain: Sequence[Path], *, within: Path | None) -> None:
        """Load a file, then those that it imports; `chain` are the files that led to it."""
        if len(self.files) >= MAX_FILES:
            raise UnreadableError(f"at most {MAX_FILES} memory files are loaded")
        text, above, paths = self._without_front_matter(path, read_text(real, self._settings.file_bytes))
        self._seen.add(real)
        self.files.append(replace(file, text=text.strip(), paths=paths))
        if self._settings.mode == "claude-code":
            for one in find_imports(text):
                self._follow(one, path, above, (*chain, real), origin=file.origin, within=within)

    def _follow(
        self, one: Import, by: Path, above: int, chain: Sequence[Path], *, origin: Origin, within: Path | None
    ) -> None:
        """Load the file that an import names, or say why not; `above` are the lines of front matter."""
        path = next((path for path in one.paths(by.parent) if is_there(path)), None)
        if path is None and not one.is_certain:
            return
        try:
            within = self._root if within or (path and self._is_of_project(path)) else None
            real = self._target(path, chain, within)
            if path is not None and real not in self._seen:
                path = Path(os.path.normpath(path))
                file = MemoryFile(path=path, text="", origin=origin, imported_by=by)
                self._load(path, real, file, chain, within=within)
        except (OSError, RuntimeError, UnreadableError) as error:
            self.warnings.append(f"{by}, line {one.line + above}: @{one.shown}{_reason(error)}")

    def _target(self, path: Path | None, chain: Sequence[Path], within: Path | None) -> Path:
        """The file that an import leads to. Raises OSError, or UnreadableError where it is not followed."""
        if path is None:
            raise UnreadableError("there is no such file")
        real = path.resolve(strict=True)
        self._check_bound(real, within)
        if real in chain:
            raise UnreadableError("an import cycle")
        if len(chain) > MAX_DEPTH and real not in self._seen:
            raise UnreadableError(f"imports in a row are followed {MAX_DEPTH} files deep, and this is one more")
        return real

    def _without_front_matter(self, path: Path, text: str) -> tuple[str, int, tuple[str, ...]]:
        """Return a text without its front matter, how many lines that had, and its `paths`; what is no YAML is text."""
        try:
            found = read_front_matter(text)
        except NoEndError:
            return text, 0, ()
        except FrontMatterError as error:
            self.warnings.append(f"{path}, line {error.line}: {error}; it is loaded as text")
            return text, 0, ()
        if not found or not isinstance(found.fields, Mapping) or not found.fields:
            return text, 0, ()
        paths = found.fields.get("paths")
        return found.body, found.lines, tuple(map(str, paths if isinstance(paths, list) else [paths] if paths else ()))


class UnreadableError(Exception):
    """A file that cannot be loaded (MEM_09): why, and on which line where there is one."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.line = line


def _reason(error: Exception) -> str:
    """What is wrong, as it stands behind the name of a file."""
    line = f", line {error.line}" if isinstance(error, UnreadableError) and error.line else ""
    said = (
        "there is no such file" if isinstance(error, FileNotFoundError) else getattr(error, "strerror", None) or error
    )
    return f"{line}: {said}"


def read_text(path: Path, bytes_max: int) -> str:
    """The text of a file. Raises OSError, or UnreadableError for what is no text of at most so many bytes."""
    with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
        if (size := os.fstat(file.fileno()).st_size) > bytes_max:
            raise UnreadableError(f"it has {size:,} bytes, and at most {bytes_max:,} are read")
        return decoded(file.read(bytes_max))


def decoded(data: bytes) -> str:
    """The text of UTF-8, with line feeds alone and without a byte order mark. Raises an error that names the line."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError("it is not UTF-8", data.count(b"\n", 0, error.start) + 1) from None
    if "\0" in text:
        raise UnreadableError("it is binary", text.count("\n", 0, text.index("\0")) + 1)
    return text.replace("\r\n", "\n")
