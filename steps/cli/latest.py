"""Steps of features/cli/latest.feature."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from pytest_bdd import given, then, when

from steps.opencode_databases import said, write_session
from steps.vocabulary import phrase


def claude_code(root: Path, name: str, project: str, **_kinds: bool) -> Path:
    """A session in the folder of its project."""
    said = {"role": "user", "content": f"This is session {name}."}
    line = {"type": "user", "uuid": "u1", "parentUuid": None, "sessionId": name, "cwd": project, "version": "2.1.38"}
    return _write(root / "projects" / project.replace("/", "-") / f"{name}.jsonl", {**line, "message": said})


def codex(root: Path, name: str, project: str, **_kinds: bool) -> Path:
    """A rollout in the folder of its day."""
    text = [{"type": "input_text", "text": f"This is session {name}."}]
    return _write(
        root / "sessions" / "2026" / "02" / "01" / f"rollout-{name}.jsonl",
        {"type": "session_meta", "payload": {"id": name, "cwd": project, "cli_version": "0.142.2"}},
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": text}},
    )


def opencode(root: Path, name: str, project: str, *, child: bool) -> Path:
    """A session in a storage tree."""
    storage = root / "storage"
    ses, msg = f"ses_{name}", f"msg_{name}"
    times = {"time": {"created": 1, "updated": 1}}
    parts = {"id": "prt_1", "messageID": msg, "sessionID": ses, "type": "text", "text": f"This is session {name}."}
    _write(storage / "message" / ses / f"{msg}.json", {"id": msg, "sessionID": ses, "role": "user", **times})
    _write(storage / "part" / msg / "prt_1.json", parts)
    info = {"id": ses, "projectID": "p", "directory": project, **({"parentID": "ses_0"} if child else {}), **times}
    return _write(storage / "session" / "p" / f"{ses}.json", info)


def opencode_database(root: Path, name: str, project: str, *, child: bool) -> Path:
    """A session in a database."""
    parent = "ses_0" if child else None
    messages = said(f"This is session {name}.")
    write_session(root / "opencode.db", f"ses_{name}", messages, directory=project, parent_id=parent)
    return root / "opencode.db"


def _write(path: Path, *lines: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


TOOLS = {
    "Claude Code": (claude_code, ".claude", "claude-code"),
    "Codex": (codex, ".codex", "codex"),
    "OpenCode": (opencode, ".local/share/opencode", "opencode"),
    "OpenCode 1.2": (opencode_database, ".local/share/opencode", "opencode"),
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
        _write(path, {**session, "time": {"created": 1, "updated": seconds * 1_000}})
    os.utime(path, (seconds, seconds))


@given("sessions on this machine", target_fixture="written")
def write_sessions(machine, datatable):
    written = {}
    for tool, name, project, changed, kind in datatable[1:]:
        make, root, _ = TOOLS[tool]
        written[name] = make(machine.home / root, name, project, child=kind == "sub-agent")
        at(written[name], changed)
    return written


@given(phrase('the session "{name:Quoted}" was written to at {clock}'))
def write_again(written, name, clock):
    at(written[name], clock)


@given(phrase('the variable "{variable:Quoted}" names a folder with one session of {tool}, "{name:Quoted}"'))
def move_home(machine, variable, tool, name):
    machine.set(variable, machine.home / "moved")
    TOOLS[tool][0](machine.home / "moved", name, "/home/dev/other", child=False)


NO_SESSION = {
    "an empty file": (),
    "a title alone": ({"type": "summary", "summary": "Tides", "leafUuid": "u1"},),
    "a snapshot of files": ({"type": "file-history-snapshot", "messageId": "u1", "snapshot": {"messageId": "u1"}},),
}


@given(phrase('{what} of Claude Code of "{project:Quoted}" at {clock}'))
def write_no_session(machine, what, project, clock):
    path = machine.home / ".claude" / "projects" / project.replace("/", "-") / "nine.jsonl"
    at(_write(path, *NO_SESSION[what]), clock)


@when(phrase('brim inspects the latest session of "{project:Quoted}"'), target_fixture="answer")
def inspect(machine, project):
    return machine.run("inspect", "--latest", *filter(None, [project]))


@when(phrase('brim compacts the latest session of "{project:Quoted}"'), target_fixture="answer")
def compact(machine, project):
    return machine.run("compact", "--latest", project)


@when(phrase('brim inspects with "{arguments:Quoted}"'), target_fixture="answer")
def inspect_with(machine, arguments):
    return machine.run("inspect", *arguments.split())


@then(phrase('it is the session "{name:Quoted}" of {tool}'))
def check_session(answer, name, tool):
    assert answer.code == 0, answer.error
    file, told = answer.out.splitlines()[:2]
    assert Path(file).stem.endswith(name) or file.endswith(f"#ses_{name}")
    assert told.startswith(TOOLS[tool][2])
