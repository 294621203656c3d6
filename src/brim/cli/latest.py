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
    claude_code, codex, opencode = session_folders()
    found = [*_claude_code(claude_code, project), *_codex(codex, project), *_opencode(opencode, project)]
    if not found:
        of = f" of {project}" if project else ""
        raise InvalidInput(f"there is no session{of} of Claude Code, Codex or OpenCode in {Path.home()}; name a FILE")
    return max(found, key=_changed)


def session_folders() -> tuple[Path, Path, Path]:
    """The folders where Claude Code, Codex and OpenCode keep their sessions."""
    home, told = Path.home(), os.environ.get
    data = Path(told("XDG_DATA_HOME") or home / ".local" / "share")
    return (
        Path(told("CLAUDE_CONFIG_DIR") or home / ".claude") / "projects",
        Path(told("CODEX_HOME") or home / ".codex") / "sessions",
        data / "opencode" / "storage",
    )


def _changed(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return 0


def _claude_code(root: Path, project: Path | None) -> Iterator[Path]:
    """Sessions without those of sub-agents; the folder of a project is its path with hyphens."""
    folder = "*" if project is None else re.sub(r"[^A-Za-z0-9]", "-", str(project))
    return (path for path in root.glob(f"{folder}/*.jsonl") if not path.name.startswith("agent-"))


def _codex(root: Path, project: Path | None) -> Iterator[Path]:
    """Rollouts; the first line of each names its folder."""
    for path in root.glob("**/rollout-*.jsonl"):
        if project is None or _at(_first_line(path), "payload", "cwd") == str(project):
            yield path


def _opencode(root: Path, project: Path | None) -> Iterator[Path]:
    """Sessions that were kept as JSON files, without those of sub-agents."""
    for path in root.glob("session/*/*.json"):
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
