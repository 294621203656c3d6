"""A store from an archive that somebody else made: what is hostile in it costs itself alone, in one clear line.

Each command runs on each hostile session, on a sound one beside it, and with each hostile index; nothing outside of the
store is touched.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from brim.cli.app import app
from brim.errors import BrimError
from brim.sessions.file_store import FileStore
from brim.sessions.search import SearchIndex, search
from steps.prerequisites import sized

pytestmark = pytest.mark.faults

SAID = {"role": "user", "content": "Where is the parser?"}
SUMMARY = {"content": "s", "generated": 1, "summarized": 2**80, "tokens_before": 2**80}


def line(kind: str = "message", **fields: Any) -> bytes:
    """A line of a log, in brim's form as far as no field says otherwise."""
    known = {"v": 2, "kind": kind, "id": "01B", "time": 2}
    return json.dumps({**known, **({"message": SAID} if kind == "message" else {}), **fields}).encode()


def first(**fields: Any) -> bytes:
    """The first line of a log."""
    return line("session", **{"id": "01A", "time": 1, "session": "hostile", "project": "/p", **fields})


LOGS: dict[str, list[bytes]] = {
    "a time that no index holds": [first(), line(time=2**70)],
    "a number of 5,000 digits": [first(), b'{"v":2,"kind":"message","id":"01B","time":' + b"9" * 5_000 + b"}"],
    "a number without an end": [first(), b'{"v":2,"kind":"message","id":"01B","time":1e999}'],
    "a version of the far future": [first(), line(v=2**70)],
    "counts beyond all": [first(), line(), line("usage", id="01C", usage={"input": 2**90, "output": 2**90})],
    "100,000 lists in one another": [first(), b'{"kind":"message","message":' + b"[" * 100_000 + b"]" * 100_000 + b"}"],
    "50,000 objects in one another": [b'{"a":' * 50_000 + b"1" + b"}" * 50_000],
    "wrong types": [first(), b"[1]", b"5", b"null", b'{"kind":["x"]}', line(id=5), line(time="x"), line(message=[])],
    "wrong types in a compaction": [first(), line(), line("compaction", id="01C", summary=5, opening={"a": 1})],
    "wrong types in the first line": [first(session=[], project=5, title={}), line()],
    "the id of another session": [first(session="sound", title="Not yours"), line()],
    "an id that is a path": [first(session="../../outside/precious", project="../../../etc"), line()],
    "a parent that is a path": [first(parent="../../outside/precious"), line()],
    "itself as its parent": [first(parent="hostile"), line()],
    "a record whose id is a path": [first(), line(id="../../outside/precious")],
    "an id of half a sign": [
        first(),
        b'{"v":2,"kind":"message","id":"01Z\\ud800","time":2,"message":{"role":"user","content":"parser"}}',
    ],
    "a record whose id is the last of all": [first(), line(id="Z" * 26)],
    "a record whose id is long": [first(), line(id="Z" * 100_000)],
    "records of one id": [first(), line(), line(), line()],
    "a rewind to nowhere": [first(), line(), line("rewind", id="01C", to="x"), line("undo", id="01D", of="01D")],
    "a compaction that stands for itself": [
        first(),
        line(),
        line(
            "compaction",
            id="01C",
            summary=SUMMARY,
            opening=[{"of": "01C", "message": SAID}],
            earlier="01C",
            replaces=["01A", "01C"],
            source={"session": "../../x", "compaction": "01C"},
            tail="01C",
        ),
    ],
    "signs that steer a terminal": [first(title="\x1b[31mred\nline\u202e", model="\x07"), line(id="\x1b[2J\n")],
    "a title of a million letters": [first(), line("rename", id="01C", title="x" * 1_000_000)],
    "half a sign": [first(), line(message={"role": "user", "content": "\ud800 parser"})],
    "bytes that are no text": [first(), line().replace(b"parser", b"\xff\xfe")],
    "a million zeros": [b"\0" * 1_000_000],
    "empty lines": [b""] * 100_000,
    "nothing": [],
}
"""What a hostile log holds, line by line."""


def link(target: str) -> Callable[[Path], None]:
    """A link in the place of a log."""
    return lambda path: path.symlink_to(target)


FILES: dict[str, Callable[[Path], object]] = {
    "a link out of the store": link("../../../outside/precious"),
    "a link to itself": link("hostile.jsonl"),
    "a link to a device": link("/dev/zero"),
    "a pipe": os.mkfifo,
    "a folder": Path.mkdir,
}
"""What else lies where a log should."""
COMMANDS: list[list[str]] = [
    ["list"],
    ["search", "parser"],
    ["show", "ID"],
    ["resume", "ID"],
    ["expand", "ID"],
    ["export", "ID", "-o", "EXPORTED"],
    ["export", "ID", "--tree", "-o", "TREE"],
    ["fork", "ID"],
    ["rename", "ID", "Another"],
    ["undo", "ID"],
    ["redo", "ID"],
]
WITHOUT_JSON = {"export"}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FileStore:
    """A store with a sound session; a file outside of it must stay as it is."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "precious").write_text("precious")
    made = FileStore(tmp_path / "home")
    sound(made).close()
    return made


def sound(store: FileStore) -> Any:
    """A session as brim makes it."""
    session = store.create(name="sound", project="/p", title="Mine")
    session.append(SAID)
    session.append({"role": "assistant", "content": "Here."})
    return session


def run(store: FileStore, command: list[str], session: str, *, as_json: bool = False) -> Result:
    """Run a command; it ends well, or in an error of brim's that is one line or two."""
    given = [{"ID": session, "EXPORTED": f"{session}.json", "TREE": f"{session}-tree"}.get(one, one) for one in command]
    flags = ["--json"] if as_json and command[0] not in WITHOUT_JSON else []
    ran = CliRunner().invoke(app, ["sessions", *given, "--store", str(store.root), *flags])
    error = ran.exception
    assert error is None or isinstance(error, BrimError | SystemExit), repr(error)
    assert str(error or "").count("\n") <= 1
    assert as_json or not set("\x1b\u202e\x07") & set(ran.output)
    for name in (f"{session}.json", f"{session}-tree"):
        shutil.rmtree(name, ignore_errors=True)
        Path(name).unlink(missing_ok=True)
    return ran


def check(store: FileStore, *, is_found: bool = True) -> None:
    """Every command works on the sound session, which a search finds, and nothing outside has changed."""
    for command in COMMANDS:
        ran = run(store, command, "sound")
        assert ran.exit_code == (command[0] in {"undo", "redo", "expand"}), (command, ran.output, ran.exception)
    assert "sound" in {info.id for info in store.sessions()}
    assert ("sound" in {hit.session for hit in search(SearchIndex(store), "parser")}) == is_found
    outside = store.root.parent / "outside"
    assert [path.name for path in outside.iterdir()] == ["precious"]
    assert (outside / "precious").read_text() == "precious"


SAMPLE = ["the id of another session", "half a sign", "a pipe"]


@pytest.mark.parametrize("what", sized(SAMPLE, nightly=[*LOGS, *FILES]))
def test_a_hostile_session(store: FileStore, what: str) -> None:
    """Each command does what it can with it, or refuses in one line; the sound session is as it was."""
    path = next(store.root.glob("sessions/p-*")) / "hostile.jsonl"
    if what in LOGS:
        path.write_bytes(b"".join(one + b"\n" for one in LOGS[what]))
    else:
        FILES[what](path)
    for command in COMMANDS:
        run(store, command, "hostile")
        run(store, command, "hostile", as_json=True)
    assert store.info("sound").title == "Mine"
    listed = {info.id for info in store.sessions()}
    assert listed >= {"sound"}
    assert "hostile" in listed or [one for one in store.warnings() if "hostile" in one]
    check(store)


NAMES = ["", "..", "-rf", "a b", "\x1b[31m", "new\nline", "x" * 200, "CON", "\u202eabc", os.fsdecode(b"\xff\xfe")]


@pytest.mark.parametrize("name", sized(NAMES[:3], nightly=NAMES))
def test_a_log_whose_name_is_no_id(store: FileStore, name: str) -> None:
    """It is reported, where it is not hidden; the sound session is listed as it was."""
    folder = next(store.root.glob("sessions/p-*"))
    shutil.copy(folder / "sound.jsonl", folder / f"{name}.jsonl")
    (sound,) = [info for info in store.sessions() if info.title]
    assert (sound.id, Path(sound.transcript).name) == ("sound", "sound.jsonl")
    assert len([one for one in store.warnings() if repr(name)[1:-1] in one or "too long" in one]) == (
        name not in {"", ".."}
    )
    check(store)


def test_a_copy_of_a_log_in_another_project(store: FileStore) -> None:
    """Of two logs of one id the first is the session; the copy is named."""
    (original,) = store.root.glob("sessions/p-*/sound.jsonl")
    copy = store.root / "sessions" / "zz.bak" / "sound.jsonl"
    copy.parent.mkdir()
    shutil.copy(original, copy)
    copied = copy.read_bytes()
    with store.open("sound") as session:
        session.rename("Mine still")
    assert [(info.id, info.title, info.transcript) for info in store.sessions()] == [
        ("sound", "Mine still", str(original))
    ]
    assert copy.read_bytes() == copied
    assert [one for one in store.warnings() if f"{copy} is a copy of {original}" in one]


@pytest.mark.parametrize("ending", ["-journal", "-wal", "-shm"])
def test_a_pipe_beside_the_index(store: FileStore, ending: str) -> None:
    """The session is read from its log, and what is in the way is named; nothing waits for the pipe."""
    store.sessions()
    pipe = Path(f"{store.index_path}{ending}")
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    assert [info.title for info in FileStore(store.root).sessions()] == ["Mine"]
    index = SearchIndex(store)
    assert len(search(index, "parser")) == 1
    assert "it is no ordinary file" in index.warnings[0]


CHANGE = "INSERT INTO changes VALUES ('sound', 'x', {})"
INDEXES = {
    "times beyond all": "UPDATE registry SET about = json_set(about, '$.created', 9007199254740993000)",
    "times before all": "UPDATE registry SET about = json_set(about, '$.last_active', -9e15)",
    "a title of another type": "UPDATE registry SET about = json_set(about, '$.title', 5)",
    "what is known as a blob": "UPDATE registry SET about = x'ff'",
    "what is known in 100,000 lists": "UPDATE registry SET about = replace(hex(zeroblob(50000)), '0', '[')",
    "progress beyond the log": "UPDATE sessions SET offset = 9999999",
    "messages of a path": "UPDATE messages SET session = '../../x'",
    "no messages": "DELETE FROM messages",
    "a change that is no record": CHANGE.format("x'ff00'"),
    "no change": CHANGE.format("NULL"),
    "words that are a blob": "UPDATE passages SET text = x'ff'",
    "a table without columns": "DROP TABLE messages; CREATE TABLE messages (row INTEGER PRIMARY KEY, session TEXT)",
}
HIDING = {"messages of a path"}
"""What hides messages in well-formed rows: only reading all logs again would show what is missing."""


FEW = [
    "times beyond all",
    "a change that is no record",
]


@pytest.mark.parametrize("what", sized(FEW, nightly=INDEXES))
def test_a_hostile_index(store: FileStore, what: str) -> None:
    """It is made anew, or what it says is read from the log; every command works."""
    search(SearchIndex(store), "parser")
    store.sessions()
    base = sqlite3.connect(store.index_path)
    base.executescript(INDEXES[what])
    base.close()
    assert [(info.id, info.title) for info in FileStore(store.root).sessions()] == [("sound", "Mine")]
    check(FileStore(store.root), is_found=what not in HIDING)
