"""Summaries through the Anthropic SDK: one streamed call, whose failure is an answer too (SUM_05, CMP_08)."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import Any, Generic, Self

from brim.anthropic.clients import AsyncClient, ClientT_co, SyncClient, check_form, is_async
from brim.errors import BrimError, InvalidInput, ProviderFailed, ProviderRefused, UnknownModel
from brim.summary.summarizer_input import Failure, OnText, SummaryAnswer, SummaryRequest
from brim.tokens.usage import TokenUsage, normalize


class AnthropicSummarizer(Generic[ClientT_co]):
    """Asks a model for summaries, through a client that the caller made.

    The client's own retries are off for these calls, all else about it holds: key, address, timeout, middleware.
    Nothing is raised but what the listener raises, and what ends the program.
    """

    def __init__(self, client: ClientT_co) -> None:
        self._client: Any = client

    @property
    def is_async(self) -> bool:
        """Whether its client is for event loops."""
        return is_async(self._client)

    def summarize(self: AnthropicSummarizer[SyncClient], request: SummaryRequest, on_text: OnText) -> SummaryAnswer:
        """Ask once. The text of an attempt that fails is no answer."""
        check_form(self._client, "summarize", in_loop=False)
        with _Reading(request.model, on_text) as reading, self._stream(request) as stream:
            abort_on_cancel(stream, on_text)
            for event in stream:
                reading.take(event)
        return reading.answer()

    async def asummarize(
        self: AnthropicSummarizer[AsyncClient], request: SummaryRequest, on_text: OnText
    ) -> SummaryAnswer:
        """Ask once. A cancelled call closes its stream and answers nothing."""
        check_form(self._client, "summarize", in_loop=True)
        with _Reading(request.model, on_text) as reading:
            async with self._stream(request) as stream:
                async for event in stream:
                    reading.take(event)
        return reading.answer()

    def _stream(self, request: SummaryRequest) -> Any:
        return self._client.with_options(max_retries=0).messages.stream(**_arguments(request))


class StreamReading:
    """The state of reading one stream. As a context it makes the answer of an error, unless the listener raised it."""

    def __init__(self, on_text: OnText, failed: Callable[[Exception], SummaryAnswer]) -> None:
        self._on_text, self._failed = on_text, failed
        self._fault: Exception | None = None
        self.failure: SummaryAnswer | None = None
        """The answer of an error; None where there was none."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        if not isinstance(error, Exception) or error is self._fault:
            return False
        self.failure = self._failed(error)
        return True

    def say(self, text: str) -> None:
        """Hand a piece of the text on."""
        try:
            self._on_text(text)
        except Exception as fault:
            self._fault = fault
            raise


class _Reading(StreamReading):
    """Reads the events of the Messages API."""

    def __init__(self, model: str, on_text: OnText) -> None:
        super().__init__(on_text, partial(_failed, model=model))
        self._model, self._message = model, None

    def take(self, event: Any) -> None:
        if event.type == "message_stop":
            self._message = getattr(event, "message", None)
        if event.type == "text" and event.text:
            self.say(event.text)

    def answer(self) -> SummaryAnswer:
        return self.failure or _answer(self._message, self._model)


def _arguments(request: SummaryRequest) -> dict[str, Any]:
    """Write the request as the SDK takes it: what is empty is not sent, the rest goes as it came, cache marks too.

    The caller's parameters go past the SDK's own list of them, which lacks those of betas. What the model may think
    comes on top of the summary.
    """
    if not request.model:
        raise UnknownModel("no model is named for the summary: set model=…, or CompactionPolicy(summary_model=…)")
    arguments: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_tokens + request.thinking_budget,
        "messages": list(request.messages),
    }
    if request.system:
        arguments["system"] = request.system
    if request.tools:
        arguments["tools"] = list(request.tools)
    if request.parameters:
        arguments["extra_body"] = dict(request.parameters)
    if request.headers:
        arguments["extra_headers"] = dict(request.headers)
    return arguments


def _answer(message: Any, model: str) -> SummaryAnswer:
    """Read the answer that a whole message gives."""
    if message is None:
        broken = ProviderFailed("the connection ended before the answer did; try again later")
        return _failure("transient", broken, model)
    usage = _usage(message.usage)
    if message.stop_reason == "model_context_window_exceeded":
        full = ProviderRefused("the window was full before the answer ended; send less of the history")
        return _failure("prompt_too_long", full, message.model, usage=usage)
    text = "".join(block.text for block in message.content if block.type == "text")
    return SummaryAnswer(text=text, stop_reason=message.stop_reason, model=message.model, usage=usage)


def _usage(reported: Any) -> TokenUsage | None:
    """Read what was billed; None where the provider's counts cannot be read."""
    try:
        return normalize("anthropic", reported.model_dump())
    except (InvalidInput, AttributeError):
        return None


def _failed(error: Exception, model: str) -> SummaryAnswer:
    from brim.anthropic.errors import diagnose  # noqa: PLC0415 -- it loads the SDK

    met = diagnose(error, model)
    return _failure(met.failure, met.error, model, retry_after=met.retry_after)


def _failure(
    failure: Failure, error: BrimError, model: str, *, usage: TokenUsage | None = None, retry_after: int | None = None
) -> SummaryAnswer:
    return SummaryAnswer(
        model=model, usage=usage, failure=failure, reason=str(error), retry_after=retry_after, error=error
    )


def abort_on_cancel(stream: Any, on_text: OnText) -> None:
    """Register the abort of the stream with `on_text`, if that calls it when the compaction is cancelled.

    It ends the stream while the provider is silent, too.
    """
    on_cancel = getattr(on_text, "on_cancel", None)
    if on_cancel is not None:
        on_cancel(partial(_abort_stream, stream))


def _abort_stream(stream: Any) -> None:
    """End a stream from another thread than the one that waits for the provider; nothing where others share it.

    Closing a connection does not wake the thread that reads from it; shutting down its socket does.
    """
    response = getattr(stream, "response", None)
    if response is None or response.is_closed or not response.http_version.startswith("HTTP/1"):
        return
    network = response.extensions.get("network_stream")
    connection = network.get_extra_info("socket") if network is not None else None
    if isinstance(connection, socket.socket):
        with suppress(OSError):
            socket.socket.shutdown(connection, socket.SHUT_RDWR)
