"""Waiting writers: each gets its turn after a bounded number of turns of others.

On files no writer waits for a session: it is refused at once (SES_08). What writers wait for there is the index. On
PostgreSQL a writer waits half a second for a session, in the queue of the server.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest

from brim.errors import SessionHeld
from brim.sessions.file_store import FileStore
from brim.sessions.search import MAX_BATCH_BYTES
from brim.sessions.sql import SqlStore
from steps.postgres import Database, database  # noqa: F401  a fixture
from steps.prerequisites import sized
from tests.sessions.memory import user

pytestmark = pytest.mark.faults

ROOT = Path(__file__).parents[2]
TURNS = 16
"""Transactions that index the long session."""
WAITS = sized(3, nightly=100)
SEARCH = """
import sys
from pathlib import Path
from brim.sessions.file_store import FileStore
from brim.sessions.search import index_of, search
print(len(search(index_of(FileStore(Path(sys.argv[1]))), "part", limit=5)))
"""


def indexed_bytes(store: FileStore, name: str) -> int:
    """How far a session is indexed."""
    with closing(sqlite3.connect(store.index_path)) as base:
        found = base.execute("SELECT offset FROM sessions WHERE name = ?", (name,)).fetchone()
    return found[0] if found else 0


def test_a_writer_waits_for_few_turns_of_a_search(tmp_path: Path) -> None:
    """While a search indexes a long session, another process writes the index between its transactions."""
    store = FileStore(tmp_path / "home")
    with store.create(name="long") as long:
        for _ in range(TURNS):
            long.extend([user("part " * 2_000)] * (MAX_BATCH_BYTES // 10_000))
    store.sessions()
    waited = []
    command = [sys.executable, "-c", SEARCH, store.root]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    with (
        store.create(name="short") as short,
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as search,
    ):
        while not indexed_bytes(store, "long") and search.poll() is None:
            time.sleep(0.001)
        while search.poll() is None:
            before = indexed_bytes(store, "long")
            short.rename(f"Title {len(waited)}")
            waited.append((indexed_bytes(store, "long") - before) / MAX_BATCH_BYTES)
        assert search.stdout.read() == b"5\n"
        assert short.warnings == ()
    print(f"{len(waited)} renames beside {TURNS} turns of a search; the longest waited for {max(waited):.1f} of them")
    assert len(waited) > 1
    assert max(waited) < TURNS, "a writer waited until the search had ended"


@pytest.mark.peers
def test_a_waiting_writer_has_the_next_turn_in_a_database(database: Database) -> None:  # noqa: F811
    """A writer that opens and closes a session again and again gets no second turn before one that waits."""
    url = database.new_store()
    store, other = SqlStore(url), SqlStore(url)
    store.create(name="one").close()
    turns = []
    with ThreadPoolExecutor(1) as pool:
        for _ in range(WAITS):
            session = store.open("one")
            waiting = pool.submit(other.open, "one")
            while not database.ask("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"):
                assert not waiting.done()
            session.close()
            turns.append(0)
            while not waiting.done():
                with suppress(SessionHeld), store.open("one"):
                    turns[-1] += 1
            waiting.result().close()
    store.close()
    other.close()
    print(f"{WAITS} waits, at most {max(turns)} turns of the other writer")
    assert max(turns) == 0
