"""Sessions where the agents keep them: in each the user says one thing."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

from steps.opencode_databases import said, write_session


def claude_code(root: Path, name: str, project: str, says: str = "", **_kinds: bool) -> Path:
    """A session in the folder of its project."""
    said = {"role": "user", "content": says or f"This is session {name}."}
    line = {"type": "user", "uuid": "u1", "parentUuid": None, "sessionId": name, "cwd": project, "version": "2.1.38"}
    return write(root / "projects" / re.sub(r"[^A-Za-z0-9]", "-", project) / f"{name}.jsonl", {**line, "message": said})


def codex(root: Path, name: str, project: str, says: str = "", **_kinds: bool) -> Path:
    """A rollout in the folder of its day."""
    text = [{"type": "input_text", "text": says or f"This is session {name}."}]
    return write(
        root / "sessions" / "2026" / "02" / "01" / f"rollout-{name}.jsonl",
        {"type": "session_meta", "payload": {"id": name, "cwd": project, "cli_version": "0.142.2"}},
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": text}},
    )


def opencode(root: Path, name: str, project: str, *, child: bool = False, says: str = "") -> Path:
    """A session in a storage tree."""
    storage = root / "storage"
    ses, msg = f"ses_{name}", f"msg_{name}"
    times = {"time": {"created": 1, "updated": 1}}
    parts = {
        "id": "prt_1",
        "messageID": msg,
        "sessionID": ses,
        "type": "text",
        "text": says or f"This is session {name}.",
    }
    write(storage / "message" / ses / f"{msg}.json", {"id": msg, "sessionID": ses, "role": "user", **times})
    write(storage / "part" / msg / "prt_1.json", parts)
    info = {"id": ses, "projectID": "p", "directory": project, **({"parentID": "ses_0"} if child else {}), **times}
    return write(storage / "session" / "p" / f"{ses}.json", info)


def opencode_database(root: Path, name: str, project: str, *, child: bool = False, says: str = "") -> Path:
    """A session in a database."""
    parent = "ses_0" if child else None
    messages = said(says or f"This is session {name}.")
    write_session(root / "opencode.db", f"ses_{name}", messages, directory=project, parent_id=parent)
    return root / "opencode.db"


def pi(root: Path, name: str, project: str, says: str = "", **_kinds: bool) -> Path:
    """A session in the folder of its project."""
    text = [{"type": "text", "text": says or f"This is session {name}."}]
    return write(
        root / "sessions" / f"-{project.replace('/', '-')}--" / f"2026-02-01_{name}.jsonl",
        {"type": "session", "version": 3, "id": name, "cwd": project},
        {"type": "message", "message": {"role": "user", "content": text}},
    )


def write(path: Path, *lines: object) -> Path:
    """Write a file of JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


TOOLS = {
    "Claude Code": (claude_code, ".claude", "claude-code"),
    "Codex": (codex, ".codex", "codex"),
    "OpenCode": (opencode, ".local/share/opencode", "opencode"),
    "OpenCode 1.2": (opencode_database, ".local/share/opencode", "opencode"),
    "pi": (pi, ".pi/agent", "pi"),
}


def at(path: Path, clock: str) -> None:
    """Set when a session was last written to."""
    hours, minutes = clock.split(":")
    seconds = int(hours) * 3_600 + int(minutes) * 60
    if path.suffix == ".db":
        with closing(sqlite3.connect(path)) as database, database:
            database.execute("UPDATE session SET time_updated = ?", (seconds * 1_000,))
    elif path.suffix == ".json":
        session = json.loads(path.read_text(encoding="utf-8"))
        write(path, {**session, "time": {"created": 1, "updated": seconds * 1_000}})
    os.utime(path, (seconds, seconds))
