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

from brim.sessions.search import SearchIndex, search
from tests.sessions.memory import user


@pytest.fixture
def filled(store):
    """A store with a session in which a parser is spoken of."""
    with store.create() as session:
        session.append(user("The parser in src/parser.py"))
    store.sessions()
    return store


def test_the_index_is_private(filled):
    """Nobody but the user can read what was said."""
    index = SearchIndex(filled)
    search(index, "parser")
    assert stat.S_IMODE(index.path.stat().st_mode) == 0o600


def test_an_index_in_use_is_left_alone(filled, monkeypatch):
    """Where another process holds the index for too long a temporary one does, which is told."""
    monkeypatch.setattr("brim.sessions.index.WAIT_SECONDS", 0)
    index = SearchIndex(filled)
    search(index, "parser")
    with filled.open(filled.sessions()[0].id) as session:
        session.append(user("More."))
    base = sqlite3.connect(index.path, isolation_level=None)
    base.execute("BEGIN IMMEDIATE")
    assert len(search(index, "More")) == 1
    assert "database is locked" in index.warnings[0]
    base.close()
    again = SearchIndex(filled)
    assert len(search(again, "More")) == 1
    assert again.warnings == []


def test_several_can_search_at_once(filled):
    """Those who search a store for the first time together all find what is there, once."""
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: search(SearchIndex(filled), "parser"), range(8)))
    assert [len(one) for one in found] == [1] * 8


SEARCHING = """
import sys
from contextlib import closing
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from brim.sessions.file_store import FileStore
from brim.sessions.search import SearchIndex, search

def found(_):
    return len(search(SearchIndex(FileStore(Path(sys.argv[1]))), "parser"))

with ThreadPoolExecutor(3) as pool:
    print(*pool.map(found, range(3)))
"""


def test_several_processes_can_make_the_index_at_once(filled):
    """Several threads of several processes search for the first time together: nothing fails, all of it is found."""
    command = [sys.executable, "-c", SEARCHING, filled.root]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [one.communicate()[0].split() for one in started] == [["1"] * 3] * 3


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_is_no_file_cannot_be_the_index(filled, make):
    """A folder or a pipe is told, and stays; a temporary index finds what there is."""
    filled.index_path.unlink()
    make(filled.index_path)
    index = SearchIndex(filled)
    assert len(search(index, "parser")) == 1
    assert "it is no ordinary file" in index.warnings[0]
    assert not filled.index_path.is_file()


@pytest.mark.parametrize("kept", [4_096, 5_000, 20_000])
def test_a_damaged_index_is_made_anew(filled, kept):
    """However much of it is lost."""
    index = SearchIndex(filled)
    search(index, "parser")
    index.path.write_bytes(index.path.read_bytes()[:kept])
    assert len(search(index, "parser")) == 1
    assert len([*index.warnings, *filled.warnings()]) == 1


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE sessions SET unreadable_reason = CAST(x'ff41' AS TEXT)",
        "UPDATE messages SET calls = NULL",
    ],
)
def test_what_sqlite_does_not_look_at_is_damage_of_the_index(filled, damage):
    """Bytes that are no text, and no text where one is expected, are read anew from the logs."""
    index = SearchIndex(filled)
    search(index, "parser")
    with closing(sqlite3.connect(index.path)) as base:
        base.execute(damage)
        base.commit()
    assert len(search(index, "parser")) == 1
    assert "was damaged" in index.warnings[0]
