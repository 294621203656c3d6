"""The sessions of Claude Code, Codex, OpenCode and pi on this machine, the newest first."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from math import inf
from pathlib import Path
from typing import Any, Final, NamedTuple

from brim.cli import complain
from brim.errors import InvalidInput
from brim.transcripts.opencode_database import kept_sessions


class Found(NamedTuple):
    """A session that an agent keeps."""

    changed: float
    """When it was last written to, in seconds since 1970."""
    path: Path
    project: Any
    """Its project, or the name of the folder that Claude Code has for it; True for any project."""

    fault: str = ""
    """Why it cannot be read, where that is known before it is."""

    def may_be_of(self, folder: Path) -> bool:
        """Return whether it is of a project; Claude Code names folders alike that differ in a sign."""
        return self.project in (str(folder), re.sub(r"[^A-Za-z0-9]", "-", str(folder)), True)


OF_MESSAGE: Final = re.compile(r'"role" *: *"(user|assistant)"')
"""What a line of a session with a message holds."""
CUT: Final = "no message in it is whole"
"""The fault of a file that is incomplete, or holds no JSON."""
DATABASE: Final = "OPENCODE_DB"
"""The database in which OpenCode keeps its sessions, where that is no ``opencode*.db`` of its data folder."""
CHATS: Final = ".gemini/tmp"
"""Where Gemini CLI keeps its sessions: brim reads them, and --latest does not look for them."""
DATABASES: Final = {"Cursor": (".cursor", ".config/Cursor"), "goose": (".local/share/goose",)}
"""Tools whose sessions brim does not read: folders of the home that they make."""


def newest(project: Path | None) -> Path:
    """Return the newest session, of any project, or of this one or the nearest folder above that has one (CMD_02).

    A newer one that cannot be read is named on standard error. Raises InvalidInput where there is none.
    """
    found, named = kept_by_agents(), set()
    for folder in [None] if project is None else [project, *project.parents]:
        for one in found:
            if (folder is None or one.may_be_of(folder)) and one.path not in named:
                fault = one.fault or fault_of(one.path)
                if fault is None:
                    return one.path
                if fault:
                    named.add(one.path)
                    complain(f"{one.path} is passed over: {fault}")
    raise none_found(project)


def none_found(project: Path | None) -> InvalidInput:
    """Return the error that there is no session, of a project or at all."""
    of = f" of {project}" if project else ""
    looked = ", ".join(map(str, session_folders()))
    nothing = f"there is no session{of} of Claude Code, Codex, OpenCode or pi in {looked}"
    return InvalidInput(f"{nothing}; name a FILE{_others()}")


def _others() -> str:
    """Return what to do about the sessions of other tools in this home."""
    home = Path.home()
    files = f", such as one of Gemini CLI in {home / CHATS}/PROJECT/chats" if (home / CHATS).is_dir() else ""
    unread = [tool for tool, folders in DATABASES.items() if any((home / one).is_dir() for one in folders)]
    served = "; brim serve compacts for an agent that takes a base URL"
    return files + (f"; the databases of {' and '.join(unread)} are not read{served}" if unread else "")


def kept_by_agents() -> list[Found]:
    """Return the sessions that the agents keep, without those of sub-agents, the newest first."""
    claude_code, codex, opencode, pi = session_folders()
    named = chain(_claude_code(claude_code), _codex(codex), _pi(pi))
    files = (Found(_changed(path), path, name) for path, name in named if path.is_file())
    found = [*files, *_databases(opencode), *_opencode(opencode / "storage"), *_closed()]
    return sorted(found, key=lambda one: one.changed, reverse=True)


def _closed() -> Iterator[Found]:
    """Yield the folders that cannot be listed: each may hold the newest of any project."""
    for folder in session_folders():
        try:
            os.scandir(folder).close()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            yield Found(inf, folder, True, str(error.strerror))


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
    return ((path, _at(first_json(path), "payload", "cwd")) for path in root.glob("**/rollout-*.jsonl"))


def _pi(root: Path) -> Iterator[tuple[Path, Any]]:
    """Sessions; the first line of each names its folder."""
    return ((path, _at(first_json(path), "cwd")) for path in root.glob("*/*.jsonl"))


def _opencode(root: Path) -> Iterator[Found]:
    """Sessions that were kept as JSON files, without those of sub-agents, which say when they were changed."""
    for path in root.glob("session/*/*.json"):
        session = first_json(path, whole=True)
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
        except (InvalidInput, OSError) as error:
            changed = max(_changed(file), _changed(Path(f"{file}-wal")))
            yield Found(changed, file, True, str(error).removeprefix(f"{file} is "))


def fault_of(path: Path) -> str | None:
    """Return why a session is not read: None where it holds a message, and an empty text where it may hold none.

    Claude Code writes titles and snapshots into files of their own.
    """
    try:
        if path.suffix == ".json" and _json(path.read_text(encoding="utf-8", errors="replace")) is not None:
            return None if any((path.parents[2] / "message" / path.stem).glob("*.json")) else ""
        if path.suffix == ".jsonl":
            return _fault_of_lines(path)
    except OSError as error:
        return error.strerror or str(error)
    return CUT if path.suffix == ".json" else None  # of a database


def _fault_of_lines(path: Path) -> str | None:
    """Return the same of lines. Raises OSError."""
    fault = ""
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            if _json(line) is None:
                fault = CUT if line.strip() else fault
            elif OF_MESSAGE.search(line):
                return None
    return fault


def first_json(path: Path, *, whole: bool = False) -> Any:
    """Return the JSON value on the first line, or in the whole file; None where there is none."""
    with suppress(OSError, ValueError), path.open(encoding="utf-8") as file:
        return _json(file.read() if whole else file.readline())
    return None


def _json(text: str) -> Any:
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return None


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
