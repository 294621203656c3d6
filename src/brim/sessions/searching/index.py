"""The search index: the words of every message in SQLite's full-text search, made from the logs alone.

Part of recall (SES_09). It lies beside the sessions and holds nothing that the logs do not. Only what a log holds since
it was last read is read again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from os.path import realpath
from pathlib import Path
from typing import Final
from zlib import crc32

from brim.errors import BrimError
from brim.sessions.records.infos import SessionInfo
from brim.sessions.resume import Line
from brim.sessions.searching.index_file import IndexFile, in_one
from brim.sessions.searching.indexing import Known, Lines, indexed
from brim.sessions.session import Session
from brim.sessions.store import SessionStore

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
        place = realpath(path)
        self._file = IndexFile(Path(place), own=place == realpath(store.index_path), report=self._report)
        self.reports: list[str] = []
        """What was made anew and what could not be read, in sentences, each of them once."""
        self.lines_read = 0
        """How many lines of logs were read so far."""

    def find(
        self, match: str, infos: Sequence[SessionInfo], *, sessions: Collection[str] | None, limit: int
    ) -> list[Found]:
        """The messages that match, the best first, once all that is new was read.

        `infos` are the sessions of the store, all of them; `sessions` those that are searched, None for all. Raises
        Refused for a file that is no index of brim, and StoreFailed.
        """
        return self._file.act(lambda base: self._find(base, match, infos, sessions, limit))

    def changes(self, session: str) -> list[bytes]:
        """The records of a session that say which of its messages are visible, as lines, the oldest first."""
        told = "SELECT line FROM changes WHERE session = ? ORDER BY record"
        return self._file.act(lambda base: [line for (line,) in base.execute(told, (session,))])

    def _find(
        self,
        base: sqlite3.Connection,
        match: str,
        infos: Sequence[SessionInfo],
        sessions: Collection[str] | None,
        limit: int,
    ) -> list[Found]:
        self._refresh(base, infos)
        for name, beyond in base.execute("SELECT name, beyond FROM sessions WHERE beyond != '' ORDER BY name"):
            if sessions is None or name in sessions:
                self._report(f"session {name} is searched only as far as it is understood: {beyond}")
        names = None if sessions is None else json.dumps([*sessions])
        return [Found(*row) for row in base.execute(FIND, (match, names, names, limit))]

    def _refresh(self, base: sqlite3.Connection, infos: Sequence[SessionInfo]) -> None:
        """Read what is new of every session, and forget those that are gone."""
        known = {name: Known(*row) for name, *row in base.execute("SELECT * FROM sessions")}
        for info in infos:
            if info.size == 0 or (info.size, info.last_active) != known.get(info.id, Known())[:2]:
                self._take(base, info)
        for name in known.keys() - {info.id for info in infos}:
            in_one(base, lambda name=name: _forget(base, name))  # type: ignore[misc]

    def _take(self, base: sqlite3.Connection, info: SessionInfo) -> None:
        """Index one session in a transaction of its own; one that cannot be read is told, and left as it was."""
        try:
            with self.store.read(info.id) as session:
                in_one(base, lambda: self._add(base, session, info))
        except BrimError as error:
            self._report(f"session {info.id} is not searched as far as it goes now: {error}")

    def _add(self, base: sqlite3.Connection, session: Session, info: SessionInfo) -> None:
        row = base.execute("SELECT * FROM sessions WHERE name = ?", (info.id,)).fetchone()
        known = Known(*row[1:]) if row else Known()
        lines = self._new_lines(session, known)
        if lines is None:
            _forget(base, info.id)
            known, lines = Known(), session.journal.forth()
        last = indexed(Lines(base, info.id, known), self._counted(lines))
        about = (info.id, *last._replace(size=info.size, active=info.last_active))
        base.execute("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?)", about)

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

    def _report(self, sentence: str) -> None:
        if sentence not in self.reports:
            self.reports.append(sentence)


def _forget(base: sqlite3.Connection, name: str) -> None:
    base.execute("DELETE FROM words WHERE rowid IN (SELECT row FROM messages WHERE session = ?)", (name,))
    for table, column in (("messages", "session"), ("changes", "session"), ("sessions", "name")):
        base.execute(f"DELETE FROM {table} WHERE {column} = ?", (name,))  # noqa: S608  names of our own
