"""Indexing: which words of a log's lines go into the search index, and the turn that they came from.

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

from brim.conversation.messages import Message
from brim.conversation.parts import Text, ToolCall, ToolResult
from brim.conversation.turns import begins_turn
from brim.sessions.records.journal import read_records
from brim.sessions.records.kinds import CompactionRecord, MessageRecord, Record, RewindRecord, UndoRecord
from brim.sessions.records.lines import encode
from brim.sessions.resume import Line

CHANGES: Final = (CompactionRecord, RewindRecord, UndoRecord)
"""Records that say which messages are visible."""
NO_WORDS: Final = MappingProxyType({"role": "user", "content": ""})


class Known(NamedTuple):
    """How far a session was read: its bytes then, the last line's place and checksum, its turns and messages."""

    size: int = 0
    place: int = -1
    mark: int = 0
    turns: int = 0
    said: int = 0


@dataclass(slots=True)
class Lines:
    """The tables that lines go into, the session they are of, and how far that was read."""

    base: sqlite3.Connection
    session: str
    known: Known


def indexed(into: Lines, lines: Iterable[Line], size: int) -> Known:
    """Index lines, oldest first; how far the session is read now. Raises Refused for a record of a newer version."""
    known = into.known
    for line in lines:
        known = known._replace(place=line.place, mark=crc32(line.data))
        for record in read_records([line], []):
            known = _take(into, record, known)
    return known._replace(size=size)


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
