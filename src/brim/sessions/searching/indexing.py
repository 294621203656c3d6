"""Indexing: the tables of the search index, and which words of a log's lines go into them, from which turn.

Part of recall (SES_09). What a user, a model or a tool said is searched; thinking, images and what only a harness knows
are not, nor are summaries: what they stand for is there itself.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple
from zlib import crc32

from brim.conversation.messages import Message, Text, ToolCall, ToolResult
from brim.conversation.turns import begins_turn
from brim.errors import Refused
from brim.sessions.records.journal import read_records
from brim.sessions.records.kinds import CompactionRecord, MessageRecord, Record, RewindRecord, UndoRecord
from brim.sessions.records.lines import encode
from brim.sessions.resume import Line
from brim.sessions.summary_records import VERSION as RECORDS

VERSION: Final = 2 * 1_000 + RECORDS
"""The version of the tables, and of the newest records that were understood; those of another are made anew."""
TABLES: Final = """
CREATE TABLE sessions (
    name TEXT PRIMARY KEY, size INTEGER, active INTEGER, place INTEGER, mark INTEGER, turns INTEGER, said INTEGER,
    beyond TEXT
);
CREATE TABLE messages (
    row INTEGER PRIMARY KEY, session TEXT, record TEXT, turn INTEGER, number INTEGER, role TEXT, time INTEGER
);
CREATE INDEX of_session ON messages (session);
CREATE TABLE changes (session TEXT, record TEXT, line BLOB);
CREATE INDEX changes_of_session ON changes (session);
CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = "unicode61 remove_diacritics 2");
"""
CHANGES: Final = (CompactionRecord, RewindRecord, UndoRecord)
"""Records that say which messages are visible."""
NO_WORDS: Final = MappingProxyType({"role": "user", "content": ""})


class Known(NamedTuple):
    """How far a session was read: its bytes and when it was active then, the last line's place and checksum, its turns
    and messages, and why nothing is searched beyond some line, where it is so.
    """

    size: int = 0
    active: int = 0
    place: int = -1
    mark: int = 0
    turns: int = 0
    said: int = 0
    beyond: str = ""


@dataclass(slots=True)
class Lines:
    """The tables that lines go into, the session they are of, and how far that was read."""

    base: sqlite3.Connection
    session: str
    known: Known


def indexed(into: Lines, lines: Iterable[Line]) -> Known:
    """Index lines, oldest first, up to a record of a newer version; how far the session is read now."""
    known = into.known
    for line in lines:
        known = known._replace(place=line.place, mark=crc32(line.data))
        if not known.beyond:
            known = _read(into, line, known)
    return known


def _read(into: Lines, line: Line, known: Known) -> Known:
    try:
        for record in read_records([line], []):
            known = _take(into, record, known)
    except Refused as error:
        return known._replace(beyond=str(error))
    return known


def _take(into: Lines, record: Record, known: Known) -> Known:
    if isinstance(record, CHANGES):
        into.base.execute("INSERT INTO changes VALUES (?, ?, ?)", (into.session, record.id, encode(_bare(record))))
    elif isinstance(record, MessageRecord):
        message = record.value
        known = known._replace(turns=known.turns + begins_turn(message), said=known.said + 1)
        if not message.marks.summary:
            about = (into.session, record.id, known.turns, known.said, message.role, record.time)
            _add(into.base, about, "\n".join(words_of(message)))
    return known


def _bare(record: Record) -> Record:
    """What of a change tells which messages are visible: not the words of what it put first."""
    if not isinstance(record, CompactionRecord):
        return record
    opening = tuple(
        copy.model_copy(update={"message": dict(NO_WORDS)}) for copy in record.opening if copy.of is not None
    )
    return record.model_copy(update={"opening": opening, "closing": (), "facts": (), "cleared": ()})


def _add(base: sqlite3.Connection, about: tuple[object, ...], text: str) -> None:
    if not text.strip():
        return
    row = base.execute("INSERT INTO messages VALUES (NULL, ?, ?, ?, ?, ?, ?)", about).lastrowid
    base.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (row, _storable(text)))


def words_of(message: Message) -> Iterator[str]:
    """The texts of a message, what it calls for, and what a tool answered."""
    for part in message.parts:
        if type(part) is Text or type(part) is ToolResult:
            yield part.text
        elif type(part) is ToolCall:
            yield part.name
            yield from (one if isinstance(one, str) else json.dumps(one, default=str) for one in part.input.values())


def _storable(text: str) -> str:
    """The text as SQLite takes it: a lone surrogate is no character."""
    return text.encode(errors="replace").decode().replace("\0", " ")
