"""Summaries through the Anthropic SDK: one streamed call, whose failure is an answer too (SUM_05, CMP_08)."""

from __future__ import annotations

import socket
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from brim.errors import BrimError, InvalidInput, ProviderFailed, ProviderRefused, UnknownModel
from brim.summary.summarizer_input import Failure, OnText, SummaryAnswer, SummaryRequest
from brim.tokens.usage import TokenUsage, normalize

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic


class AnthropicSummarizer:
    """Asks a model for summaries, through a client that the caller made.

    The client's own retries are off for these calls, all else about it holds: key, address, timeout, middleware.
    Nothing is raised but what the listener raises, and what ends the program.
    """

    def __init__(self, client: Anthropic) -> None:
        self._client = client

    def summarize(self, request: SummaryRequest, on_text: OnText) -> SummaryAnswer:
        """Ask once. The text of an attempt that fails is no answer."""
        reading = _StreamReading(on_text)
        try:
            client = self._client.with_options(max_retries=0)
            with client.messages.stream(**_arguments(request)) as stream:
                abort_on_cancel(stream, on_text)
                for event in stream:
                    reading.read(event)
            return _answer(reading.message, request.model)
        except Exception as error:
            if error is reading.fault:
                raise
            return _failed(error, request.model)


class AsyncAnthropicSummarizer:
    """Asks a model for summaries in an event loop."""

    def __init__(self, client: AsyncAnthropic) -> None:
        self._client = client

    async def summarize(self, request: SummaryRequest, on_text: OnText) -> SummaryAnswer:
        """Ask once. A cancelled call closes its stream and answers nothing."""
        reading = _StreamReading(on_text)
        try:
            client = self._client.with_options(max_retries=0)
            async with client.messages.stream(**_arguments(request)) as stream:
                async for event in stream:
                    reading.read(event)
            return _answer(reading.message, request.model)
        except Exception as error:
            if error is reading.fault:
                raise
            return _failed(error, request.model)


@dataclass(slots=True)
class _StreamReading:
    """The state of reading one stream; an error that the listener raises is not the provider's."""

    on_text: OnText
    message: Any = None
    """The whole answer, once the stream said that it is whole."""
    fault: Exception | None = None

    def read(self, event: Any) -> None:
        if event.type == "message_stop":
            self.message = getattr(event, "message", None)
        if event.type != "text" or not event.text:
            return
        try:
            self.on_text(event.text)
        except Exception as fault:
            self.fault = fault
            raise


def _arguments(request: SummaryRequest) -> dict[str, Any]:
    """The request as the SDK takes it: what is empty is not sent, what is there goes as it came, cache marks too.

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
    """The answer that a whole message gives."""
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
    """What was billed; None where the provider's counts cannot be read."""
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
