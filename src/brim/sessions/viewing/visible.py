"""Visible messages: what is sent of a history that holds its own compactions as messages, as OpenCode's does.

Specified by features/sessions/view.feature (SES_04). A marker asks for a compaction, and the summary whose parent it is
answers it. In brim's own log both are one record: see `walking` and `view`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


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
    made = _newest(messages)
    if made is None:
        return [message.id for message in messages if _is_plain(message)]
    marker, summary = made
    tail = _tail(messages, marker)
    rest = [*messages[tail:marker], *messages[marker + 1 :]]
    plain = [message.id for message in rest if _is_plain(message)]
    return [messages[marker].id, messages[summary].id, *plain]


def _newest(messages: Sequence[Told]) -> tuple[int, int] | None:
    """Where the newest marker with a finished summary stands, and that summary; of several the newest."""
    answers: dict[str, int] = {}
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if message.compaction and message.id in answers:
            return place, answers[message.id]
        if message.summary and message.finished and message.error is None and message.parent is not None:
            answers.setdefault(message.parent, place)
    return None


def _tail(messages: Sequence[Told], marker: int) -> int:
    start = messages[marker].tail_start
    return next((place for place in range(marker) if messages[place].id == start), marker)


def _is_plain(message: Told) -> bool:
    return not message.compaction and not message.summary
