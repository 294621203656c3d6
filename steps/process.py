"""One process that is asked on its standard input and answers on its standard output, a line each."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Sequence

LINE_BYTES = 64 * 1024 * 1024
"""A longer line is no answer."""

GRACE_S = 2.0
"""Seconds that a program has to end by itself once it is asked nothing more."""

SHOWN = 300
"""Characters that are shown of a line."""


class ProgramFault(Exception):
    """What a program did in place of answering, with what it said."""


class Running:
    """One process, with what it last said on stderr."""

    def __init__(self, command: Sequence[str]) -> None:
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(  # noqa: S603  the command is the user's own, and no shell reads it
                command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
            )
        except OSError as error:
            raise ProgramFault(f"cannot be started: {error}") from error
        self._complaints: deque[bytes] = deque(maxlen=10)
        self._listening = _in_background(self._listen)
        self._exchanging = self._listening

    def exchange(self, request: bytes, patience_s: float) -> bytes:
        """The line that the program answers with. Raises ProgramFault where none comes, or none in time."""
        said: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._exchanging = _in_background(lambda: said.put(self._write_and_read(request)))
        try:
            line = said.get(timeout=patience_s)
        except queue.Empty:
            raise ProgramFault(f"gave no answer within {patience_s:g} s") from None
        if not line.endswith(b"\n"):
            raise ProgramFault(self._ended(line))
        return line

    def stop(self) -> list[str]:
        """End it by force, and tell what it last said on stderr."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._process.wait()
        self._tidy()
        return [shown(line) for line in self._complaints]

    def leave(self, grace_s: float) -> None:
        """Let it end by itself, or make it."""
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(grace_s)
        self.stop()

    def _ended(self, line: bytes) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE_S)
        status = self._process.returncode
        end = "closed its output" if status is None else f"ended with exit status {status}"
        return f"{end} in place of an answer{f', after saying {shown(line)}' if line else ''}"

    def _write_and_read(self, request: bytes) -> bytes:
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(request)
            self._process.stdin.flush()
        with contextlib.suppress(OSError, ValueError):
            return self._process.stdout.readline(LINE_BYTES)
        return b""

    def _listen(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while line := self._process.stderr.readline(LINE_BYTES):
                self._complaints.append(line)

    def _tidy(self) -> None:
        """Close the pipes; one that a child of the program still holds open is left to it."""
        for thread, stream in ((self._exchanging, self._process.stdout), (self._listening, self._process.stderr)):
            thread.join(GRACE_S)
            if not thread.is_alive():
                stream.close()
        with contextlib.suppress(OSError):
            self._process.stdin.close()


def _in_background(act: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=act, daemon=True)
    thread.start()
    return thread


def shown(line: bytes) -> str:
    """A line as a person reads it, cut where it is long."""
    text = readable(line)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text)} characters)"


def readable(line: bytes) -> str:
    """A whole line as a person reads it."""
    return line.decode(errors="backslashreplace").rstrip("\r\n")
