"""Summaries by a model or an agent of pydantic-ai's."""

from __future__ import annotations

from typing import Any, Final

from pydantic_ai import Agent
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import (
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelRateLimitError,
    ModelServerError,
    ModelUnavailableError,
)
from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, UserPromptPart
from pydantic_ai.models import Model

from brim.summary.summarizer_input import Failure, OnText, SummaryAnswer, SummaryRequest
from brim.tokens.usage import TokenUsage

PASSING: Final = (ModelConnectionError, ModelRateLimitError, ModelServerError, ModelUnavailableError)
TOO_MANY: Final = 429
SERVER: Final = 500


class PydanticAISummarizer:
    """Asks a model, or an agent whose answer is a text; the agent's own instructions come on top of brim's."""

    def __init__(self, writer: Model | Agent[Any, Any]) -> None:
        self._writer = writer

    async def summarize(self, request: SummaryRequest, on_text: OnText) -> SummaryAnswer:
        """Ask once."""
        try:
            response = await self._ask(request)
        except Exception as error:  # noqa: BLE001 -- an agent's tools and hooks may raise anything
            return SummaryAnswer(failure=_kind(error), reason=f"{type(error).__name__}: {error}")
        text = response.text or ""
        on_text(text)
        return SummaryAnswer(
            text=text,
            stop_reason=response.finish_reason,
            model=response.model_name or "",
            usage=reported(response),
        )

    async def _ask(self, request: SummaryRequest) -> ModelResponse:
        words = [_words(raw["content"]) for raw in request.messages]
        if isinstance(self._writer, Model):
            asked = ModelRequest([SystemPromptPart(str(request.system or "")), *map(UserPromptPart, words)])
            return await model_request(self._writer, [asked], model_settings={"max_tokens": request.max_tokens})
        result = await self._writer.run("\n\n".join([str(request.system or ""), *words]))
        return result.response


def _words(content: Any) -> str:
    """The request's own dictionaries hold texts alone: an adapter's summaries are asked for in the rendered form."""
    return content if isinstance(content, str) else "\n\n".join(block["text"] for block in content)


def _kind(error: Exception) -> Failure:
    """What waiting may cure (SUM_05)."""
    if isinstance(error, ModelContextWindowExceededError):
        return "prompt_too_long"
    status = error.status_code if isinstance(error, ModelHTTPError) else 0
    passing = isinstance(error, PASSING) or status == TOO_MANY or status >= SERVER
    return "transient" if passing else "permanent"


def reported(response: ModelResponse) -> TokenUsage:
    """What a response reported: the input tells the cached part too, the output the reasoning (TOK_02)."""
    told = response.usage
    cached = min(told.cache_read_tokens, told.input_tokens)
    anew = told.input_tokens - cached
    written = min(told.cache_write_tokens, anew)
    return TokenUsage(input=anew, cache_read=cached, output=told.output_tokens, cache_write=written)
