"""Operations of the room sessions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pydantic import Field

from brim.errors import InvalidInput
from brim.portable.operation import Input, operation
from brim.sessions.records import CompactionRecord, Copy, MessageRecord, Record, SummaryRecord
from brim.sessions.view import replay_from_end, view_of

SAID: Final[dict[str, Any]] = {"role": "user", "content": "Words that do not matter."}
SUMMARY: Final = SummaryRecord(content="", generated=0, summarized=0, tokens_before=0)


class SessionMessage(Input):
    """A message of a history, by what decides whether it is sent."""

    id: str = Field(description="Its name in the answer.")
    role: str = Field(description="Who speaks: `user`, `assistant`, or a role of the program's own.")
    parent: str | None = Field(default=None, description="The message it answers; for a summary its marker.")
    summary: bool = Field(default=False, description="Whether it is a summary of earlier messages.")
    finished: bool = Field(default=False, description="Whether it is complete.")
    error: str | None = Field(default=None, description="Its error; null if it has none.")
    compaction: bool = Field(default=False, description="Whether it is a marker: it asks for a compaction.")
    tail_start: str | None = Field(default=None, description="For a marker: the first message kept verbatim.")


@operation(
    "SES_04",
    messages=[
        {"id": "a", "role": "user"},
        {"id": "m", "role": "user", "compaction": True},
        {"id": "s", "role": "assistant", "summary": True, "parent": "m", "finished": True},
        {"id": "b", "role": "user"},
    ],
)
def visible_messages(messages: list[SessionMessage]) -> list[str]:
    """Which messages are sent, in the order sent: the newest finished summary, the kept tail, and what came since.

    Two messages with one id are `invalid_input`. A summary is valid if it is finished, has no error, and its `parent`
    is a marker before it.

    Without a valid summary, all messages are sent except markers and summaries. Otherwise take the newest marker that
    has a valid summary, and of these summaries the newest. Sent are, in this order:

    1. that marker and that summary;
    2. the tail: the messages from the marker's `tail_start` up to the marker, none if `tail_start` is null, is no
       message, or is not before the marker;
    3. the messages after the marker.

    The tail and what follows it are sent without any marker or summary. What SES_04 says of pins is not portable.

    Args:
        messages: The history, in the order of time.
    """
    for name, count in Counter(message.id for message in messages).most_common(1):
        if count > 1:
            raise InvalidInput(f"two messages have the id {name!r}; name each by an id of its own")
    view = view_of(replay_from_end(reversed([*_records(messages)])))
    return [messages[int(index)].id for index in view.ids if index is not None]


def _records(messages: Sequence[SessionMessage]) -> Iterator[Record]:
    """The history as a log: a record for each message, and for each answer to a marker, named by their indices."""
    answers: defaultdict[str | None, list[int]] = defaultdict(list)
    for n, message in enumerate(messages):
        if message.summary:
            answers[message.parent].append(n)
    indices: dict[str | None, int] = {message.id: n for n, message in enumerate(messages)}
    for n, message in enumerate(messages):
        tail = indices.get(message.tail_start, n)
        for answer in (answer for answer in answers[message.id] if message.compaction and answer > n):
            yield CompactionRecord(
                id=f"{n:09}-{answer:09}",
                time=n,
                summary=SUMMARY if messages[answer].finished else None,
                error=messages[answer].error,
                opening=(Copy(of=str(n), message=SAID), Copy(of=str(answer), message=SAID)),
                tail=f"{tail:09}" if tail < n else None,
            )
        if not message.compaction and not message.summary:
            yield MessageRecord(id=f"{n:09}", time=n, message=SAID)
