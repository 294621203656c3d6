"""Search: what was said, whether it is still visible or not.

Specified by features/sessions/search.feature (SES_09). A compaction loses nothing: the log holds every message,
and a search finds it with the turn it came from.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from os.path import realpath
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias
from zlib import crc32

from brim.conversation.messages import Message, Text, ToolCall, ToolResult
from brim.conversation.turns import begins_turn
from brim.errors import BrimError, InvalidInput, Refused
from brim.sessions.index import IndexFile, in_one
from brim.sessions.lines import decode, encode, read_records
from brim.sessions.records import CompactionRecord, MessageRecord, Record, RewindRecord, UndoRecord
from brim.sessions.registry import SessionInfo
from brim.sessions.resume import Line
from brim.sessions.session import Session
from brim.sessions.store import SessionStore
from brim.sessions.view import RewoundSpan, is_rewound, replay_from_end, rewound_spans

FIND: Final = """
SELECT messages.session, messages.record, messages.turn, messages.number, messages.role, messages.time,
    snippet(words, 0, '[', ']', '…', 24)
FROM words JOIN messages ON messages.row = words.rowid
WHERE words MATCH ? AND (? IS NULL OR messages.session IN (SELECT value FROM json_each(?)))
ORDER BY bm25(words), messages.time DESC, messages.row DESC LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class IndexRow:
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
        own = store.index_path
        is_own = path.name == own.name and realpath(path.parent) == realpath(own.parent)
        self._file = IndexFile(own if is_own else Path(realpath(path)), own=is_own, report=self._report)
        self.reports: list[str] = []
        """What was made anew and what could not be read, in sentences, each of them once."""
        self.lines_read = 0
        """How many lines of logs were read so far."""

    def find(
        self, match: str, infos: Sequence[SessionInfo], *, sessions: Collection[str] | None, limit: int
    ) -> list[IndexRow]:
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
    ) -> list[IndexRow]:
        self._refresh(base, infos)
        for name, beyond in base.execute("SELECT name, beyond FROM sessions WHERE beyond != '' ORDER BY name"):
            if sessions is None or name in sessions:
                self._report(f"session {name} is searched only as far as it is understood: {beyond}")
        names = None if sessions is None else json.dumps([*sessions])
        return [IndexRow(*row) for row in base.execute(FIND, (match, names, names, limit))]

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
            known, lines = Known(), session.journal.lines()
        last = indexed(Lines(base, info.id, known), self._counted(lines))
        about = (info.id, *last._replace(size=info.size, active=info.last_active))
        base.execute("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?)", about)

    def _new_lines(self, session: Session, known: Known) -> Iterator[Line] | None:
        """The lines behind the one that was read last; None where that is no longer where it was."""
        if known.place < 0:
            return None
        new: list[Line] = []
        for line in session.journal.lines_reversed():
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


State: TypeAlias = Literal["visible", "compacted", "rewound"]
"""Whether the model sees a message: yes; no, a summary stands for it; no, a rewind went back behind it."""
MOST: Final = 20
"""How many are told unless another number is asked for."""
LARGEST: Final = 2**63 - 1
"""The largest number that SQLite counts to."""
WORD: Final = re.compile(r'"([^"]*)"|(\S+)')


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit(IndexRow):
    """A message that holds what was looked for, and what became of it."""

    title: str
    """What the session is called."""
    state: State
    """Whether the model still sees it."""


def index_of(store: SessionStore, path: Path | None = None) -> SearchIndex:
    """The search index of a store, in the file that is named or else where the store has it.

    A folder has it beside its sessions, and a database in the user's own folder. A file that is named has to be an
    index of brim, or empty, or not there yet.
    """
    return SearchIndex(store, path if path is not None else store.index_path)


def search(
    index: SearchIndex, query: str, *, session: str | None = None, project: str | None = None, limit: int = MOST
) -> list[SearchHit]:
    """The messages that hold all the words of a query, the best first, of one session, one project or all.

    Where both are named, both hold. Words in quotation marks stand side by side; a word that ends with an asterisk is
    the beginning of one. Everything else is a plain word. Raises InvalidInput for a query without one, a session that
    is not there, or a limit below 1 or beyond all counting; Refused where the index is to lie in a file of others, and
    StoreFailed.
    """
    match = _match(query)
    if limit < 1:
        raise InvalidInput(f"a search for {limit} messages finds none; ask for 1 or more")
    if limit > LARGEST:
        raise InvalidInput(f"a search is for {LARGEST:,} messages at most; ask for fewer")
    infos = {info.id: info for info in index.store.sessions()}
    if session is not None and session not in infos:
        infos[session] = index.store.info(session)
    wanted = {one.id for one in infos.values() if session in {None, one.id} and project in {None, one.project}}
    everywhere = session is None and project is None
    found = index.find(match, [*infos.values()], sessions=None if everywhere else wanted, limit=limit)
    states = States(index)
    return [SearchHit(**asdict(one), title=infos[one.session].title, state=states.of(one)) for one in found]


def _match(query: str) -> str:
    """The query as SQLite takes it: every word quoted, so that nothing in it is more than a word."""
    words = [term for found in WORD.finditer(query.replace("\0", " ")) for term in _terms(*found.groups())]
    if not words:
        raise InvalidInput(f"there is nothing to look for in {query!r}; name a word, a path or a number")
    return " ".join(words)


def _terms(phrase: str | None, word: str | None) -> Iterator[str]:
    text = (phrase if phrase is not None else word or "").encode(errors="replace").decode()
    begins = phrase is None and text.endswith("*")
    bare = text.replace('"', " ").strip()
    if any(character.isalnum() for character in bare):
        yield f'"{bare.rstrip("*")}"*' if begins else f'"{bare}"'


class States:
    """Whether messages are visible, by the changes that the index knows of; nothing else of a log is read."""

    def __init__(self, index: SearchIndex) -> None:
        self._index = index
        self._known: dict[str, tuple[list[RewoundSpan], CompactionRecord | None]] = {}

    def of(self, found: IndexRow) -> State:
        """The state of one message."""
        spans, made = self._of_session(found.session)
        if is_rewound(found.record, spans):
            return "rewound"
        return "visible" if made is None or _is_kept(found.record, made) else "compacted"

    def _of_session(self, name: str) -> tuple[list[RewoundSpan], CompactionRecord | None]:
        if name not in self._known:
            changes = [decode(line.rstrip()) for line in self._index.changes(name)]
            rewinds = ((one.to, one.id) for one in changes if isinstance(one, RewindRecord))
            self._known[name] = (rewound_spans(rewinds), replay_from_end(reversed(changes)).compaction)
        return self._known[name]


def _is_kept(record: str, made: CompactionRecord) -> bool:
    """Whether a compaction kept a message, or came before it."""
    if record > made.id or (made.tail is not None and record >= made.tail):
        return True
    return any(copy.of == record for copy in made.opening)
