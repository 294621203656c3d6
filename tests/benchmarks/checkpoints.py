"""Checkpoints beside git itself on the same tree, in one run: a snapshot, and ten files restored."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from brim.checkpoints import Checkpoints
from brim.sessions import open_store
from tests.benchmarks.tables import print_table

FILES = 10_000
CHANGED = 10
ROUNDS = 9
COLUMNS = {
    "files": lambda row: f"{row.files:,}",
    "snapshot, unchanged ms": lambda row: f"{row.snapshot * 1e3:.1f}",
    "git add, write-tree ms": lambda row: f"{row.git_snapshot * 1e3:.1f}",
    "× git": lambda row: f"{row.snapshot / row.git_snapshot:.2f}",
    "checkpoint ms": lambda row: f"{row.checkpoint * 1e3:.1f}",
    f"{CHANGED} files restored ms": lambda row: f"{row.restore * 1e3:.1f}",
    "git add, write-tree, checkout ms": lambda row: f"{row.git_restore * 1e3:.1f}",
    "× git ": lambda row: f"{row.restore / row.git_restore:.2f}",
    "hook at a prompt ms": lambda row: f"{row.hook * 1e3:.0f}",
    "first snapshot s": lambda row: f"{row.first:.2f}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointRow:
    """Seconds for a tree of so many files; the fastest of a few rounds, in which brim and git take turns."""

    files: int
    first: float
    """The first snapshot."""
    snapshot: float
    """The snapshot alone, of an unchanged tree."""
    checkpoint: float
    """`Checkpoints.create`: the snapshot and the record, on the disk."""
    git_snapshot: float
    """`git add -A` and `git write-tree` of the unchanged tree."""
    restore: float
    """`Checkpoints.restore` of ten changed files, the safety checkpoint and both records included."""
    hook: float
    """`brim hook user-prompt-submit` with both jobs, as a process of its own, of an unchanged tree (HOK_05)."""
    git_restore: float
    """`git add -A` and `git write-tree` of ten changed files, and git's checkout of the ten."""


def measure_checkpoints() -> CheckpointRow:
    """Every measurement, on a tree of its own."""
    with tempfile.TemporaryDirectory(prefix="brim-bench-") as folder:
        project, home = Path(folder) / "project", Path(folder) / "home"
        for number in range(FILES):
            path = project / f"d{number // 100}" / "sub" / f"f{number}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"x = {number}\n" * 40)
        own = {**os.environ, "GIT_DIR": f"{folder}/git", "GIT_WORK_TREE": str(project)}
        subprocess.run(["git", "init", "-q", "--bare", f"{folder}/git"], check=True)
        subprocess.run(
            ["git", "config", "core.bare", "false"], env={**os.environ, "GIT_DIR": f"{folder}/git"}, check=True
        )

        def git(*arguments: str) -> bytes:
            return subprocess.run(["git", *arguments], cwd=project, env=own, capture_output=True, check=True).stdout

        with open_store(home).create(project=str(project)) as session:
            checkpoints = Checkpoints(project, session, home=home)
            first = seconds(lambda: checkpoints.create("start"))
            git("add", "-A")
            tree = git("write-tree").decode().strip()
            time.sleep(2.1)  # git looks at files of its index's own second again
            checkpoints.create("again")
            git("add", "-A")
            changed = [project / "d0" / "sub" / f"f{number}.py" for number in range(CHANGED)]
            names = [str(path.relative_to(project)) for path in changed]
            rounds = []
            for number in range(ROUNDS):
                plain = seconds(lambda: (git("add", "-A"), git("write-tree")))
                own_checkpoint = seconds(lambda: checkpoints.create("again"))
                own_snapshot = seconds(checkpoints._store.take)
                change(changed, number)
                restored = seconds(lambda: checkpoints.restore("start", "files"))
                change(changed, number)
                theirs = seconds(lambda: (git("add", "-A"), git("write-tree"), git("checkout", tree, "--", *names)))
                git("add", "-A")
                rounds.append((own_snapshot, own_checkpoint, plain, restored, theirs))
                time.sleep(1.1)
                checkpoints.create("again")
            told = json.dumps({"session_id": "s", "cwd": str(project), "prompt": "Go on."}).encode()
            asked = [sys.executable, "-m", "brim", "hook", "user-prompt-submit", "--job", "context"]
            asked += ["--job", "checkpoints"]
            at_home = {**os.environ, "BRIM_HOME": str(home)}

            def hook() -> None:
                done = subprocess.run(asked, input=told, env=at_home, capture_output=True, check=True)
                if b"no checkpoint" in done.stderr:
                    raise RuntimeError(done.stderr.decode())

            hooked = min(seconds(hook) for _ in range(ROUNDS))
            best = [min(column) for column in zip(*rounds, strict=True)]
        return CheckpointRow(
            files=FILES,
            first=first,
            snapshot=best[0],
            checkpoint=best[1],
            git_snapshot=best[2],
            restore=best[3],
            hook=hooked,
            git_restore=best[4],
        )


def change(paths: list[Path], number: int) -> None:
    """Give files another content."""
    for path in paths:
        path.write_text(f"y = {number}\n" * 30)


def seconds(work: Callable[[], object]) -> float:
    """Seconds of one run."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def show_checkpoints(row: CheckpointRow, console: Console) -> None:
    """The table."""
    print_table("checkpoints beside git on the same tree, in one run", COLUMNS, [row], console)
