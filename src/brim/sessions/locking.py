"""Locking: one process writes a session; another one is refused, with the name of that process.

Specified by features/sessions/locking.feature (SES_08). The lock is the operating system's and goes with the process;
the note beside it only says who holds it. Readers take no lock.
"""

from __future__ import annotations

import os
import socket
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from brim.errors import Refused, SessionHeld
from brim.sessions.files import PRIVATE_FILE, has_ended, make_folder, open_regular, translate_os_errors, write_all
from brim.sessions.records import MAX_TIME_MS

LOOKS: Final = 60
"""How often the note of a lock's holder is looked for: it is written after the lock is taken."""


class Holder(BaseModel):
    """Who writes a session: a process on a machine, since a time in milliseconds."""

    model_config = ConfigDict(frozen=True, strict=True)

    pid: int = Field(gt=0, lt=2**31)
    host: str
    since: int = Field(ge=0, le=MAX_TIME_MS)

    def __str__(self) -> str:
        since = datetime.fromtimestamp(self.since / 1000, tz=UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        return f"process {self.pid} on {self.host} since {since}"

    @property
    def is_oneself(self) -> bool:
        """Return whether it is this very process."""
        return self.pid == os.getpid() and self.host == socket.gethostname()


def parse_holder(note: str | bytes) -> Holder | None:
    """Who holds a session, as a note says; None where it is damaged."""
    try:
        holder = Holder.model_validate_json(note)
    except ValidationError:
        return None
    return holder if holder.host.isprintable() else None


def session_held(session: str, who: Holder | str) -> SessionHeld:
    """The refusal to write a session that another writes, or this very process; it says what would cure it."""
    if isinstance(who, Holder) and who.is_oneself:
        return SessionHeld(f"session {session} is open in this very process; read it meanwhile, or close it there")
    return SessionHeld(f"session {session} is being written by {who}; read it meanwhile, or end that process first")


def check_process(session: str, pid: int) -> None:
    """Raise Refused where this process was forked from the one, of this id, that has the session open to write."""
    if pid != os.getpid():
        raise Refused(
            f"session {session} is open in process {pid}, which this one was forked from; "
            "read it here, or close it there first"
        )


class SessionLock:
    """The right to write one session, held until it is released or the process ends."""

    def __init__(self, path: Path) -> None:
        """Nothing is made before it is acquired."""
        self._lock = FileLock(path, timeout=0, mode=0o600, thread_local=False)
        self._note = path.with_suffix(".holder")

    def acquire(self, session: str, now: int) -> None:
        """Take it. Raises SessionHeld where another process has it, naming who."""
        with translate_os_errors(f"cannot lock session {session} in {self._note.parent}"):
            make_folder(self._note.parent)
            who = self._take()
            if who is not None:
                raise session_held(session, who)
        with suppress(OSError):
            self._note.unlink(missing_ok=True)  # of a process that died
            holder = Holder(pid=os.getpid(), host=socket.gethostname(), since=now)
            note = os.open(self._note, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
            try:
                write_all(note, holder.model_dump_json().encode())
            finally:
                os.close(note)

    def _take(self) -> Holder | str | None:
        """Take it, or say who has it. It is tried again only as long as no note says who."""
        for _ in range(LOOKS):
            with suppress(Timeout):
                self._lock.acquire()
                return None
            if (holder := self.holder()) is not None:
                return holder
            time.sleep(0.005)
        return "another process"

    def holder(self) -> Holder | None:
        """Who holds it, as the note says; None where none can be read, or it is of a process that is gone."""
        try:
            with os.fdopen(open_regular(self._note, os.O_RDONLY), "rb") as note:
                holder = parse_holder(note.read(4096))
        except OSError:
            return None
        if holder is None or (holder.host == socket.gethostname() and has_ended(holder.pid)):
            return None
        return holder

    def release(self) -> None:
        """Give it back."""
        with suppress(OSError):
            self._note.unlink(missing_ok=True)
        self._lock.release()
