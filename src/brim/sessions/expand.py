"""Expanding: the messages that a summary replaced, and the summary it replaced with those of that one.

Specified by features/sessions/search.feature (SES_09).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Final

from brim.conversation.messages import Message
from brim.errors import InvalidInput, Refused
from brim.sessions.records import FIRST_VERSION, CompactionRecord, MessageRecord
from brim.sessions.store import SessionStore
from brim.sessions.view import replay_from_end


@dataclass(frozen=True, slots=True)
class Expansion:
    """A summary, and what it replaced."""

    session: str
    """The session that it was made in; a fork's summary was made in the session it was forked from."""
    compaction: str
    summary: str
    ids: tuple[str, ...]
    """The records of the messages that it replaced."""
    messages: tuple[Message, ...]
    earlier: Expansion | None = None
    """The summary that went into it; None where none did."""

    @property
    def whole(self) -> tuple[Message, ...]:
        """Every message that it replaced, those of earlier summaries first."""
        return tuple(message for one in reversed([*self.chain]) for message in one.messages)

    @property
    def chain(self) -> Iterator[Expansion]:
        """This summary, the one that went into it, and so on."""
        one: Expansion | None = self
        while one is not None:
            yield one
            one = one.earlier


def expand(store: SessionStore, name: str, compaction: str | None = None) -> Expansion:
    """Expand a summary of a session, by default the one that is visible (SES_09).

    Raises Refused where no summary is visible or that compaction failed, InvalidInput where there is no such one.
    """
    met: set[tuple[str, str]] = set()
    log = _Log(store, name)
    log, made = _resolved(store, log, compaction or log.visible(), met)
    chain = [log.expansion(made)]
    while (earlier := log.made.get(made.earlier or "")) is not None and earlier.id < made.id:
        made = earlier
        if (source := made.source) is not None:
            try:
                log, made = _resolved(store, log, made.id, met)
            except InvalidInput:  # the session that made it is gone: the fork has its words
                chain.append(Expansion(source.session, source.compaction, made.words, (), ()))
                break
        chain.append(log.expansion(made))
    whole = chain.pop()
    while chain:
        whole = replace(chain.pop(), earlier=whole)
    return whole


ID: Final = attrgetter("id")


class _Log:
    """The records of a session, in the order of their ids."""

    def __init__(self, store: SessionStore, name: str) -> None:
        with store.read(name) as session:
            self.name, self.records = name, sorted(session.records(), key=ID)
        self.made = {one.id: one for one in self.records if isinstance(one, CompactionRecord)}

    def visible(self) -> str:
        """The compaction whose summary is visible. Raises Refused where there is none."""
        made = replay_from_end(reversed(self.records)).compaction
        if made is None:
            raise Refused(f"there is no summary to expand: nothing visible of session {self.name} was compacted")
        return made.id

    def expansion(self, made: CompactionRecord) -> Expansion:
        """Return what a compaction of this log replaced, without what earlier ones did."""
        replaced = [*self._replaced(made)]
        ids, messages = tuple(one.id for one in replaced), tuple(one.value for one in replaced)
        return Expansion(self.name, made.id, made.words, ids, messages)

    def _replaced(self, made: CompactionRecord) -> Iterator[MessageRecord]:
        """The messages that were visible when a summary was made, and that it kept neither before nor after itself.

        A record of the first version does not say what it replaced: that is all that was visible.
        """
        end = bisect_left(self.records, made.id, key=ID)
        before = replay_from_end(self.records[n] for n in range(end - 1, -1, -1))
        kept = {copy.of for copy in made.opening}
        first, last = made.replaces or ("", "")
        if made.v == FIRST_VERSION and made.replaces is None:
            span = range(end)
        else:
            span = range(bisect_left(self.records, first, key=ID), bisect_right(self.records, last, key=ID))
        for record in (self.records[n] for n in span):
            if isinstance(record, MessageRecord) and record.id not in kept and before.is_visible(record.id):
                yield record


def _resolved(store: SessionStore, log: _Log, wanted: str, met: set[tuple[str, str]]) -> tuple[_Log, CompactionRecord]:
    """A compaction, in the session that a fork took it from. Raises InvalidInput and Refused.

    `met` are those that were followed already: logs that name one another lead nowhere.
    """
    while True:
        made = log.made.get(wanted)
        if made is None:
            raise InvalidInput(f"session {log.name} holds no compaction {wanted!r}; name one of its compactions")
        if not made.counts:
            raise Refused(f"compaction {wanted} of session {log.name} failed: {made.error or 'no summary'}")
        source = made.source
        if source is None or (source.session, source.compaction) in met:
            return log, made
        met.add((source.session, source.compaction))
        log, wanted = _Log(store, source.session), source.compaction
