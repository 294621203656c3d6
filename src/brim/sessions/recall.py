"""Recall: what a summary stands for, and what was said and is no longer visible.

Specified by features/sessions/recall.feature (SES_09). Nothing is lost by a compaction: the log holds every message, so
a summary opens into those it replaced, and a search finds them with the turn they came from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from brim.errors import InvalidInput
from brim.sessions.records.kinds import CompactionRecord, RewindRecord
from brim.sessions.records.lines import decode
from brim.sessions.searching.index import Found, SearchIndex
from brim.sessions.store import SessionStore
from brim.sessions.viewing.rewound import Span, is_left_behind, standing_spans
from brim.sessions.viewing.walking import walk_back

State: TypeAlias = Literal["visible", "compacted", "left behind"]
"""Whether the model sees a message: yes; no, a summary stands for it; no, a rewind went back behind it."""
MOST: Final = 20
"""How many are told unless another number is asked for."""
LARGEST: Final = 2**63 - 1
"""The largest number that SQLite counts to."""
WORD: Final = re.compile(r'"([^"]*)"|(\S+)')


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit(Found):
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
) -> list[Hit]:
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
    return [Hit(**asdict(one), title=infos[one.session].title, state=states.of(one)) for one in found]


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
        self._known: dict[str, tuple[list[Span], CompactionRecord | None]] = {}

    def of(self, found: Found) -> State:
        """The state of one message."""
        spans, made = self._of_session(found.session)
        if is_left_behind(found.record, spans):
            return "left behind"
        return "visible" if made is None or _is_kept(found.record, made) else "compacted"

    def _of_session(self, name: str) -> tuple[list[Span], CompactionRecord | None]:
        if name not in self._known:
            changes = [decode(line.rstrip()) for line in self._index.changes(name)]
            rewinds = ((one.to, one.id) for one in changes if isinstance(one, RewindRecord))
            self._known[name] = (standing_spans(rewinds), walk_back(reversed(changes)).compaction)
        return self._known[name]


def _is_kept(record: str, made: CompactionRecord) -> bool:
    """Whether a compaction kept a message, or came before it."""
    if record > made.id or (made.tail is not None and record >= made.tail):
        return True
    return any(copy.of == record for copy in made.opening)
