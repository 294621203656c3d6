"""A LangChain agent middleware that compacts before a model call, in the middle of a turn too (TRG_17).

It wraps the model call: only there the system prompt and the tools are known, which fill the window as messages do.
The agent's state keeps the whole conversation. What is sent instead is recorded beside it in the state, and on the
response that was made from it: a caller who passes the messages back, and a graph that has the agent as a node, keep
the messages and not the agent's own state (ADP_02).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final, NotRequired, TypeAlias, Unpack, cast

try:
    from langchain.agents.middleware.types import (
        AgentMiddleware,
        AgentState,
        ContextT,
        ExtendedModelResponse,
        ModelRequest,
        ModelResponse,
        PrivateStateAttr,
        ResponseT,
    )
except ImportError as error:
    raise ImportError(
        f"{__name__} needs LangChain ({error}): install brim with its extra, "
        "as by pip install '.[langchain]' in a clone"
    ) from error
from langchain.chat_models import init_chat_model
from langchain_core.exceptions import ContextOverflowError
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage, message_to_dict, messages_from_dict
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.types import Command
from pydantic_core import to_jsonable_python

from brim.adapters.compacting import AdapterRequest, AdapterResult, AdapterSettings, Compactors, is_context_overflow
from brim.adapters.langchain_messages import (
    LangChainSummarizer,
    read,
    restore,
    usage_of,
)
from brim.adapters.records import (
    RECORD,
    AdapterRecord,
    Kept,
    RecordMemory,
    Replacement,
    Sent,
    chain_of,
    digest,
    read_record,
    record_of,
)
from brim.compaction.plan import Cause
from brim.engine.driving import Steps, arun, calling, run
from brim.errors import UnknownLimits
from brim.models import ModelLimits

__all__ = ["CompactedState", "CompactionMiddleware"]

Response: TypeAlias = ModelResponse[ResponseT] | ExtendedModelResponse[ResponseT]
LAST_IDS: Final = 16
"""Ids of the last messages that a record covers: some of them may be removed from the state later."""


class CompactedState(AgentState[ResponseT]):
    """The agent's state, and beside it what is sent instead of its first messages."""

    brim_compaction: NotRequired[Annotated[dict[str, Any], PrivateStateAttr]]
    """A Record, as JSON."""


class CompactionMiddleware(AgentMiddleware[CompactedState[ResponseT], ContextT, ResponseT]):
    """Keeps an agent's conversation inside its model's window.

    Args:
        summarizer: writes the summaries: a chat model or its name as `init_chat_model` takes it ("openai:gpt-5"), an
            Anthropic client (the policy names its model), a summarizer of brim's, or None for the template, which asks
            no model.
        limits: what the agent's model can hold; else what its LangChain profile states.
        settings: as for a Compactor: policy, on_event, sleep.

    Raises InvalidInput and Refused for settings that cannot work; in a call UnknownLimits, ContextOverflow and
    CompactionStalled.
    """

    state_schema = CompactedState  # type: ignore[assignment] # as LangChain's own middleware declares it
    """The agent's state, with a place for what is sent instead of the first messages."""

    def __init__(
        self,
        summarizer: Any = None,
        *,
        limits: ModelLimits | None = None,
        **settings: Unpack[AdapterSettings],
    ) -> None:
        super().__init__()
        if isinstance(summarizer, str):
            summarizer = init_chat_model(summarizer)
        writer = LangChainSummarizer(summarizer) if isinstance(summarizer, BaseChatModel) else summarizer
        self._compactors = Compactors(type(self).__name__, writer, settings)
        self._limits = limits
        self._memory: RecordMemory[AnyMessage] = RecordMemory()

    def wrap_model_call(
        self, request: ModelRequest[ContextT], handler: Callable[[ModelRequest[ContextT]], ModelResponse[ResponseT]]
    ) -> Response[ResponseT]:
        """Compact where it is due, and once more after the provider's overflow error (TRG_18)."""
        return run(self._responding(request, handler, in_loop=False))

    async def awrap_model_call(
        self,
        request: ModelRequest[ContextT],
        handler: Callable[[ModelRequest[ContextT]], Awaitable[ModelResponse[ResponseT]]],
    ) -> Response[ResponseT]:
        """Compact where it is due, and once more after the provider's overflow error (TRG_18)."""
        return await arun(self._responding(request, handler, in_loop=True))

    def _responding(
        self, request: ModelRequest[ContextT], handler: Callable[..., Any], *, in_loop: bool
    ) -> Steps[Response[ResponseT]]:
        """Yield the steps to the response; `handler` is that of a thread or of an event loop."""
        sent = yield from self._compacting(request, recorded(request, self._memory), in_loop=in_loop)
        try:
            response = yield calling(handler, request.override(messages=sent.messages))
        except Exception as error:
            if not _is_overflow(error):
                raise
            smaller = yield from self._compacting(request, sent, "overflow", in_loop=in_loop)
            if smaller.messages is sent.messages:
                raise
            sent, response = smaller, (yield calling(handler, request.override(messages=smaller.messages)))
        return self._recording(response, request, sent)

    def _compacting(
        self,
        request: ModelRequest[ContextT],
        sent: Sent[AnyMessage],
        cause: Cause = "automatic",
        *,
        in_loop: bool,
    ) -> Steps[Sent[AnyMessage]]:
        """Yield the steps to what is sent; a compaction is remembered, as the response that records it may fail."""
        asked = self._read(request, sent)
        result = yield from self._compactors.compacting(asked, sent.progress, cause, in_loop=in_loop)
        if not result.is_news:
            return sent
        made = _after(sent, asked, result)
        self._memory.remember(chain(request.messages), replace(made.replaces(request.messages), new=True))
        return made

    def _read(self, request: ModelRequest[ContextT], sent: Sent[AnyMessage]) -> AdapterRequest:
        """Read the request in brim's form. The usage of the last response counts for what it measured (TOK_11)."""
        measured = range(len(sent.messages) - 1, sent.unmeasured_prefix - 1, -1)
        last = next((index for index in measured if isinstance(sent.messages[index], AIMessage)), None)
        usage = None if last is None else self._compactors.usage(usage_of, sent.messages[last])
        return AdapterRequest(
            limits=self._limits or limits_of(request.model),
            messages=read(sent.messages),
            usage=usage,
            measured=usage is None or self._memory.was_sent(chain(sent.messages[:last])),
            system=request.system_prompt or "",
            tools=[tool if isinstance(tool, dict) else convert_to_openai_tool(tool) for tool in request.tools],
        )

    def _recording(
        self, response: ModelResponse[ResponseT], request: ModelRequest[ContextT], sent: Sent[AnyMessage]
    ) -> Response[ResponseT]:
        """Put the record of a compaction that this request made on the response and in the state."""
        self._memory.remember_sent(chain(sent.messages))
        if not sent.new or not request.messages:
            return response
        self._memory.remember(chain(request.messages), sent.replaces(request.messages))
        record = _record(request.messages, sent)
        return ExtendedModelResponse(_with_record(response, record), Command(update={RECORD: record}))


def limits_of(model: BaseChatModel) -> ModelLimits:
    """Read what the profile of a chat model states, in tokens. Raises UnknownLimits."""
    profile = model.profile or {}
    window, longest = profile.get("max_input_tokens"), profile.get("max_output_tokens")
    if not window:
        raise UnknownLimits(
            f"the context window of {type(model).__name__} is unknown, and it is not guessed: pass "
            "limits=ModelLimits(context_window=…, max_output_tokens=…)"
        )
    return ModelLimits(context_window=window, max_output_tokens=longest or 0)


def _is_overflow(error: Exception) -> bool:
    return isinstance(error, ContextOverflowError) or is_context_overflow(error)


def _after(sent: Sent[AnyMessage], request: AdapterRequest, result: AdapterResult) -> Sent[AnyMessage]:
    """Return what is sent after a compaction, or after one that changed only the progress."""
    if result.compaction is None:
        return replace(sent, progress=result.progress, new=True)
    messages = restore(sent.messages, request.messages, result.compaction)
    return Sent(messages, len(messages), result.progress, new=True)


def chain(messages: Sequence[AnyMessage]) -> list[bytes]:
    """Return for each message a digest of it and of all before it, which recognizes it also under a new id."""
    return chain_of([digest([message]) for message in read(messages)])


def recorded(request: ModelRequest[Any], memory: RecordMemory[AnyMessage]) -> Sent[AnyMessage]:
    """Return what is sent instead of the request's messages; all where no record and no memory has a compaction.

    The memory has a newer one than the record where the request that was compacted has failed.
    """
    messages = request.messages
    known = [*_records(request)]
    if not known or memory.has_unrecorded:
        remembered = memory.find(chain(messages))
        known += [] if remembered is None else [remembered]
    found = max(known, key=lambda one: one.replaced_count, default=None)
    return Sent(messages) if found is None else found.apply(messages)


def _records(request: ModelRequest[Any]) -> Iterator[Replacement[AnyMessage]]:
    """Yield the newest record on a message, and the one in the state."""
    known = {message.id: index for index, message in enumerate(request.messages) if message.id}
    for index, message in reversed(list(enumerate(request.messages))):
        record = read_record(message.response_metadata.get(RECORD)) if isinstance(message, AIMessage) else None
        if record and index:
            yield _applied(record, request.messages[:index], known)
            break
    state: dict[str, Any] = {**request.state}
    if record := read_record(state.get(RECORD)):
        covered = max((known[one] for one in record.until if one in known), default=-1) + 1
        if covered:
            yield _applied(record, request.messages[:covered], known)


def _applied(
    record: AdapterRecord, messages: Sequence[AnyMessage], known: Mapping[str, int]
) -> Replacement[AnyMessage]:
    """Apply a record to these messages; one removed is left out, and brim's own answer to a removed call with it."""
    found = [_index(one, messages, known) if isinstance(one, Kept) else None for one in record.messages]
    gone = any(isinstance(one, Kept) and index is None for one, index in zip(record.messages, found, strict=True))
    replaced: list[int | AnyMessage] = []
    unmeasured = 0
    for n, (one, index) in enumerate(zip(record.messages, found, strict=True)):
        sent: list[int | AnyMessage] = [] if index is None else [index]
        if isinstance(one, dict):
            new = cast("list[AnyMessage]", messages_from_dict([one]))
            sent = [message for message in new if not (gone and isinstance(message, ToolMessage))]
        replaced += sent
        unmeasured += len(sent) if n < record.unmeasured else 0
    return Replacement(len(messages), tuple(replaced), unmeasured, record.progress)


def _index(kept: Kept, messages: Sequence[AnyMessage], known: Mapping[str, int]) -> int | None:
    """Find the index of a kept message: by its id, or under a new id by its distance from the end. None if removed."""
    index = known.get(kept.id, len(messages) - kept.from_end)
    if kept.id in known:
        return index if index < len(messages) else None
    return index if index >= 0 and _digest(messages[index]) == kept.digest else None


def _digest(message: AnyMessage) -> str:
    return digest(read([message])).hex()


def _record(messages: Sequence[AnyMessage], sent: Sent[AnyMessage]) -> dict[str, Any]:
    """Write the record of this request's compaction, as JSON."""
    from_end = {id(message): n for n, message in enumerate(reversed(messages), 1)}
    entries = [
        Kept(one.id or "", _digest(one), from_end[id(one)]) if id(one) in from_end else _as_json(one)
        for one in sent.messages
    ]
    until = [message.id for message in messages[-LAST_IDS:] if message.id]
    return record_of(entries, sent, until).model_dump(mode="json")


def _as_json(message: AnyMessage) -> dict[str, Any]:
    """Write a message that brim wrote or changed as JSON, without its artifact, any object, which no model gets."""
    plain = message.model_copy(update={"artifact": None}) if isinstance(message, ToolMessage) else message
    written: dict[str, Any] = to_jsonable_python(message_to_dict(plain), fallback=repr, bytes_mode="base64")
    return written


def _with_record(response: ModelResponse[ResponseT], record: dict[str, Any]) -> ModelResponse[ResponseT]:
    """Return the response with the record on the first message of the model."""
    result = list(response.result)
    for index, message in enumerate(result):
        if isinstance(message, AIMessage):
            metadata = {**message.response_metadata, RECORD: record}
            result[index] = message.model_copy(update={"response_metadata": metadata})
            break
    return replace(response, result=result)
