"""A history processor for pydantic-ai that compacts before a model request, in the middle of a run too (TRG_17).

    Agent(model, capabilities=[ProcessHistory(CompactHistory())])

pydantic-ai makes what a processor returns the history of the run. An application that stores that goes on from the
compacted conversation. One that passes in the whole conversation again gets what the last compaction made of it,
without another: the request that was compacted carries a record of it in its metadata, which pydantic-ai sends to no
provider and keeps with `new_messages()` and `all_messages()`, also as JSON (ADP_06).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Unpack

try:
    from pydantic_ai import Agent, RunContext
except ImportError as error:
    raise ImportError(
        f"{__name__} needs pydantic-ai ({error}): install brim with its extra, "
        "as by pip install '.[pydantic-ai]' in a clone"
    ) from error
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

from brim.adapters.compacting import AdapterRequest, AdapterSettings, Compactors
from brim.adapters.pydantic_ai_messages import (
    CARRIED,
    AgentHistory,
    PydanticAISummarizer,
    is_written_by_brim,
    read,
    usage_of,
)
from brim.adapters.records import (
    RECORD,
    AdapterRecord,
    RecordMemory,
    Replacement,
    Sent,
    chain_of,
    digest,
    read_record,
    record_of,
)
from brim.engine.driving import arun
from brim.errors import UnknownLimits
from brim.models import ModelLimits


class CompactHistory:
    """Keeps the history of an agent's runs inside its model's window.

    Args:
        summarizer: writes the summaries: a model of pydantic-ai's or its name ("openai:gpt-5"), an agent, an Anthropic
            client (the policy names its model), a summarizer of brim's, or None for the template, which asks no model.
        limits: what the agent's model can hold; else what pydantic-ai knows of it.
        settings: as for a Compactor: policy, on_event, sleep.

    Raises InvalidInput and Refused for settings that cannot work; in a run UnknownLimits, ContextOverflow and
    CompactionStalled.
    """

    def __init__(
        self,
        summarizer: Any = None,
        *,
        limits: ModelLimits | None = None,
        **settings: Unpack[AdapterSettings],
    ) -> None:
        model = infer_model(summarizer) if isinstance(summarizer, str) else summarizer
        writer = PydanticAISummarizer(model) if isinstance(model, (Model, Agent)) else model
        self._compactors = Compactors(type(self).__name__, writer, settings)
        self._limits = limits
        self._memory: RecordMemory[ModelMessage] = RecordMemory()

    async def __call__(self, ctx: RunContext[Any], messages: list[ModelMessage]) -> list[ModelMessage]:
        """Return the history that is sent; messages that came in keep their parts. A paused response is resumed."""
        sent = recorded(messages, self._memory)
        if not messages or (isinstance(messages[-1], ModelResponse) and messages[-1].state == "suspended"):
            return sent.messages
        history = AgentHistory(sent.messages, *read(sent.messages))
        asked = self._read(ctx, sent, history)
        result = await arun(self._compactors.compacting(asked, sent.progress, in_loop=True))
        if result.is_news:
            sent = replace(sent, progress=result.progress)
            if result.compaction is not None:
                compacted = _with_last_merged(history.after(result.compaction))
                sent = Sent(compacted, len(compacted), result.progress)
            sent = with_record(messages, sent)
            replacement = sent.replaces(messages)
            self._memory.remember(chain(messages), replacement)
            self._memory.remember(chain([*messages[:-1], sent.messages[-1]]), replacement)
        self._memory.remember_sent(chain(repair_messages(sent.messages)))
        return list(sent.messages)

    def _read(self, ctx: RunContext[Any], sent: Sent[ModelMessage], history: AgentHistory) -> AdapterRequest:
        """Read the request in brim's form. The usage of the last response counts for what it measured (TOK_11).

        The next run gets neighboring requests merged into one: the lists are compared in that form.
        """
        measured = range(len(sent.messages) - 1, sent.unmeasured_prefix - 1, -1)
        last = next((index for index in measured if isinstance(sent.messages[index], ModelResponse)), None)
        reported = None if last is None else self._compactors.usage(usage_of, sent.messages[last])
        usage = reported if reported and reported.total else None
        return AdapterRequest(
            limits=self._limits or limits_of(ctx),
            messages=history.read_as,
            usage=usage,
            measured=usage is None or self._memory.was_sent(chain(repair_messages(sent.messages[:last]))),
            system=system_of(sent.messages),
            tools=[
                {"name": tool.name, "description": tool.description, "input_schema": tool.parameters_json_schema}
                for tool in ctx.tools.values()
            ],
        )


def _with_last_merged(messages: list[ModelMessage]) -> list[ModelMessage]:
    """Return the messages in pydantic-ai's own form where that merges the last one with the summary before it.

    The next run merges them, and drops the metadata of both. An earlier one stays as it is: the id of its run, which is
    dropped too, shows pydantic-ai which messages are new.
    """
    are_requests = all(isinstance(message, ModelRequest) for message in messages[-2:])
    return repair_messages(messages) if are_requests else messages


def limits_of(ctx: RunContext[Any]) -> ModelLimits:
    """Read the context window that pydantic-ai states for the model, and its longest answer. Raises UnknownLimits."""
    window = getattr(ctx.model, "context_window", None)
    if not window:
        raise UnknownLimits(
            f"the context window of {ctx.model.model_name!r} is unknown, and it is not guessed: pass "
            "limits=ModelLimits(context_window=…, max_output_tokens=…)"
        )
    asked = dict(ctx.model_settings or {}).get("max_tokens")
    return ModelLimits(context_window=window, max_output_tokens=asked if isinstance(asked, int) else 0)


def system_of(messages: Sequence[ModelMessage]) -> str:
    """Join the system prompt and the instructions that go with this request."""
    parts = (part for message in messages for part in message.parts if isinstance(part, SystemPromptPart))
    last = messages[-1]
    instructions = last.instructions if isinstance(last, ModelRequest) else None
    return "\n\n".join([*(part.content for part in parts), *([instructions] if instructions else [])])


def recorded(messages: Sequence[ModelMessage], memory: RecordMemory[ModelMessage]) -> Sent[ModelMessage]:
    """Return what is sent instead of the messages; all of them where no record and no memory has a compaction."""
    digests = [_digest(message) for message in messages]
    found = next(_records(messages, digests), None) or memory.find(chain_of(digests))
    return Sent(list(messages)) if found is None else found.apply(messages)


def chain(messages: Sequence[ModelMessage]) -> list[bytes]:
    """Return for each message a digest of it and of all before it, by which it is recognized."""
    return chain_of([_digest(message) for message in messages])


def _digest(message: ModelMessage) -> bytes:
    """Digest the content of a message and the system prompt that it holds; not its times, ids and metadata."""
    carried = [[part.part_kind, getattr(part, "content", None)] for part in message.parts if part.part_kind in CARRIED]
    content = digest(read([message])[1])
    return content + to_json(carried, fallback=repr) if carried else content


def _records(messages: Sequence[ModelMessage], digests: Sequence[bytes]) -> Iterator[Replacement[ModelMessage]]:
    """Yield what the records on these messages say, the newest first, where it can still be applied."""
    for count, message in reversed(list(enumerate(messages, 1))):
        if not isinstance(message, ModelRequest):
            continue
        record = read_record((message.metadata or {}).get(RECORD))
        applied = record and _applied(record, messages[:count], digests[:count])
        if applied:
            yield applied


def _applied(
    record: AdapterRecord, messages: Sequence[ModelMessage], digests: Sequence[bytes]
) -> Replacement[ModelMessage] | None:
    """Apply a record to these messages; None where one that it keeps is not among them."""
    indices = {one.hex(): index for index, one in enumerate(digests)}
    new = [ModelMessagesTypeAdapter.validate_python([one])[0] for one in record.messages if isinstance(one, dict)]
    if all(isinstance(one, dict) or one in indices for one in record.messages):
        rest = iter(new)
        replaced = tuple(indices[one] if isinstance(one, str) else next(rest) for one in record.messages)
        return Replacement(len(messages), replaced, record.unmeasured, record.progress)
    if _written(new) & _written(messages):
        return Replacement(len(messages), tuple(range(len(messages))), len(messages), record.progress)
    return None


def _written(messages: Sequence[ModelMessage]) -> set[str]:
    """Return the summaries among these: a history that holds them is the result of the compaction."""
    parts = (part for message in messages for part in message.parts)
    return {str(getattr(part, "content", "")) for part in parts if is_written_by_brim(part)}


def with_record(messages: Sequence[ModelMessage], sent: Sent[ModelMessage]) -> Sent[ModelMessage]:
    """Return the same, with a record of what replaces these messages on a copy of the last request (ADP_06)."""
    last = sent.messages[-1]
    if not isinstance(last, ModelRequest):
        return sent
    own = {id(one) for one in (*messages, last)}
    entries = [
        _digest(one).hex()
        if id(one) in own
        else ModelMessagesTypeAdapter.dump_python([one], mode="json", fallback=repr)[0]
        for one in sent.messages
    ]
    record = record_of(entries, sent).model_dump(exclude={"until"})
    carrier = replace(last, metadata={**(last.metadata or {}), RECORD: record})
    return replace(sent, messages=[*sent.messages[:-1], carrier])
