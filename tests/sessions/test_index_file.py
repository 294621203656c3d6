"""The file of the search index: whose it is, who shares it, and what comes of a damaged one."""

import os
import sqlite3
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from brim.errors import Refused, StoreFailed
from brim.sessions.index import TABLES, VERSION
from brim.sessions.search import index_of, search
from tests.sessions.memory import user


@pytest.fixture
def filled(store):
    """A store with a session in which a parser is spoken of."""
    with store.create() as session:
        session.append(user("The parser in src/parser.py"))
    return store


def test_the_index_is_private(filled):
    """Nobody but the user can read what was said."""
    index = index_of(filled)
    search(index, "parser")
    assert stat.S_IMODE(index.path.stat().st_mode) == 0o600


def test_an_index_in_use_is_waited_for_and_told(filled, monkeypatch):
    """Where another holds the index for too long it is told, and the index is left alone."""
    monkeypatch.setattr("brim.sessions.index.WAIT_SECONDS", 0)
    index = index_of(filled)
    search(index, "parser")
    with filled.open(filled.sessions()[0].id) as session:
        session.append(user("More."))
    base = sqlite3.connect(index.path, isolation_level=None)
    base.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreFailed, match="locked"):
        search(index, "parser")
    base.close()
    assert len(search(index, "parser")) == 1
    assert index.warnings == []


def test_several_can_search_at_once(filled):
    """Those who search a store for the first time together all find what is there, once."""
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: search(index_of(filled), "parser"), range(8)))
    assert [len(one) for one in found] == [1] * 8


SEARCHING = """
import sys
from contextlib import closing
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from brim.sessions.file_store import FileStore
from brim.sessions.search import index_of, search

def found(_):
    return len(search(index_of(FileStore(Path(sys.argv[1])), Path(sys.argv[2])), "parser"))

with ThreadPoolExecutor(3) as pool:
    print(*pool.map(found, range(3)))
"""


@pytest.mark.parametrize("named", ["home/index.sqlite", "named"])
def test_several_processes_can_make_the_index_at_once(filled, tmp_path, named):
    """Several threads of several processes search for the first time together: nothing fails, all of it is found."""
    command = [sys.executable, "-c", SEARCHING, filled.root, tmp_path / named]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [one.communicate()[0].split() for one in started] == [["1"] * 3] * 3


OTHERS = {
    "text": b"My own words.\n" * 50,
    "one line": b"SQLite format 3\0",
    "cut off before the mark": b"SQLite format 3\0" + bytes(50),
    "all the same": bytes(8_192),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_a_file_of_others_is_left_alone(filled, tmp_path, kind):
    """What is no index of brim is refused in one line, byte for byte as it was, and nothing lies beside it."""
    mine = tmp_path / "mine"
    mine.write_bytes(OTHERS[kind])
    with pytest.raises(Refused, match=r"no search index of brim.*name another file for the index") as met:
        search(index_of(filled, mine), "parser")
    assert "\n" not in str(met.value)
    assert mine.read_bytes() == OTHERS[kind]
    assert {one.name for one in tmp_path.iterdir()} == {"mine", "home"}


@pytest.mark.parametrize("version", [0, 1, VERSION])
@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_a_database_of_others_is_left_alone(filled, tmp_path, version, mode):
    """Whatever its tables are called and whatever its version is; while it is open with rows in another file, too."""
    mine = tmp_path / "mine"
    base = sqlite3.connect(mine, isolation_level=None)
    for statement in (f"PRAGMA journal_mode = {mode}", f"PRAGMA user_version = {version}", *TABLES.split(";\n")):
        base.execute(statement)
    base.execute("INSERT INTO changes VALUES ('one', 'two', 'keep me')")
    before = {one: one.read_bytes() for one in tmp_path.glob("mine*")}
    with pytest.raises(Refused, match="no search index of brim"):
        search(index_of(filled, mine), "parser")
    assert {one: one.read_bytes() for one in tmp_path.glob("mine*")} == before
    assert base.execute("SELECT line FROM changes").fetchall() == [("keep me",)]
    base.close()


def test_a_link_to_a_file_of_others(filled, tmp_path):
    """What a link leads to is looked at, and left alone."""
    (tmp_path / "mine").write_bytes(OTHERS["text"])
    (tmp_path / "link").symlink_to("mine")
    with pytest.raises(Refused):
        search(index_of(filled, tmp_path / "link"), "parser")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "mine").read_bytes() == OTHERS["text"]


def test_a_link_that_leads_nowhere(filled, tmp_path):
    """The index is made where it leads, private to the user."""
    (tmp_path / "link").symlink_to("made")
    assert len(search(index_of(filled, tmp_path / "link"), "parser")) == 1
    assert stat.S_IMODE((tmp_path / "made").stat().st_mode) == 0o600


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_is_no_file_cannot_be_the_index(filled, tmp_path, make):
    """A folder or a pipe is told, and stays."""
    make(tmp_path / "mine")
    with pytest.raises(StoreFailed, match=r"it is no file.*name another file for the index"):
        search(index_of(filled, tmp_path / "mine"), "parser")
    assert {one.name for one in tmp_path.iterdir()} == {"mine", "home"}


@pytest.mark.parametrize("name", ["an index % of? mine#.sqlite", "índex", "index\udcff"])
def test_an_index_of_any_name(filled, tmp_path, name):
    """A file is known again whatever it is called."""
    for _ in range(2):
        assert len(search(index_of(filled, tmp_path / name), "parser")) == 1
    assert {one.name for one in tmp_path.iterdir()} == {name, "home"}


@pytest.mark.parametrize("kept", [4_096, 5_000, 20_000])
@pytest.mark.parametrize("named", [False, True])
def test_a_damaged_index_is_made_anew_wherever_it_lies(filled, tmp_path, kept, named):
    """One of brim's own is known by its mark however much of it is lost."""
    index = index_of(filled, tmp_path / "named" if named else None)
    search(index, "parser")
    index.path.write_bytes(index.path.read_bytes()[:kept])
    assert len(search(index, "parser")) == 1
    assert len([*index.warnings, *filled.warnings()]) == 1


def test_the_index_of_the_version_before(filled):
    """In the place of the store's own index it is made anew, though it carries no mark."""
    index = index_of(filled)
    index.path.unlink()
    base = sqlite3.connect(index.path, isolation_level=None)
    base.execute("PRAGMA journal_mode = WAL")
    base.execute("CREATE TABLE sessions (name TEXT PRIMARY KEY, size, place, mark, turns, said)")
    base.execute("CREATE TABLE messages (row INTEGER PRIMARY KEY, session, record, turn, number, role, time)")
    base.execute("PRAGMA user_version = 1")
    base.close()
    assert len(search(index, "parser")) == 1
    assert index.warnings == []


def test_the_place_of_the_own_index_is_known_by_another_name(filled, tmp_path):
    """Naming the store's own index in another way is no reason to refuse it."""
    filled.index_path.write_bytes(b"no database")
    around = tmp_path / "home" / ".." / "home" / "index.sqlite"
    assert len(search(index_of(filled, around), "parser")) == 1


def test_the_index_is_marked_while_others_still_use_it(filled, tmp_path):
    """The mark does not wait in another file: one that was just made is known while it is open."""
    index = index_of(filled, tmp_path / "named")
    search(index, "parser")
    reader = sqlite3.connect(index.path)
    reader.execute("SELECT * FROM messages").fetchone()
    with filled.open(filled.sessions()[0].id) as session:
        session.append(user("More of the parser."))
    assert len(search(index_of(filled, index.path), "parser")) == 2
    reader.close()


def test_a_text_that_is_damaged_is_damage_of_the_index(filled):
    """Bytes that are no text, in a place that SQLite does not look at, are read anew from the logs."""
    index = index_of(filled)
    search(index, "parser")
    with closing(sqlite3.connect(index.path)) as base:
        base.execute("UPDATE sessions SET unreadable_reason = CAST(x'ff41' AS TEXT)")
        base.commit()
    assert len(search(index, "parser")) == 1
    assert "was damaged" in index.warnings[0]
