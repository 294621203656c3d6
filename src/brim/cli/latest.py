"""The newest session of Claude Code, Codex or OpenCode on this machine."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from brim.errors import InvalidInput


def newest(project: Path | None) -> Path:
    """The transcript that was last written to, of a project or of any. Raises InvalidInput where there is none."""
    home = Path.home()
    found = [*_claude_code(home, project), *_codex(home, project), *_opencode(home, project)]
    if not found:
        of = f" of {project}" if project else ""
        raise InvalidInput(f"there is no session{of} of Claude Code, Codex or OpenCode in {home}; name a FILE")
    return max(found, key=_changed)


def _changed(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return 0


def _claude_code(home: Path, project: Path | None) -> Iterator[Path]:
    """Sessions without those of sub-agents; the folder of a project is its path with hyphens."""
    root = Path(os.environ.get("CLAUDE_CONFIG_DIR") or home / ".claude") / "projects"
    folder = "*" if project is None else re.sub(r"[^A-Za-z0-9]", "-", str(project))
    return (path for path in root.glob(f"{folder}/*.jsonl") if not path.name.startswith("agent-"))


def _codex(home: Path, project: Path | None) -> Iterator[Path]:
    """Rollouts; the first line of each names its folder."""
    root = Path(os.environ.get("CODEX_HOME") or home / ".codex") / "sessions"
    for path in root.glob("**/rollout-*.jsonl"):
        if project is None or _at(_first_line(path), "payload", "cwd") == str(project):
            yield path


def _opencode(home: Path, project: Path | None) -> Iterator[Path]:
    """Sessions that were kept as JSON files, without those of sub-agents."""
    root = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "opencode" / "storage" / "session"
    for path in root.glob("*/*.json"):
        session = _first_line(path, whole=True)
        if _at(session, "parentID") is None and project in (None, Path(_at(session, "directory") or "")):
            yield path


def _first_line(path: Path, *, whole: bool = False) -> Any:
    """The JSON value on the first line, or in the whole file; None where there is none."""
    with suppress(OSError, ValueError, RecursionError), path.open(encoding="utf-8") as file:
        return json.loads(file.read() if whole else file.readline())
    return None


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
