"""A disk that is full at any moment of a checkpoint or a restore: one line, nothing half done, and all works later."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from steps.prerequisites import sized

pytestmark = [pytest.mark.faults, pytest.mark.compiler, pytest.mark.timeout(1_800)]

ROOT = Path(__file__).parents[2]
ROUNDS = sized(3, nightly=150)


def test_a_disk_that_is_full(tmp_path: Path) -> None:
    """From no room at all to what is needed, for brim and for the git that it runs."""
    library, room = tmp_path / "failing_disk.so", tmp_path / "room"
    source = Path(__file__).with_name("failing_disk.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    room.write_bytes(bytes(8))
    disk = tmp_path / "disk"
    disk.mkdir()
    ran = subprocess.run(
        [sys.executable, Path(__file__).with_name("full_disk.py"), disk, str(ROUNDS)],
        cwd=tmp_path,
        env={
            **os.environ,
            "HOME": str(tmp_path),
            "XDG_CONFIG_HOME": str(tmp_path),
            "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}",
            "LD_PRELOAD": str(library),
            "FAILING_ROOT": str(disk),
            "FAILING_ROOM": str(room),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    print(ran.stdout)
    acts = {act: [*map(int, counts)] for act, *counts in map(str.split, ran.stdout.splitlines())}
    assert all(0 < failed < rounds for rounds, failed, _ in acts.values()), acts
    assert acts["restore"][2], "no restore was interrupted"
