"""Summaries through an SDK: one streamed call, whose failure is an answer too (SUM_05, CMP_08)."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import Any, Generic, Self

from brim.anthropic.clients import AsyncClient, ClientT_co, SyncClient, check_form, is_async
from brim.anthropic.errors import Diagnosis, diagnose, too_long
from brim.errors import InvalidInput, UnknownModel
from brim.summary.summarizer_input import OnText, SummaryAnswer, SummaryRequest
from brim.tokens.usage import TokenUsage, normalize


class StreamReading:
    """The state of reading one stream. As a context it diagnoses an error, unless the listener raised it."""

    def __init__(self, model: str, on_text: OnText, diagnose: Callable[[Exception, str], Diagnosis]) -> None:
        self._on_text, self._diagnose = on_text, diagnose
        self._fault: Exception | None = None
        self._texts: list[str] = []
        self.model = model
        self.stop_reason: str | None = None
        self.usage: TokenUsage | None = None
        self.is_whole = False
        """The answer is whole, as the provider said."""
        self.error: Exception | None = None
        """The error that ended the stream."""
        self.failure: Diagnosis | None = None
        """The failure: that error, or the one that the stream reported."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        if not isinstance(error, Exception) or error is self._fault:
            return False
        self.error, self.failure = error, self._diagnose(error, self.model)
        return True

    def read(self, event: Any) -> None:
        """Take in an event of the stream."""
        raise NotImplementedError

    def say(self, text: str | None) -> None:
        """Take in a piece of the text, and hand it on."""
        if not text:
            return
        self._texts.append(text)
        try:
            self._on_text(text)
        except Exception as fault:
            self._fault = fault
            raise

    def count(self, provider: str, reported: Any) -> None:
        """Take in what was billed; nothing where the provider's counts cannot be read."""
        with suppress(InvalidInput, AttributeError):
            self.usage = normalize(provider, reported.model_dump())

    def answer(self) -> SummaryAnswer:
        """Return the answer, once the stream is read."""
        failure = self.failure
        if failure is None and not self.is_whole:
            failure = self._diagnose(EOFError("the stream ended before the answer did"), self.model)
        if failure is None:
            text = "".join(self._texts)
            return SummaryAnswer(text=text, stop_reason=self.stop_reason, model=self.model, usage=self.usage)
        return SummaryAnswer(
            model=self.model,
            usage=self.usage,
            failure=failure.failure,
            reason=str(failure.error),
            retry_after=failure.retry_after,
            error=failure.error,
        )


class StreamedSummarizer(Generic[ClientT_co]):
    """Asks a model through the client of an SDK, whose failures are answers."""

    def __init__(self, client: ClientT_co) -> None:
        self._client: Any = client

    @property
    def is_async(self) -> bool:
        """Return whether its client is for event loops."""
        return is_async(self._client)

    def summarize(self: StreamedSummarizer[SyncClient], request: SummaryRequest, on_text: OnText) -> SummaryAnswer:
        """Ask once. The text of an attempt that fails is no answer."""
        check_form(self._client, "summarize", in_loop=False)
        arguments: Mapping[str, Any] = {}
        while True:
            with self._reading(request.model, on_text) as reading:
                arguments = arguments or self._arguments(request)
                with self._open(arguments) as stream:
                    abort_on_cancel(stream, on_text)
                    for event in self._events(stream):
                        reading.read(event)
            arguments = self._instead(reading.error, arguments)
            if not arguments:
                return reading.answer()

    async def asummarize(
        self: StreamedSummarizer[AsyncClient], request: SummaryRequest, on_text: OnText
    ) -> SummaryAnswer:
        """Ask once. A cancelled call closes its stream and answers nothing."""
        check_form(self._client, "summarize", in_loop=True)
        arguments: Mapping[str, Any] = {}
        while True:
            with self._reading(request.model, on_text) as reading:
                arguments = arguments or self._arguments(request)
                async with self._open(arguments) as stream:
                    async for event in self._events(stream):
                        reading.read(event)
            arguments = self._instead(reading.error, arguments)
            if not arguments:
                return reading.answer()

    def _reading(self, model: str, on_text: OnText) -> StreamReading:
        raise NotImplementedError

    def _arguments(self, request: SummaryRequest) -> dict[str, Any]:
        """Write the request as the SDK takes it. Raises UnknownModel."""
        if not request.model:
            raise UnknownModel("no model is named for the summary: set model=…, or CompactionPolicy(summary_model=…)")
        return {"model": request.model}

    def _open(self, arguments: Mapping[str, Any]) -> Any:
        """Begin the call, and return the context of its stream."""
        raise NotImplementedError

    def _events(self, stream: Any) -> Any:
        """Return what the events are read from."""
        return stream

    def _instead(self, _error: Exception | None, _arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the arguments to ask with once more after an error; empty where the answer is final."""
        return {}


class AnthropicSummarizer(StreamedSummarizer[ClientT_co]):
    """Asks a model for summaries, through an Anthropic client that the caller made.

    The client's own retries are off for these calls, all else about it holds: key, address, timeout, middleware.
    Nothing is raised but what the listener raises, and what ends the program.
    """

    def _reading(self, model: str, on_text: OnText) -> StreamReading:
        return _MessageReading(model, on_text, diagnose)

    def _arguments(self, request: SummaryRequest) -> dict[str, Any]:
        """Write the request: what is empty is not sent, the rest goes as it came, cache marks too.

        The caller's parameters go past the SDK's own list of them, which lacks those of betas. What the model may think
        comes on top of the summary.
        """
        optional = {
            "system": request.system,
            "tools": list(request.tools),
            "extra_body": dict(request.parameters),
            "extra_headers": dict(request.headers),
        }
        return {
            **super()._arguments(request),
            "max_tokens": request.max_tokens + request.thinking_budget,
            "messages": list(request.messages),
            **{name: value for name, value in optional.items() if value},
        }

    def _open(self, arguments: Mapping[str, Any]) -> Any:
        return self._client.with_options(max_retries=0).messages.stream(**arguments)


class _MessageReading(StreamReading):
    """Reads the events of the Messages API."""

    def read(self, event: Any) -> None:
        if event.type == "text":
            self.say(event.text)
        if event.type != "message_stop" or getattr(event, "message", None) is None:
            return
        self.is_whole, self.model, self.stop_reason = True, event.message.model, event.message.stop_reason
        self.count("anthropic", event.message.usage)
        if self.stop_reason == "model_context_window_exceeded":
            self.failure = too_long("the window was full before the answer ended")


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
