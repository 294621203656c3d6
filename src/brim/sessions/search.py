"""Search: what was said, whether it is still visible or not.

Specified by features/sessions/search.feature (SES_09). A compaction loses nothing: the log holds every message,
and a search finds it with the turn it came from.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from os.path import realpath
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias
from zlib import crc32

from brim.conversation.messages import Message, Text, ToolCall, ToolResult, speaker
from brim.conversation.turns import begins_turn
from brim.errors import BrimError, InvalidInput, Refused
from brim.sessions.index import IndexFile, in_one, let_others_write
from brim.sessions.lines import encode, read_records
from brim.sessions.records import CompactionRecord, MessageRecord, Record, RewindRecord, UndoRecord
from brim.sessions.registry import SessionInfo
from brim.sessions.resume import Line
from brim.sessions.session import Session
from brim.sessions.store import SessionStore
from brim.sessions.view import RewoundSpan, is_rewound, replay_from_end, rewound_spans

BEST: Final = """
SELECT messages.row, messages.session, messages.record, messages.turn, messages.number, messages.role, messages.time
FROM words JOIN messages ON messages.row = words.rowid
WHERE words MATCH ? AND messages.session IN (SELECT value FROM json_each(?))
ORDER BY bm25(words), messages.time DESC, messages.row DESC LIMIT ?
"""
COUNT: Final = """
SELECT count(*) FROM words JOIN messages ON messages.row = words.rowid
WHERE words MATCH ? AND messages.session IN (SELECT value FROM json_each(?))
"""
MAX_SNIPPET_CHARS: Final = 8_192
"""Characters of the longest text of which SQLite makes the snippet: the square of the words found there is its time."""
SNIPPET: Final = """
SELECT CASE WHEN length(text) <= ? THEN snippet(words, 0, '[', ']', '…', 24) END
FROM words WHERE words MATCH ? AND rowid = ?
"""
CHARS_AHEAD: Final = 80
CHARS_BEHIND: Final = 240
"""Characters around the first word that was found in a longer text."""
TURN_BYTES: Final = 1024 * 1024
"""Bytes of lines that are indexed in one transaction: a tenth of a second, in which no other process can write."""
CHANGES: Final = (CompactionRecord, RewindRecord, UndoRecord)
"""Records that say which messages are visible."""
NO_WORDS: Final = {"role": "user", "content": ""}
State: TypeAlias = Literal["visible", "compacted", "rewound"]
"""Whether the model sees a message: yes; no, a summary replaces it; no, a rewind went behind it."""
MAX_RESULTS: Final = 20
"""Messages that a search finds at most, unless another number is asked for."""
MAX_LIMIT: Final = 2**63 - 1
"""The largest number that SQLite counts to."""
QUERY_TERM: Final = re.compile(r'"([^"]*)"|(\S+)')
QUOTED_WORD: Final = re.compile(r'"([^"]*)"')


@dataclass(frozen=True, slots=True)
class IndexRow:
    """A message that holds what was looked for; `turn` and `number` count from 1, in the order of the log."""

    session: str
    """The id of the session."""
    record: str
    """The record of the message."""
    turn: int
    """Its turn; 0 before the first."""
    number: int
    """Its number among the messages of its session."""
    role: str
    """Who speaks: user, assistant, tool or harness."""
    time: int
    """When, in milliseconds since 1970."""
    snippet: str
    """The words around, with those that were looked for in brackets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit(IndexRow):
    """A message that holds what was looked for, and what became of it."""

    title: str
    """What the session is called."""
    state: State
    """Whether the model still sees it."""


class Indexed(NamedTuple):
    """How far a session is indexed."""

    size: int = 0
    """Its bytes when it was read."""
    active: int = 0
    """When it was last active then."""
    offset: int = -1
    """Where the last line begins that was read."""
    checksum: int = 0
    """Of that line."""
    turns: int = 0
    messages: int = 0
    unreadable_reason: str = ""
    """Why nothing behind some line is searched; empty where all of it is."""


class SearchIndex:
    """The index of a store's sessions in a file of its own."""

    def __init__(self, store: SessionStore, path: Path) -> None:
        """Nothing is made before the first search."""
        self.store, self.path = store, path
        own = store.index_path
        is_own = path.name == own.name and realpath(path.parent) == realpath(own.parent)
        self._file = IndexFile(own if is_own else Path(realpath(path)), own=is_own, warn=self._warn)
        self.warnings: list[str] = []
        """What was rebuilt and what could not be read, in sentences, each of them once."""
        self.lines_read = 0
        """How many lines of logs were read so far."""

    def find(
        self, match: str, infos: Sequence[SessionInfo], *, sessions: Collection[str], limit: int
    ) -> tuple[list[IndexRow], dict[str, list[Record]]]:
        """The messages that match, the best first, and the changes of their sessions, once all that is new was read.

        `infos` are all the sessions of the store; `sessions` those that are searched. Raises Refused for a file that is
        no index of brim, and StoreFailed.
        """

        def refresh_and_read(base: sqlite3.Connection) -> tuple[list[IndexRow], dict[str, list[Record]]]:
            self._refresh(base, infos)
            with base:  # one state of the index, while other processes write it
                base.execute("BEGIN")
                return read(base)

        def read(base: sqlite3.Connection) -> tuple[list[IndexRow], dict[str, list[Record]]]:
            unreadable = "SELECT name, unreadable_reason FROM sessions WHERE unreadable_reason != '' ORDER BY name"
            for name, reason in base.execute(unreadable):
                if name in sessions:
                    self._warn(f"session {name} is searched only as far as it is understood: {reason}")
            best = base.execute(BEST, (match, json.dumps([*sessions]), limit)).fetchall()
            found = [(*about, _snippet(base, match, row)) for row, *about in best]
            if any([*map(type, row)] != ROW for row in found):
                raise sqlite3.DatabaseError("it holds rows of another form")
            rows = [IndexRow(*row) for row in found]
            return rows, {name: _changes(base, name) for name in {row.session for row in rows}}

        return self._file.act(refresh_and_read)

    def count(self, match: str, infos: Sequence[SessionInfo], *, sessions: Collection[str]) -> int:
        """How many messages match, by the arguments of `find` and with its errors."""

        def refresh_and_count(base: sqlite3.Connection) -> int:
            self._refresh(base, infos)
            (count,) = base.execute(COUNT, (match, json.dumps([*sessions]))).fetchone()
            return int(count)

        return self._file.act(refresh_and_count)

    def _refresh(self, base: sqlite3.Connection, infos: Sequence[SessionInfo]) -> None:
        """Read what is new of every session, and remove those that are gone."""
        known = {row[0]: _known(row) for row in base.execute("SELECT * FROM sessions")}
        for info in infos:
            if info.size == 0 or (info.size, info.last_active) != known.get(info.id, Indexed())[:2]:
                try:
                    with self.store.read(info.id) as session:
                        self._index(base, session, info)
                except BrimError as error:
                    self._warn(f"session {info.id} is not searched as far as it goes now: {error}")
        for name in known.keys() - {info.id for info in infos}:
            in_one(base, lambda: _remove(base, name))  # noqa: B023  it is called here

    def _index(self, base: sqlite3.Connection, session: Session, info: SessionInfo) -> None:
        """Index what is new of a session, in transactions of some lines each: others write the index between them.

        Where another process indexed the session meanwhile, what is left is looked up again.
        """
        lines: Iterator[Line] | None = None
        last, is_done = Indexed(), False

        def turn() -> None:
            nonlocal lines, last, is_done
            row = base.execute("SELECT * FROM sessions WHERE name = ?", (info.id,)).fetchone()
            known = _known(row)
            if lines is None or known != last:
                lines = _new_lines(session, known)
                if lines is None:
                    _remove(base, info.id)
                    known, lines = Indexed(), session.journal.lines()
            size = 0
            while size < TURN_BYTES and (line := next(lines, None)) is not None:
                self.lines_read += 1
                size += len(line.data)
                known = indexed(base, info.id, line, known)
            is_done = size < TURN_BYTES
            last = known._replace(size=info.size, active=info.last_active) if is_done else known
            base.execute("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (info.id, *last))

        in_one(base, turn)
        while not is_done:
            let_others_write()
            in_one(base, turn)

    def _warn(self, sentence: str) -> None:
        if sentence not in self.warnings:
            self.warnings.append(sentence)


def _known(row: Sequence[Any] | None) -> Indexed:
    """How far a session is indexed; nothing of it where there is no row, or one that brim did not write."""
    return Indexed(*row[1:]) if row and [*map(type, row)] == [str, *map(type, Indexed())] else Indexed()


def _changes(base: sqlite3.Connection, session: str) -> list[Record]:
    """The records of a session that say which of its messages are visible, the oldest first."""
    rows = base.execute("SELECT line FROM changes WHERE session = ? ORDER BY record", (session,)).fetchall()
    return [*read_records((Line(0, line.rstrip()) for (line,) in rows if isinstance(line, bytes)), [])]


ROW: Final = [str, str, int, int, str, int, str]
"""The types of the values of an IndexRow, in their order: an index may come from somebody else."""


def _snippet(base: sqlite3.Connection, match: str, row: int) -> object:
    """The text around the words that were found, which are in brackets."""
    (snippet,) = base.execute(SNIPPET, (MAX_SNIPPET_CHARS, match, row)).fetchone()
    if snippet is not None:
        return snippet
    (text,) = base.execute("SELECT text FROM words WHERE rowid = ?", (row,)).fetchone()
    if not isinstance(text, str):
        return None
    words = re.compile("|".join(rf"(?<!\w){re.escape(word)}" for word in QUOTED_WORD.findall(match)), re.IGNORECASE)
    found = words.search(text)
    start = max(0, found.start() - CHARS_AHEAD) if found else 0
    cut = words.sub(r"[\g<0>]", text[start : start + CHARS_AHEAD + CHARS_BEHIND])
    return f"{'…' if start else ''}{cut}…"


def _new_lines(session: Session, known: Indexed) -> Iterator[Line] | None:
    """The lines behind the one that was read last; None where that is no longer where it was."""
    new: list[Line] = []
    for line in session.journal.lines_reversed() if known.offset >= 0 else ():
        if line.offset <= known.offset:
            is_same = line.offset == known.offset and crc32(line.data) == known.checksum
            return reversed(new) if is_same else None
        new.append(line)
    return None


def _remove(base: sqlite3.Connection, session: str) -> None:
    base.execute("DELETE FROM words WHERE rowid IN (SELECT row FROM messages WHERE session = ?)", (session,))
    for table, column in (("messages", "session"), ("changes", "session"), ("sessions", "name")):
        base.execute(f"DELETE FROM {table} WHERE {column} = ?", (session,))  # noqa: S608  names of our own


def indexed(base: sqlite3.Connection, session: str, line: Line, known: Indexed) -> Indexed:
    """Index the next line; how far the session is indexed then. A record of a newer version ends it."""
    known = known._replace(offset=line.offset, checksum=crc32(line.data))
    try:
        for record in () if known.unreadable_reason else read_records([line], []):
            if isinstance(record, CHANGES):
                given = (session, record.id, encode(_without_words(record)))
                base.execute("INSERT INTO changes VALUES (?, ?, ?)", given)
            elif isinstance(record, MessageRecord):
                known = _add_message(base, session, record, known)
    except Refused as error:
        return known._replace(unreadable_reason=str(error))
    except UnicodeEncodeError:
        return known._replace(unreadable_reason="a record has an id that is no text")
    return known


def _without_words(record: Record) -> Record:
    """What of a change says which messages are visible: not the words of what it put first."""
    if not isinstance(record, CompactionRecord):
        return record
    opening = (copy.model_copy(update={"message": dict(NO_WORDS)}) for copy in record.opening if copy.of is not None)
    return record.model_copy(update={"opening": tuple(opening), "closing": (), "facts": (), "cleared": ()})


def _add_message(base: sqlite3.Connection, session: str, record: MessageRecord, known: Indexed) -> Indexed:
    message = record.value
    known = known._replace(turns=known.turns + begins_turn(message), messages=known.messages + 1)
    text = "\n".join(words_of(message))
    if text.strip() and not message.marks.summary:
        about = (session, record.id, known.turns, known.messages, speaker(message), record.time)
        row = base.execute("INSERT INTO messages VALUES (NULL, ?, ?, ?, ?, ?, ?)", about).lastrowid
        stored = text.encode(errors="replace").decode().replace("\0", " ")  # a lone surrogate is no character
        base.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (row, stored))
    return known


def words_of(message: Message) -> Iterator[str]:
    """The texts of a message, what it calls for, and what a tool answered."""
    for part in message.parts:
        if type(part) is Text or type(part) is ToolResult:
            yield part.text
        elif type(part) is ToolCall:
            yield part.name
            yield from (one if isinstance(one, str) else json.dumps(one, default=str) for one in part.input.values())


def index_of(store: SessionStore, path: Path | None = None) -> SearchIndex:
    """The search index of a store, in the file that is named or else where the store has it.

    A folder has it beside its sessions, and a database in the user's own folder. A file that is named has to be an
    index of brim, or empty, or not there yet.
    """
    return SearchIndex(store, path if path is not None else store.index_path)


def search(
    index: SearchIndex, query: str, *, session: str | None = None, project: str | None = None, limit: int = MAX_RESULTS
) -> list[SearchHit]:
    """The messages that hold all the words of a query, the best first, of one session, one project or all.

    With both, both hold. Words in quotation marks have to follow one another; a word that ends with an asterisk is the
    beginning of one. Everything else is a plain word. Raises InvalidInput for a query without one, a session that is
    not there, or a limit below 1 or above 2^63 - 1; Refused where the index would replace a file that is not brim's,
    and StoreFailed.
    """
    if limit < 1:
        raise InvalidInput(f"a search for {limit} messages finds none; ask for 1 or more")
    if limit > MAX_LIMIT:
        raise InvalidInput(f"a search is for {MAX_LIMIT:,} messages at most; ask for fewer")
    match, infos, wanted = _asked(index, query, session, project)
    found, changes = index.find(match, [*infos.values()], sessions=wanted, limit=limit)
    visibility = {name: _visibility(records) for name, records in changes.items()}
    return [
        SearchHit(**asdict(one), title=infos[one.session].title, state=_state(one.record, *visibility[one.session]))
        for one in found
    ]


def count_matches(index: SearchIndex, query: str, *, session: str | None = None, project: str | None = None) -> int:
    """How many messages `search` would find without a limit, by its arguments and with its errors."""
    match, infos, wanted = _asked(index, query, session, project)
    return index.count(match, [*infos.values()], sessions=wanted)


def _asked(
    index: SearchIndex, query: str, session: str | None, project: str | None
) -> tuple[str, dict[str, SessionInfo], set[str]]:
    """A query as SQLite takes it, the sessions of the store, and which of them are searched. Raises InvalidInput."""
    match = " ".join(
        quoted for term in QUERY_TERM.finditer(query.replace("\0", " ")) for quoted in _quoted(*term.groups())
    )
    if not match:
        raise InvalidInput(f"there is nothing to look for in {query!r}; name a word, a path or a number")
    infos = {info.id: info for info in index.store.sessions()}
    if session is not None and session not in infos:
        infos[session] = index.store.info(session)
    wanted = {one.id for one in infos.values() if session in {None, one.id} and project in {None, one.project}}
    return match, infos, wanted


def _quoted(phrase: str | None, word: str | None) -> Iterator[str]:
    """A term of a query as SQLite takes it: quoted, so that nothing in it is more than a word."""
    text = (phrase if phrase is not None else word or "").encode(errors="replace").decode()
    begins = phrase is None and text.endswith("*")
    bare = text.replace('"', " ").strip()
    if any(character.isalnum() for character in bare):
        yield f'"{bare.rstrip("*")}"*' if begins else f'"{bare}"'


def _visibility(changes: Sequence[Record]) -> tuple[list[RewoundSpan], CompactionRecord | None]:
    """What of a session is rewound, and its newest active compaction."""
    rewinds = ((one.to, one.id) for one in changes if isinstance(one, RewindRecord))
    return rewound_spans(rewinds), replay_from_end(reversed(changes)).compaction


def _state(record: str, spans: Sequence[RewoundSpan], made: CompactionRecord | None) -> State:
    if is_rewound(record, spans):
        return "rewound"
    if made is None or record > made.id or (made.tail is not None and record >= made.tail):
        return "visible"
    return "visible" if any(copy.of == record for copy in made.opening) else "compacted"
