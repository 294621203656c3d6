"""A disk whose writes, fsyncs or locks fail, for brim and for SQLite: what was acknowledged is there, and nothing else.

A library in C that is loaded before the C library makes the calls fail, so that code that is not Python meets it too.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from steps.prerequisites import sized

pytestmark = [pytest.mark.faults, pytest.mark.compiler]

ROOT = Path(__file__).parents[2]
FIRST = sized(6, nightly=60)
"""How many calls go well, at most, before the first that fails."""
WRITE = """
import ctypes, errno, sys
from pathlib import Path
from brim.errors import StoreFailed
from brim.sessions.file_store import FileStore
from brim.sessions.records import MessageRecord
from brim.sessions.search import SearchIndex, search
from brim.testing import complaints

root, kind, number, most = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
arm = ctypes.CDLL(None).arm
failures = acknowledged = 0

def acts(store, session, known):
    "What a user does with a session; each act is known once it was acknowledged."
    for text in ("one", "two"):
        known["messages"].append((session.append({"role": "user", "content": text}), text))
        answers = [{"role": "assistant", "content": text}, {"role": "user", "content": text}]
        known["messages"] += [(name, text) for name in session.extend(answers)]
    known["title"] = session.rename("Another") and "Another"
    search(SearchIndex(store), "one")
    with store.create(name="more"):
        known["sessions"].add("more")

for first in range(most):
    store = FileStore(root / f"store-{first}")
    session = store.create(name="first")
    known = {"messages": [], "title": "", "sessions": {"first"}}
    arm(kind, number, first)
    for _ in range(3):  # a caller tries again
        try:
            acts(store, session, known)
            break
        except StoreFailed as error:
            failures += 1
            assert "\\n" not in str(error), error
    session.close()
    arm(-1, 0, 0)
    again = FileStore(store.root)
    listed = {info.id: info for info in again.sessions()}
    assert known["sessions"] <= set(listed), (first, listed)
    if known["title"]:
        assert listed["first"].title == known["title"], (first, listed)
    with again.open("first") as session:
        records = [one for one in session.records() if isinstance(one, MessageRecord)]
        assert session.damaged == [], session.damaged
        assert [(one.id, one.value.text) for one in records] == known["messages"], (first, records)
        assert complaints([message.raw for message in session.view().messages]) == [] or not records
        session.append({"role": "user", "content": "after"})
    assert [hit.session for hit in search(SearchIndex(again), "after")] == ["first"], first
    again.create(name="next").close()
    acknowledged += len(known["messages"])
assert failures, "no call failed"
print(failures, acknowledged)
"""
FAULTS = {
    "no room for a write": (0, "ENOSPC"),
    "a write that the disk cannot do": (0, "EIO"),
    "no room at an fsync": (1, "ENOSPC"),
    "an fsync that the disk cannot do": (1, "EIO"),
    "no quota left at an fsync": (1, "EDQUOT"),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that makes calls fail."""
    made = tmp_path_factory.mktemp("failing") / "failing_disk.so"
    source = Path(__file__).with_name("failing_disk.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", made, source, "-ldl"], check=True)
    return made


def output_of(library: Path, folder: Path, *arguments: str) -> str:
    """What a program prints that runs with the library."""
    ran = subprocess.run(
        [sys.executable, "-c", *arguments],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT / "src"),
            "LD_PRELOAD": str(library),
            "FAILING_ROOT": str(folder),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.parametrize("fault", FAULTS)
def test_a_disk_that_fails(library: Path, tmp_path: Path, fault: str) -> None:
    """From whichever call on it fails, each act fails in one line or is there; later everything goes on."""
    kind, error = FAULTS[fault]
    number = str(getattr(errno, error))
    failures, acknowledged = map(
        int, output_of(library, tmp_path, WRITE, str(tmp_path), str(kind), number, str(FIRST)).split()
    )
    print(f"{fault}: {FIRST} stores, {failures} acts failed, {acknowledged} messages acknowledged, all there")
    assert failures > 0


LOCKLESS = """
import ctypes, sys
from pathlib import Path
from brim.checkpoints import Checkpoints
from brim.errors import StoreFailed
from brim.memory import Lasting, migrate
from brim.sessions import index
from brim.sessions.file_store import FileStore
from brim.sessions.search import SearchIndex, search

root, index.WAIT_SECONDS = Path(sys.argv[1]), 0
with FileStore(root).create(name="one") as session:
    session.append({"role": "user", "content": "parser"})
search(SearchIndex(FileStore(root)), "parser")
ctypes.CDLL(None).arm(2, int(sys.argv[2]), 0)
store = FileStore(root)
assert [info.id for info in store.sessions()] == ["one"]
for _ in range(2):
    assert [hit.session for hit in search(SearchIndex(store), "parser")] == ["one"]
session = store.read("one")
assert len(session.view().messages) == 1
lines = Lasting(session="one", lines=(("decision", "Use tabs."),), open_tasks=frozenset())
for act in (
    lambda: store.open("one"),
    lambda: store.create(name="two"),
    lambda: Checkpoints(root, session, home=root / "home").create(),
    lambda: migrate(lines, root / "CLAUDE.md"),
):
    try:
        act()
    except StoreFailed as error:
        print(error)
assert not (root / "CLAUDE.md").exists() and [info.id for info in store.sessions()] == ["one"]
"""


@pytest.mark.parametrize("error", ["ENOLCK", "EOPNOTSUPP"])
def test_a_file_system_without_locks(library: Path, tmp_path: Path, error: str) -> None:
    """Sessions there are listed, found and read; nothing is written, which is told in a line each with what to do."""
    lines = output_of(library, tmp_path, LOCKLESS, str(tmp_path), str(getattr(errno, error))).splitlines()
    assert [line.endswith("its file system has no locks: use a folder on another one") for line in lines] == [True] * 4
