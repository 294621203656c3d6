"""A restore that kills its own process at one of its calls of the operating system; a program of its own."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from brim.checkpoints import Checkpoints
from brim.sessions import open_store

CALLS = (
    "fchmod",
    "fsync",
    "link",
    "mkdir",
    "open",
    "readlink",
    "rename",
    "replace",
    "rmdir",
    "scandir",
    "stat",
    "symlink",
    "unlink",
    "write",
)
"""Functions of `os` that a restore calls; each is one call of the system."""


def strike(number: int, when: str) -> None:
    """Kill this process before or after the call of this number, counted from 0."""
    left = [number]

    def watched(call):
        def called(*args, **kwargs):
            left[0] -= 1
            if left[0] == -1 and when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            try:
                return call(*args, **kwargs)
            finally:
                if left[0] == -1:
                    os.kill(os.getpid(), signal.SIGKILL)

        return called

    for name in CALLS:
        setattr(os, name, watched(getattr(os, name)))


def main() -> None:
    """Restore the checkpoint "start" of a session, and say so once that is done."""
    home, project, session, number, when = sys.argv[1:]
    with open_store(home).open(session) as held:
        checkpoints = Checkpoints(project, held, home=Path(home))
        strike(int(number), when)
        checkpoints.restore("start")
    print("done")


if __name__ == "__main__":
    main()
