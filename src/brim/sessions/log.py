"""The log: a file of lines that only ever grows.

Specified by features/sessions/log.feature (SES_01, SES_07, SES_12).
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from brim.errors import InvalidInput, Refused
from brim.sessions.files import make_folder, make_whole, open_regular, translate_os_errors, write_synced
from brim.sessions.lines import encode
from brim.sessions.locking import check_process
from brim.sessions.records import Record
from brim.sessions.resume import RecordLine, lines_back, torn_bytes


class FileLog:
    """The log of one session in a file (SES_01). The holder of its lock may append."""

    def __init__(self, path: Path, release: Callable[[], None] | None = None) -> None:
        """Open a log that exists: to read it, or, for the holder of its lock, to append to it.

        `release` releases that lock when the log is closed.
        """
        self.path, self._release, self._warnings = path, release, list[str]()
        self._session = path.stem
        self._left = b""
        """The data of a write that failed; part of it may be in the file."""
        self.bytes_read = 0
        """Bytes that were read from it so far."""
        with translate_os_errors(f"cannot open {path}"):
            try:
                self._file = open_regular(path, os.O_RDWR | os.O_APPEND if release else os.O_RDONLY)
            except FileNotFoundError as error:
                raise InvalidInput(f"there is no log at {path}") from error
            self._pid = os.getpid()
            self._close = weakref.finalize(self, _let_go, self._file, self._pid, release)
            self._close.atexit = False
            try:
                self._size = os.fstat(self._file).st_size
                self._repair()
            except BaseException:
                self._release = None
                self._close.detach()
                os.close(self._file)
                raise

    def _repair(self) -> None:
        """Leave out a line that was never written to its end; a writer cuts it off."""
        torn = torn_bytes(self._read, self._size)
        self._size -= torn
        if torn and self._release is not None:
            os.ftruncate(self._file, self._size)
            os.fsync(self._file)
            self._warnings.append(
                f"{self.path.name}: a last line of {torn} bytes was never written to its end; cut off"
            )

    def _read(self, offset: int, count: int) -> bytes:
        pieces, file = [], self._opened()
        with translate_os_errors(f"cannot read {self.path}"):
            while count > 0 and (piece := os.pread(file, count, offset)):
                pieces.append(piece)
                offset, count = offset + len(piece), count - len(piece)
        data = b"".join(pieces)
        self.bytes_read += len(data)
        return data

    def _opened(self) -> int:
        """The open file. Raises Refused where it was closed, and where a process was forked from its writer."""
        if not self._close.alive:
            raise Refused(f"session {self._session} was closed; open it again")
        if self._release is not None:
            check_process(self._session, self._pid)
        return self._file

    def append(self, records: Sequence[Record]) -> None:
        """Add records in one write, and bring them to the disk. Raises StoreFailed, and removes what was written.

        Once it returns all of them are there. Where the process dies meanwhile, each whole record before the tear is.
        Raises Refused where it was closed, and where another wrote it meanwhile: its lock was taken away.
        """
        if self._release is None:
            raise Refused(f"{self.path.name} was opened to be read; open it to write")
        if not records:
            return
        data, file = b"".join([encode(record) for record in records]), self._opened()
        with translate_os_errors(f"cannot write {self.path}"):
            self._rollback()
            self._left = data
            try:
                write_synced(file, data)
            except BaseException:
                with suppress(OSError, Refused):
                    self._rollback()
                raise
        self._size += len(data)
        self._left = b""

    def _rollback(self) -> None:
        """Cut off what a failed write added, and nothing else: nothing is ever added after a torn line.

        Raises OSError, and Refused where another process wrote what is there.
        """
        size = os.fstat(self._file).st_size
        if size != self._size:
            behind = os.pread(self._file, len(self._left) + 1, self._size)
            if size < self._size or not self._left.startswith(behind):
                raise Refused(f"session {self._session} was written by another process meanwhile; open it again")
            os.ftruncate(self._file, self._size)
        self._left = b""

    def lines_reversed(self) -> Iterator[RecordLine]:
        """The lines, the newest first."""
        return lines_back(self._read, self.size)

    def lines(self, start: int = 0) -> Iterator[RecordLine]:
        """The lines, the oldest first, from an offset on where a line begins."""
        end = self.size
        with (
            translate_os_errors(f"cannot read {self.path}"),
            os.fdopen(open_regular(self.path, os.O_RDONLY), "rb") as handle,
        ):
            handle.seek(start)
            while start < end:
                line = handle.readline()
                if not line:  # a failed write was cut off meanwhile
                    return
                self.bytes_read += len(line)
                if line != b"\n":
                    yield RecordLine(start, line.removesuffix(b"\n"))
                start += len(line)

    @property
    def size(self) -> int:
        """Bytes of its whole lines now; another process may have appended meanwhile."""
        file = self._opened()
        if self._release is None:
            with translate_os_errors(f"cannot read {self.path}"):
                size = os.fstat(file).st_size
            self._size = size - torn_bytes(self._read, size)
        return self._size

    def warnings(self) -> Sequence[str]:
        """Return what was repaired when it was opened."""
        return tuple(self._warnings)

    def close(self) -> None:
        """Release the file and the lock; a forked process releases the file alone."""
        self._close()


def _let_go(file: int, pid: int, release: Callable[[], None] | None) -> None:
    os.close(file)
    if release is not None and pid == os.getpid():
        release()


def create_log(path: Path, *records: Record) -> None:
    """Make a log that holds these records, whole or not at all, whenever the process dies.

    Raises Refused where there is one already, StoreFailed where it fails.
    """
    data = b"".join(map(encode, records))
    with translate_os_errors(f"cannot make {path}"):
        make_folder(path.parent)
        try:
            make_whole(path, data)
        except FileExistsError as error:
            raise Refused(f"there is a session at {path} already; open it, or choose another id") from error
