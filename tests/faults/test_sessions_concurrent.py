"""Eight processes on one store: nothing is lost, one writes a session, and the others are told who holds it."""

from __future__ import annotations

import errno
import os
import re
import signal
import socket
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from brim.errors import SessionHeld
from brim.sessions.file_store import FileStore
from steps.prerequisites import sized
from tests.faults.test_sessions_killed import Acknowledged, Writers, check_log, check_view

pytestmark = pytest.mark.faults

PROCESSES = 8
SESSIONS = tuple(f"shared-{number}" for number in range(4))
SECONDS = sized(0.5, nightly=60)
HELD = re.compile(
    r"session (\S+) is being written by process (\d+) on (\S+) since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC; "
)


def contended(
    writers: Writers,
    store: FileStore,
    sessions: tuple[str, ...],
    seconds: float,
    meanwhile: Callable[[int], None] = lambda number: None,
) -> list[dict[str, Any]]:
    """What eight processes told that wrote these sessions for so many seconds, and something done at each telling."""
    for name in sessions:
        store.create(project="/home/dev/parser", name=name).close()
    order = {"act": "contend", "root": str(store.root), "sessions": sessions, "seconds": seconds}
    writers.order(*({**order, "seed": seed} for seed in range(PROCESSES)))
    told = []
    for number, one in enumerate(writers.told()):
        told.append(one)
        meanwhile(number)
    assert [one["broke"] for one in told if "broke" in one] == []
    assert [one["ended"] for one in told if "ended" in one] == [0] * PROCESSES
    return told


def acknowledged(told: list[dict[str, Any]]) -> dict[str, dict[str, str]]:
    """For each session the records that were acknowledged."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for one in told:
        if "created" in one:
            found[one["created"]] |= {}
        if "record" in one:
            assert one["record"] not in found[one["session"]]
            found[one["session"]][one["record"]] = one.get("said", "")
    return found


@pytest.mark.timeout(SECONDS * 3 + 120)
@pytest.mark.parametrize("sessions", [SESSIONS, SESSIONS[:1]], ids=["several sessions", "one session"])
def test_eight_processes_on_one_store(writers: Writers, tmp_path: Path, sessions: tuple[str, ...]) -> None:
    """Every acknowledged record is there, one process at a time writes a session, and the others are told which."""
    store = FileStore(tmp_path / "home")
    told = contended(writers, store, sessions, SECONDS)
    assert [one for one in told if "two_writers" in one] == []
    check_store(store, told)
    assert [one["warnings"] for one in told if one.get("warnings")] == []
    check_refusals(told)


@pytest.mark.timeout(SECONDS * 3 + 120)
def test_a_registry_that_is_damaged_meanwhile(writers: Writers, tmp_path: Path) -> None:
    """A registry that is lost or damaged while eight processes work costs nothing that was acknowledged."""
    store = FileStore(tmp_path / "home")

    def damage(number: int) -> None:
        if number % 97 == 0:
            store.index_path.unlink(missing_ok=True)
        elif number % 89 == 0:
            store.index_path.write_bytes(b"no database")

    told = contended(writers, store, SESSIONS, SECONDS, damage)
    check_store(store, told)


def test_a_killed_writer_is_not_named(writers: Writers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever was killed holds nothing: it is not named while another process holds the session without a note."""
    store = FileStore(tmp_path / "home")
    writers.order({"act": "write", "root": str(store.root), "session": "one", "seed": 1})
    dead = 0
    for number, one in enumerate(writers.told()):
        dead = one.get("born", dead)
        if number == PROCESSES:
            os.kill(dead, signal.SIGKILL)

    def no_room(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("brim.sessions.locking.write_all", no_room)
    held = store.open("one")
    with pytest.raises(SessionHeld) as met:
        store.open("one")
    held.journal.close()
    assert f"process {dead} on" not in str(met.value)


def check_store(store: FileStore, told: list[dict[str, Any]]) -> None:
    """Nothing of what was acknowledged is lost: no record, no session; the registry knows them all."""
    found = acknowledged(told)
    for name, records in found.items():
        known = Acknowledged(name)
        known.records = records
        with store.open(name) as session:
            check_log(session, known)
            check_view(session)
    assert set(found) <= {info.id for info in store.sessions()}
    assert [one for one in told if one.get("missing")] == []


def check_refusals(told: list[dict[str, Any]]) -> None:
    """Whoever was refused was told which process holds the session: one of the eight, on this machine."""
    born = {one["born"] for one in told if "born" in one}
    met = [HELD.match(one["held"]) for one in told if "held" in one]
    named = [one for one in met if one is not None]
    told_of = Counter(int(one[2]) for one in named)
    records = sum(len(one) for one in acknowledged(told).values())
    print(f"{records:,} records acknowledged, {len(met):,} refused, {len(met) - len(named):,} not told by whom")
    assert set(told_of) <= born
    assert {one[3] for one in named} <= {socket.gethostname()}
    assert len(named) > PROCESSES
    assert [one["held"] for one in told if "held" in one and not HELD.match(one["held"])] == []
