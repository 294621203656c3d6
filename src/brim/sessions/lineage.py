"""Lineage: sessions that come from one another, and what one takes over from another.

Specified by features/sessions/lineage.feature (SES_10).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from brim.conversation.messages import SUMMARY, user_text
from brim.conversation.turns import find_turns
from brim.errors import InvalidInput, Refused
from brim.sessions.importing import RecordBuilder, new_session
from brim.sessions.lines import read_records
from brim.sessions.records import CompactionRecord, Copy, MessageRecord, Record, SessionSource, UsageRecord
from brim.sessions.registry import SessionInfo
from brim.sessions.store import SessionStore
from brim.sessions.view import replay_from_end, view_of
from brim.summary.template import template_summary

CONTEXT_OPENING: Final = "[Context from another session, imported by brim]"
"""The line that opens what was taken over from another session."""


@dataclass(frozen=True, slots=True)
class Family:
    """A session's relations, each list with the one last active first."""

    session: SessionInfo
    parents: tuple[SessionInfo, ...]
    """Its ancestors: its parent, the parent of that, and so on, as far as they are there."""
    children: tuple[SessionInfo, ...]
    siblings: tuple[SessionInfo, ...]
    """The other sessions of its project."""

    @property
    def related(self) -> frozenset[str]:
        """The ids of all of them."""
        return frozenset(one.id for one in (*self.parents, *self.children, *self.siblings))


def family_of(store: SessionStore, name: str) -> Family:
    """The relations of a session. Raises InvalidInput where there is no such session."""
    own = store.info(name)
    others = [one for one in store.sessions() if one.id != name]
    return Family(
        session=own,
        parents=tuple(_parents(own, {one.id: one for one in others})),
        children=tuple(one for one in others if one.parent == name),
        siblings=tuple(one for one in others if own.project and one.project == own.project),
    )


def _parents(own: SessionInfo, others: dict[str, SessionInfo]) -> Iterator[SessionInfo]:
    """Each once, whatever the logs say of one another."""
    parent = others.pop(own.parent or "", None)
    while parent is not None:
        yield parent
        parent = others.pop(parent.parent or "", None)


def fork(store: SessionStore, name: str, at: str | None = None, *, title: str = "") -> str:
    """A new session that begins with what was visible at a message of another, by default at its newest; its id.

    The other is its parent, and is not changed. Raises InvalidInput where there is no such session or message.
    """
    info = store.info(name)
    with store.read(name) as source:
        active = replay_from_end(_back_from(read_records(source.journal.lines_reversed(), []), name, at))
    view, made = view_of(active), active.compaction

    def draft(drafts: RecordBuilder) -> None:
        if made is not None:  # its summary is the fork's too, and names where it was made
            opening = tuple(Copy(message=dict(one.raw), marks=one.marks) for one in view.messages[: view.opened])
            origin = SessionSource(session=name, compaction=made.id)
            known: Any = {"facts": made.facts, "identifiers": made.identifiers, "learned": made.learned}
            drafts.add(CompactionRecord, summary=made.summary, opening=opening, source=origin, **known)
        usages = {one.after: one for one in view.usages}
        for count, message in enumerate(view.messages[view.opened :], view.opened + 1):
            drafts.add(MessageRecord, message=dict(message.raw), marks=message.marks)
            if (usage := usages.get(count)) is not None:
                drafts.add(UsageRecord, usage=usage.usage, model=usage.model)

    about = {
        "project": info.project,
        "title": title or info.title,
        "model": info.model,
        "window": info.window,
        "parent": name,
    }
    return new_session(store, draft, **about).session.session


def _back_from(newest_first: Iterator[Record], name: str, at: str | None) -> Iterator[Record]:
    """The records from a message back, its usage included."""
    later: Record | None = None
    for record in newest_first if at is not None else ():
        if record.id == at and isinstance(record, MessageRecord):
            yield from (later, record) if isinstance(later, UsageRecord) else (record,)
            break
        later = record
    else:
        if at is not None:
            raise InvalidInput(f"session {name} holds no message {at!r}; name the record of one of its messages")
    yield from newest_first


def import_context(store: SessionStore, into: str, source: str, *, summary: str = "") -> str:
    """Add what happened in a related session to another, as a summary that names its source; the id of its record.

    The words are those of `summary`, or else the source's own summary, followed by the template's of what came since.
    Raises Refused where the two are not related, or where the source says nothing; SessionHeld, InvalidInput.
    """
    family = family_of(store, into)
    info = store.info(source)
    if into == source:
        raise Refused(f"session {into} cannot take over its own context, which it has already; name another session")
    if source not in family.related and into not in family_of(store, source).related:
        raise Refused(
            f"session {source} is not related to {into}: it is neither its parent nor its child, nor of its project; "
            "fork it, or name one of the same project"
        )
    words = summary.strip() or _words(store, source)
    if not words:
        raise Refused(f"there is nothing to take over from session {source}: nothing was said in it")
    message = user_text(f"{CONTEXT_OPENING}\n\n{_source_line(info)}\n\n{words}", SUMMARY)
    with store.open(into) as session:
        return session.append(message)


def _source_line(info: SessionInfo) -> str:
    title = f' "{info.title}"' if info.title else ""
    return f"Source: session {info.id}{title}" + (f", project {info.project}" if info.project else "")


def _words(store: SessionStore, source: str) -> str:
    """The active summary of a session, and after it the template's of what was done since."""
    with store.read(source) as session:
        active = replay_from_end(read_records(session.journal.lines_reversed(), []))
    view, made = view_of(active), active.compaction
    earlier = made.words if made is not None else ""
    since = find_turns([one for one in view.messages[view.opened :] if not one.marks.summary])
    return "\n\n".join(words for words in (earlier, template_summary(since) if since else "") if words)
