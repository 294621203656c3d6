"""Summaries through the OpenAI SDK: one streamed call, by chat completions or the Responses API (SUM_05, CMP_08)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, Generic, Literal, TypeAlias

from brim.anthropic.clients import AsyncClient, ClientT_co, SyncClient, check_form, is_async
from brim.anthropic.errors import Diagnosis, names_overflow
from brim.anthropic.summarizer import StreamReading, abort_on_cancel
from brim.conversation.formats import CHAT, RESPONSES, write_messages
from brim.errors import InvalidInput, UnknownModel
from brim.openai.errors import diagnose, diagnose_in_stream
from brim.summary.summarizer_input import OnText, SummaryAnswer, SummaryRequest
from brim.tokens.usage import TokenUsage, normalize

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
LIMITS: Final = ("max_completion_tokens", "max_tokens")
"""The names of the longest answer of chat completions: the present one, and the one that older servers know alone."""
UNKNOWN_FIELD: Final = frozenset({400, 422})
"""Statuses of a request with a field that the server does not know."""
REFUSAL: Final = "refusal"
"""The reason to stop of a model that declines in words, which the APIs send apart from its text."""


class OpenAISummarizer(Generic[ClientT_co]):
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
        self._client: Any = client
        self._limit, self._counts = LIMITS[0], True
        self.format: Api = format
        """The format whose messages it sends as they are, so that the prefix is read from the cache (SUM_16)."""

    @property
    def is_async(self) -> bool:
        """Whether its client is for event loops."""
        return is_async(self._client)

    def summarize(self: OpenAISummarizer[SyncClient], request: SummaryRequest, on_text: OnText) -> SummaryAnswer:
        """Ask once. The text counts when it is whole: text of an attempt that failed is no answer."""
        check_form(self._client, "summarize", in_loop=False)
        with self._reading(request.model, on_text) as answer:
            arguments = self._arguments(request)
            try:
                stream = self._create()(**arguments)
            except Exception as error:  # noqa: BLE001 -- it is raised again
                stream = self._create()(**(taken := self._instead(error, arguments)))
                self._remember(taken)
            with stream:
                abort_on_cancel(stream, on_text)
                if is_whole(stream):
                    answer.read_whole(json.loads(stream.response.read()))
                for event in stream:
                    answer.read(event)
        return answer.whole()

    async def asummarize(
        self: OpenAISummarizer[AsyncClient], request: SummaryRequest, on_text: OnText
    ) -> SummaryAnswer:
        """Ask once. A call that is cancelled closes its stream and answers nothing."""
        check_form(self._client, "summarize", in_loop=True)
        with self._reading(request.model, on_text) as answer:
            arguments = self._arguments(request)
            try:
                stream = await self._create()(**arguments)
            except Exception as error:  # noqa: BLE001 -- it is raised again
                stream = await self._create()(**(taken := self._instead(error, arguments)))
                self._remember(taken)
            async with stream:
                if is_whole(stream):
                    answer.read_whole(json.loads(await stream.response.aread()))
                async for event in stream:
                    answer.read(event)
        return answer.whole()

    def _instead(self, error: Exception, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments without fields the server refuses by name. Raises the error where it names none."""
        newer, older = LIMITS
        told = str(error)
        refused = {name for name in (newer, "stream_options") if name in told and name in arguments}
        if getattr(error, "status_code", 0) not in UNKNOWN_FIELD or not refused:
            raise error
        if names_overflow(told) or "too large" in told:
            raise error
        limit = {older: arguments[newer]} if newer in refused else {}
        return {**{name: value for name, value in arguments.items() if name not in refused}, **limit}

    def _remember(self, taken: Mapping[str, Any]) -> None:
        """Remember what the server took in place of the first request, to ask for it at once from now on."""
        self._limit = LIMITS[1] if LIMITS[1] in taken else self._limit
        self._counts = "stream_options" in taken

    def _create(self) -> Any:
        client = self._client.with_options(max_retries=0)
        return client.chat.completions.create if self.format == CHAT else client.responses.create

    def _arguments(self, request: SummaryRequest) -> dict[str, Any]:
        """Write the request as the SDK takes it. The caller's parameters go past the SDK's own list of them."""
        if not request.model:
            raise UnknownModel("no model is named for the summary: set model=…, or CompactionPolicy(summary_model=…)")
        messages = write_messages(request.messages, self.format)
        extra = {name: value for name, value in request.parameters.items() if name not in NOT_SENT}
        calls = {"tools": list(request.tools), "tool_choice": "none"} if request.tools else {}
        common = {"model": request.model, "stream": True, "extra_body": extra, **calls}
        system = _text(request.system)
        if self.format == RESPONSES:
            told = {"instructions": system} if system else {}
            return {**common, **told, "input": messages, "max_output_tokens": request.max_tokens, "store": False}
        front = [{"role": "system", "content": system}] if system else []
        limit: dict[str, Any] = {self._limit: request.max_tokens}
        if self._counts:
            limit["stream_options"] = {"include_usage": True}
        return {**common, **limit, "messages": [*front, *messages]}

    def _reading(self, model: str, on_text: OnText) -> _Reading:
        return (_ChatAnswer if self.format == CHAT else _ResponsesAnswer)(model, on_text)


def is_whole(stream: Any) -> bool:
    """Return whether the server ignores that a stream was asked for."""
    return str(stream.response.headers.get("content-type")).startswith("application/json")


class _Reading(StreamReading):
    """The state of reading one stream."""

    def __init__(self, model: str, on_text: OnText) -> None:
        super().__init__(on_text, lambda error: _failure(diagnose(error, model), model))
        self.model = model
        self.texts: list[str] = []
        self.stop_reason: str | None = None
        self.usage: TokenUsage | None = None
        self.failed: SummaryAnswer | None = None

    def read(self, event: Any) -> None:
        raise NotImplementedError

    def read_whole(self, body: Mapping[str, Any]) -> None:
        """Take in an answer that came without a stream."""
        raise NotImplementedError

    def add(self, text: str | None) -> None:
        """Take in a piece of the text."""
        if text:
            self.texts.append(text)
            self.say(text)

    def stop(self, reason: str | None) -> None:
        """Note that the model stopped, and why; a refusal in words stays one."""
        if reason is not None and self.stop_reason != REFUSAL:
            self.stop_reason = reason

    def count(self, reported: Any) -> None:
        """Take in the usage; nothing where the provider's counts cannot be read."""
        try:
            self.usage = normalize("openai", reported.model_dump()) if reported is not None else self.usage
        except (InvalidInput, AttributeError):
            self.usage = None

    def whole(self) -> SummaryAnswer:
        """Return the answer, once the stream is read."""
        failed = self.failure or self.failed
        if failed is not None:
            return failed
        if self.stop_reason is None:
            return _failure(diagnose(EOFError("the stream ended before the answer did"), self.model), self.model)
        return SummaryAnswer(text="".join(self.texts), stop_reason=self.stop_reason, model=self.model, usage=self.usage)


class _ChatAnswer(_Reading):
    """The answer of chat completions: chunks, the usage in the last."""

    def read(self, event: Any) -> None:
        self.model = event.model or self.model
        self.count(event.usage)
        for choice in (event.choices or ())[:1]:
            if choice.delta is not None:
                self.add(choice.delta.content)
            if choice.delta is not None and choice.delta.refusal:
                self.stop(REFUSAL)
            self.stop(choice.finish_reason)

    def read_whole(self, body: Mapping[str, Any]) -> None:
        from openai.types.chat import ChatCompletionChunk  # noqa: PLC0415 -- loaded only for such a server

        choices = [{**choice, "delta": choice.get("message")} for choice in body.get("choices") or ()]
        self.read(ChatCompletionChunk.construct(**{**body, "choices": choices}))


class _ResponsesAnswer(_Reading):
    """The answer of the Responses API: events, the whole response in the last."""

    def read(self, event: Any) -> None:
        if event.type == "response.output_text.delta":
            self.add(event.delta)
        elif event.type == "response.refusal.delta":
            self.stop(REFUSAL)
        elif event.type in ("response.completed", "response.incomplete"):
            self._ended(event.response)
        elif event.type == "response.failed":
            error = event.response.error
            self._refused(getattr(error, "code", None), getattr(error, "message", None))
        elif event.type == "error":
            self._refused(event.code, event.message)

    def read_whole(self, body: Mapping[str, Any]) -> None:
        from openai.types.responses import Response  # noqa: PLC0415 -- loaded only for such a server

        response = Response.construct(**body)
        self.add(response.output_text)
        if any(getattr(part, "type", "") == "refusal" for item in response.output for part in _parts(item)):
            self.stop(REFUSAL)
        if response.error is not None:
            self._refused(response.error.code, response.error.message)
        else:
            self._ended(response)

    def _ended(self, response: Any) -> None:
        self.model = response.model or self.model
        self.count(response.usage)
        called = any(str(item.type).endswith("_call") for item in response.output or ())
        if response.incomplete_details is not None:
            self.stop("length" if response.incomplete_details.reason == "max_output_tokens" else REFUSAL)
        self.stop(self.stop_reason or ("tool_calls" if called else "stop"))

    def _refused(self, code: str | None, message: str | None) -> None:
        self.failed = _failure(diagnose_in_stream(code or "", message or ""), self.model)


def _parts(item: Any) -> Any:
    return getattr(item, "content", None) or ()


def _text(system: Any) -> str:
    """Return the system prompt as a text; blocks of texts are joined."""
    if system is None or isinstance(system, str):
        return system or ""
    return "\n\n".join(str(block.get("text", "")) for block in system)


def _failure(met: Diagnosis, model: str) -> SummaryAnswer:
    reason = str(met.error)
    return SummaryAnswer(model=model, failure=met.failure, reason=reason, retry_after=met.retry_after, error=met.error)
