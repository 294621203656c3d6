"""Drafts: the records of a new session, made one by one and written together.

Part of importing, of lineage and of the tree layout: each of them fills a session from something that is there already.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from brim.sessions.records.ids import new_id
from brim.sessions.records.kinds import Record, SessionRecord
from brim.sessions.store import SessionStore


class Drafts:
    """Records in the making; their ids ascend from that of the session's first record on."""

    def __init__(self, first: SessionRecord) -> None:
        self.session, self.records, self._last = first, list[Record](), first.id

    def add(self, model: type[Record], /, **fields: Any) -> str:
        """Make the next record, of the session's own time; its id."""
        name = self.next_id()
        self.records.append(model(id=name, time=self.session.time, **fields))
        return name

    def next_id(self) -> str:
        """The id of the next record, for whoever puts it together without help."""
        self._last = new_id(self.session.time, after=self._last)
        return self._last


def new_session(store: SessionStore, draft: Callable[[Drafts], object], **about: Any) -> Drafts:
    """Make a session of what is drafted: it is there with all of it, or it is not there; see SessionStore.create."""
    made: list[Drafts] = []

    def records(first: SessionRecord) -> Sequence[Record]:
        made.append(drafts := Drafts(first))
        draft(drafts)
        return drafts.records

    store.create(**about, records=records).close()
    return made[-1]
