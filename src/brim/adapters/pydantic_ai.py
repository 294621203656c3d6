"""A history processor for pydantic-ai that compacts before a model request, in the middle of a run too (TRG_17).

    Agent(model, capabilities=[ProcessHistory(CompactHistory())])

pydantic-ai makes what a processor returns the history of the run. An application that stores that goes on from the
compacted conversation. One that passes in the whole conversation again gets what the last compaction made of it,
without another: the request that was compacted carries a record of it in its metadata, which pydantic-ai sends to no
provider and keeps with `new_messages()` and `all_messages()`, also as JSON (ADP_06).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from brim.errors import lacks_extra

try:
    from pydantic_ai import Agent, RunContext
except ImportError as error:
    raise ImportError(lacks_extra(__name__, "pydantic-ai", error)) from error
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    repair_messages,
)
from pydantic_ai.models import Model, infer_model
from pydantic_core import to_json

from brim.adapters.compacting import AgentConversations, AgentRequest, pins_of
from brim.adapters.pydantic_ai_messages import (
    CARRIED,
    AgentHistory,
    PydanticAISummarizer,
    is_written_by_brim,
    usage_of,
)
from brim.adapters.records import RECORD, Applied, MessageRecords, digest
from brim.compaction.policy import CompactionPolicy
from brim.engine.driving import Listener, Sleep, Steps, arun
from brim.models import ModelLimits


class CompactHistory:
    """Keeps the history of an agent's runs inside its model's window (ADP_05), stored or not (ADP_06).

    Args:
        summarizer: writes the summaries: a model of pydantic-ai's or its name ("openai:gpt-5"), an agent, an Anthropic
            client (the policy names its model), a summarizer of brim's, or None for the template, which asks no model.
        limits: what the agent's model can hold; else what pydantic-ai knows of it.
        policy: every setting that governs compaction.
        on_event: one listener or several; each receives every event (CMP_06).
        sleep: waits for a number of seconds, between attempts at a summary.

    Raises InvalidInput and Refused for settings that cannot work; in a run UnknownLimits, ContextOverflow and
    CompactionStalled.
    """

    def __init__(
        self,
        summarizer: Any = None,
        *,
        limits: ModelLimits | None = None,
        policy: CompactionPolicy | None = None,
        on_event: Listener | Sequence[Listener] | None = None,
        sleep: Sleep | None = None,
    ) -> None:
        model = infer_model(summarizer) if isinstance(summarizer, str) else summarizer
        writer = PydanticAISummarizer(model) if isinstance(model, (Model, Agent)) else model
        self._conversations = AgentConversations(writer, limits, policy, on_event=on_event, sleep=sleep)

    async def __call__(self, ctx: RunContext[Any], messages: list[ModelMessage]) -> list[ModelMessage]:
        """Return the history that is sent; messages that came in keep their parts. A paused response is resumed."""
        applied = recorded(messages)
        if not messages or (isinstance(messages[-1], ModelResponse) and messages[-1].state == "suspended"):
            return applied.messages
        return await arun(self._sending(ctx, messages, applied))

    def _sending(
        self, ctx: RunContext[Any], messages: Sequence[ModelMessage], applied: Applied[ModelMessage]
    ) -> Steps[list[ModelMessage]]:
        history = AgentHistory(applied.messages)
        agent_request = self._read(ctx, history, applied)
        state: Any
        state, outgoing = yield from self._conversations.preparing(agent_request)
        is_same = outgoing.messages is agent_request.messages
        sent = [*applied.messages] if is_same else _with_last_merged(history.sent(state))
        last = sent[-1]
        if state.record_due:
            if isinstance(last, ModelRequest):
                record = RECORDS.record([*messages, last], sent, state.loop.progress)
                sent[-1] = replace(last, metadata={**(last.metadata or {}), RECORD: record})
            self._conversations.keep(state.from_record(AgentHistory(sent).read))
        return sent

    def _read(self, ctx: RunContext[Any], history: AgentHistory, applied: Applied[ModelMessage]) -> AgentRequest:
        return AgentRequest(
            model=self._conversations.limits_key(
                repr(ctx.model.model_name),
                getattr(ctx.model, "context_window", None),
                dict(ctx.model_settings or {}).get("max_tokens"),
            ),
            messages=history.read,
            pinned=pins_of(history.read),
            system=system_of(applied.messages),
            tools=[
                {"name": tool.name, "description": tool.description, "input_schema": tool.parameters_json_schema}
                for tool in ctx.tools.values()
            ],
            usage_of=lambda n: self._conversations.usage(usage_of, history.message_of(n)),
            system_before=lambda n: system_of(history.before(n)),
            progress=applied.progress,
            recorded=len(AgentHistory(applied.messages[: applied.count]).read),
        )


def _with_last_merged(messages: list[ModelMessage]) -> list[ModelMessage]:
    """Return the messages in pydantic-ai's own form where that merges the last one with the summary before it.

    The next run merges them, and drops the metadata of both. An earlier one stays as it is: the id of its run, which is
    dropped too, shows pydantic-ai which messages are new.
    """
    are_requests = all(isinstance(message, ModelRequest) for message in messages[-2:])
    return repair_messages(messages) if are_requests else messages


def system_of(messages: Sequence[ModelMessage]) -> str:
    """Join the system prompt and the instructions that go with this request."""
    parts = (part for message in messages for part in message.parts if isinstance(part, SystemPromptPart))
    last = messages[-1]
    instructions = last.instructions if isinstance(last, ModelRequest) else None
    return "\n\n".join([*(part.content for part in parts), *([instructions] if instructions else [])])


def recorded(messages: list[ModelMessage]) -> Applied[ModelMessage]:
    """Return the messages, with what the newest record that can be applied says in place of those that it covers."""
    stored = [(n, (one.metadata or {}).get(RECORD)) for n, one in enumerate(messages, 1) if one.kind == "request"]
    return RECORDS.apply(messages, ((n, record) for n, record in reversed(stored) if record is not None))


def _digest(message: ModelMessage) -> str:
    """Digest the content of a message and the system prompt that it holds; not its times, ids and metadata."""
    carried = [[part.part_kind, getattr(part, "content", None)] for part in message.parts if part.part_kind in CARRIED]
    history = AgentHistory([message])
    of_brim = [n if is_written_by_brim(message.parts[parts[0]]) else None for n, (_, parts) in enumerate(history.units)]
    groups = groupby(zip(of_brim, history.read, strict=True), itemgetter(0))  # as the records of older versions have it
    units = [[unit for _, unit in group] for _, group in groups]
    content = digest(
        *({"role": one[0]["role"], "content": [part for unit in one for part in unit["content"]]} for one in units)
    )
    return (content + to_json(carried, fallback=repr) if carried else content).hex()


def _summaries(message: ModelMessage) -> set[str]:
    return {str(getattr(part, "content", "")) for part in message.parts if is_written_by_brim(part)}


RECORDS: Final[MessageRecords[ModelMessage]] = MessageRecords(
    digest=_digest,
    dump=lambda message: ModelMessagesTypeAdapter.dump_python([message], mode="json", fallback=repr)[0],
    load=lambda stored: ModelMessagesTypeAdapter.validate_python([stored])[0],
    summaries=_summaries,
)
