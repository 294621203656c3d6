"""Waiting writers: each gets its turn after a bounded number of turns of others.

No writer waits for a session: it is refused (SES_08). What writers wait for is the index.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from brim.sessions.file_store import FileStore
from brim.sessions.search import MAX_BATCH_BYTES
from tests.sessions.memory import user

pytestmark = pytest.mark.faults

ROOT = Path(__file__).parents[2]
TURNS = 16
"""Transactions that index the long session."""
SEARCH = """
import sys
from pathlib import Path
from brim.sessions.file_store import FileStore
from brim.sessions.search import SearchIndex, search
print(len(search(SearchIndex(FileStore(Path(sys.argv[1]))), "part", limit=5)))
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
            store.sessions()  # writes what it read of the log
            waited.append((indexed_bytes(store, "long") - before) / MAX_BATCH_BYTES)
        assert search.stdout.read() == b"5\n"
        assert store.warnings() == ()
    print(f"{len(waited)} renames beside {TURNS} turns of a search; the longest waited for {max(waited):.1f} of them")
    assert len(waited) > 1
    assert max(waited) < TURNS, "a writer waited until the search had ended"
