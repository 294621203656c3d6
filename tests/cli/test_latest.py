"""Which session is the newest where OpenCode has a database, an older tree or both; the database is not replaced."""

import json
import os
import sqlite3
from contextlib import closing

import pytest

from steps.kept_sessions import claude_code, opencode
from steps.opencode_databases import said, write_session
from tests.cli import other_tools


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    """The folder of OpenCode, in a home of its own."""
    for name in ("XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCODE_DB"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path / ".local" / "share" / "opencode"


def newest(brim, *arguments):
    """The name of the session that the command shows, or what it says in its place."""
    answer = brim("inspect", "--latest", *arguments)
    return answer.out.partition("\n")[0] if answer.code == 0 else answer.error


@pytest.mark.parametrize(
    ("updated", "shown"), [(9_000, "opencode.db#ses_new"), (5_000, "opencode.db#ses_new"), (3_000, "ses_old.json")]
)
def test_the_newest_of_tree_and_database(brim, data, updated, shown):
    """The session that says that it was changed last is shown, whenever its file was copied."""
    path = opencode(data, "old", "/work", child=False)
    session = json.loads(path.read_text())
    path.write_text(json.dumps({**session, "time": {"created": 1, "updated": 5_000}}))
    write_session(data / "opencode.db", "ses_new", said("Hello."), time_updated=updated)
    assert newest(brim) == newest(brim, "/work/inner") == shown


def test_databases_of_other_channels(brim, data, monkeypatch, tmp_path):
    """A beta has a database beside, and a variable names another, which may be missing."""
    monkeypatch.setenv("OPENCODE_DB", ":memory:")
    write_session(data / "opencode.db", "ses_1", said("Hello."), time_updated=1_000)
    write_session(data / "opencode-beta.db", "ses_2", said("Hello."), time_updated=2_000)
    assert newest(brim) == "opencode-beta.db#ses_2"
    write_session(tmp_path / "mine.sqlite", "ses_3", said("Hello."), time_updated=3_000)
    monkeypatch.setenv("OPENCODE_DB", str(tmp_path / "mine.sqlite"))
    assert newest(brim) == "mine.sqlite#ses_3"


def test_a_database_that_cannot_be_read(brim, data, tmp_path):
    """It is named, as it may hold a newer session, and the next one is shown; without need it is not read."""
    other = claude_code(tmp_path / ".claude", "one", "/work", child=False)
    data.mkdir(parents=True)
    with closing(sqlite3.connect(data / "opencode.db")) as database:
        database.execute("CREATE TABLE session_v3 (id)")
    os.utime(data / "opencode.db", (2_000, 2_000))
    os.utime(other, (1_000, 1_000))
    for arguments in ((), ("/work",)):
        answer = brim("inspect", "--latest", *arguments)
        assert answer.out.partition("\n")[0] == "one.jsonl"
        assert answer.error.count("\n") == 1
        assert "passed over: a database that brim does not know (its tables: session_v3)" in answer.error
    os.utime(other, (3_000, 3_000))
    assert newest(brim) == newest(brim, "/work") == "one.jsonl"


def test_a_new_database(brim, data, tmp_path):
    """A database that is still empty holds no session that could be the newest."""
    claude_code(tmp_path / ".claude", "one", "/work", child=False)
    data.mkdir(parents=True)
    (data / "opencode.db").touch()
    assert newest(brim) == "one.jsonl"


@pytest.mark.parametrize("source", ["opencode.db", "opencode.db#ses_1"])
def test_the_database_is_not_replaced(brim, tmp_path, source):
    """What is read is never written to, by whatever path it is named."""
    path = tmp_path / "opencode.db"
    write_session(path, "ses_1", said("Hello.", "Yes."))
    before = path.read_bytes()
    answer = brim("compact", tmp_path / source, "--to", "anthropic", "-o", path)
    assert (answer.code, "is the transcript itself" in answer.error) == (1, True)
    assert path.read_bytes() == before


def test_every_command_takes_a_session_of_a_database(brim, tmp_path):
    """One session of a database is inspected, compacted, replayed and imported."""
    path = tmp_path / "opencode.db"
    for name in ("ses_1", "ses_2"):
        write_session(path, name, said("Never use tabs.", "Yes."), directory=str(tmp_path))
    one = f"{path}#ses_1"
    assert brim("inspect", one, "--json").json["messages"] == 2
    assert brim("compact", one, "--json", "--window", "200k").code == 0
    assert "opencode 1.4.3" in brim("replay", one, "--window", "200k", "--max-output", "8k").out
    made = brim("sessions", "import", one, "--store", tmp_path / "store", "--json").json
    assert (made["session"], made["messages"]) == ("ses_1", 2)
    refused = brim("sessions", "import", path, "--store", tmp_path / "store")
    assert (refused.code, "holds 2 sessions of OpenCode; name one of them" in refused.error) == (1, True)


def test_what_may_not_be_read(brim, somebody):
    """A newer session and a folder that the user may not read are named, and the next session is shown."""
    good = claude_code(somebody / ".claude", "one", "/work", child=False)
    os.utime(good, (1_000, 1_000))
    closed = claude_code(somebody / ".claude", "two", "/work", child=False)
    folder = somebody / ".codex" / "sessions"
    folder.mkdir(parents=True)
    for path in (closed, folder):
        path.chmod(0)
    answer = brim("inspect", "--latest")
    assert (answer.code, answer.out.partition("\n")[0]) == (0, "one.jsonl")
    assert answer.error == "".join(f"brim: {path} is passed over: Permission denied\n" for path in (folder, closed))


def test_what_is_no_file(brim, tmp_path):
    """A folder, a pipe and a link to nothing are no sessions, whatever they are called."""
    claude_code(tmp_path / ".claude", "one", "/work", child=False)
    place = tmp_path / ".claude" / "projects" / "-work"
    (place / "folder.jsonl").mkdir()
    os.mkfifo(place / "pipe.jsonl")
    (place / "link.jsonl").symlink_to("nowhere")
    assert newest(brim) == "one.jsonl"


def test_a_list_names_what_it_passes_over(brim, data, tmp_path):
    """It goes on with the next; how full a session is, is told by the rule of its tool; without one it says so."""
    assert "there is no session of Claude Code" in brim("inspect", "--list").error
    folder = tmp_path / ".pi" / "agent" / "sessions" / "--work--"
    folder.mkdir(parents=True)
    (folder / "one.jsonl").write_text(other_tools.pi(recorded=110).replace('"m"', '"claude-sonnet-4-5"'))
    claude_code(tmp_path / ".claude", "two", "/work", child=False).write_text('{"type": "user", "message": {')
    answer = brim("inspect", "--list")
    assert "two.jsonl is passed over: no message in it is whole" in answer.error
    assert json.loads(brim("inspect", "--list", "--json").out)["sessions"][0]["threshold"] == 183_616
    assert "  0% of the agent's  Go." in answer.out
    own = json.loads(brim("inspect", "--list", "--json", "--threshold", "80k", "--window", "200k").out)
    assert own["sessions"][0]["threshold"] == 80_000
    assert "there is no folder nowhere" in brim("inspect", "--list", "nowhere").error
