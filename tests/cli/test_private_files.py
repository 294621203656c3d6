"""Whatever brim writes that holds a part of a conversation, only the user reads: after the commands, all of it."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conversations import RECORDING
from tests.serve.proxies import served
from tests.serve.test_faults import body, worked
from tests.serve.test_run import PROGRAM

WINDOW = ("--window", "32k", "--max-output", "4096")


def test_what_every_command_writes_is_private(brim: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under a umask that lets everybody read: sessions, index, locks, checkpoints, the proxy's store, and outputs."""
    names = ("project", "home", "out", "agent.py", "asked.json")
    project, home, out, agent, asked = (tmp_path / name for name in names)
    for folder in (project, home, out):
        folder.mkdir()
    file = project / "a.py"
    file.write_text("x = 1\n", encoding="utf-8")
    agent.write_text(PROGRAM, encoding="utf-8")
    asked.write_text(json.dumps(body(worked(12))), encoding="utf-8")
    (out / "again.json").touch(0o644)
    monkeypatch.delenv("BRIM_HOME", raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(project)
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": str(project), "prompt": "Go on."}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(event).encode())))

    def run(*arguments: Any, code: int = 0) -> Any:
        done = brim(*arguments)
        assert done.code == code, done.error
        return done

    before = os.umask(0o022)
    try:
        made = run("sessions", "import", RECORDING, "--project", project, "--json").json["session"]
        run("sessions", "compact", made, *WINDOW)
        run("sessions", "fork", made)
        run("sessions", "search", "money")
        run("sessions", "resume", made, "-o", out / "resumed.json")
        run("sessions", "export", made, "-o", out / "exported.json")
        run("sessions", "export", made, "--tree", "-o", out / "tree")
        checkpoint = run("checkpoints", "create", "one", "--session", made, "--json").json["id"]
        file.write_text("x = 2\n", encoding="utf-8")
        run("checkpoints", "restore", checkpoint, "--session", made)
        run("hook", "user-prompt-submit", "--job", "checkpoints")
        for name in ("compacted.json", "again.json"):
            run("compact", RECORDING, "-o", out / name, *WINDOW)
        run("replay", RECORDING, "-o", out / "replayed.jsonl", "--html", out / "page.html", *WINDOW)
        with served() as server:
            monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
            run("run", "--window", "60k", "--threshold", "50%", "--", sys.executable, agent, asked, 100, code=3)
    finally:
        os.umask(before)
    written = [path for folder in (home, out) for path in folder.rglob("*")]
    found = {path.name for path in written}
    assert {"index.sqlite", "key", f"{made}.jsonl", "last.json", "page.html", "replayed.jsonl", "objects"} <= found
    assert [path for path in written if path.lstat().st_mode & 0o077] == []
