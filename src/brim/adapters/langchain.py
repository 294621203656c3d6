"""A LangChain agent middleware that compacts before a model call, in the middle of a turn too (TRG_17).

It wraps the model call: only there the system prompt and the tools are known, which fill the window as messages do.
The agent's state keeps the whole conversation. What is sent instead is recorded beside it in the state, and on the
response that was made from it: a caller who passes the messages back, and a graph that has the agent as a node, keep
the messages and not the agent's own state (ADP_02).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, NotRequired, TypeAlias, cast

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

from brim.adapters.compacting import (
    AgentConversation,
    AgentConversations,
    AgentRequest,
    is_context_overflow,
    pins_of,
)
from brim.adapters.langchain_messages import LangChainSummarizer, read, restore, usage_of
from brim.adapters.records import RECORD, AdapterRecord, Applied, Kept, digest, read_record, record_of
from brim.compaction.policy import CompactionPolicy
from brim.engine.driving import Listener, Sleep, Steps, arun, calling, run
from brim.errors import UnknownLimits
from brim.models import ModelLimits

__all__ = ["CompactedState", "CompactionMiddleware"]

Response: TypeAlias = ModelResponse[ResponseT] | ExtendedModelResponse[ResponseT]


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
        policy: every setting that governs compaction.
        on_event: one listener or several; each receives every event (CMP_06).
        sleep: waits for a number of seconds, between attempts at a summary.

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
        policy: CompactionPolicy | None = None,
        on_event: Listener | Sequence[Listener] | None = None,
        sleep: Sleep | None = None,
    ) -> None:
        super().__init__()
        if isinstance(summarizer, str):
            summarizer = init_chat_model(summarizer)
        writer = LangChainSummarizer(summarizer) if isinstance(summarizer, BaseChatModel) else summarizer
        self._conversations = AgentConversations(writer, limits, policy, on_event=on_event, sleep=sleep)

    def wrap_model_call(
        self, request: ModelRequest[ContextT], handler: Callable[[ModelRequest[ContextT]], ModelResponse[ResponseT]]
    ) -> Response[ResponseT]:
        """Compact where it is due, and once more after the provider's overflow error (TRG_18)."""
        self._conversations.compactor.check_form(in_loop=False)
        return run(self._responding(request, handler))

    async def awrap_model_call(
        self,
        request: ModelRequest[ContextT],
        handler: Callable[[ModelRequest[ContextT]], Awaitable[ModelResponse[ResponseT]]],
    ) -> Response[ResponseT]:
        """Compact where it is due, and once more after the provider's overflow error (TRG_18)."""
        return await arun(self._responding(request, handler))

    def _responding(self, request: ModelRequest[ContextT], handler: Callable[..., Any]) -> Steps[Response[ResponseT]]:
        """Yield the steps to the response; `handler` is that of a thread or of an event loop."""
        applied = recorded(request)
        asked = self._read(request, applied)
        state: Any
        state, outgoing = yield from self._conversations.preparing(asked)
        is_same = outgoing.messages is asked.messages
        sent = applied.messages if is_same else restore(applied.messages, state)
        try:
            response = yield calling(handler, request.override(messages=sent))
        except Exception as error:
            if not (isinstance(error, ContextOverflowError) or is_context_overflow(error)):
                raise
            if not (yield from self._conversations.shrinking(state, asked.messages)):
                raise
            sent = restore(applied.messages, state)
            response = yield calling(handler, request.override(messages=sent))
        return self._recording(response, request, state, sent)

    def _read(self, request: ModelRequest[ContextT], applied: Applied[AnyMessage]) -> AgentRequest:
        messages = read(applied.messages)
        return AgentRequest(
            model=self._conversations.named(lambda: limits_of(request.model)),
            messages=messages,
            pinned=pins_of(messages),
            system=request.system_prompt or "",
            tools=[tool if isinstance(tool, dict) else convert_to_openai_tool(tool) for tool in request.tools],
            usage_of=lambda n: self._conversations.usage(usage_of, applied.messages[n]),
            progress=applied.progress,
            recorded=applied.count,
        )

    def _recording(
        self,
        response: ModelResponse[ResponseT],
        request: ModelRequest[ContextT],
        state: AgentConversation,
        sent: Sequence[AnyMessage],
    ) -> Response[ResponseT]:
        """Put the record of a compaction that no response has yet on this one and in the state."""
        if not (state.has_news and request.messages):
            return response
        self._conversations.keep(state.behind_record(read(sent)))
        record = _record(request.messages, sent, state)
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


def recorded(request: ModelRequest[Any]) -> Applied[AnyMessage]:
    """Return the request's messages, with what the newest record says in place of those that it covers."""
    messages = request.messages
    known = {message.id: index for index, message in enumerate(messages) if message.id}
    found = max(_records(request, known), key=lambda one: one[0], default=None)
    if found is None:
        return Applied(messages)
    covered, record = found
    replaced = [*_replaced(record, messages[:covered], known)]
    return Applied([*replaced, *messages[covered:]], len(replaced), record.progress)


def _records(request: ModelRequest[Any], known: Mapping[str, int]) -> Iterator[tuple[int, AdapterRecord]]:
    """Yield the newest record on a message, and the one in the state, each with the number of messages it covers."""
    for index, message in reversed(list(enumerate(request.messages))):
        record = read_record(message.response_metadata.get(RECORD)) if isinstance(message, AIMessage) else None
        if record and index:
            yield index, record
            break
    state: dict[str, Any] = {**request.state}
    if record := read_record(state.get(RECORD)):
        covered = max((known[one] for one in record.until if one in known), default=-1) + 1
        if covered:
            yield covered, record


def _replaced(record: AdapterRecord, messages: Sequence[AnyMessage], known: Mapping[str, int]) -> Iterator[AnyMessage]:
    """Yield what is sent in place of these; without a removed message, and brim's own answer to a removed call."""
    found = [_index(one, messages, known) if isinstance(one, Kept) else None for one in record.messages]
    gone = any(isinstance(one, Kept) and index is None for one, index in zip(record.messages, found, strict=True))
    for one, index in zip(record.messages, found, strict=True):
        if index is not None:
            yield messages[index]
        elif isinstance(one, dict):
            new = cast("list[AnyMessage]", messages_from_dict([one]))
            yield from (message for message in new if not (gone and isinstance(message, ToolMessage)))


def _index(kept: Kept, messages: Sequence[AnyMessage], known: Mapping[str, int]) -> int | None:
    """Find the index of a kept message: by its id, or under a new id by its distance from the end. None if removed."""
    index = known.get(kept.id, len(messages) - kept.from_end)
    if kept.id in known:
        return index if index < len(messages) else None
    return index if index >= 0 and _digest(messages[index]) == kept.digest else None


def _digest(message: AnyMessage) -> str:
    return digest(read([message])[0]).hex()


def _record(messages: Sequence[AnyMessage], sent: Sequence[AnyMessage], state: AgentConversation) -> dict[str, Any]:
    """Write the record of what is sent in place of these messages, as JSON."""
    from_end = {id(message): n for n, message in enumerate(reversed(messages), 1)}
    entries = [
        Kept(one.id or "", _digest(one), from_end[id(one)]) if id(one) in from_end else _as_json(one) for one in sent
    ]
    until = [message.id for message in messages[-16:] if message.id]  # some may be removed from the state later
    return record_of(entries, state.loop.progress, until).model_dump(mode="json")


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
