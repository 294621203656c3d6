"""A LangChain agent middleware that compacts before a model call, in the middle of a turn too (TRG_17).

It wraps the model call: only there the system prompt and the tools are known, which fill the window as messages do.
The agent's state keeps the whole conversation. What is sent instead is recorded on the response that was made from it:
a caller who passes the messages back, and a graph that has the agent as a node, keep the messages and not the agent's
own state (ADP_02).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from brim.errors import lacks_extra

try:
    from langchain.agents.middleware.types import (
        AgentMiddleware,
        AgentState,
        ContextT,
        ModelRequest,
        ModelResponse,
        ResponseT,
    )
except ImportError as error:
    raise ImportError(lacks_extra(__name__, "langchain", error)) from error
from langchain.chat_models import init_chat_model
from langchain_core.exceptions import ContextOverflowError
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage, message_to_dict, messages_from_dict
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic_core import to_jsonable_python

from brim.adapters.compacting import (
    AgentConversation,
    AgentConversations,
    AgentRequest,
    is_context_overflow,
    pins_of,
)
from brim.adapters.langchain_messages import LangChainSummarizer, read, restore, usage_of
from brim.adapters.records import RECORD, Applied, MessageRecords, digest
from brim.compaction.policy import CompactionPolicy
from brim.engine.driving import Listener, Sleep, Steps, arun, calling
from brim.models import ModelLimits

__all__ = ["CompactionMiddleware"]


class CompactionMiddleware(AgentMiddleware[AgentState[ResponseT], ContextT, ResponseT]):
    """Keeps an agent's conversation inside its model's window (ADP_01).

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
    ) -> ModelResponse[ResponseT]:
        """Compact where it is due, and once more after the provider's overflow error (TRG_18)."""
        return self._conversations.compactor.run_steps("", self._responding(request, handler))

    async def awrap_model_call(
        self,
        request: ModelRequest[ContextT],
        handler: Callable[[ModelRequest[ContextT]], Awaitable[ModelResponse[ResponseT]]],
    ) -> ModelResponse[ResponseT]:
        """Compact where it is due, and once more after the provider's overflow error (TRG_18)."""
        return await arun(self._responding(request, handler))

    def _responding(
        self, request: ModelRequest[ContextT], handler: Callable[..., Any]
    ) -> Steps[ModelResponse[ResponseT]]:
        """Yield the steps to the response; `handler` is that of a thread or of an event loop."""
        applied = recorded(request.messages)
        agent_request = self._read(request, applied)
        state: Any
        state, outgoing = yield from self._conversations.preparing(agent_request)
        is_same = outgoing.messages is agent_request.messages
        sent = applied.messages if is_same else restore(applied.messages, state)
        try:
            response = yield calling(handler, request.override(messages=sent))
        except Exception as error:
            if not (isinstance(error, ContextOverflowError) or is_context_overflow(error)):
                raise
            if not (yield from self._conversations.recovering_from_overflow(state, outgoing, agent_request.messages)):
                raise
            sent = restore(applied.messages, state)
            response = yield calling(handler, request.override(messages=sent))
        return self._recording(response, request, state, sent)

    def _read(self, request: ModelRequest[ContextT], applied: Applied[AnyMessage]) -> AgentRequest:
        messages, profile = read(applied.messages), request.model.profile or {}
        return AgentRequest(
            model=self._conversations.limits_key(
                type(request.model).__name__, profile.get("max_input_tokens"), profile.get("max_output_tokens")
            ),
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
    ) -> ModelResponse[ResponseT]:
        """Put the record of a compaction that no response has yet on the first message of this one."""
        result = list(response.result)
        index = next((n for n, message in enumerate(result) if isinstance(message, AIMessage)), None)
        if index is None or not (state.record_due and request.messages):
            return response
        self._conversations.keep(state.from_record(read(sent)))
        record = RECORDS.record(request.messages, sent, state.loop.progress)
        metadata = {**result[index].response_metadata, RECORD: record}
        result[index] = result[index].model_copy(update={"response_metadata": metadata})
        return replace(response, result=result)


def recorded(messages: list[AnyMessage]) -> Applied[AnyMessage]:
    """Return the messages, with what the newest record says in place of those before the response that has it."""
    stored = [(n, one.response_metadata.get(RECORD)) for n, one in enumerate(messages) if isinstance(one, AIMessage)]
    return RECORDS.apply(messages, ((n, record) for n, record in reversed(stored) if n and record is not None))


def _dump(message: AnyMessage) -> dict[str, Any]:
    """Write a message that brim wrote or changed as JSON, without its artifact, any object, which no model gets."""
    plain = message.model_copy(update={"artifact": None}) if isinstance(message, ToolMessage) else message
    written: dict[str, Any] = to_jsonable_python(message_to_dict(plain), fallback=repr, bytes_mode="base64")
    return written


RECORDS: Final[MessageRecords[AnyMessage]] = MessageRecords(
    digest=lambda message: digest(read([message])[0]).hex(),
    id_of=lambda message: message.id,
    dump=_dump,
    load=lambda stored: cast("AnyMessage", messages_from_dict([stored])[0]),
)
