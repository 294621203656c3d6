"""OpenCode's database: both versions of its tables, which session is read, and databases that cannot be read."""

import json
import random
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from brim.conversation.messages import Media, Text, ToolCall, ToolResult
from brim.conversation.turns import find_turns
from brim.errors import InvalidInput
from brim.transcripts import read_transcript, view
from brim.transcripts.opencode_database import kept_sessions
from steps.opencode_databases import add_session, connected, insert, said, write_session
from steps.prerequisites import sized

PIXEL = "iVBORw0KGgo="
MODEL = {"id": "gpt-5", "providerID": "openai"}
TOKENS = {"input": 100, "output": 50, "reasoning": 0, "cache": {"read": 1000, "write": 0}}


@pytest.fixture
def path(tmp_path):
    """Where a database is."""
    return tmp_path / "opencode.db"


def texts(transcript):
    """What was said, message by message."""
    return [message.text for message in transcript.messages]


def exported(session, messages):
    """Messages as an export has them: with their ids, and those of their parts."""
    for number, message in enumerate(messages, 1):
        info = {"id": f"{session}_msg_{number}", "sessionID": session, **message["info"]}
        about = {"sessionID": session, "messageID": info["id"]}
        parts = [{"id": f"{info['id']}_prt_{n:02}", **about, **part} for n, part in enumerate(message["parts"])]
        yield {"info": info, "parts": parts}


def newer(*content, **fields):
    """An answer as version 2 keeps it."""
    about = {"time": {"created": 2}, "agent": "build", "model": MODEL, "tokens": TOKENS, "finish": "stop"}
    return {"type": "assistant", **about, "content": list(content), **fields}


def prompt(text, **fields):
    """The user's words as version 2 keeps them."""
    return {"type": "user", "time": {"created": 1}, "text": text, **fields}


def refusal(path):
    """What is said of a path that is refused."""
    with pytest.raises(InvalidInput) as refused:
        read_transcript(path)
    return str(refused.value)


def test_a_database_reads_as_the_export_of_its_session(path, written):
    """Of a session with tools, a compaction and pruning comes what comes of its export."""
    tool = {
        "type": "tool",
        "tool": "read",
        "callID": "c",
        "state": {"status": "completed", "input": {"path": "a"}, "output": "long", "time": {"end": 2, "compacted": 9}},
    }
    asked, looked, *rest = said("Look.", "", "", "It was found.", "Go on.")
    looked = {**looked, "parts": [tool]}
    rest[0] = {"info": {"role": "user"}, "parts": [{"type": "compaction", "auto": True}]}
    rest[1]["info"] |= {"summary": True, "parentID": "ses_1_msg_3"}
    messages = [asked, looked, *rest]
    write_session(path, "ses_1", messages, version=1, parent_id="ses_0")
    about = {"id": "ses_1", "projectID": "p", "directory": "/work", "parentID": "ses_0", "version": "1.4.3"}
    export = {"info": about, "messages": [*exported("ses_1", messages)]}
    kept, whole = read_transcript(f"{path}#ses_1"), read_transcript(written(export))
    assert [m.raw for m in kept.messages] == [m.raw for m in whole.messages]
    assert kept.compactions == whole.compactions
    assert [made.kind for made in kept.compactions] == ["auto", "prune"]
    assert [one.usage for one in kept.responses] == [one.usage for one in whole.responses]
    assert (kept.format, kept.version, kept.folder, kept.title) == ("opencode", "1.4.3", "/work", "Tides")
    assert (kept.session, kept.parent) == ("ses_1", "ses_0")


def test_what_the_user_reverted_is_rewound(path):
    """The place that a session was reverted to is in a column of its own."""
    write_session(path, "ses_1", said("Go.", "Done.", "Undo me."), revert=json.dumps({"messageID": "ses_1_msg_3"}))
    assert read_transcript(path).rewound == 2


def test_version_two(path):
    """Words, attachments, calls with their results, reasoning and what a harness put there are read."""
    call = {
        "type": "tool",
        "id": "c1",
        "name": "read",
        "time": {"created": 1, "completed": 3},
        "state": {
            "status": "completed",
            "input": {"path": "a"},
            "content": [
                {"type": "text", "text": "two"},
                {"type": "file", "mime": "image/png", "uri": f"data:image/png;base64,{PIXEL}"},
            ],
        },
    }
    failed = {
        "type": "tool",
        "id": "c2",
        "name": "bash",
        "state": {"status": "error", "input": {}, "error": {"type": "unknown", "message": "not allowed"}},
    }
    files = [{"mime": "text/plain", "name": "b.txt", "data": "bGFtcA=="}, {"mime": "image/png", "data": PIXEL}]
    thought = {"type": "reasoning", "text": "Hm.", "native": {"signature": "signed"}}
    messages = [
        {"type": "model-switched", "model": MODEL, "time": {"created": 0}},
        prompt("Look.", files=files),
        {"type": "system", "text": "The date is 1.1.", "time": {"created": 1}},
        {"type": "shell", "command": "ls", "output": {"output": "a b"}, "time": {"created": 1}},
        newer(thought, {"type": "text", "text": "I look."}, call, failed),
        newer({"type": "text", "text": "Half"}, error={"type": "provider", "message": "overloaded"}),
        {"type": "idle", "outcome": "succeeded", "time": {"created": 9}},
    ]
    write_session(path, "ses_1", messages, version=2)
    read = read_transcript(path)
    asked, told, ran, answered, results, half = read.messages
    assert [type(part) for part in asked.parts] == [Text, Text, Media]
    assert asked.parts[1].text == "Attached file: b.txt\n\nlamp"
    assert (told.marks.synthetic, ran.text) == (True, "Shell command: ls\n\na b")
    assert answered.parts[0].raw["signature"] == "signed"
    assert [part.name for part in answered.parts if type(part) is ToolCall] == ["read", "bash"]
    assert [type(part) for part in results.parts] == [ToolResult, ToolResult]
    assert [part.raw.get("is_error") for part in results.parts] == [None, True]
    assert results.parts[1].raw["content"] == "not allowed"
    assert (half.text, half.marks.aborted, read.unsent) == ("Half", True, frozenset())
    assert len(find_turns(read.messages)) == 1
    assert (read.responses[0].usage.cache_read, read.model) == (1000, "openai/gpt-5")
    assert read.left_out == {"model-switched record": 1, "idle record": 1}


def test_a_compaction_of_version_two(path):
    """The summary and what was kept beside it stand for all before; one that failed or is sealed changes nothing."""
    kinds = [
        {"status": "failed", "error": {"type": "x", "message": "y"}},
        {"status": "completed", "summary": "", "recent": "", "providerContext": {"sealed": "x"}},
        {"status": "completed", "summary": "It was found.", "recent": "user: Look."},
    ]
    made = [{"type": "compaction", "reason": "manual", "time": {"created": 5}, **kind} for kind in kinds]
    write_session(path, "ses_1", [prompt("Look."), newer(), *made, prompt("Go on.")], version=2)
    read = read_transcript(path)
    assert [one.kind for one in read.compactions] == ["manual"]
    assert [message.text for message in view(read).messages][1:] == ["It was found.\nuser: Look.", "Go on."]
    assert read.left_out == {"compaction record": 2}


def test_a_session_in_both_versions_is_that_of_the_newer(path):
    """A session that version 2 took over is read there, and one that it did not take over where it is."""
    write_session(path, "ses_1", said("Old words."), version=1)
    write_session(path, "ses_2", said("Left behind."), version=1)
    write_session(path, "ses_1", [prompt("New words.")], version=2)
    assert texts(read_transcript(f"{path}#ses_1")) == ["New words."]
    assert texts(read_transcript(f"{path}#ses_2")) == ["Left behind."]


def test_newer_rows_without_their_own_table_of_sessions(path):
    """Before session_v2 there were rows of the newer kind beside the older ones: the older are whole."""
    write_session(path, "ses_1", said("Whole.", "Yes."), version=1)
    with closing(connected(path, 2)) as database, database:
        database.execute("DROP TABLE session_v2")
        row = {"id": "m", "session_id": "ses_1", "type": "user", "seq": 1, "time_created": 1, "time_updated": 1}
        insert(database, "session_message", {**row, "data": json.dumps({"text": "Half of it."})})
    assert texts(read_transcript(path)) == ["Whole.", "Yes."]


def test_several_sessions_ask_for_a_name(path):
    """Several sessions are refused with the newest named; sub-agents and sessions without a message count for none."""
    write_session(path, "ses_1", said("One."), time_updated=5)
    assert texts(read_transcript(path)) == ["One."]
    write_session(path, "ses_2", said("Two."), time_updated=9)
    write_session(path, "ses_3", said("A child."), time_updated=11, parent_id="ses_2")
    write_session(path, "ses_4", [], time_updated=12)
    assert refusal(path) == f"{path} holds 2 sessions of OpenCode; name one of them, such as {path}#ses_2"
    assert texts(read_transcript(f"{path}#ses_3")) == ["A child."]
    assert refusal(f"{path}#ses_9") == f"{path} holds no session ses_9; name one that it holds, such as {path}#ses_2"
    assert "holds no message" in refusal(f"{path}#ses_4")
    assert [one.id for one in kept_sessions(path)] == ["ses_2", "ses_1"]
    write_session(path, "ses_5", [prompt("Five.")], version=2, time_updated=7, time_idle=10)
    assert [one.id for one in kept_sessions(path)] == ["ses_5", "ses_2", "ses_1"]


def test_a_file_whose_name_has_the_mark(tmp_path):
    """A # in the name of a file names no session."""
    write_session(tmp_path / "my#opencode.db", "ses_1", said("One."))
    assert texts(read_transcript(tmp_path / "my#opencode.db")) == ["One."]


def test_a_damaged_row_is_counted(path):
    """Rows that hold no JSON are skipped, and the rest is read."""
    write_session(path, "ses_1", said("One.", "Two."))
    with closing(connected(path)) as database, database:
        database.execute("UPDATE part SET data = '{\"type\":' WHERE message_id = 'ses_1_msg_2'")
    read = read_transcript(path)
    assert texts(read) == ["One."]
    assert [(one.line, one.reason.partition(":")[0]) for one in read.damaged] == [(2, "ses_1_msg_2_prt_00")]


def test_beside_a_running_writer(path):
    """What another process has written is read while it goes on, and its write that is open is not."""
    with closing(connected(path)) as writer:
        add_session(writer, "ses_1", said("One."))
        writer.commit()
        (path.parent / "link.db").symlink_to(path)
        assert texts(read_transcript(path.parent / "link.db")) == ["One."]
        writer.execute("BEGIN IMMEDIATE")
        add_session(writer, "ses_2", said("Not yet."))
        assert texts(read_transcript(path)) == ["One."]
        writer.commit()
        assert texts(read_transcript(f"{path}#ses_2")) == ["Not yet."]


def test_nothing_is_changed_beside_the_database(path):
    """A database at rest gets no further file, and stays as it is."""
    write_session(path, "ses_1", said("One."))
    before = path.read_bytes()
    read_transcript(path)
    assert [*path.parent.iterdir()] == [path]
    assert path.read_bytes() == before


LOCKING = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("PRAGMA locking_mode = EXCLUSIVE")
database.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
sys.stdin.read()
"""


def test_a_locked_database(path, monkeypatch):
    """A database that another process holds for itself alone is named as that."""
    write_session(path, "ses_1", said("One."))
    monkeypatch.setattr("brim.transcripts.opencode_database.WAIT", 0.1)
    holder = subprocess.Popen([sys.executable, "-c", LOCKING, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with holder:
        assert holder.stdout.readline()
        told = refusal(path)
        holder.stdin.close()
    assert told.startswith(f"{path} is a database that cannot be read (database is locked); name a file that opencode")


def test_a_truncated_database(path):
    """A database that was cut short is an error in one line, never a part of a session."""
    write_session(path, "ses_1", said(*("Go on. " * 500 for _ in range(40))))
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * 0.5)])
    assert f"{path} is a database that cannot be read (" in refusal(path)


def test_a_database_whose_bytes_are_damaged(path):
    """Whatever byte is another one, a session is read or refused in one line, also where the schema is no text."""
    write_session(path, "ses_1", said(*("Go on." for _ in range(40))))
    whole, chance = path.read_bytes(), random.Random(7)  # noqa: S311  no secret
    for _ in range(sized(150, nightly=5_000)):
        damaged = bytearray(whole)
        for _ in range(chance.randint(1, 30)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        path.write_bytes(damaged)
        try:
            read_transcript(path)
        except InvalidInput as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize("table", ["session_v3", "session", "track"])
def test_an_unknown_database(path, table):
    """A database without the tables of either version is refused with those that it has."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"CREATE TABLE {table} (id)")
    assert f"{path} is a database that brim does not know (its tables: {table})" in refusal(path)
