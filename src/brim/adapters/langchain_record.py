"""The record in an agent's state of what is sent instead of its first messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, NotRequired

from langchain.agents.middleware.types import AgentState, ModelRequest, PrivateStateAttr, ResponseT
from langchain_core.messages import AnyMessage

from brim.adapters.held import Outcome
from brim.adapters.langchain_messages import restore
from brim.conversation.messages import Message
from brim.engine.progress import Progress

RECORD: Final = "brim_compaction"
START: Final = Progress()


class CompactedState(AgentState[ResponseT]):
    """The agent's state, and beside it what is sent instead of its first messages."""

    brim_compaction: NotRequired[Annotated[dict[str, Any], PrivateStateAttr]]
    """`until`: id of the last message that is stood for; `messages`: ids of those kept, and those that are new;
    `settled`: how many of them no usage has measured; `left`, `threshold`: what compactions left that did not help."""


@dataclass(frozen=True, slots=True)
class Sent:
    """The messages that are sent, and how many of them a compaction left."""

    messages: list[AnyMessage]
    settled: int = 0
    progress: Progress = START
    new: bool = False
    """Whether this request brought it about."""

    def after(self, read_as: Sequence[Message], outcome: Outcome) -> Sent:
        """What is sent after a compaction."""
        if not outcome.tried:
            return self
        if not outcome.compaction.plan.acts:
            return replace(self, progress=outcome.progress, new=True)
        messages = restore(self.messages, read_as, outcome.compaction)
        return Sent(messages, len(messages), outcome.progress, new=True)


def recorded(request: ModelRequest[Any]) -> Sent:
    """What the state says is sent instead; all messages where it says nothing, or rests on one that is gone."""
    state: dict[str, Any] = {**request.state}
    record: dict[str, Any] = state.get(RECORD) or {}
    known = {message.id: place for place, message in enumerate(request.messages) if message.id}
    kept = [one for one in record.get("messages", ()) if not isinstance(one, str) or one in known]
    until = known.get(record.get("until", ""))
    if until is None or len(kept) < len(record["messages"]):
        return Sent(request.messages)
    front = [request.messages[known[one]] if isinstance(one, str) else one for one in kept]
    progress = Progress(tuple(record["left"]), record["threshold"])
    return Sent([*front, *request.messages[until + 1 :]], record["settled"], progress)


def record_of(messages: Sequence[AnyMessage], sent: Sent) -> dict[str, Any] | None:
    """What the state is to say; None where there is nothing new, or nothing to know the messages by."""
    until = messages[-1].id if messages else None
    if not sent.new or until is None:
        return None
    own = {id(message) for message in messages if message.id}
    return {
        "until": until,
        "messages": [one.id if id(one) in own else one for one in sent.messages],
        "settled": sent.settled,
        "left": list(sent.progress.held),
        "threshold": sent.progress.threshold,
    }
