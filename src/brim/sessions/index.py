"""The index of a store: one SQLite file of derived data, the registry's rows and the full text of the messages.

Specified by features/sessions/registry.feature (SES_02) and search.feature (SES_09). Missing, damaged or of another
version, it is made anew from the logs. Where this user cannot write it, a temporary one takes its place for one act.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, TypeVar

from brim.errors import BrimError
from brim.sessions import full_text
from brim.sessions.files import PRIVATE_FILE, make_folder, reason_of, regular_size
from brim.sessions.records import VERSION as RECORDS

Outcome = TypeVar("Outcome")

VERSION: Final = 9 * 1_000 + RECORDS
"""The version of the tables, and of the newest records that were understood; those of another are made anew."""
TABLES: Final = """
CREATE TABLE registry (id TEXT PRIMARY KEY, about TEXT);
CREATE TABLE sessions (
    name TEXT PRIMARY KEY, size INTEGER, active INTEGER, offset INTEGER, checksum INTEGER, turns INTEGER,
    messages INTEGER, unreadable_reason TEXT
);
CREATE TABLE changes (session TEXT, record TEXT, line BLOB);
CREATE INDEX changes_of_session ON changes (session);
"""
MARK: Final = int.from_bytes(b"brim")
"""The application id of SQLite's files that are brim's."""
EFFECTIVE: Final = os.access in os.supports_effective_ids
WAIT_SECONDS: Final = 5
"""How long another process that writes the index is waited for."""
DAMAGE: Final = (
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_SCHEMA,
)
"""What SQLite says of a file that it did not write, or lacks a table."""


class IndexFile:
    """The file that an index lies in; it is made when it is first needed."""

    def __init__(self, path: Path, warn: Callable[[str], None]) -> None:
        """`warn` is called with what is made anew, and with why a temporary index had to do."""
        self.path, self._warn = path, warn

    @property
    def is_writable(self) -> bool:
        """Return whether this user may write it, and it is no other user's, who could not write it any more then."""
        path = self.path if self.path.exists() else self.path.parent
        try:
            is_own = path.stat().st_uid == os.geteuid()
        except OSError:
            return False
        return is_own and all(os.access(one, os.W_OK, effective_ids=EFFECTIVE) for one in (path, path.parent))

    def use(self, work: Callable[[sqlite3.Connection], Outcome]) -> Outcome:
        """Read or write the index, made anew where it is damaged.

        Where it cannot be written, or another process writes it for long, the work is done on a temporary one, which is
        empty at first.
        """
        reason: Exception | None = None
        for is_new in (False, True):
            try:
                return self._on_disk(work)
            except BrimError:
                raise
            except Exception as error:  # noqa: BLE001 -- whatever the index holds, the logs have it
                reason = error
                code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_NOTADB) & 0xFF
                if is_new or isinstance(error, OSError) or code not in DAMAGE:
                    break
                self._warn(f"the index {self.path} was damaged ({error}); it is made anew from the logs")
                for path in self._files():
                    path.unlink(missing_ok=True)
        met = reason_of(reason) if isinstance(reason, OSError) else reason
        self._warn(f"the index {self.path} cannot be written ({met}): a temporary one is made of the logs")
        with closing(sqlite3.connect("", isolation_level=None)) as base:
            _prepare(base)
            return work(base)

    def _on_disk(self, work: Callable[[sqlite3.Connection], Outcome]) -> Outcome:
        """Raises OSError where there is no place for it, or a link in its place: SQLite would write where it leads."""
        make_folder(self.path.parent)
        if not self.is_writable:
            raise PermissionError("it is another user's, or may only be read")
        for path in self._files():
            with suppress(FileNotFoundError):
                regular_size(path)
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL, PRIVATE_FILE))
        with closing(sqlite3.connect(self.path, timeout=WAIT_SECONDS, isolation_level=None)) as base:
            _prepare(base)
            return work(base)

    def _files(self) -> list[Path]:
        """The file itself, and those that SQLite keeps beside it."""
        return [self.path.with_name(self.path.name + ending) for ending in ("", "-wal", "-shm", "-journal")]


def in_one_transaction(base: sqlite3.Connection, work: Callable[[], Outcome]) -> Outcome:
    """All of it, or nothing; another process that writes is waited for, as long as WAIT_SECONDS."""
    base.execute("BEGIN IMMEDIATE")
    try:
        outcome = work()
        base.execute("COMMIT")
    except BaseException:
        if base.in_transaction:  # a full disk has ended it already
            base.execute("ROLLBACK")
        raise
    return outcome


def _prepare(base: sqlite3.Connection) -> None:
    """Set it up."""
    if not _is_current(base):
        in_one_transaction(base, lambda: _make(base))
    with suppress(sqlite3.OperationalError):  # while others use it: it goes without, and the next one turns it on
        base.execute("PRAGMA journal_mode = WAL")
    base.execute("PRAGMA synchronous = NORMAL")


def _make(base: sqlite3.Connection) -> None:
    """Make the tables; those of another version are dropped with all that is in them."""
    if _is_current(base):
        return  # another process was faster
    for table in ("registry", "words", "stems", "passages", "messages", "recalls", "sessions", "changes"):
        base.execute(f"DROP TABLE IF EXISTS {table}")
    for statement in (TABLES + full_text.TABLES).split(";\n"):
        base.execute(statement)
    base.execute(f"PRAGMA application_id = {MARK}")
    base.execute(f"PRAGMA user_version = {VERSION}")


def _is_current(base: sqlite3.Connection) -> bool:
    """Return whether the tables are those of this version."""
    found = base.execute("SELECT application_id, user_version FROM pragma_application_id, pragma_user_version")
    return bool(found.fetchone() == (MARK, VERSION))
