"""Eight processes on one database: nothing is lost, one writes a session, and the others are told who holds it."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from brim.sessions.sql import SqlStore
from steps.prerequisites import sized
from tests.faults.test_sessions_concurrent import HELD, PROCESSES, acknowledged, check_store
from tests.faults.test_sessions_killed import Writers

pytestmark = [pytest.mark.faults, pytest.mark.peers]

SECONDS = sized(1, nightly=60)
MANY = tuple(f"shared-{number}" for number in range(PROCESSES))


@pytest.mark.timeout(SECONDS * 3 + 120)
@pytest.mark.parametrize(
    "sessions", [MANY, pytest.param(MANY[:1], marks=pytest.mark.nightly)], ids=["eight sessions", "one session"]
)
def test_eight_processes_on_one_database(
    writers: Writers, url: str, store: SqlStore, tmp_path: Path, sessions: tuple[str, ...]
) -> None:
    """Every acknowledged record is there, one process at a time writes a session, and the others are told which."""
    for name in sessions:
        store.create(project="/home/dev/parser", name=name).close()
    order = {"act": "contend", "root": url, "beside": str(tmp_path), "sessions": sessions, "seconds": SECONDS}
    writers.order(*({**order, "seed": seed} for seed in range(PROCESSES)))
    told = list(writers.told())
    assert [one["broke"] for one in told if "broke" in one] == []
    assert [one["ended"] for one in told if "ended" in one] == [0] * PROCESSES
    assert [one for one in told if "two_writers" in one] == []
    check_store(store, told)
    assert [one["warnings"] for one in told if one.get("warnings")] == []
    assert set(acknowledged(told)) <= {info.id for info in store.sessions()}
    check_refusals(told, some=len(sessions) < PROCESSES and SECONDS >= LONG)


LONG = 10
"""Seconds after which some are refused for certain: a writer waits a moment for whoever is about to close."""


def check_refusals(told: list[dict[str, Any]], *, some: bool) -> None:
    """Whoever was refused was told which process holds the session: one of the eight, on this machine."""
    born = {one["born"] for one in told if "born" in one}
    held = [one["held"] for one in told if "held" in one]
    named = [one for one in map(HELD.match, held) if one is not None]
    records = sum(len(one) for one in acknowledged(told).values())
    print(f"{records:,} records acknowledged, {len(held):,} refused, {len(held) - len(named):,} not told by whom")
    assert held or not some
    assert {int(one[2]) for one in named} <= born
    assert {one[3] for one in named} <= {socket.gethostname()}
    assert len(named) == len(held)
