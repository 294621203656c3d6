"""Expanding: the messages that a summary stands for, and the summary it replaced with what that stands for.

Specified by features/sessions/search.feature (SES_09).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from brim.conversation.messages import Message
from brim.errors import InvalidInput, Refused
from brim.sessions.records import FIRST_VERSION, CompactionRecord, MessageRecord, Record
from brim.sessions.session import Session
from brim.sessions.store import SessionStore
from brim.sessions.view import replay_from_end


@dataclass(frozen=True, slots=True)
class Expansion:
    """What a summary stands for."""

    session: str
    """Where it was made; a fork's summary was made in the session it was forked from."""
    compaction: str
    summary: str
    ids: tuple[str, ...]
    """The records of the messages that it replaced, as they were said."""
    messages: tuple[Message, ...]
    earlier: Expansion | None = None
    """What the summary stands for that went into it; None where none did."""

    @property
    def whole(self) -> tuple[Message, ...]:
        """Every message that it stands for, those of earlier summaries first."""
        before = self.earlier.whole if self.earlier is not None else ()
        return (*before, *self.messages)


def expand(store: SessionStore, name: str, compaction: str | None = None) -> Expansion:
    """Expand a summary of a session, by default the one that is visible.

    Raises Refused where no summary stands or that compaction came to nothing, InvalidInput where there is no such one.
    """
    return _Expanding(store).expand(name, compaction)


class _Expanding:
    """One expansion, through the sessions that its summaries were handed on from."""

    def __init__(self, store: SessionStore) -> None:
        self._store = store
        self._met: set[tuple[str, str]] = set()
        """What was followed already: logs that point at one another lead nowhere."""

    def expand(self, name: str, compaction: str | None) -> Expansion:
        with self._store.read(name) as session:
            wanted = compaction or _standing(session)
            records = list(session.records())
        made = {record.id: record for record in records if isinstance(record, CompactionRecord)}
        if wanted not in made:
            raise InvalidInput(f"session {name} holds no compaction {wanted!r}; name one of its compactions")
        if not made[wanted].counts:
            raise Refused(
                f"compaction {wanted} of session {name} came to nothing: {made[wanted].error or 'no summary'}"
            )
        origin = _origin(made[wanted])
        if origin is not None and origin not in self._met:
            self._met.add(origin)
            return self.expand(*origin)
        return self._expanded(name, made[wanted], records, made)

    def _expanded(
        self, name: str, made: CompactionRecord, records: Sequence[Record], others: Mapping[str, CompactionRecord]
    ) -> Expansion:
        replaced = list(_replaced(made, records))
        earlier = others.get(made.earlier or "")
        return Expansion(
            session=name,
            compaction=made.id,
            summary=_words(made),
            ids=tuple(record.id for record in replaced),
            messages=tuple(record.value for record in replaced),
            earlier=self._earlier(name, earlier, records, others) if earlier and earlier.id < made.id else None,
        )

    def _earlier(
        self, name: str, made: CompactionRecord, records: Sequence[Record], others: Mapping[str, CompactionRecord]
    ) -> Expansion:
        """What an earlier summary stands for; the words alone where the session that made it is gone."""
        origin = _origin(made)
        if origin is None:
            return self._expanded(name, made, records, others)
        try:
            return self.expand(name, made.id)
        except InvalidInput:
            return Expansion(session=origin[0], compaction=origin[1], summary=_words(made), ids=(), messages=())


def _words(made: CompactionRecord) -> str:
    return made.summary.content if made.summary is not None else ""


def _standing(session: Session) -> str:
    standing = session.view().compaction
    if standing is None:
        raise Refused(f"there is no summary to expand: nothing that is visible of session {session.id} was compacted")
    return standing


def _origin(made: CompactionRecord) -> tuple[str, str] | None:
    """The session that a summary was handed on from, and its compaction there."""
    return (made.source.session, made.source.compaction) if made.source is not None else None


def _replaced(made: CompactionRecord, records: Sequence[Record]) -> Iterator[MessageRecord]:
    """The messages that were visible when a summary was made, and that neither stand beside it nor behind it."""
    standing = replay_from_end(record for record in reversed(records) if record.id < made.id)
    visible = {record.id for record in standing.records}
    if standing.compaction is not None:
        visible |= {copy.of for copy in standing.compaction.opening if copy.of is not None}
    visible -= {copy.of for copy in made.opening if copy.of is not None}
    first, last = made.replaces or ("", "")
    for record in records:
        inside = first <= record.id <= last or (_tells_nothing(made) and record.id < made.id)
        if inside and isinstance(record, MessageRecord) and record.id in visible:
            yield record


def _tells_nothing(made: CompactionRecord) -> bool:
    """Whether it is of the first version, which does not say what it replaced: that is all that was visible."""
    return made.v == FIRST_VERSION and made.replaces is None
