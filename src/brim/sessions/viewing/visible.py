"""Visible messages: what is sent of a history that holds its own compactions as messages, as OpenCode's does.

Specified by features/sessions/view.feature (SES_04). A marker asks for a compaction, and a summary whose parent it is
answers it. In brim's own log both are one record: so the history is read as such a log, and walked as any session is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Protocol

from brim.sessions.records.kinds import CompactionRecord, Copy, MessageRecord, Record
from brim.sessions.summary_records import SummaryRecord
from brim.sessions.viewing.changes import standing_at_the_end
from brim.sessions.viewing.gathering import gather
from brim.sessions.viewing.walking import walk_back

WRITTEN: Final = SummaryRecord(content="", generated=0, summarised=0, tokens_before=0)


class Told(Protocol):
    """What has to be known of a message."""

    @property
    def id(self) -> str:
        """Its name, unique in the history."""

    @property
    def parent(self) -> str | None:
        """The message it answers: for a summary its marker."""

    @property
    def summary(self) -> bool:
        """Whether it stands for what came before."""

    @property
    def finished(self) -> bool:
        """Whether it was written to its end."""

    @property
    def error(self) -> str | None:
        """The error it ended in, None where it ended well."""

    @property
    def compaction(self) -> bool:
        """Whether it is a marker: it asks for a compaction."""

    @property
    def tail_start(self) -> str | None:
        """For a marker: the first message that is kept word for word."""


def visible_messages(messages: Sequence[Told]) -> list[str]:
    """Ids in the order they are sent: the newest finished marker, its summary, the kept tail, and what came since.

    `messages` are in the order of time. Every other marker and summary is left out: it was not finished, failed, or the
    newest one stands in its place. A tail that is not there, or does not begin before the marker, is no tail.
    """
    standing = walk_back(reversed(list(_records(messages))))
    gathered = gather(standing.records, standing.compaction, standing_at_the_end(standing.records))
    return [entry.message.text for entry in gathered.entries]


def _records(messages: Sequence[Told]) -> Iterator[Record]:
    """The history as a log: a record for each message, and for each attempt to answer a marker, where that stands."""
    answers: defaultdict[str | None, list[int]] = defaultdict(list)
    for place, message in enumerate(messages):
        if message.summary:
            answers[message.parent].append(place)
    places: dict[str | None, int] = {message.id: place for place, message in enumerate(messages)}
    for place, message in enumerate(messages):
        if message.compaction:
            behind = (answer for answer in answers[message.id] if answer > place)
            yield from (_attempt(messages, place, answer, places) for answer in behind)
        elif not message.summary:
            yield MessageRecord(id=_name(place), time=place, message=_said(message))


def _attempt(messages: Sequence[Told], place: int, answer: int, places: Mapping[str | None, int]) -> CompactionRecord:
    marker, summary = messages[place], messages[answer]
    tail = places.get(marker.tail_start, place)
    return CompactionRecord(
        id=f"{_name(place)}-{_name(answer)}",
        time=place,
        summary=WRITTEN if summary.finished else None,
        error=summary.error,
        opening=(Copy(message=_said(marker)), Copy(message=_said(summary))),
        tail=_name(tail) if tail < place else None,
    )


def _name(place: int) -> str:
    """An id that ascends."""
    return f"{place:09}"


def _said(message: Told) -> dict[str, str]:
    """A message that says the id, for that is what is asked for."""
    return {"role": "user", "content": message.id}
