"""Summaries by a chat model of LangChain's."""

from __future__ import annotations

from typing import Any, Final

from langchain.agents.middleware.internal_call_transformer import internal_call_metadata
from langchain_core.exceptions import ContextOverflowError, ModelError
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig

from brim.adapters.langchain_messages import SOURCE, usage_of
from brim.summary.summarizer_input import Failure, OnText, SummaryAnswer, SummaryRequest

STOP: Final = ("stop_reason", "finish_reason", "done_reason")
"""Where the providers' packages tell why the model stopped."""


class LangChainSummarizer:
    """Asks a chat model, as the agent's own call it is not: its tokens stay out of what is streamed to the user."""

    def __init__(self, model: BaseChatModel) -> None:
        self._model = model

    def summarize(self, request: SummaryRequest, on_text: OnText) -> SummaryAnswer:
        """Ask once."""
        try:
            answer = self._model.invoke(_messages(request), _config())
        except Exception as error:  # noqa: BLE001 -- each provider's package has errors of its own
            return _failed(error)
        on_text(answer.text)
        return _answer(answer)


class AsyncLangChainSummarizer:
    """Asks a chat model in an event loop."""

    def __init__(self, model: BaseChatModel) -> None:
        self._model = model

    async def summarize(self, request: SummaryRequest, on_text: OnText) -> SummaryAnswer:
        """Ask once."""
        try:
            answer = await self._model.ainvoke(_messages(request), _config())
        except Exception as error:  # noqa: BLE001 -- as above
            return _failed(error)
        on_text(answer.text)
        return _answer(answer)


def _config() -> RunnableConfig:
    return {"metadata": {**SOURCE, **internal_call_metadata()}}


def _messages(request: SummaryRequest) -> list[AnyMessage]:
    """The request's own dictionaries hold texts alone: an adapter's summaries are asked for in the rendered form."""
    kinds: dict[str, type[HumanMessage | AIMessage]] = {"user": HumanMessage, "assistant": AIMessage}
    said: list[AnyMessage] = [kinds[raw["role"]](raw["content"]) for raw in request.messages]
    return [SystemMessage(request.system), *said] if request.system else said


def _answer(answer: BaseMessage) -> SummaryAnswer:
    told: dict[str, Any] = answer.response_metadata
    stop = next((str(told[name]) for name in STOP if told.get(name)), None)
    usage = usage_of(answer.usage_metadata) if isinstance(answer, AIMessage) else None
    name = str(told.get("model_name") or told.get("model") or "")
    return SummaryAnswer(text=answer.text, stop_reason=stop and stop.lower(), model=name, usage=usage)


def _failed(error: Exception) -> SummaryAnswer:
    return SummaryAnswer(failure=_kind(error), reason=f"{type(error).__name__}: {error}")


def _kind(error: Exception) -> Failure:
    """What waiting may cure: all that LangChain does not know to be permanent (SUM_05)."""
    if isinstance(error, ContextOverflowError):
        return "prompt_too_long"
    return "permanent" if isinstance(error, ModelError) and not error.is_retryable else "transient"
