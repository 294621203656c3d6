"""Folders and files that nobody may read or write, disks without room for the index: told, and nothing is harmed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from brim.cli.app import app
from brim.errors import StoreFailed
from brim.sessions.file_store import FileStore
from brim.sessions.search import SearchIndex, search

pytestmark = pytest.mark.faults

ROOT = Path(__file__).parents[2]
NOBODY = 65_534
SAID = {"role": "user", "content": "Where is the parser?"}


@pytest.fixture
def store() -> Iterator[FileStore]:
    """A store with sessions of two projects, of somebody who may do what files say; root becomes that one meanwhile."""
    place, me = Path(f"/tmp/brim-somebody-{os.getpid()}"), os.geteuid()
    place.mkdir()
    for command in (["list"], ["search", "parser"]):  # what it imports is read before nobody may
        CliRunner().invoke(app, ["sessions", *command, "--store", str(place)])
    if me == 0:
        os.chown(place, NOBODY, -1)
        os.seteuid(NOBODY)
    store = FileStore(place / "home")
    for name in ("one", "two"):
        with store.create(name=name, project=f"/home/dev/{name}") as session:
            session.append(SAID)
    yield FileStore(place / "home")
    os.seteuid(me)
    subprocess.run(["chmod", "-R", "u+rwX", place], check=True)
    shutil.rmtree(place)


def project_of(store: FileStore, name: str) -> Path:
    """The folder of a project."""
    return next(store.root.glob(f"sessions/{name}-*"))


def contents(store: FileStore) -> dict[str, bytes]:
    """What lies in a store, but for its locks."""
    return {str(path): path.read_bytes() for path in store.root.rglob("*.json*")}


@pytest.mark.parametrize("mode", [0o000, 0o300, 0o600])
def test_a_project_that_nobody_may_look_into(store: FileStore, mode: int) -> None:
    """It is told by name, in the list of the command too, and the other project is listed."""
    closed = project_of(store, "two")
    closed.chmod(mode)
    assert [one.id for one in store.sessions()] == ["one"]
    (report,) = store.warnings()
    assert str(closed) in report
    assert "Permission denied; give yourself permission" in report
    listed = CliRunner().invoke(app, ["sessions", "list", "--store", str(store.root), "--json"])
    assert listed.exit_code == 0
    assert str(closed) in listed.output


def test_a_log_that_nobody_may_read(store: FileStore) -> None:
    """It is told by name, and the others are listed and searched."""
    log = project_of(store, "two") / "two.jsonl"
    log.chmod(0o000)
    assert [one.id for one in store.sessions()] == ["one"]
    assert any(f"{log}: Permission denied" in report for report in store.warnings())
    assert [hit.session for hit in search(SearchIndex(store), "parser")] == ["one"]


def test_sessions_that_nobody_may_look_into(store: FileStore) -> None:
    """Where no project can be seen, that is not an empty list but one clear line."""
    (store.root / "sessions").chmod(0o000)
    with pytest.raises(StoreFailed, match="Permission denied"):
        store.sessions()


@pytest.mark.parametrize("searched_before", [False, True])
def test_a_search_where_nothing_may_be_written(store: FileStore, searched_before: bool) -> None:
    """A temporary index finds, which is told in one line, and the sessions stay as they are."""
    if searched_before:
        search(SearchIndex(store), "parser")
    before = contents(store)
    store.root.chmod(0o500)
    index = SearchIndex(store)
    assert len(search(index, "parser")) == 2
    (warning,) = index.warnings
    assert "cannot be written" in warning
    assert "\n" not in warning
    assert contents(store) == before
    told = CliRunner().invoke(app, ["sessions", "search", "parser", "--store", str(store.root)])
    assert told.exit_code == 0, told.output
    assert "2 messages" in told.output


def test_a_listing_where_nothing_may_be_written(store: FileStore) -> None:
    """What a listing has read and cannot hand on is read once more; it lists, and has nothing to report."""
    session = store.open("two")
    session.extend([SAID] * 2_000)
    session.journal.close()
    before = contents(store)
    store.root.chmod(0o500)
    again = FileStore(store.root)
    assert next(one.size for one in again.sessions()) == len(before[session.info.transcript])
    assert again.warnings() == ()
    assert contents(store) == before


CROWDED = """
import sys
from pathlib import Path
from brim.sessions.file_store import FileStore
from brim.sessions.search import SearchIndex, search

class Crowded(FileStore):
    index_path = Path(sys.argv[1]) / "index.sqlite"

small, store = Path(sys.argv[1]), Crowded(Path(sys.argv[2]))
for name in ("one", "two"):
    with store.create(name=name) as session:
        session.extend({"role": "user", "content": f"Where is part {n}? " + "Words. " * 99} for n in range(99))
logs = [path.read_bytes() for path in store.root.glob("sessions/*/*.jsonl")]
index = SearchIndex(store)
for _ in range(2):
    print(len(search(index, "part", limit=500)))
(warning,) = index.warnings
assert "is full" in warning, warning
assert "\\n" not in warning
assert [path.read_bytes() for path in store.root.glob("sessions/*/*.jsonl")] == logs
print(len(search(SearchIndex(FileStore(store.root)), "part", limit=500)))
"""


@pytest.mark.mount
def test_a_disk_without_room_for_the_index(tmp_path: Path) -> None:
    """It is told in one line, no damage is made of it, and everything is found as where there is room."""
    small = tmp_path / "disk"
    small.mkdir()
    mounted = 'mount -t tmpfs -o size=192k tmpfs "$1" && exec "$2" -c "$3" "$1" "$4"'
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mounted, "sh"]
    ran = subprocess.run(
        [*command, small, sys.executable, CROWDED, tmp_path / "home"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["198"] * 3
