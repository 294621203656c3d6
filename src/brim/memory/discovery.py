"""Discovery: the places where the memory files of a folder may be, in the order in which their texts are joined.

Specified by features/memory/discovery.feature (MEM_01).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from glob import glob
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from brim.errors import InvalidInput
from brim.memory.settings import ConfiguredFile, Mode

AGENTS: Final = "AGENTS.md"
CLAUDE: Final = "CLAUDE.md"
LOCAL: Final = "CLAUDE.local.md"
DEPRECATED: Final = "CONTEXT.md"
NAMES: Final = (AGENTS, CLAUDE, DEPRECATED)
"""The names of memory files that OpenCode looks for; of these the first one with a match counts."""
MAX_MATCHES: Final = 100
"""Files that one pattern may match."""

Origin: TypeAlias = Literal["global", "project", "configured"]
"""Why a memory file is loaded."""


class MemoryPlace(NamedTuple):
    """A file that may be there."""

    path: Path
    origin: Origin


def repository_root(folder: Path) -> Path:
    """The nearest folder from here upwards that is a repository of git; without one, the folder itself.

    Outside of a repository nothing above the folder belongs to a project: anybody may write into /tmp. Raises OSError
    where this user may not look.
    """
    return next((one for one in (folder, *folder.parents) if (one / ".git").exists()), folder)


def upwards(folder: Path, root: Path) -> list[Path]:
    """The folders from one up to a root."""
    folders = [folder, *folder.parents]
    return folders[: folders.index(root) + 1]


def user_folders(home: Path | None = None) -> tuple[Path, Path]:
    """The folders of the user's files for OpenCode and Claude Code; those in a home folder where one is given.

    Either system has a variable that moves the folder of the user that runs it.
    """
    told: Mapping[str, str] = os.environ if home is None else {}
    home = home or Path.home()
    opencode = Path(told.get("XDG_CONFIG_HOME") or home / ".config") / "opencode"
    return opencode, Path(told.get("CLAUDE_CONFIG_DIR") or home / ".claude")


def global_places() -> tuple[MemoryPlace, MemoryPlace]:
    """The memory files of the user: OpenCode's and Claude Code's."""
    opencode, claude_code = user_folders()
    return MemoryPlace(opencode / AGENTS, "global"), MemoryPlace(claude_code / CLAUDE, "global")


def places_of(folder: Path, root: Path, mode: Mode) -> Iterator[MemoryPlace]:
    """The places of a mode at which something is; under the mode `nearest` the caller takes the first it can read."""
    opencode, claude_code = global_places()
    if mode == "claude-code":
        own = claude_code.path.parent
        named = [claude_code, *(MemoryPlace(one, "global") for one in _rules_of(own))]
        for one in reversed((folder, *folder.parents)):
            below = [] if one / ".claude" == own else [one / ".claude" / CLAUDE, *_rules_of(one / ".claude")]
            named += [MemoryPlace(path, "project") for path in (one / CLAUDE, *below, one / LOCAL)]
        return (place for place in named if is_there(place.path))
    around = upwards(folder, root)
    at_home = [place for place in (opencode, claude_code) if is_there(place.path)]
    if mode == "nearest":
        found = (MemoryPlace(one / name, "project") for one in around for name in NAMES if is_there(one / name))
        return iter([*found, *at_home])
    matches = ([MemoryPlace(one / name, "project") for one in around if is_there(one / name)] for name in NAMES)
    return iter([*at_home[:1], *next(filter(None, matches), [])])


def _rules_of(folder: Path) -> list[Path]:
    """Return the files of rules in a folder of Claude Code's, those in folders below it too."""
    return sorted(folder.glob("rules/**/*.md"))


def configured_paths(file: ConfiguredFile, folder: Path, root: Path) -> list[Path]:
    """The files that a setting names: the nearest folder's first, those of a pattern by name.

    Raises InvalidInput for a pattern that matches too many.
    """
    path = str(Path.home() / file.path[2:]) if file.path.startswith("~/") else file.path
    folders = [Path("/")] if Path(path).is_absolute() else upwards(folder, root)
    found = [one / match for one in folders for match in _matches(path, one)]
    if len(found) > MAX_MATCHES:
        raise InvalidInput(f"{file.path!r} matches more than {MAX_MATCHES} files; name fewer")
    return found


def _matches(path: str, folder: Path) -> list[str]:
    if is_there(folder / path):
        return [path]
    found = glob(path, root_dir=folder, recursive=True)  # noqa: PTH207  Path.glob takes no absolute pattern
    return sorted(one for one in found if not (folder / one).is_dir())


def is_there(path: Path) -> bool:
    """Whether something has this name, a link that leads nowhere included."""
    return os.path.lexists(path)
