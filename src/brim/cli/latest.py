"""The sessions of Claude Code, Codex, OpenCode and pi on this machine, the newest first."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

from brim.errors import InvalidInput
from brim.transcripts.opencode_database import kept_sessions


class Found(NamedTuple):
    """A session that an agent keeps."""

    changed: float
    """When it was last written to, in seconds since 1970."""
    path: Path
    project: Any
    """Its project, or the name of the folder that Claude Code has for it; True for any project."""

    def may_be_of(self, folder: Path) -> bool:
        """Return whether it is of a project; Claude Code names folders alike that differ in a sign."""
        return self.project in (str(folder), re.sub(r"[^A-Za-z0-9]", "-", str(folder)), True)


OF_MESSAGE: Final = re.compile(r'"role" *: *"(user|assistant)"')
"""What a line of a session with a message holds."""
DATABASE: Final = "OPENCODE_DB"
"""The database in which OpenCode keeps its sessions, where that is no ``opencode*.db`` of its data folder."""


def newest(project: Path | None) -> Path:
    """The session last written to, of any project, or of this one or the nearest folder above that has one (CMD_02).

    Raises InvalidInput where there is none.
    """
    found = kept_by_agents()
    for folder in [None] if project is None else [project, *project.parents]:
        of_folder = (one.path for one in found if folder is None or one.may_be_of(folder))
        if session := next(filter(holds_messages, of_folder), None):
            return session
    of = f" of {project}" if project else ""
    raise InvalidInput(f"there is no session{of} of Claude Code, Codex, OpenCode or pi in {Path.home()}; name a FILE")


def kept_by_agents() -> list[Found]:
    """Return the sessions that the agents keep, without those of sub-agents, the newest first."""
    claude_code, codex, opencode, pi = session_folders()
    files = (
        Found(_changed(path), path, name) for path, name in chain(_claude_code(claude_code), _codex(codex), _pi(pi))
    )
    found = [*files, *_databases(opencode), *_opencode(opencode / "storage")]
    return sorted(found, key=lambda one: one.changed, reverse=True)


def session_folders() -> tuple[Path, Path, Path, Path]:
    """The folders where Claude Code, Codex, OpenCode and pi keep their sessions."""
    home, variable = Path.home(), os.environ.get
    data = Path(variable("XDG_DATA_HOME") or home / ".local" / "share")
    return (
        Path(variable("CLAUDE_CONFIG_DIR") or home / ".claude") / "projects",
        Path(variable("CODEX_HOME") or home / ".codex") / "sessions",
        data / "opencode",
        Path(variable("PI_CODING_AGENT_DIR") or home / ".pi" / "agent") / "sessions",
    )


def _changed(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return 0


def _claude_code(root: Path) -> Iterator[tuple[Path, Any]]:
    """Sessions without those of sub-agents, each with its project: the path, with hyphens for what is no letter."""
    sessions = (path for path in root.glob("*/*.jsonl") if not path.name.startswith("agent-"))
    return ((path, path.parent.name) for path in sessions)


def _codex(root: Path) -> Iterator[tuple[Path, Any]]:
    """Rollouts; the first line of each names its folder."""
    return ((path, _at(first_line(path), "payload", "cwd")) for path in root.glob("**/rollout-*.jsonl"))


def _pi(root: Path) -> Iterator[tuple[Path, Any]]:
    """Sessions; the first line of each names its folder."""
    return ((path, _at(first_line(path), "cwd")) for path in root.glob("*/*.jsonl"))


def _opencode(root: Path) -> Iterator[Found]:
    """Sessions that were kept as JSON files, without those of sub-agents, which say when they were changed."""
    for path in root.glob("session/*/*.json"):
        session = first_line(path, whole=True)
        updated = _at(session, "time", "updated")
        if _at(session, "parentID") is None:
            changed = updated / 1000 if isinstance(updated, int | float) else _changed(path)
            yield Found(changed, path, _at(session, "directory"))


def _databases(root: Path) -> Iterator[Found]:
    """Sessions in databases. One that cannot be read stands for itself: it may hold the newest of any project."""
    named = os.environ.get(DATABASE)
    for file in {*root.glob("opencode*.db"), *([root / named] if named else [])}:
        try:
            for one in kept_sessions(file):
                yield Found(one.updated / 1000, Path(f"{file}#{one.id}"), one.directory)
        except FileNotFoundError:
            continue
        except (InvalidInput, OSError):
            yield Found(max(_changed(file), _changed(Path(f"{file}-wal"))), file, True)


def holds_messages(path: Path) -> bool:
    """Whether a file holds more than a title or a snapshot, which Claude Code writes into files of their own."""
    if path.suffix == ".json":
        return any((path.parents[2] / "message" / path.stem).glob("*.json"))
    if path.suffix == ".jsonl":
        with suppress(OSError), path.open(encoding="utf-8", errors="replace") as file:
            return any(OF_MESSAGE.search(line) for line in file)
        return False
    return True  # of a database


def first_line(path: Path, *, whole: bool = False) -> Any:
    """The JSON value on the first line, or in the whole file; None where there is none."""
    with suppress(OSError, ValueError, RecursionError), path.open(encoding="utf-8") as file:
        return json.loads(file.read() if whole else file.readline())
    return None


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
