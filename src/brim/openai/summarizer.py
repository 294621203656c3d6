"""Summaries through the OpenAI SDK: one streamed call, by chat completions or the Responses API (SUM_05, CMP_08)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, Literal, TypeAlias

from brim.anthropic.clients import ClientT_co
from brim.anthropic.errors import names_overflow
from brim.anthropic.summarizer import StreamedSummarizer, StreamReading
from brim.conversation.formats import CHAT, RESPONSES, write_messages
from brim.errors import InvalidInput
from brim.openai.errors import diagnose, diagnose_in_stream
from brim.summary.summarizer_input import OnText, SummaryRequest

Api: TypeAlias = Literal["openai-chat", "openai-responses"]
"""The API that is asked, by the format of its messages."""
NOT_SENT: Final = frozenset(
    {
        "background",
        "conversation",
        "max_completion_tokens",
        "max_output_tokens",
        "max_tokens",
        "n",
        "previous_response_id",
        "response_format",
        "stop",
        "store",
        "stream",
        "stream_options",
        "text",
        "tool_choice",
    }
)
"""Parameters of the conversation's requests that a summary has of its own, or that would act on the conversation."""
REFUSAL: Final = "refusal"
"""The reason to stop of a model that declines in words, which the APIs send apart from its text."""


class OpenAISummarizer(StreamedSummarizer[ClientT_co]):
    """Asks a model for summaries, through an OpenAI client that the caller made.

    The client's own retries are off for these calls; all else about it holds: key, address, timeout.
    Nothing is raised but what the listener raises, and what ends the program.

    Args:
        client: an `openai.OpenAI` or `openai.AsyncOpenAI`, also one of a server with OpenAI's API.
        format: `openai-chat` asks chat completions, which every such server has; `openai-responses` the Responses API.
            A conversation in this format is sent as it is, so that its prefix is read from the provider's cache.
    """

    needs_model: Final = True
    """A compactor has to name the model that it asks."""

    def __init__(self, client: ClientT_co, format: Api = CHAT) -> None:  # noqa: A002 -- as the compactor's own argument
        if format not in (CHAT, RESPONSES):
            raise InvalidInput(f"the format is {format!r}; a summary is asked for by {CHAT} or {RESPONSES}")
        if not hasattr(client, "responses"):
            raise InvalidInput(f"the client is {type(client).__name__}; it is an OpenAI client, such as OpenAI()")
        super().__init__(client)
        self.format: Api = format
        """The format whose messages it sends as they are, so that the prefix is read from the cache (SUM_16)."""

    def _reading(self, model: str, on_text: OnText) -> StreamReading:
        return (_ChatReading if self.format == CHAT else _ResponsesReading)(model, on_text, diagnose)

    def _open(self, arguments: Mapping[str, Any]) -> Any:
        client = self._client.with_options(max_retries=0)
        stream = (client.chat.completions if self.format == CHAT else client.responses).create(**arguments)
        return _awaited(stream) if self.is_async else stream

    def _events(self, stream: Any) -> Any:
        """Return what the events are read from; a server that ignores `stream` answers with JSON."""
        is_json = stream.response.headers.get("content-type", "").startswith("application/json")
        return _WholeAnswer(stream.response) if is_json else stream

    def _arguments(self, request: SummaryRequest) -> dict[str, Any]:
        """Write the request as the SDK takes it. The caller's parameters go past the SDK's own list of them."""
        messages, system = write_messages(request.messages, self.format), _text(request.system)
        extra = {name: value for name, value in request.parameters.items() if name not in NOT_SENT}
        common = {**super()._arguments(request), "stream": True, "extra_body": extra}
        if request.tools:
            common |= {"tools": list(request.tools), "tool_choice": "none"}
        if self.format == RESPONSES:
            common |= {"instructions": system} if system else {}
            return {**common, "input": messages, "max_output_tokens": request.max_tokens, "store": False}
        front = [{"role": "system", "content": system}] if system else []
        counts = {"stream_options": {"include_usage": True}}
        return {**common, **counts, "messages": [*front, *messages], "max_completion_tokens": request.max_tokens}

    def _instead(self, error: Exception | None, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the arguments without the fields that an older server refuses by name; empty where it names none."""
        words = str(error)
        refused = {name for name in ("max_completion_tokens", "stream_options") if name in words and name in arguments}
        is_too_much = names_overflow(words) or "too large" in words
        if getattr(error, "status_code", 0) not in (400, 422) or is_too_much or not refused:
            return {}
        limit = {"max_tokens": arguments["max_completion_tokens"]} if "max_completion_tokens" in refused else {}
        return {**{name: value for name, value in arguments.items() if name not in refused}, **limit}


@asynccontextmanager
async def _awaited(call: Awaitable[Any]) -> AsyncIterator[Any]:
    """Open a stream that is still to be awaited."""
    async with await call as stream:
        yield stream


class _WholeAnswer:
    """An answer that was not streamed, as the event of a stream that has it whole."""

    def __init__(self, response: Any) -> None:
        self._response = response

    def __iter__(self) -> Iterator[Any]:
        yield self._event(self._response.read())

    async def __aiter__(self) -> AsyncIterator[Any]:
        yield self._event(await self._response.aread())

    def _event(self, content: bytes) -> Any:
        import openai as sdk  # noqa: PLC0415 -- loaded with the client
        from openai.types import chat, responses  # noqa: PLC0415

        body = json.loads(content)
        if error := body.get("error"):
            message = error.get("message", "") if isinstance(error, dict) else str(error)
            raise sdk.APIError(message, self._response.request, body=error)
        if body["object"] == "response":
            return responses.ResponseCompletedEvent.construct(type="response.completed", response=body)
        choices = [{**choice, "delta": choice["message"]} for choice in body["choices"]]
        return chat.ChatCompletionChunk.construct(**{**body, "choices": choices})


class _Reading(StreamReading):
    """Reads a stream of either API."""

    def stop(self, reason: str | None) -> None:
        """Note that the model stopped, and why; a refusal in words stays one."""
        if reason is not None:
            self.is_whole, self.stop_reason = True, self.stop_reason or reason


class _ChatReading(_Reading):
    """Reads chat completions: chunks, the usage in the last."""

    def read(self, event: Any) -> None:
        self.model = event.model or self.model
        self.count("openai", event.usage)
        for choice in (event.choices or ())[:1]:
            if choice.delta is not None:
                self.say(choice.delta.content)
                self.stop(REFUSAL if choice.delta.refusal else None)
            self.stop(choice.finish_reason)


class _ResponsesReading(_Reading):
    """Reads the Responses API: events, the whole response in the last."""

    def read(self, event: Any) -> None:
        if event.type == "response.output_text.delta":
            self.say(event.delta)
        elif event.type == "response.refusal.delta":
            self.stop(REFUSAL)
        elif event.type in ("response.completed", "response.incomplete"):
            self._end(event.response)
        elif event.type in ("response.failed", "error"):
            error = event if event.type == "error" else event.response.error
            self.failure = diagnose_in_stream(getattr(error, "code", "") or "", getattr(error, "message", "") or "")

    def _end(self, response: Any) -> None:
        self.model = response.model or self.model
        self.count("openai", response.usage)
        if not self._texts and response.output:
            self.say(response.output_text)
        if response.incomplete_details is not None:
            self.stop("length" if response.incomplete_details.reason == "max_output_tokens" else REFUSAL)
        parts = [part for item in response.output or () for part in getattr(item, "content", None) or ()]
        self.stop(REFUSAL if any(part.type == REFUSAL for part in parts) else None)
        self.stop("tool_calls" if any(item.type.endswith("_call") for item in response.output or ()) else "stop")


def _text(system: Any) -> str:
    """Return the system prompt as a text; blocks of texts are joined."""
    if system is None or isinstance(system, str):
        return system or ""
    return "\n\n".join(str(block.get("text", "")) for block in system)
