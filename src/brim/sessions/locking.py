"""Locking: one process writes a session; whoever else wants to is told who does.

Specified by features/sessions/locking.feature (SES_08). The lock is the operating system's and goes with the process;
the note beside it only says who holds it. Readers take no lock.
"""

from __future__ import annotations

import json
import os
import socket
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from filelock import FileLock, Timeout

from brim.errors import SessionHeld
from brim.sessions.disk.failures import telling
from brim.sessions.disk.files import write_whole

LOOKS: Final = 10
"""How often it is looked for who holds a lock: whoever took it just now has yet to say so."""
BETWEEN: Final = 0.005
"""Seconds between two looks."""


class Holder(NamedTuple):
    """Who writes a session: a process on a machine, since a time in milliseconds."""

    pid: int
    host: str
    since: int

    def __str__(self) -> str:
        since = datetime.fromtimestamp(self.since / 1000, tz=UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        return f"process {self.pid} on {self.host} since {since}"


class SessionLock:
    """The right to write one session, held until it is released or the process ends."""

    def __init__(self, path: Path) -> None:
        self._lock = FileLock(path, timeout=0, mode=0o600, thread_local=False)
        self._note = path.with_suffix(".holder")

    def acquire(self, session: str, now: int) -> None:
        """Take it. Raises SessionHeld where another process has it, naming who."""
        with telling(f"cannot lock session {session}"):
            who = self._take()
            if who is not None:
                raise SessionHeld(
                    f"session {session} is being written by {who}; read it meanwhile, or end that process first"
                )
        with suppress(OSError):
            self._note.unlink(missing_ok=True)  # of a process that died
            write_whole(self._note, json.dumps(Holder(os.getpid(), socket.gethostname(), now)._asdict()).encode())

    def _take(self) -> Holder | str | None:
        """Take it, or say who has it. It is tried again only as long as no note says who."""
        for _ in range(LOOKS):
            with suppress(Timeout):
                self._lock.acquire()
                return None
            if (holder := self.holder()) is not None:
                return holder
            time.sleep(BETWEEN)
        return "another process"

    def holder(self) -> Holder | None:
        """Who holds it, as the note says; None where none can be read, or it is of a process that is gone."""
        try:
            told = json.loads(self._note.read_bytes())
            holder = Holder(int(told["pid"]), str(told["host"]), int(told["since"]))
        except (OSError, ValueError, TypeError, KeyError):
            return None
        return None if _is_gone(holder) else holder

    def release(self) -> None:
        """Give it back."""
        with suppress(OSError):
            self._note.unlink(missing_ok=True)
        self._lock.release()


def _is_gone(holder: Holder) -> bool:
    """Whether a process of this machine has died; whoever holds the lock now has yet to say so."""
    if holder.host != socket.gethostname():
        return False
    try:
        os.kill(holder.pid, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False
