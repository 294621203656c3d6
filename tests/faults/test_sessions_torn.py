"""Writes that are cut off and disks that are full: nothing acknowledged is lost, and the session opens again."""

from __future__ import annotations

import errno
import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from brim.compaction.plan import plan_compaction
from brim.compaction.policy import CompactionPolicy
from brim.compaction.result import compact_without_model
from brim.errors import StoreFailed
from brim.models import ModelLimits
from brim.sessions.file_store import FileStore
from brim.sessions.records import KINDS, CheckpointRecord, ForeignRecord, ForgottenRecord, ModelRecord, RestoreRecord
from brim.sessions.session import Session
from brim.testing import complaints
from brim.tokens.usage import TokenUsage
from steps.prerequisites import sized

pytestmark = pytest.mark.faults

ROOT = Path(__file__).parents[2]
LIMITS = ModelLimits(context_window=3_000, max_output_tokens=500)
SAID = {"role": "user", "content": "Größe, 長さ and \u2028: signs of more than one byte."}
ROOM = 64 * 1024
"""Bytes of the small disk."""


def compact(session: Session) -> None:
    """A compaction of what is visible."""
    session.compacted(compact_without_model(plan_compaction(session.view().window(LIMITS))))


ACTS: dict[str, Callable[[Session], Any]] = {
    "message": lambda session: session.append(SAID),
    "usage": lambda session: session.record(TokenUsage(input=1_200, output=30), model="some-model"),
    "compaction": compact,
    "pruning": lambda session: session.pruned(
        session.view().window(LIMITS, CompactionPolicy(prune_protect=100, prune_minimum=10)).prune()
    ),
    "rewind": lambda session: session.rewind(list(session.records())[3].id),
    "undo": lambda session: session.undo(),
    "rename": lambda session: session.rename("Größe"),
    "model": lambda session: session.write(ModelRecord, model="another-model"),
    "foreign": lambda session: session.write(ForeignRecord, format="opencode", document={"title": "Größe"}),
    "checkpoint": lambda session: session.write(CheckpointRecord, name="vor der Größe", tags=("auto",)),
    "restore": lambda session: session.write(RestoreRecord, of="a", what="files", safety="b", paths=("Größe",)),
    "forgotten": lambda session: session.write(ForgottenRecord, checkpoints=("a", "b")),
}
"""What adds a record of each kind to the log of a session, after its first."""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FileStore:
    """A store on a disk with room; what was cut off is written by hand, so nothing has to wait for the disk."""
    monkeypatch.setattr(os, "fsync", lambda _file: None)
    return FileStore(tmp_path / "home")


def filled(store: FileStore, name: str) -> Session:
    """A session with work in it, and with a compaction where an undo needs one."""
    session = store.create(project="/home/dev/parser", name=name)
    for number in range(6):
        call = {"type": "tool_use", "id": f"call-{number}", "name": "Bash", "input": {"command": "ls"}}
        result = {"type": "tool_result", "tool_use_id": f"call-{number}", "content": "Many words. " * 200}
        session.append({"role": "user", "content": f"Look at part {number}."})
        session.extend([{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}])
        session.append({"role": "assistant", "content": "Seen."})
    if name == "undo":
        compact(session)
    return session


def log_of(store: FileStore, name: str) -> Path:
    """The file of a session's log."""
    return next(store.root.glob(f"sessions/*/{name}.jsonl"))


def test_every_kind_of_record_is_torn() -> None:
    """No kind of record is left out below, but the first of a log and the one of another log."""
    assert {*ACTS, "session"} == set(KINDS)


@pytest.mark.parametrize("kind", ACTS)
def test_a_record_torn_at_any_byte_costs_itself_alone(store: FileStore, kind: str) -> None:
    """Wherever the write of the last record was cut off, all before it is there, and the session goes on."""
    with filled(store, kind) as session:
        before, seen = [record.id for record in session.records()], session.view()
        start = session.journal.size
        ACTS[kind](session)
        added = list(session.records())[-1]
    assert added.kind == kind
    path = log_of(store, kind)
    whole = path.read_bytes()
    assert whole.count(b"\n", start) == 1
    for end in {start, *range(start + 1, len(whole), sized(7, nightly=1)), len(whole) - 1}:
        path.write_bytes(whole[:end])
        session = store.open(kind)
        assert path.read_bytes() == whole[:start]
        assert len(session.warnings) == (end > start)
        session.journal.close()
    with store.open(kind) as session:
        assert session.view() == seen
        assert [record.id for record in session.records()] == before
        ACTS[kind](session)
        assert complaints([message.raw for message in session.view().messages]) == []
    assert [record.kind for record in store.read(kind).records()][-1] == kind


@contextmanager
def disk_full_after(calls: int, room: int) -> Iterator[None]:
    """A disk on which so many writes still fit, and so many bytes of the next one; no room after that."""
    real, count = os.write, itertools.count()

    def write(file: int, data: bytes) -> int:
        number = next(count)
        if number < calls:
            return real(file, data)
        if number == calls and room:
            return real(file, data[: min(room, len(data) - 1)])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    os.write = write
    try:
        yield
    finally:
        os.write = real


@pytest.mark.parametrize("kind", ACTS)
def test_no_room_for_a_record(store: FileStore, kind: str) -> None:
    """However much of a record still fits, the failure is told in one line, nothing is lost, and it is taken later."""
    with filled(store, kind) as session:
        path = log_of(store, kind)
        before, seen = path.read_bytes(), session.view()
        for room in (0, 1, 40, 100):
            with disk_full_after(0, room), pytest.raises(StoreFailed, match="No space left") as met:
                ACTS[kind](session)
            assert "\n" not in str(met.value)
            assert path.read_bytes() == before
            assert session.view() == seen
        ACTS[kind](session)
        after = session.view()
    with store.open(kind) as again:
        assert again.view() == after


def test_a_tear_that_could_not_be_cut_off_costs_nothing_later(
    store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the disk fails twice, nothing is added behind the tear: it is refused, or the tear is cut off first."""
    with filled(store, "first") as session:

        def failing(*_: object) -> None:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        with monkeypatch.context() as broken:
            broken.setattr(os, "ftruncate", failing)
            with disk_full_after(0, 40), pytest.raises(StoreFailed, match="No space left"):
                session.append({"role": "user", "content": "torn"})
            with pytest.raises(StoreFailed, match="Input/output error"):
                session.append({"role": "user", "content": "refused"})
        name = session.append({"role": "user", "content": "added"})
    with store.open("first") as again:
        assert again.view().ids[-1] == name
        assert again.damaged == []


def test_no_room_for_a_session(store: FileStore) -> None:
    """A session that cannot be made is told in one line, is not there, and can be made under its name later."""
    filled(store, "first").close()
    for room in (0, 1, 40, 100):
        with disk_full_after(0, room), pytest.raises(StoreFailed, match="No space left") as met:
            store.create(name="second")
        assert "\n" not in str(met.value)
        assert [info.id for info in store.sessions()] == ["first"]
    store.create(name="second").close()
    assert {info.id for info in FileStore(store.root).sessions()} == {"first", "second"}


FILL = """
import sys
from pathlib import Path
from brim.errors import StoreFailed
from brim.sessions.file_store import FileStore
from brim.testing import complaints

place = Path(sys.argv[1])
store = FileStore(place / "home")
held = store.create(project="/home/dev/parser", name="full")
known, failed = [], []
for number in range(2_000):
    try:
        known.append(held.append({"role": "user", "content": f"Message {number}. " + "Words. " * (number % 97)}))
    except StoreFailed as error:
        failed.append(str(error))
        if len(failed) > 20:
            break
tries = (lambda: store.create(name="more"), lambda: held.rename("Title " * 900))
for act in tries:
    try:
        act()
    except StoreFailed as error:
        failed.append(str(error))
held.close()
assert failed and all("No space left" in one and "\\n" not in one for one in failed), failed
assert len([one for one in failed if "No space left" in one]) >= 22, failed
again = FileStore(place / "home")
assert [info.id for info in again.sessions()] == ["full"], again.sessions()
with again.open("full") as session:
    ids = [record.id for record in session.records()]
    assert ids == sorted(set(ids)) and set(known) < set(ids) and len(ids) == len(known) + 1
    assert complaints([message.raw for message in session.view().messages]) == []
print(len(known))
"""


@pytest.mark.mount
def test_a_disk_that_is_full(tmp_path: Path) -> None:
    """On a disk of 64 KiB every act fails in one line once it is full; what was acknowledged is there, and opens."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = f'mount -t tmpfs -o size={ROOM} tmpfs "$1" && exec "$2" -c "$3" "$1"'
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mounted, "sh"]
    ran = subprocess.run(
        [*command, place, sys.executable, FILL],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) > 50
