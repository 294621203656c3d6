"""The search index: the words of every message in SQLite's full-text search, made from the logs alone.

Part of recall (SES_09). It lies beside the sessions and holds nothing that the logs do not: where it is damaged, of
another version or gone, it is made anew. Only what a log holds since it was last read is read again.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar
from zlib import crc32

from brim.errors import BrimError, StoreFailed
from brim.sessions.disk.failures import telling
from brim.sessions.disk.files import PRIVATE_FILE, make_folder
from brim.sessions.records.infos import SessionInfo
from brim.sessions.resume import Line
from brim.sessions.searching.indexing import Known, Lines, indexed
from brim.sessions.session import Session
from brim.sessions.store import SessionStore

Outcome = TypeVar("Outcome")

VERSION: Final = 1
"""The version of the tables; those of another are made anew."""
WAIT_SECONDS: Final = 5
"""How long another process that writes the index is waited for."""
TABLES: Final = """
CREATE TABLE sessions (name TEXT PRIMARY KEY, size INTEGER, place INTEGER, mark INTEGER, turns INTEGER, said INTEGER);
CREATE TABLE messages (
    row INTEGER PRIMARY KEY, session TEXT, record TEXT, turn INTEGER, number INTEGER, role TEXT, time INTEGER
);
CREATE INDEX of_session ON messages (session);
CREATE TABLE changes (session TEXT, record TEXT, line BLOB);
CREATE INDEX changes_of_session ON changes (session);
CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = "unicode61 remove_diacritics 2");
"""
DAMAGE: Final = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_SCHEMA)
"""What SQLite says of a file that is none of its own, or lacks a table."""
ELSEWHERE: Final = "name another file for the index (--index)"
ROOM: Final = f"make room on its disk, or {ELSEWHERE}"
PLACE: Final = f"see that there is room and permission, or {ELSEWHERE}"
PERMIT: Final = f"give yourself permission to write it and its folder, or {ELSEWHERE}"
CURES: Final = {
    sqlite3.SQLITE_FULL: ROOM,
    sqlite3.SQLITE_IOERR: ROOM,
    sqlite3.SQLITE_READONLY: PERMIT,
    sqlite3.SQLITE_CANTOPEN: PERMIT,
    sqlite3.SQLITE_PERM: PERMIT,
    sqlite3.SQLITE_BUSY: "another process writes it; search again in a moment",
    sqlite3.SQLITE_LOCKED: "another process writes it; search again in a moment",
}
"""What cures a trouble of SQLite's."""
FIND: Final = """
SELECT messages.session, messages.record, messages.turn, messages.number, messages.role, messages.time,
    snippet(words, 0, '[', ']', '…', 24)
FROM words JOIN messages ON messages.row = words.rowid
WHERE words MATCH ? AND (? IS NULL OR messages.session IN (SELECT value FROM json_each(?)))
ORDER BY bm25(words), messages.time DESC, messages.row DESC LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class Found:
    """A message that holds what was looked for; `turn` and `number` count from 1, in the order of the log."""

    session: str
    """The id of the session."""
    record: str
    """The record of the message."""
    turn: int
    """The turn of its session that it stands in; 0 for what stands before the first."""
    number: int
    """The message of its session that it is."""
    role: str
    """Who speaks."""
    time: int
    """When, in milliseconds since 1970."""
    snippet: str
    """The words around, with those that were looked for in brackets."""


class SearchIndex:
    """The index of a store's sessions in a file of its own."""

    def __init__(self, store: SessionStore, path: Path) -> None:
        """Nothing is made before it is first asked."""
        self.store, self.path = store, path
        self.reports: list[str] = []
        """What was made anew and what could not be read, in sentences."""
        self.lines_read = 0
        """How many lines of logs were read so far."""

    def find(self, match: str, *, sessions: list[str] | None, limit: int) -> list[Found]:
        """The messages that match, the best first, once all that is new was read. Raises StoreFailed."""
        return self._whole(lambda base: self._find(base, match, sessions, limit))

    def changes(self, session: str) -> list[bytes]:
        """The records of a session that say which of its messages are visible, as lines, the oldest first."""
        told = "SELECT line FROM changes WHERE session = ? ORDER BY record"
        return self._whole(lambda base: [line for (line,) in base.execute(told, (session,))])

    def _find(self, base: sqlite3.Connection, match: str, sessions: list[str] | None, limit: int) -> list[Found]:
        self._refresh(base)
        names = None if sessions is None else json.dumps(sessions)
        return [Found(*row) for row in base.execute(FIND, (match, names, names, limit))]

    def _whole(self, act: Callable[[sqlite3.Connection], Outcome]) -> Outcome:
        """Act on the index; where it is damaged, on one made anew."""
        try:
            return self._act(act)
        except sqlite3.Error as error:
            if not _is_damage(error):
                raise self._failed(error) from error
            self.reports.append(f"the search index {self.path} was damaged ({error}); it is made anew from the logs")
        self._remove()
        try:
            return self._act(act)
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def _failed(self, error: sqlite3.Error) -> StoreFailed:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        cure = CURES.get(code, f"see to it, or remove {self.path.name}: it is made anew")
        met = f"the search index {self.path} cannot be used: {error}"
        return StoreFailed(f"{met}; {cure}. The sessions are as they were")

    def _act(self, act: Callable[[sqlite3.Connection], Outcome]) -> Outcome:
        with telling(f"cannot open the search index {self.path}", PLACE):
            make_folder(self.path.parent)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE))
        with closing(sqlite3.connect(self.path, timeout=WAIT_SECONDS, isolation_level=None)) as base:
            _prepare(base)
            return act(base)

    def _remove(self) -> None:
        with telling(f"cannot remove the damaged search index {self.path}"):
            for suffix in ("", "-wal", "-shm"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    def _refresh(self, base: sqlite3.Connection) -> None:
        """Read what is new of every session, and forget those that are gone."""
        known = {row[0]: Known(*row[1:]) for row in base.execute("SELECT * FROM sessions")}
        infos = self.store.sessions()
        for info in infos:
            if info.size == 0 or info.size != known.get(info.id, Known()).size:
                self._take(base, info)
        for name in known.keys() - {info.id for info in infos}:
            _in_one(base, lambda name=name: _forget(base, name))  # type: ignore[misc]

    def _take(self, base: sqlite3.Connection, info: SessionInfo) -> None:
        """Index one session in a transaction of its own; one that cannot be read is told, and left as it was."""
        try:
            with self.store.read(info.id) as session:
                _in_one(base, lambda: self._add(base, session, info))
        except BrimError as error:
            self.reports.append(f"session {info.id} is not searched as far as it goes now: {error}")

    def _add(self, base: sqlite3.Connection, session: Session, info: SessionInfo) -> None:
        row = base.execute("SELECT size, place, mark, turns, said FROM sessions WHERE name = ?", (info.id,)).fetchone()
        known = Known(*row) if row else Known()
        lines = self._new_lines(session, known)
        if lines is None:
            _forget(base, info.id)
            known, lines = Known(), session.journal.forth()
        last = indexed(Lines(base, info.id, known), self._counted(lines), info.size)
        base.execute("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?)", (info.id, *last))

    def _new_lines(self, session: Session, known: Known) -> Iterator[Line] | None:
        """The lines behind the one that was read last; None where that is no longer where it was."""
        if known.place < 0:
            return None
        new: list[Line] = []
        for line in session.journal.back():
            if line.place <= known.place:
                same = line.place == known.place and crc32(line.data) == known.mark
                return reversed(new) if same else None
            new.append(line)
        return None

    def _counted(self, lines: Iterator[Line]) -> Iterator[Line]:
        for line in lines:
            self.lines_read += 1
            yield line


def _prepare(base: sqlite3.Connection) -> None:
    """Set it up; tables of another version are dropped with all that is in them."""
    base.execute("PRAGMA journal_mode = WAL")
    base.execute("PRAGMA synchronous = NORMAL")
    if base.execute("PRAGMA user_version").fetchone()[0] != VERSION:
        _in_one(base, lambda: _make(base))


def _make(base: sqlite3.Connection) -> None:
    if base.execute("PRAGMA user_version").fetchone()[0] == VERSION:
        return  # another process was faster
    for table in ("words", "messages", "sessions", "changes"):
        base.execute(f"DROP TABLE IF EXISTS {table}")
    for statement in TABLES.split(";\n"):
        base.execute(statement)
    base.execute(f"PRAGMA user_version = {VERSION}")


def _in_one(base: sqlite3.Connection, act: Callable[[], None]) -> None:
    """All of it, or nothing."""
    base.execute("BEGIN IMMEDIATE")
    try:
        act()
        base.execute("COMMIT")
    except BaseException:
        if base.in_transaction:  # a full disk has ended it already
            base.execute("ROLLBACK")
        raise


def _forget(base: sqlite3.Connection, name: str) -> None:
    base.execute("DELETE FROM words WHERE rowid IN (SELECT row FROM messages WHERE session = ?)", (name,))
    for table, column in (("messages", "session"), ("changes", "session"), ("sessions", "name")):
        base.execute(f"DELETE FROM {table} WHERE {column} = ?", (name,))  # noqa: S608  names of our own


def _is_damage(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_NOTADB) & 0xFF in DAMAGE
