"""Search: what was said, whether it is still visible or not.

Specified by features/sessions/search.feature (SES_09). A compaction loses nothing: the log holds every message,
and a search finds it with the turn it came from.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, NamedTuple, TypeVar
from zlib import crc32

from brim.conversation.messages import Message, Text, ToolCall, ToolResult, speaker
from brim.conversation.tool_pairs import results_of
from brim.conversation.turns import begins_turn
from brim.errors import BrimError, InvalidInput, Refused
from brim.sessions.full_text import MAX_TERMS, About, Found, FullText, Matched, Query, Spoken, Where
from brim.sessions.index import IndexFile, in_one_transaction
from brim.sessions.lines import encode, read_records
from brim.sessions.records import CompactionRecord, MessageRecord, PruningRecord, Record, RewindRecord, UndoRecord
from brim.sessions.registry import SessionInfo, of_project
from brim.sessions.resume import RecordLine
from brim.sessions.session import Session
from brim.sessions.store import SessionStore
from brim.sessions.view import State, Visibility, replay_from_end
from brim.summary.identifiers import NO_IDENTIFIERS

Read = TypeVar("Read")
MAX_BATCH_BYTES: Final = 1024 * 1024
"""Bytes of lines that are indexed in one transaction: a tenth of a second, in which no other process can write."""
CHANGES: Final = (CompactionRecord, PruningRecord, RewindRecord, UndoRecord)
"""Records that say which messages are visible."""
NO_WORDS: Final = {"role": "user", "content": ""}
RECALL: Final = "recall"
"""The name of the tool by which an agent searches; its calls and results are not indexed."""
RECALLS: Final = re.compile(rf"(?:mcp__)?(?:brim_+)?{RECALL}")
"""What agents call it, also where `brim mcp` offers it."""
MAX_RESULTS: Final = 20
"""Messages that a search finds at most, unless another number is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit(Spoken):
    """A message that holds what was looked for."""

    passage: str
    """The part of the message that matches, word for word."""
    snippet: str
    """The words around, with those that were looked for in brackets."""
    matched: Matched
    """The kind of match: identifiers and phrases as written, all words, or only some."""
    title: str
    """The title of the session."""
    state: State
    """Visible to the model, or why not."""


class Indexed(NamedTuple):
    """Progress of indexing a session."""

    size: int = 0
    """Its bytes when it was read."""
    active: int = 0
    """Time when it was last active then."""
    offset: int = -1
    """The beginning of the last line that was read."""
    checksum: int = 0
    """Of that line."""
    turns: int = 0
    messages: int = 0
    unreadable_reason: str = ""
    """The reason why nothing behind some line is searched; empty where all of it is."""


class SearchIndex:
    """The full text of a store's sessions, in the file that the store has for its index."""

    def __init__(self, store: SessionStore) -> None:
        """Nothing is made before the first search."""
        self.store, self.path = store, store.index_path
        self._file = IndexFile(self.path, self._warn)
        self.warnings: list[str] = []
        """Sentences on what was rebuilt and what could not be read, each of them once."""
        self.lines_read = 0
        """Number of lines of logs that were read so far."""

    def find(self, query: Query, infos: Mapping[str, SessionInfo], *, where: Where, limit: int) -> list[SearchHit]:
        """The best passage of each message that matches, the best first, once all that is new was read.

        `infos` are all the sessions of the store.
        """

        def read(base: sqlite3.Connection) -> list[SearchHit]:
            unreadable = "SELECT name, unreadable_reason FROM sessions WHERE unreadable_reason != '' ORDER BY name"
            for name, reason in base.execute(unreadable):
                if where.sessions is None or name in where.sessions:
                    self._warn(f"session {name} is searched only as far as it is understood: {reason}")
            best: dict[int, Found] = {}
            for found in FullText(base).find(query, where):
                best.setdefault(found.message, found)
                if len(best) == limit:
                    break
            visibility = {name: _visibility(base, name) for name in {one.about.session for one in best.values()}}
            return [_hit(one, infos[one.about.session], visibility[one.about.session]) for one in best.values()]

        if query.left_out:
            self._warn(f"the first {MAX_TERMS} words of the query are looked for, and {query.left_out:,} are left out")
        return self._read(infos, read)

    def passages(self, query: Query, session: str, *, where: Where, limit: int) -> list[Found]:
        """The passages of one session that match, the best first, those that hold only some of the words at the end.

        Raises as `find` does.
        """
        only = replace(where, sessions=(session,))
        return self._read(session, lambda base: [*islice(FullText(base).find(query, only, for_recall=True), limit)])

    def turns(self, session: str) -> tuple[int, int] | None:
        """The first and the last turn of one session that can be found; None where there is none. Raises as `find`."""
        return self._read(session, lambda base: FullText(base).turns(session))

    def count(self, query: Query, infos: Mapping[str, SessionInfo], *, where: Where) -> int:
        """Return how many messages match, by the arguments of `find` and with its errors."""
        return self._read(infos, lambda base: FullText(base).count(query, where))

    def _read(self, of: str | Mapping[str, SessionInfo], read: Callable[[sqlite3.Connection], Read]) -> Read:
        """Return what is read of one session, or of all there are, once all that is new of them was indexed."""
        infos = {of: self.store.info(of)} if isinstance(of, str) else of

        def refresh_and_read(base: sqlite3.Connection) -> Read:
            known = {row[0]: _known(row) for row in base.execute("SELECT * FROM sessions")}
            for info in infos.values():
                if info.size == 0 or (info.size, info.last_active) != known.get(info.id, Indexed())[:2]:
                    self._refresh(base, info)
            for name in known.keys() - infos.keys() if not isinstance(of, str) else ():
                in_one_transaction(base, lambda: _remove(base, name))  # noqa: B023  it is called here
            with base:  # one state of the index, while other processes write it
                base.execute("BEGIN")
                return read(base)

        return self._file.use(refresh_and_read)

    def _refresh(self, base: sqlite3.Connection, info: SessionInfo) -> None:
        """Index what is new of a session, in transactions of some lines each: others write the index between them."""
        try:
            with self.store.read(info.id) as session:
                while in_one_transaction(base, lambda: self._index(base, session, info)):
                    time.sleep(0.02)  # so that a process that waits to write the index has a turn
        except BrimError as error:
            self._warn(f"session {info.id} is not searched as far as it goes now: {error}")

    def _index(self, base: sqlite3.Connection, session: Session, info: SessionInfo) -> bool:
        """Index the next lines of a session; whether more may follow. One whose log is another now is read anew."""
        row = base.execute("SELECT * FROM sessions WHERE name = ?", (info.id,)).fetchone()
        known = _known(row)
        lines = session.journal.lines(max(known.offset, 0))
        if known.offset >= 0 and ((last := next(lines, None)) is None or crc32(last.data) != known.checksum):
            _remove(base, info.id)
            known, lines = Indexed(), session.journal.lines()
        size = 0
        while size < MAX_BATCH_BYTES and (line := next(lines, None)) is not None:
            self.lines_read += 1
            size += len(line.data)
            known = indexed(base, info.id, line, known)
        is_done = size < MAX_BATCH_BYTES
        known = known._replace(size=info.size, active=info.last_active) if is_done else known
        base.execute("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (info.id, *known))
        return not is_done

    def _warn(self, sentence: str) -> None:
        if sentence not in self.warnings:
            self.warnings.append(sentence)


def _known(row: Sequence[Any] | None) -> Indexed:
    """Return how far a session is indexed; nothing of it where there is no row."""
    return Indexed(*row[1:]) if row else Indexed()


def _visibility(base: sqlite3.Connection, session: str) -> Visibility:
    """Return which messages of a session are visible, by those of its records that say so."""
    rows = base.execute("SELECT line FROM changes WHERE session = ? ORDER BY record DESC", (session,)).fetchall()
    lines = (RecordLine(0, line.rstrip()) for (line,) in rows if isinstance(line, bytes))
    return replay_from_end(read_records(lines, []), whole=True)


def _hit(found: Found, info: SessionInfo, visibility: Visibility) -> SearchHit:
    about = found.about
    return SearchHit(
        **{name: getattr(about, name) for name in Spoken.__dataclass_fields__},
        passage=found.passage,
        snippet=found.snippet,
        matched=found.matched,
        title=info.title,
        state=visibility.state(about.record, about.calls),
    )


def _remove(base: sqlite3.Connection, session: str) -> None:
    FullText(base).remove(session)
    for table, column in (("changes", "session"), ("sessions", "name")):
        base.execute(f"DELETE FROM {table} WHERE {column} = ?", (session,))  # noqa: S608  names of our own


def indexed(base: sqlite3.Connection, session: str, line: RecordLine, known: Indexed) -> Indexed:
    """Index the next line; how far the session is indexed then. A record of a newer version ends it."""
    known = known._replace(offset=line.offset, checksum=crc32(line.data))
    try:
        for record in () if known.unreadable_reason else read_records([line], []):
            if isinstance(record, CHANGES):
                given = (session, record.id, encode(_without_words(record)))
                base.execute("INSERT INTO changes VALUES (?, ?, ?)", given)
                if isinstance(record, CompactionRecord) and record.source is not None and not known.messages:
                    known = known._replace(turns=_turns_before(record))
            elif isinstance(record, MessageRecord):
                known = _add_message(base, session, record, known)
    except Refused as error:
        return known._replace(unreadable_reason=str(error))
    except UnicodeEncodeError:
        return known._replace(unreadable_reason="a record has an id that is no text")
    return known


def _turns_before(record: CompactionRecord) -> int:
    """The turns of the session before of a fork that begins with a summary: it goes on counting them."""
    return record.identifiers.turns + sum(begins_turn(copy.value) for copy in record.opening)


def _without_words(record: Record) -> Record:
    """Return what of a change says which messages are visible: not the words of what it put first."""
    if not isinstance(record, CompactionRecord):
        return record
    opening = (copy.model_copy(update={"message": dict(NO_WORDS)}) for copy in record.opening if copy.of is not None)
    return record.model_copy(
        update={"opening": tuple(opening), "closing": (), "facts": (), "identifiers": NO_IDENTIFIERS}
    )


def _add_message(base: sqlite3.Connection, session: str, record: MessageRecord, known: Indexed) -> Indexed:
    message = record.value
    known = known._replace(turns=known.turns + begins_turn(message), messages=known.messages + 1)
    if not message.marks.summary:
        calls = tuple(one.call_id for one in results_of(message))
        about = About(session, record.id, known.turns, known.messages, speaker(message), record.time, calls)
        add_message(FullText(base), about, message)
    return known


def add_message(index: FullText, about: About, message: Message) -> None:
    """Index a message but for calls and results of recall, which would be found in place of what they quote."""
    session = about.session
    recalls = [part.id for part in message.parts if type(part) is ToolCall and RECALLS.fullmatch(part.name)]
    index.add_recalls(session, about.number, recalls)
    recalls += [part.call_id for part in results_of(message) if index.is_recall(session, part.call_id)]
    index.add(about, "\n".join(_words(message, recalls)))


def _words(message: Message, recalls: Collection[str]) -> Iterator[str]:
    """The texts of a message, what it calls for, and what a tool answered; without these calls and their results."""
    for part in message.parts:
        if type(part) is Text or (type(part) is ToolResult and part.call_id not in recalls):
            yield part.text
        elif type(part) is ToolCall and part.id not in recalls:
            yield part.name
            yield from (one if isinstance(one, str) else json.dumps(one, default=str) for one in part.input.values())


def search(
    index: SearchIndex, query: str, *, session: str | None = None, project: str | None = None, limit: int = MAX_RESULTS
) -> list[SearchHit]:
    """The messages that match a query, the best first, of one session, one project or all (SES_09).

    With both, both hold. Those that hold its identifiers and phrases come first, then those of which one passage holds
    all its words in some form; where there is none, those that hold some of them (`matched`). Words in quotation marks
    are a phrase; a word that ends with an asterisk is the beginning of one. Everything else is a plain word. Raises
    InvalidInput for a query without one, or of more than 2,000 characters, a session that is not there, or a limit
    below 1.
    """
    if limit < 1:
        raise InvalidInput(f"a search for {limit} messages finds none; ask for 1 or more")
    asked, infos, where = _asked(index, query, session, project)
    return index.find(asked, infos, where=where, limit=limit)


def count_matches(index: SearchIndex, query: str, *, session: str | None = None, project: str | None = None) -> int:
    """Return how many messages `search` would find without a limit, by its arguments and with its errors."""
    asked, infos, where = _asked(index, query, session, project)
    return index.count(asked, infos, where=where)


def _asked(
    index: SearchIndex, query: str, session: str | None, project: str | None
) -> tuple[Query, dict[str, SessionInfo], Where]:
    """A query, the sessions of the store, and what of them is searched. Raises InvalidInput."""
    asked = Query(query)
    infos = {info.id: info for info in index.store.sessions()}
    if session is not None and session not in infos:
        infos[session] = index.store.info(session)
    wanted = {one.id for one in of_project(infos.values(), project) if session in {None, one.id}}
    return asked, infos, Where(sessions=wanted)
