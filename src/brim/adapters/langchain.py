"""A LangChain agent middleware that compacts before a model call, in the middle of a turn too (TRG_17).

It wraps the model call: there alone the system prompt and the tools are known, which fill the window as messages do.
The agent's state keeps the whole conversation. What is sent instead stands beside it in the state, and on the response
that was made from it, so that whoever keeps the messages keeps it with them (ADP_02).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Unpack, cast

from langchain.agents.middleware.internal_call_transformer import InternalCallTransformer
from langchain.agents.middleware.types import (
    AgentMiddleware,
    ContextT,
    ExtendedModelResponse,
    ModelRequest,
    ModelResponse,
    ResponseT,
)
from langchain_core.exceptions import ContextOverflowError
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.types import Command

from brim.adapters.compactors import Compactors
from brim.adapters.held import Held, Settings
from brim.adapters.langchain_messages import read, usage_of
from brim.adapters.langchain_record import CompactedState, Sent, carried_by, chain, record_of, recorded
from brim.adapters.langchain_summarizer import AsyncLangChainSummarizer, LangChainSummarizer
from brim.adapters.memory import RECORD, Memory
from brim.adapters.overflow import tells_overflow
from brim.errors import UnknownLimits
from brim.models import ModelLimits

__all__ = ["CompactedState", "CompactionMiddleware"]


class CompactionMiddleware(AgentMiddleware[CompactedState[ResponseT], ContextT, ResponseT]):
    """Keeps an agent's conversation inside its model's window.

    Args:
        summarizer: who writes the summaries: a chat model, an Anthropic client (the policy names its model), a
            summarizer of brim's, or None for the template, which asks no model.
        limits: what the agent's model can hold; else what its LangChain profile states.
        settings: as for a Compactor: policy, on_event, sleep.

    Raises InvalidInput and Refused for settings that cannot work, and in a call UnknownLimits where nobody told them,
    and CompactionStalled.
    """

    state_schema = CompactedState  # type: ignore[assignment] # as LangChain's own middleware declares it
    """The agent's state, with a place for what is sent instead of the first messages."""
    transformers = (InternalCallTransformer,)
    """They keep the summarizer's tokens out of what is streamed to the user."""

    def __init__(
        self,
        summarizer: Any = None,
        *,
        limits: ModelLimits | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        super().__init__()
        chat = isinstance(summarizer, BaseChatModel)
        in_loop = AsyncLangChainSummarizer(summarizer) if chat else None
        writer = LangChainSummarizer(summarizer) if chat else summarizer
        self._compactors = Compactors(writer, in_loop, settings)
        self._limits = limits
        self._memory: Memory[AnyMessage] = Memory()

    def wrap_model_call(
        self,
        request: ModelRequest[ContextT],
        handler: Callable[[ModelRequest[ContextT]], ModelResponse[ResponseT]],
    ) -> ModelResponse[ResponseT] | ExtendedModelResponse[ResponseT]:
        """Compact where it is due, and once more where the provider says that it was (TRG_18)."""
        sent = self._compacted(request, recorded(request, self._memory))
        try:
            response = handler(request.override(messages=sent.messages))
        except Exception as error:
            if not (isinstance(error, ContextOverflowError) or tells_overflow(error)):
                raise
            smaller = self._compacted(request, sent, overflowed=True)
            if smaller.messages is sent.messages:
                raise
            sent = smaller
            response = handler(request.override(messages=sent.messages))
        return self._told(response, request, sent)

    async def awrap_model_call(
        self,
        request: ModelRequest[ContextT],
        handler: Callable[[ModelRequest[ContextT]], Awaitable[ModelResponse[ResponseT]]],
    ) -> ModelResponse[ResponseT] | ExtendedModelResponse[ResponseT]:
        """As wrap_model_call does it."""
        sent = await self._acompacted(request, recorded(request, self._memory))
        try:
            response = await handler(request.override(messages=sent.messages))
        except Exception as error:
            if not (isinstance(error, ContextOverflowError) or tells_overflow(error)):
                raise
            smaller = await self._acompacted(request, sent, overflowed=True)
            if smaller.messages is sent.messages:
                raise
            sent = smaller
            response = await handler(request.override(messages=sent.messages))
        return self._told(response, request, sent)

    def _compacted(self, request: ModelRequest[ContextT], sent: Sent, *, overflowed: bool = False) -> Sent:
        held = self._held(request, sent)
        return sent.after(held.messages, self._compactors.compact(held, sent.progress, overflowed=overflowed))

    async def _acompacted(self, request: ModelRequest[ContextT], sent: Sent, *, overflowed: bool = False) -> Sent:
        held = self._held(request, sent)
        outcome = await self._compactors.acompact(held, sent.progress, overflowed=overflowed)
        return sent.after(held.messages, outcome)

    def _held(self, request: ModelRequest[ContextT], sent: Sent) -> Held:
        """What the request comes to. The usage of the last response counts for what it measured (TOK_11)."""
        fresh = range(len(sent.messages) - 1, sent.settled - 1, -1)
        last = next((place for place in fresh if isinstance(sent.messages[place], AIMessage)), None)
        usage = None if last is None else usage_of(cast("AIMessage", sent.messages[last]).usage_metadata)
        return Held(
            limits=self._limits or limits_of(request.model),
            messages=read(sent.messages),
            usage=usage,
            measured=usage is None or self._memory.was_sent(chain(sent.messages[:last])),
            system=request.system_prompt or "",
            tools=[tool if isinstance(tool, dict) else convert_to_openai_tool(tool) for tool in request.tools],
        )

    def _told(
        self, response: ModelResponse[ResponseT], request: ModelRequest[ContextT], sent: Sent
    ) -> ModelResponse[ResponseT] | ExtendedModelResponse[ResponseT]:
        """The response, and with it the record of a compaction that this request made."""
        self._memory.sent(chain(sent.messages))
        record = record_of(request.messages, sent)
        if record is None:
            return response
        self._memory.remember(chain(request.messages), sent.replaces(request.messages))
        return ExtendedModelResponse(carried_by(response, record), Command(update={RECORD: record}))


def limits_of(model: BaseChatModel) -> ModelLimits:
    """What the profile of a chat model states. Raises UnknownLimits."""
    profile = model.profile or {}
    window, longest = profile.get("max_input_tokens"), profile.get("max_output_tokens")
    if not window:
        raise UnknownLimits(
            f"how much {type(model).__name__} can hold is not known, and it is not guessed: hand in "
            "limits=ModelLimits(context_window=…, max_output_tokens=…)"
        )
    return ModelLimits(context_window=window, max_output_tokens=longest or 0)
