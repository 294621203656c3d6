"""The record of what is sent instead of the first messages of a history.

It stands in the metadata of the request that the compaction was made for: pydantic-ai sends metadata to no provider,
and keeps it with `new_messages()` and `all_messages()`, also as JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelRequest
from pydantic_core import to_json

from brim.adapters.memory import RECORD, START, Compacted, Memory, Record, chain_of, digest, read_record
from brim.adapters.pydantic_ai_messages import CARRIED, is_ours, read
from brim.engine.progress import Progress


@dataclass(frozen=True, slots=True)
class Sent:
    """The messages that are sent, and how many of them a compaction left."""

    messages: list[ModelMessage]
    settled: int = 0
    progress: Progress = START

    def replaces(self, messages: Sequence[ModelMessage]) -> Compacted[ModelMessage]:
        """What stands in place of these messages."""
        places = {id(message): place for place, message in enumerate(messages)}
        front = tuple(places.get(id(one), one) for one in self.messages)
        return Compacted(len(messages), front, self.settled, self.progress)


def recorded(messages: Sequence[ModelMessage], memory: Memory[ModelMessage]) -> Sent:
    """What is sent instead of the messages that came; all of them where neither record nor memory tells otherwise."""
    digests = _digests(messages)
    found = next(_records(messages, digests), None) or memory.find(chain_of(digests))
    if found is None:
        return Sent(list(messages))
    return Sent(found.before(messages), found.settled, found.progress)


def chain(messages: Sequence[ModelMessage]) -> list[bytes]:
    """The messages known by their content."""
    return chain_of(_digests(messages))


def _digests(messages: Sequence[ModelMessage]) -> list[bytes]:
    return [_digest(message) for message in messages]


def _digest(message: ModelMessage) -> bytes:
    """A digest of what it says, and of the system prompt that it holds; not of its times, ids and metadata."""
    carried = [[part.part_kind, getattr(part, "content", None)] for part in message.parts if part.part_kind in CARRIED]
    said = digest(read([message])[1])
    return said + to_json(carried, fallback=repr) if carried else said


def _records(messages: Sequence[ModelMessage], digests: Sequence[bytes]) -> Iterator[Compacted[ModelMessage]]:
    """What the records on these messages say, the newest first, where it can still be told of them."""
    for place, message in reversed(list(enumerate(messages, 1))):
        if not isinstance(message, ModelRequest):
            continue
        record = read_record((message.metadata or {}).get(RECORD))
        applied = record and _applied(record, messages[:place], digests[:place])
        if applied:
            yield applied


def _applied(
    record: Record, messages: Sequence[ModelMessage], digests: Sequence[bytes]
) -> Compacted[ModelMessage] | None:
    """A record on these messages; None where one that it keeps is not among them."""
    places = {one.hex(): place for place, one in enumerate(digests)}
    new = [ModelMessagesTypeAdapter.validate_python([one])[0] for one in record.messages if isinstance(one, dict)]
    if all(isinstance(one, dict) or one in places for one in record.messages):
        rest = iter(new)
        front = tuple(places[one] if isinstance(one, str) else next(rest) for one in record.messages)
        return Compacted(len(messages), front, record.settled, record.progress)
    if _ours(new) & _ours(messages):
        return Compacted(len(messages), tuple(range(len(messages))), len(messages), record.progress)
    return None


def _ours(messages: Sequence[ModelMessage]) -> set[str]:
    """The summaries among these: a history that holds them is what the compaction made of it."""
    return {str(getattr(part, "content", "")) for message in messages for part in message.parts if is_ours(part)}


def with_record(messages: Sequence[ModelMessage], sent: Sent) -> Sent:
    """The same, with a record of what replaces these messages on a copy of the last request."""
    last = sent.messages[-1]
    if not isinstance(last, ModelRequest):
        return sent
    own = {id(one) for one in (*messages, last)}
    entries = [
        _digest(one).hex() if id(one) in own else ModelMessagesTypeAdapter.dump_python([one], mode="json")[0]
        for one in sent.messages
    ]
    record = Record(
        messages=entries, settled=sent.settled, left=list(sent.progress.held), threshold=sent.progress.threshold
    )
    carrier = replace(last, metadata={**(last.metadata or {}), RECORD: record.model_dump(exclude={"until"})})
    return replace(sent, messages=[*sent.messages[:-1], carrier])


def remember(memory: Memory[ModelMessage], messages: Sequence[ModelMessage], sent: Sent) -> None:
    """Remember what replaces these messages, with the last as it came and as it was sent."""
    made = sent.replaces(messages)
    memory.remember(chain(messages), made)
    memory.remember(chain([*messages[:-1], sent.messages[-1]]), made)
