"""Search: what was said, whether it is still visible or not.

Specified by features/sessions/search.feature (SES_09). A compaction loses nothing: the log holds every message,
and a search finds it with the turn it came from.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from os.path import realpath
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar
from zlib import crc32

from brim.conversation.messages import Message, Text, ToolCall, ToolResult, speaker
from brim.conversation.tool_pairs import results_of
from brim.conversation.turns import begins_turn
from brim.errors import BrimError, InvalidInput, Refused
from brim.sessions.full_text import MAX_TERMS, About, Found, FullText, Matched, Query, Spoken, Where
from brim.sessions.index import IndexFile, in_one_transaction, let_others_write
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
MAX_LIMIT: Final = 2**63 - 1
"""The largest number that SQLite counts to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit(Spoken):
    """A message that holds what was looked for."""

    passage: str
    """The part of the message that matches, word for word."""
    snippet: str
    """The words around, with those that were looked for in brackets."""
    matched: Matched
    """Whether it holds the identifiers and phrases of the query as written, or all of its words, or only some."""
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

    def find(self, query: Query, infos: Mapping[str, SessionInfo], *, where: Where, limit: int) -> list[SearchHit]:
        """The best passage of each message that matches, the best first, once all that is new was read.

        `infos` are all the sessions of the store. Raises Refused for a file that is no index of brim, and StoreFailed.
        """

        def refresh_and_read(base: sqlite3.Connection) -> list[SearchHit]:
            self._refresh(base, infos)
            if query.left_out:
                self._warn(
                    f"the first {MAX_TERMS} words of the query are looked for, and {query.left_out:,} are left out"
                )
            with base:  # one state of the index, while other processes write it
                base.execute("BEGIN")
                return read(base)

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

        return self._file.update(refresh_and_read)

    def passages(self, query: Query, session: str, *, where: Where, limit: int) -> list[Found]:
        """The passages of one session that match, the best first, those that hold only some of the words at the end.

        Raises as `find` does.
        """
        only = replace(where, sessions=(session,))
        return self._of_one(session, lambda text: [*islice(text.find(query, only, for_recall=True), limit)])

    def turns(self, session: str) -> tuple[int, int] | None:
        """The first and the last turn of one session that can be found; None where there is none. Raises as `find`."""
        return self._of_one(session, lambda text: text.turns(session))

    def _of_one(self, session: str, read: Callable[[FullText], Read]) -> Read:
        """What is read of one session, once all that is new of it was read."""
        info = self.store.info(session)

        def refresh_and_read(base: sqlite3.Connection) -> Read:
            row = base.execute("SELECT * FROM sessions WHERE name = ?", (session,)).fetchone()
            self._refresh_one(base, info, _known(row))
            with base:
                base.execute("BEGIN")
                return read(FullText(base))

        return self._file.update(refresh_and_read)

    def count(self, query: Query, infos: Mapping[str, SessionInfo], *, where: Where) -> int:
        """How many messages match, by the arguments of `find` and with its errors."""

        def refresh_and_count(base: sqlite3.Connection) -> int:
            self._refresh(base, infos)
            return FullText(base).count(query, where)

        return self._file.update(refresh_and_count)

    def _refresh(self, base: sqlite3.Connection, infos: Mapping[str, SessionInfo]) -> None:
        """Read what is new of every session, and remove those that are gone."""
        known = {row[0]: _known(row) for row in base.execute("SELECT * FROM sessions")}
        for info in infos.values():
            self._refresh_one(base, info, known.get(info.id, Indexed()))
        for name in known.keys() - infos.keys():
            in_one_transaction(base, lambda: _remove(base, name))  # noqa: B023  it is called here

    def _refresh_one(self, base: sqlite3.Connection, info: SessionInfo, known: Indexed) -> None:
        """Read what is new of a session."""
        if info.size == 0 or (info.size, info.last_active) != known[:2]:
            try:
                with self.store.read(info.id) as session:
                    self._index(base, session, info)
            except BrimError as error:
                self._warn(f"session {info.id} is not searched as far as it goes now: {error}")

    def _index(self, base: sqlite3.Connection, session: Session, info: SessionInfo) -> None:
        """Index what is new of a session, in transactions of some lines each: others write the index between them.

        Where another process indexed the session meanwhile, what is left is looked up again.
        """
        lines: Iterator[RecordLine] | None = None
        last, is_done = Indexed(), False

        def batch() -> None:
            nonlocal lines, last, is_done
            row = base.execute("SELECT * FROM sessions WHERE name = ?", (info.id,)).fetchone()
            known = _known(row)
            if lines is None or known != last:
                lines = _new_lines(session, known)
                if lines is None:
                    _remove(base, info.id)
                    known, lines = Indexed(), session.journal.lines()
            size = 0
            while size < MAX_BATCH_BYTES and (line := next(lines, None)) is not None:
                self.lines_read += 1
                size += len(line.data)
                known = indexed(base, info.id, line, known)
            is_done = size < MAX_BATCH_BYTES
            last = known._replace(size=info.size, active=info.last_active) if is_done else known
            base.execute("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (info.id, *last))

        in_one_transaction(base, batch)
        while not is_done:
            let_others_write()
            in_one_transaction(base, batch)

    def _warn(self, sentence: str) -> None:
        if sentence not in self.warnings:
            self.warnings.append(sentence)


def _known(row: Sequence[Any] | None) -> Indexed:
    """How far a session is indexed; nothing of it where there is no row, or one that brim did not write."""
    return Indexed(*row[1:]) if row and [*map(type, row)] == [str, *map(type, Indexed())] else Indexed()


def _visibility(base: sqlite3.Connection, session: str) -> Visibility:
    """Which messages of a session are visible, by those of its records that say so."""
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


def _new_lines(session: Session, known: Indexed) -> Iterator[RecordLine] | None:
    """The lines behind the one that was read last; None where that is no longer where it was."""
    new: list[RecordLine] = []
    for line in session.journal.lines_reversed() if known.offset >= 0 else ():
        if line.offset <= known.offset:
            is_same = line.offset == known.offset and crc32(line.data) == known.checksum
            return reversed(new) if is_same else None
        new.append(line)
    return None


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
    """What of a change says which messages are visible: not the words of what it put first."""
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


def index_of(store: SessionStore, path: Path | None = None) -> SearchIndex:
    """The search index of a store, in the file that is named or else where the store has it.

    A folder has it beside its sessions, and a database in the user's own folder. A file that is named has to be an
    index of brim, or empty, or not there yet.
    """
    return SearchIndex(store, path if path is not None else store.index_path)


def search(
    index: SearchIndex, query: str, *, session: str | None = None, project: str | None = None, limit: int = MAX_RESULTS
) -> list[SearchHit]:
    """The messages that match a query, the best first, of one session, one project or all (SES_09).

    With both, both hold. Those that hold its identifiers and phrases come first, then those of which one passage holds
    all its words in some form; where there is none, those that hold some of them (`matched`). Words in quotation marks
    are a phrase; a word that ends with an asterisk is the beginning of one. Everything else is a plain word. Raises
    InvalidInput for a query without one, or of more than 2,000 characters, a session that is not there, or a limit
    below 1 or above 2^63 - 1; Refused where the index would replace a file that is not brim's, and StoreFailed.
    """
    if limit < 1:
        raise InvalidInput(f"a search for {limit} messages finds none; ask for 1 or more")
    if limit > MAX_LIMIT:
        raise InvalidInput(f"a search is for {MAX_LIMIT:,} messages at most; ask for fewer")
    asked, infos, where = _asked(index, query, session, project)
    return index.find(asked, infos, where=where, limit=limit)


def count_matches(index: SearchIndex, query: str, *, session: str | None = None, project: str | None = None) -> int:
    """How many messages `search` would find without a limit, by its arguments and with its errors."""
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
