"""The record of what is sent instead of the first messages of an agent's conversation.

It stands in the agent's state, and on the response that was made from it: a caller who passes the messages back, and
a graph that has the agent as a node, keep the messages and not the agent's own state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, NotRequired, cast

from langchain.agents.middleware.types import AgentState, ModelRequest, ModelResponse, PrivateStateAttr, ResponseT
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage, message_to_dict, messages_from_dict

from brim.adapters.held import Outcome
from brim.adapters.langchain_messages import read, restore
from brim.adapters.memory import RECORD, START, Compacted, Kept, Memory, Record, chain_of, digest, read_record
from brim.conversation.messages import Message
from brim.engine.progress import Progress

LAST: Final = 16
"""Ids of the last messages that a record covers: some of them may be removed from the state later."""


class CompactedState(AgentState[ResponseT]):
    """The agent's state, and beside it what is sent instead of its first messages."""

    brim_compaction: NotRequired[Annotated[dict[str, Any], PrivateStateAttr]]
    """A Record, as JSON."""


@dataclass(frozen=True, slots=True)
class Sent:
    """The messages that are sent, and how many of them a compaction left."""

    messages: list[AnyMessage]
    settled: int = 0
    progress: Progress = START
    new: bool = False
    """Whether this request made the compaction."""

    def after(self, read_as: Sequence[Message], outcome: Outcome) -> Sent:
        """What is sent after a compaction."""
        if not outcome.tried:
            return self
        if not outcome.compaction.plan.acts:
            return replace(self, progress=outcome.progress, new=True)
        messages = restore(self.messages, read_as, outcome.compaction)
        return Sent(messages, len(messages), outcome.progress, new=True)

    def replaces(self, messages: Sequence[AnyMessage]) -> Compacted[AnyMessage]:
        """What this request's compaction put in place of these messages."""
        places = {id(message): place for place, message in enumerate(messages)}
        front = tuple(places.get(id(one), one) for one in self.messages)
        return Compacted(len(messages), front, self.settled, self.progress)


def recorded(request: ModelRequest[Any], memory: Memory[AnyMessage]) -> Sent:
    """What is sent instead of the messages that came; all of them where no record and no memory tells of a compaction.

    Of a message on which a record rests and that was removed since, the rest of the record stands.
    """
    messages = request.messages
    found = max(_records(request), key=lambda one: one.covered, default=None) or memory.find(chain(messages))
    if found is None:
        return Sent(messages)
    return Sent(found.before(messages), found.settled, found.progress)


def chain(messages: Sequence[AnyMessage]) -> list[bytes]:
    """The messages known by their content."""
    return chain_of([digest([message]) for message in read(messages)])


def _records(request: ModelRequest[Any]) -> Iterator[Compacted[AnyMessage]]:
    """What the newest record on a message says, and what the one in the state says."""
    known = {message.id: place for place, message in enumerate(request.messages) if message.id}
    for place, message in reversed(list(enumerate(request.messages))):
        record = read_record(message.response_metadata.get(RECORD)) if isinstance(message, AIMessage) else None
        if record and place:
            yield _applied(record, request.messages[:place], known)
            break
    state: dict[str, Any] = {**request.state}
    if record := read_record(state.get(RECORD)):
        covered = max((known[one] for one in record.until if one in known), default=-1) + 1
        if covered:
            yield _applied(record, request.messages[:covered], known)


def _applied(record: Record, messages: Sequence[AnyMessage], known: Mapping[str, int]) -> Compacted[AnyMessage]:
    """A record on these messages; one that was removed is left out, and brim's own answer to a removed call with it."""
    found = [_place(one, messages, known) if isinstance(one, Kept) else None for one in record.messages]
    gone = any(isinstance(one, Kept) and place is None for one, place in zip(record.messages, found, strict=True))
    front: list[int | AnyMessage] = []
    settled = 0
    for n, (one, place) in enumerate(zip(record.messages, found, strict=True)):
        sent: list[int | AnyMessage] = [] if place is None else [place]
        if isinstance(one, dict):
            new = cast("list[AnyMessage]", messages_from_dict([one]))
            sent = [message for message in new if not (gone and isinstance(message, ToolMessage))]
        front += sent
        settled += len(sent) if n < record.settled else 0
    return Compacted(len(messages), tuple(front), settled, record.progress)


def _place(kept: Kept, messages: Sequence[AnyMessage], known: Mapping[str, int]) -> int | None:
    """The index of a message that is kept: by its id, or under a new id where it stood. None where it was removed."""
    place = known.get(kept.id, len(messages) - kept.back)
    if kept.id in known:
        return place if place < len(messages) else None
    return place if place >= 0 and _said(messages[place]) == kept.said else None


def _said(message: AnyMessage) -> str:
    return digest(read([message])).hex()


def record_of(messages: Sequence[AnyMessage], sent: Sent) -> dict[str, Any] | None:
    """What is to be kept of this request's compaction, as JSON; None where there was none."""
    if not sent.new or not messages:
        return None
    back = {id(message): n for n, message in enumerate(reversed(messages), 1)}
    return Record(
        until=[message.id for message in messages[-LAST:] if message.id],
        messages=[
            Kept(one.id or "", _said(one), back[id(one)]) if id(one) in back else message_to_dict(one)
            for one in sent.messages
        ],
        settled=sent.settled,
        left=list(sent.progress.held),
        threshold=sent.progress.threshold,
    ).model_dump(mode="json")


def carried_by(response: ModelResponse[ResponseT], record: dict[str, Any]) -> ModelResponse[ResponseT]:
    """The response whose first message of the model carries the record."""
    result = list(response.result)
    for place, message in enumerate(result):
        if isinstance(message, AIMessage):
            told = {**message.response_metadata, RECORD: record}
            result[place] = message.model_copy(update={"response_metadata": told})
            break
    return replace(response, result=result)
