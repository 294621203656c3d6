"""Checkpoints beside git itself on the same tree: a snapshot, and ten files restored."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

from brim.checkpoints import Checkpoints
from brim.sessions import open_store
from tests.benchmarks.figures import Figure, in_turns, same

FILES: Final = 10_000
CHANGED: Final = 10
HOOK: Final = ("hook", "user-prompt-submit", "--job", "context", "--job", "checkpoints")


def measure_checkpoints() -> Iterator[Figure]:
    """Measure everything on a tree of its own."""
    with tempfile.TemporaryDirectory(prefix="brim-bench-") as folder:
        project, home = Path(folder) / "project", Path(folder) / "home"
        for number in range(FILES):
            path = project / f"d{number // 100}" / "sub" / f"f{number}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"x = {number}\n" * 40)
        changed = [project / "d0" / "sub" / f"f{number}.py" for number in range(CHANGED)]
        own = {**os.environ, "GIT_DIR": f"{folder}/git", "GIT_WORK_TREE": str(project)}

        def git(*arguments: str) -> bytes:
            return subprocess.run(["git", *arguments], cwd=project, env=own, capture_output=True, check=True).stdout

        def snapshot() -> bytes:
            git("add", "-A")
            return git("write-tree")

        def after_a_change(act: Callable[[], Any]) -> Callable[[], Any]:
            number = next(numbers)
            for path in changed:
                path.write_text(f"y = {number}\n" * 30)
            return act

        numbers = count()
        git("init", "-q")
        with open_store(home).create(project=str(project)) as session:
            checkpoints = Checkpoints(project, session, home=home)
            checkpoints.create("start")
            tree = snapshot().decode().strip()
            names = [str(path.relative_to(project)) for path in changed]
            time.sleep(2.1)  # git looks at files of its index's own second again
            checkpoints.create("again")
            snapshot()
            limit = {"limit: git add, write-tree": same(snapshot)}
            ways = {"brim": same(lambda: checkpoints.create("again"))}
            yield from in_turns("a checkpoint", f"{FILES:,} unchanged files", {**ways, **limit})
            ways = {"brim": same(partial(_hook, project, home))}
            yield from in_turns("the hook before a prompt, a process", f"{FILES:,} unchanged files", {**ways, **limit})
            ways = {
                "brim": partial(after_a_change, lambda: checkpoints.restore("start", "files")),
                "limit: git add, write-tree, checkout": partial(
                    after_a_change, lambda: (snapshot(), git("checkout", tree, "--", *names))
                ),
            }
            yield from in_turns("restoring", f"{CHANGED} of {FILES:,} files", ways)


def _hook(project: Path, home: Path) -> None:
    given = json.dumps({"session_id": "s", "cwd": str(project), "prompt": "Go on."}).encode()
    environ = {**os.environ, "BRIM_HOME": str(home)}
    command = [sys.executable, "-m", "brim", *HOOK]
    done = subprocess.run(command, input=given, env=environ, capture_output=True, check=True)
    if b"no checkpoint" in done.stderr:
        raise RuntimeError(done.stderr.decode())
