"""The index of a store: one SQLite file of derived data, the registry's rows and the full text of the messages.

Specified by features/sessions/registry.feature (SES_02) and search.feature (SES_09). Deleted or damaged, it is made
anew from the logs. Brim changes or removes only its own files: an empty one, one that carries brim's mark, or the file
at the path that the store keeps for its index, unless that is a link.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, TypeVar

from brim.errors import Refused, StoreFailed
from brim.sessions import full_text
from brim.sessions.files import make_folder, make_whole, regular_size, translate_os_errors
from brim.sessions.records import VERSION as RECORDS

Outcome = TypeVar("Outcome")

VERSION: Final = 8 * 1_000 + RECORDS
"""The version of the tables, and of the newest records that were understood; those of another are made anew."""
TABLES: Final = """
CREATE TABLE registry (id TEXT PRIMARY KEY, folder TEXT, about TEXT);
CREATE TABLE sessions (
    name TEXT PRIMARY KEY, size INTEGER, active INTEGER, offset INTEGER, checksum INTEGER, turns INTEGER,
    messages INTEGER, unreadable_reason TEXT
);
CREATE TABLE changes (session TEXT, record TEXT, line BLOB);
CREATE INDEX changes_of_session ON changes (session);
"""
MARK: Final = int.from_bytes(b"brim")
"""The application id of SQLite's files that are brim's; it is there as soon as anything is."""
CURRENT: Final = """
SELECT application_id, user_version, EXISTS (SELECT 1 FROM sqlite_master WHERE type IN ('view', 'trigger'))
FROM pragma_application_id, pragma_user_version
"""
EFFECTIVE: Final = os.access in os.supports_effective_ids
WAIT_SECONDS: Final = 5
"""How long another process that writes the index is waited for."""
RETRY_S: Final = 0.005
"""Seconds between two attempts to begin: the pauses of SQLite's own busy handler grow to 100 ms."""
PAUSE_S: Final = 3 * RETRY_S
"""Seconds for which a process that goes on writing lets others begin."""
DAMAGE: Final = (
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_SCHEMA,
)
"""What SQLite says of a file that it did not write, or lacks a table."""
TROUBLES: Final = (sqlite3.Error, UnicodeDecodeError)
"""What reading an index raises: the latter where its bytes are damaged within a text."""
ELSEWHERE: Final = "name another file for the index (--index)"
FREE_SPACE: Final = f"make room on its disk, or {ELSEWHERE}"
PLACE: Final = f"see that there is room and permission, or {ELSEWHERE}"
PERMIT: Final = f"give yourself permission to write it and its folder, or {ELSEWHERE}"
BUSY: Final = "another process writes it; search again in a moment"
CURES: Final = {
    sqlite3.SQLITE_FULL: FREE_SPACE,
    sqlite3.SQLITE_IOERR: FREE_SPACE,
    sqlite3.SQLITE_READONLY: PERMIT,
    sqlite3.SQLITE_CANTOPEN: PERMIT,
    sqlite3.SQLITE_PERM: PERMIT,
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
}
"""What cures a trouble of SQLite's."""


class IndexFile:
    """The file that an index lies in; it is made when it is first needed."""

    def __init__(self, path: Path, *, own: bool, warn: Callable[[str], None]) -> None:
        """`own` is the path that the store keeps for its index; `warn` is called with what is made anew."""
        self._path, self._own, self._warn = path, own, warn

    @property
    def is_writable(self) -> bool:
        """Whether this user may write it, and it is no other user's, who could not write it any more then."""
        path = self._path if self._path.exists() else self._path.parent
        try:
            is_own = not hasattr(os, "geteuid") or path.stat().st_uid == os.geteuid()
            return is_own and all(os.access(one, os.W_OK, effective_ids=EFFECTIVE) for one in (path, path.parent))
        except OSError:
            return False

    def read(self, query: Callable[[sqlite3.Connection], Outcome]) -> Outcome | None:
        """Read what it holds; None where there is no index, or one that is damaged or of another version."""
        if not _sizes(self._path, own=self._own):
            return None
        is_writable = self.is_writable
        if is_writable and not self._own:
            return self.update(query)
        try:
            with closing(self._opened() if is_writable else _unchanged(self._path)) as base:
                if _is_current(base):
                    return query(base)
        except TROUBLES as error:
            if is_writable and isinstance(error, sqlite3.Error) and not _is_damage(error):
                raise self._failed(error) from error
        return self.update(query) if is_writable else None

    def update(self, work: Callable[[sqlite3.Connection], Outcome]) -> Outcome:
        """Write to the index, and read what it then holds; where it is damaged, one made anew.

        Raises Refused for a file that is not brim's, which is left as it is, and StoreFailed.
        """
        try:
            return self._once(work)
        except TROUBLES as error:
            if isinstance(error, sqlite3.Error) and not _is_damage(error):
                raise self._failed(error) from error
            self._warn(f"the index {self._path} was damaged ({error}); it is made anew from the logs")
        self._remove()
        try:
            return self._once(work)
        except TROUBLES as error:
            raise self._failed(error) from error

    def _once(self, work: Callable[[sqlite3.Connection], Outcome]) -> Outcome:
        self._provide()
        with closing(self._opened()) as base:
            _prepare(base)
            return work(base)

    def _opened(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=WAIT_SECONDS, isolation_level=None)

    def _provide(self) -> None:
        """Have a file there that is brim's."""
        with translate_os_errors(f"cannot open the index {self._path}", PLACE):
            make_folder(self._path.parent)
        size = _sizes(self._path, own=self._own)
        if size is None:
            with translate_os_errors(f"cannot open the index {self._path}", PLACE), suppress(FileExistsError):
                make_whole(self._path, b"")
        if size and not self._own and not _is_marked(self._path):
            raise Refused(f"{self._path} is no search index of brim, and stays as it is; {ELSEWHERE}")

    def _failed(self, error: sqlite3.Error | UnicodeDecodeError) -> StoreFailed:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        cure = CURES.get(code, f"see to it, or remove {self._path.name}: it is made anew")
        met = f"the index {self._path} cannot be used: {error}"
        return StoreFailed(f"{met}; {cure}. The sessions are as they were")

    def _remove(self) -> None:
        with translate_os_errors(f"cannot remove the damaged index {self._path}"):
            for path in _files(self._path):
                path.unlink(missing_ok=True)


def in_one_transaction(base: sqlite3.Connection, work: Callable[[], object]) -> None:
    """All of it, or nothing; another process that writes is waited for, as long as WAIT_SECONDS."""
    _begin(base)
    try:
        work()
        base.execute("COMMIT")
    except BaseException:
        if base.in_transaction:  # a full disk has ended it already
            base.execute("ROLLBACK")
        raise


def _begin(base: sqlite3.Connection) -> None:
    """Begin to write; sqlite3.OperationalError where another process writes for longer than WAIT_SECONDS."""
    deadline = time.monotonic() + WAIT_SECONDS
    base.execute("PRAGMA busy_timeout = 0")
    try:
        while True:
            try:
                base.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(RETRY_S)
            else:
                return
    finally:
        base.execute(f"PRAGMA busy_timeout = {WAIT_SECONDS * 1_000}")


def let_others_write() -> None:
    """Pause between two transactions of one act, so that a process that waits to write the index has a turn."""
    time.sleep(PAUSE_S)


def _files(path: Path) -> list[Path]:
    """The file itself, and those that SQLite keeps beside it."""
    return [path.with_name(path.name + ending) for ending in ("", "-wal", "-shm", "-journal")]


def _sizes(path: Path, *, own: bool) -> int | None:
    """The bytes of an index; None where there is none. Raises StoreFailed for a folder or a device.

    At the path that a store keeps, a link raises it too: SQLite would write where it leads.
    """
    size = None
    for one in reversed(_files(path)) if own else [path.resolve()]:
        with translate_os_errors(f"cannot open the index {one}", f"remove it, or {ELSEWHERE}" if own else PLACE):
            try:
                size = regular_size(one)
            except FileNotFoundError:
                size = None
    return size


def _unchanged(path: Path) -> sqlite3.Connection:
    """A connection to a file that is looked at as one that never changes: nothing is locked, written or repaired."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)


def _is_marked(path: Path) -> bool:
    """Whether a file carries the mark of brim. It is opened as one that never changes: nothing is locked.

    SQLite does it: closing a file in another way releases what SQLite has locked in it.
    """
    with closing(_unchanged(path)) as base:
        try:
            base.execute("PRAGMA writable_schema = ON")  # a file that was cut off can be looked at as well
            return _number(base, "application_id") == MARK
        except TROUBLES:
            return False


def _prepare(base: sqlite3.Connection) -> None:
    """Set it up. The tables come first, so that the mark does not wait in another file."""
    if not _is_current(base):
        in_one_transaction(base, lambda: _make(base))
    with suppress(sqlite3.OperationalError):  # while others use it: it goes without, and the next one turns it on
        base.execute("PRAGMA journal_mode = WAL")
    base.execute("PRAGMA synchronous = NORMAL")


def _make(base: sqlite3.Connection) -> None:
    """Make the tables; those of another version are dropped with all that is in them."""
    if _is_current(base):
        return  # another process was faster
    for kind, name in base.execute("SELECT type, name FROM sqlite_master WHERE type IN ('view', 'trigger')").fetchall():
        raise sqlite3.DatabaseError(f"it has the {kind} {name!r}")
    for table in ("registry", "words", "stems", "passages", "messages", "recalls", "sessions", "changes"):
        base.execute(f"DROP TABLE IF EXISTS {table}")
    for statement in (TABLES + full_text.TABLES).split(";\n"):
        base.execute(statement)
    base.execute(f"PRAGMA application_id = {MARK}")
    base.execute(f"PRAGMA user_version = {VERSION}")


def _is_current(base: sqlite3.Connection) -> bool:
    """Whether the tables are those of this version, and nothing that somebody else added computes what they hold."""
    found: tuple[int, int, int] = base.execute(CURRENT).fetchone()
    return found == (MARK, VERSION, 0)


def _number(base: sqlite3.Connection, pragma: str) -> int:
    return int(base.execute(f"PRAGMA {pragma}").fetchone()[0])


def _is_damage(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_NOTADB) & 0xFF in DAMAGE
