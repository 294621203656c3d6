"""Full text: the passages of messages in SQLite, found by their words.

Specified by features/sessions/search.feature (SES_09). It knows no store: the rows lie in the index of a store, or in
memory for one conversation.

A message is indexed in passages, so that a long one counts no less than a short one (BM25 divides by the length). Each
passage is indexed twice: by its words as they are written, and by their stems (Porter's, for English). The parts of
words in camel case are indexed beside them.
"""

from __future__ import annotations

import json
import re
import sqlite3
import weakref
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from brim.errors import InvalidInput

PASSAGE_CHARS: Final = 600
"""Characters of a passage at most."""
OVERLAP_CHARS: Final = 100
"""Characters that a passage shares with the one before at most, so that words around its beginning stand together."""
PASSAGE_BITS: Final = 24
"""A passage's id holds its number in so many bits, and the id of its message above them, as the statements have it."""
MAX_QUERY_CHARS: Final = 2_000
"""Characters of the longest query."""
MAX_TERMS: Final = 50
"""Different words and phrases of a query that are looked for, the first ones."""
COMMON: Final = 20_000
"""Passages beyond which a word is too common to be looked for alone, where another word is less so."""
MIN_CODE_CHARS: Final = 3
"""Characters of the shortest word with a digit that is an identifier; a shorter one is a mere number."""
MAX_CAMEL_CHARS: Final = 64
"""Characters of the longest word that is split at its capitals; what is longer is encoded data."""
TABLES: Final = """
CREATE TABLE messages (
    row INTEGER PRIMARY KEY, session TEXT, record TEXT, turn INTEGER, number INTEGER, role TEXT, time INTEGER,
    calls TEXT
);
CREATE INDEX of_session ON messages (session, number);
CREATE TABLE recalls (session TEXT, number INTEGER, call TEXT);
CREATE INDEX recalls_of_session ON recalls (session, call);
CREATE TABLE passages (id INTEGER PRIMARY KEY, text TEXT, parts TEXT);
CREATE VIRTUAL TABLE words USING fts5 (
    text, parts, content = 'passages', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE stems USING fts5 (
    text, parts, content = 'passages', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
);
"""
KEYS: Final = {"words": "rowid", "stems": "rowid", "passages": "id"}
"""The tables of passages, the indexes first, as they need the text of what is removed; and their keys."""
FILTER: Final = """
(? IS NULL OR session IN (SELECT value FROM json_each(?))) AND (? IS NULL OR turn = ?) AND (? IS NULL OR role = ?)
AND (? IS NULL OR messages.row IN (SELECT rowid >> 24 FROM words WHERE words MATCH ?) OR role = 'tool' AND EXISTS (
    SELECT 1 FROM messages AS before
    WHERE before.session = messages.session AND before.number = messages.number - 1
    AND before.row IN (SELECT rowid >> 24 FROM words WHERE words MATCH ?)
))
"""
BEST: Final = """
SELECT {index}.rowid FROM {index} JOIN messages ON messages.row = {index}.rowid >> 24
WHERE {index} MATCH ? AND {where} ORDER BY bm25({index}), time DESC, {index}.rowid DESC
"""
INSERT: Final = "INSERT INTO messages VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)"
IDS: Final = "SELECT rowid >> 24 FROM {index} WHERE {index} MATCH ?"
COUNT: Final = "SELECT count(*) FROM messages WHERE row IN ({ids}) AND {where}"
HITS: Final = "SELECT count(*) FROM (SELECT 1 FROM {index} WHERE {index} MATCH ? LIMIT ?)"
READ: Final = """
SELECT session, record, turn, number, role, time, calls, text, snippet({index}, 0, '[', ']', '…', 24)
FROM {index} JOIN messages ON messages.row = {index}.rowid >> 24
WHERE {index} MATCH ? AND {index}.rowid = ?
"""
READ_PLAIN: Final = """
SELECT session, record, turn, number, role, time, calls, passages.text, ''
FROM passages JOIN messages ON messages.row = passages.id >> 24 WHERE passages.id = ?
"""
Matched: TypeAlias = Literal["exact", "all", "some"]
"""How a passage matches: it holds the query's identifiers and phrases as they are written, or all of its words, or some
of them."""

QUERY_TERM: Final = re.compile(r'"([^"]*)"|(\S+)')
WORD: Final = re.compile(r"[^\W_]+")
CONTRACTED: Final = re.compile(r"(?<=[^\W\d_])['\u2019][^\W\d_]{1,2}\b")
"""What makes one word of two, as in "don't" and "Ada's": no sign of an identifier."""
LINK: Final = "://"
AROUND_NAME: Final = re.compile(r"^[A-Za-z]+:(?=\w)|^.*[/\\](?=.)|(?<=\w)(?::\d+)+:?$")
"""What stands around a name: a label, folders, and the line and the column in a file."""
CAPITALS: Final = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Where a word in camel case is split: before a capital behind a small letter, and before the last of several."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """The place of a message, and who speaks; `turn` and `number` count from 1, in the order of the log."""

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


@dataclass(frozen=True, slots=True)
class About(Spoken):
    """A message as the index knows it."""

    calls: tuple[str, ...] = ()
    """The ids of the calls that it answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A passage that matches a query."""

    about: About
    """The message that it is of."""
    passage: str
    """The passage, word for word."""
    snippet: str
    """The words around, with those that were looked for in brackets; empty where none was asked for."""
    matched: Matched
    """The kind of match."""
    id: int
    """The id of the passage; passages of one message that follow one another have ids that do."""

    @property
    def message(self) -> int:
        """The id of the message."""
        return self.id >> PASSAGE_BITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """The messages that are searched; all of them where nothing is named."""

    sessions: Collection[str] | None = None
    """The ids of the sessions."""
    turn: int | None = None
    """The turn."""
    role: str | None = None
    """Who speaks."""
    path: str | None = None
    """A path that the message names, or the one before it where this is a tool's answer."""


ANYWHERE: Final = Where()


class Term(NamedTuple):
    """A word, an identifier or a phrase of a query."""

    text: str
    """As it was typed, without quotation marks and asterisk."""
    phrase: bool = False
    """True for a phrase in quotation marks."""
    prefix: bool = False
    """True for the beginning of a word, which ends with an asterisk."""

    @property
    def is_exact(self) -> bool:
        """Return whether it is a phrase or an identifier: a word with signs, digits or capitals within it."""
        words = WORD.findall(CONTRACTED.sub("", self.text))
        is_code = any(char.isdigit() for char in self.text) and len(self.text) >= MIN_CODE_CHARS
        return self.phrase or len(words) > 1 or is_code or bool(parts_of(self.text))

    @property
    def written(self) -> str:
        """The term for SQLite, quoted, so that nothing in it is more than a word."""
        return f'"{self.text}"*' if self.prefix else f'"{self.text}"'

    @property
    def any_spelling(self) -> str:
        """The same, or its parts side by side: parse_config is parseConfig."""
        split = CAPITALS.sub(" ", self.text)
        return self.written if split == self.text or self.prefix else f'({self.written} OR "{split}")'

    @property
    def any_part(self) -> list[str]:
        """Each word of it, and each part of one."""
        if self.prefix:
            return [self.written]
        return [f'"{word}"' for word in WORD.findall(f"{self.text} {parts_of(self.text)}")]

    @property
    def loosely(self) -> list[str]:
        """Return what may stand in its place: each word; of an identifier the whole, or the last name of a path.

        Another part of an identifier says nothing: of XK-4711 neither XK nor 4711.
        """
        if self.phrase or not self.is_exact:
            return self.any_part
        name = self.text if LINK in self.text else AROUND_NAME.sub("", self.text)
        is_shorter = name != self.text and any(map(str.isalpha, name))
        return [self.any_spelling, *([f'"{name}"'] if is_shorter else [])]


class Query:
    """A query as it was typed: words in any order, and phrases in quotation marks; a word may end with an asterisk.

    Everything else is plain text. Raises InvalidInput for one without a word, or of more than MAX_QUERY_CHARS.
    """

    def __init__(self, query: str) -> None:
        if len(query) > MAX_QUERY_CHARS:
            raise InvalidInput(
                f"the query has {len(query):,} characters, and {MAX_QUERY_CHARS:,} are the most; name the few words, "
                "paths or numbers to look for"
            )
        found = (one.groups() for one in QUERY_TERM.finditer(as_stored(query)))
        typed = [term for groups in found for term in _terms(*groups)]
        terms = [*dict.fromkeys(typed)]
        self.terms = terms[:MAX_TERMS]
        self._typed = typed[:MAX_TERMS]
        self.left_out = len(terms) - len(self.terms)
        """Number of different words more than MAX_TERMS are not looked for."""
        if not self.terms:
            raise InvalidInput(f"there is nothing to look for in {query!r}; name a word, a path or a number")
        self.has_prefix = any(term.prefix for term in self.terms)

    @property
    def exact(self) -> str:
        """Return what matches the identifiers and phrases, or without any all words side by side."""
        named = [term.written for term in self.terms if term.is_exact]
        if named or self.has_prefix:
            return " AND ".join(named or [term.written for term in self.terms])
        return f'"{" ".join(term.text for term in self._typed)}"'

    @property
    def all_words(self) -> str:
        """Return what matches all the words."""
        return " AND ".join(term.any_spelling for term in self.terms)

    @property
    def words(self) -> list[str]:
        """Each word, and each part of one, once."""
        return [*dict.fromkeys(word for term in self.terms for word in term.any_part)]

    @property
    def some(self) -> list[str]:
        """Return what matches some of the words, one by one."""
        return [*dict.fromkeys(word for term in self.terms for word in term.loosely)]


def _terms(phrase: str | None, word: str | None) -> Iterator[Term]:
    text = phrase if phrase is not None else word or ""
    prefix = phrase is None and text.endswith("*")
    bare = text.replace('"', " ").strip().rstrip("*" if prefix else "")
    if any(character.isalnum() for character in bare):
        yield Term(bare, phrase=phrase is not None, prefix=prefix)


def parts_of(text: str) -> str:
    """The parts of the words in camel case, separated by spaces; of several equal words, those of one."""
    mixed = [word for word in dict.fromkeys(WORD.findall(text)) if not (word.islower() or word.isupper())]
    split = (CAPITALS.sub(" ", word) for word in mixed if len(word) <= MAX_CAMEL_CHARS and not word.istitle())
    return " ".join(words for words in split if " " in words)


def as_stored(text: str) -> str:
    """A text as SQLite can hold it: a lone surrogate is no character, and a zero would end it."""
    return text.encode(errors="replace").decode().replace("\0", " ")


def passages_of(text: str) -> Iterator[str]:
    """A text in passages, cut at the end of a line where there is one, else between words."""
    start = 0
    while len(text) - start > PASSAGE_CHARS:
        end = _break(text, start + PASSAGE_CHARS // 2, start + PASSAGE_CHARS) or start + PASSAGE_CHARS
        yield text[start:end]
        start = _break(text, end - OVERLAP_CHARS, end - 1) or end - OVERLAP_CHARS
    yield text[start:]


def _break(text: str, start: int, end: int) -> int:
    """The place behind the last line break between two places, else behind the last space; 0 where there is none."""
    return text.rfind("\n", start, end) + 1 or text.rfind(" ", start, end) + 1


class FullText:
    """The passages of messages in a database whose tables are TABLES. Each method is part of the caller's transaction.

    Raises sqlite3.Error, as of a database that is damaged.
    """

    def __init__(self, base: sqlite3.Connection) -> None:
        self._base = base

    @classmethod
    def in_memory(cls) -> FullText:
        """One with no file."""
        base = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        base.executescript(TABLES)
        made = cls(base)
        weakref.finalize(made, base.close)  # Python 3.13 warns of a connection that nobody closed
        return made

    def add(self, about: About, text: str) -> None:
        """Add a message; one without a word is not searched."""
        if not text.strip():
            return
        given = (about.session, about.record, about.turn, about.number, about.role, about.time)
        row = self._base.execute(INSERT, (*given, "\0".join(about.calls))).lastrowid or 0
        ids = range(row << PASSAGE_BITS, (row + 1) << PASSAGE_BITS)
        rows = [(id_, one, parts_of(one)) for id_, one in zip(ids, passages_of(as_stored(text)), strict=False)]
        for table, key in KEYS.items():
            self._base.executemany(f"INSERT INTO {table} ({key}, text, parts) VALUES (?, ?, ?)", rows)  # noqa: S608

    def add_recalls(self, session: str, number: int, calls: Collection[str]) -> None:
        """Note the ids of the calls of recall in a message."""
        given = ((session, number, as_stored(call)) for call in calls)
        self._base.executemany("INSERT INTO recalls VALUES (?, ?, ?)", given)

    def is_recall(self, session: str, call: str) -> bool:
        """Return whether a call of the session is one of recall."""
        query = "SELECT EXISTS (SELECT 1 FROM recalls WHERE session = ? AND call = ?)"
        return bool(self._base.execute(query, (session, as_stored(call))).fetchone()[0])

    def remove(self, session: str, number: int = 0) -> None:
        """Remove the messages of a session from a number on."""
        self._base.execute("DELETE FROM recalls WHERE session = ? AND number >= ?", (session, number))
        rows = self._base.execute("SELECT row FROM messages WHERE session = ? AND number >= ?", (session, number))
        for (row,) in rows.fetchall():
            ids = (row << PASSAGE_BITS, (row + 1) << PASSAGE_BITS)
            for table, key in KEYS.items():
                self._base.execute(f"DELETE FROM {table} WHERE {key} >= ? AND {key} < ?", ids)  # noqa: S608
            self._base.execute("DELETE FROM messages WHERE row = ?", (row,))

    def turns(self, session: str) -> tuple[int, int] | None:
        """The first and the last turn of a session that has messages; None where it has none."""
        query = "SELECT min(turn), max(turn) FROM messages WHERE session = ?"
        first, last = self._base.execute(query, (session,)).fetchone()
        return (first, last) if type(first) is type(last) is int else None

    def find(self, query: Query, where: Where = ANYWHERE, *, for_recall: bool = False) -> Iterator[Found]:
        """The passages that match, each once: first what matches exactly, then what holds all the words.

        Within each, the best by BM25 come first, and of equal ones the newest. Those that hold only some of the words
        come where there is no other. For recall they come behind the others too, and there are no snippets.
        """
        seen = set[int]()
        for index, match, matched in self._matches(query):
            if matched == "some" and seen and not for_recall:
                return
            ids = self._base.execute(BEST.format(index=index, where=FILTER), (match, *_values(where))).fetchall()
            for (passage,) in ids:
                if passage not in seen:
                    seen.add(passage)
                    shown = query.exact if matched == "exact" else match
                    yield self._found(passage, index, "" if for_recall else shown, matched)

    def count(self, query: Query, where: Where = ANYWHERE) -> int:
        """Count the messages that match exactly or hold all the words; where there is none, that hold some of them."""
        (words, exact, _), (index, all_words, _), (_, some, _) = self._matches(query)
        better = COUNT.format(ids=f"{IDS.format(index=words)} UNION {IDS.format(index=index)}", where=FILTER)
        count = self._base.execute(better, (exact, all_words, *_values(where))).fetchone()[0]
        fewer = COUNT.format(ids=IDS.format(index=index), where=FILTER)
        return int(count or self._base.execute(fewer, (some, *_values(where))).fetchone()[0])

    def _matches(self, query: Query) -> Iterator[tuple[str, str, Matched]]:
        """The index, what it is asked for, and how that matches, the best first. Stems have no beginnings of words."""
        index = "words" if query.has_prefix else "stems"
        yield "words", f"text : ({query.exact}) AND ({' OR '.join(query.words)})", "exact"
        yield index, query.all_words, "all"
        yield index, " OR ".join(self._rare(index, query.some)), "some"

    def _rare(self, index: str, words: list[str]) -> list[str]:
        """Those of the words that are there and not too common; the least common one where all are."""
        hits = {word: self._base.execute(HITS.format(index=index), (word, COMMON + 1)).fetchone()[0] for word in words}
        there = [word for word in words if hits[word]] or words
        return [word for word in there if hits[word] <= COMMON] or [min(there, key=hits.__getitem__)]

    def _found(self, passage: int, index: str, match: str, matched: Matched) -> Found:
        read, given = (READ.format(index=index), (match, passage)) if match else (READ_PLAIN, (passage,))
        *about, calls, text, snippet = self._base.execute(read, given).fetchone()
        about.append(tuple(calls.split("\0")))
        return Found(about=About(*about), passage=text, snippet=snippet, matched=matched, id=passage)


def _values(where: Where) -> tuple[Any, ...]:
    """The values of FILTER."""
    sessions = None if where.sessions is None else json.dumps([*where.sessions])
    path = None if where.path is None else f'"{as_stored(where.path).replace(chr(34), " ")}"'
    return (sessions, sessions, where.turn, where.turn, where.role, where.role, path, path, path)
