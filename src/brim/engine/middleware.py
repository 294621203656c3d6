"""Middleware: compaction inside the SDK's own client, for agents that call it as they always did.

    client = Anthropic(middleware=[compaction(compactor)])

See tests/engine/test_middleware.py and docs/examples/middleware.py (TRG_17, TRG_18, CNV_06).
"""

from __future__ import annotations

import warnings
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final, TypeVar
from weakref import ref

from anthropic import APIRequest, AsyncCallNext, CallNext, Middleware

from brim.anthropic.errors import is_overflow_response
from brim.engine.compactor import AsyncCompactor, Compactor, request_of_body
from brim.engine.driving import is_own_call
from brim.engine.requests import AsyncRequests, Outgoing, Requests
from brim.errors import CompactionStalled, ContextOverflow, InvalidInput, Refused

if TYPE_CHECKING:
    from httpx2 import Response
import json
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

MESSAGES: Final = "/v1/messages"
HELD_BY_SERVER: Final = "continue"
"""The kind of a thread whose history the server holds: a request brings what is new alone."""
FIRST_ERROR: Final = 400
ResponseT = TypeVar("ResponseT")


class CompactionMiddleware(Middleware):
    """Judges every request for messages, sends the compacted history where one is due, and hears what came back.

    It knows a conversation by what its list begins with: the caller keeps one list that only grows, and a retry of the
    SDK is the same request again. Not touched are brim's own calls for a summary, token counts, batches, requests that
    ask the provider to compact, and those on a thread whose history the server holds (pass `thread=False`).

    Args:
        compactor: a Compactor for clients that wait, an AsyncCompactor for event loops.
        strict: raise Refused for a model whose window is unknown or too small for the policy, instead of one warning
            (TRG_23).
    """

    def __init__(self, compactor: Compactor | AsyncCompactor, *, strict: bool = True) -> None:
        self._compactor, self._strict = compactor, strict
        self._requests: Any
        if isinstance(compactor, AsyncCompactor):
            self._requests = AsyncRequests(compactor)
        else:
            self._requests = Requests(compactor)
        self._warned: set[str] = set()

    def handle(self, request: APIRequest, call_next: CallNext) -> Any:
        """One attempt at a request of a client that waits."""
        body = self._judged(request)
        if body is None:
            return call_next(request)
        if not isinstance(self._compactor, Compactor):
            raise InvalidInput("this client waits for its responses: make its middleware of a Compactor")
        try:
            outgoing = self._requests.prepare_request(request_of_body(body, request.headers))
        except (InvalidInput, Refused) as error:
            return call_next(self._as_it_is(request, error))
        response = call_next(_sending(request, body, outgoing))
        if _may_be_overflow(response):
            response.read()
            again = self._requests.overflowed(outgoing) if _is_overflow(response) else None
            if again is not None:
                outgoing, response = again, call_next(_sending(request, body, again))
        return self._heard(response, outgoing)

    async def handle_async(self, request: APIRequest, call_next: AsyncCallNext) -> Any:
        """One attempt at a request of a client for event loops."""
        body = self._judged(request)
        if body is None:
            return await call_next(request)
        if not isinstance(self._compactor, AsyncCompactor):
            raise InvalidInput("this client is for event loops: make its middleware of an AsyncCompactor")
        try:
            outgoing = await self._requests.prepare_request(request_of_body(body, request.headers))
        except (InvalidInput, Refused) as error:
            return await call_next(self._as_it_is(request, error))
        response = await call_next(_sending(request, body, outgoing))
        if _may_be_overflow(response):
            await response.read()
            again = await self._requests.overflowed(outgoing) if _is_overflow(response) else None
            if again is not None:
                outgoing, response = again, await call_next(_sending(request, body, again))
        return self._heard(response, outgoing)

    def _judged(self, request: APIRequest) -> Mapping[str, Any] | None:
        """The body of a request that is judged; None for any other."""
        body = request.json
        if request.method.lower() != "post" or request.url.partition("?")[0] != MESSAGES or is_own_call():
            return None
        if not isinstance(body, Mapping) or not isinstance(body.get("messages"), list) or _provider_compacts(body):
            return None
        thread = body.get("thread")
        if isinstance(thread, Mapping) and thread.get("type") == HELD_BY_SERVER:
            self._warn("the server holds the history of this thread, so it is not compacted here: pass thread=False")
            return None
        return body

    def _as_it_is(self, request: APIRequest, error: InvalidInput | Refused) -> APIRequest:
        """The request as the caller sends it, with a warning: brim cannot read it, or cannot judge it for its model."""
        if isinstance(error, InvalidInput):
            self._warn(f"a conversation is sent as it is and never compacted, since it cannot be read: {error}")
        elif self._strict or isinstance(error, (CompactionStalled, ContextOverflow)):
            raise error
        else:
            self._warn(f"a conversation is sent as it is and not compacted: {error}")
        return request

    def _warn(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            warnings.warn(text, stacklevel=4)

    def _heard(self, response: ResponseT, outgoing: Outgoing) -> ResponseT:
        """The response, with its usage recorded as it is read (TRG_17)."""

        def report(usage: Mapping[str, Any], model: str, finished: bool) -> None:  # noqa: FBT001 -- as it is told
            try:
                self._requests.reported(outgoing, usage, model=model, finished=finished)
            except InvalidInput as unreadable:
                self._requests.tell_unreadable(unreadable)

        answered: Any = response
        if answered.http_response.status_code < FIRST_ERROR:
            listen(answered.http_response, report)
        return response


def compaction(compactor: Compactor | AsyncCompactor, *, strict: bool = True) -> CompactionMiddleware:
    """The middleware for a client: `Anthropic(middleware=[compaction(compactor)])`. See CompactionMiddleware."""
    return CompactionMiddleware(compactor, strict=strict)


def _provider_compacts(body: Mapping[str, Any]) -> bool:
    """Whether the provider is asked to compact, at once or when it is due: one of the two is enough."""
    management = body.get("context_management")
    edits = management.get("edits") if isinstance(management, Mapping) else None
    kinds = [edit.get("type") for edit in edits or () if isinstance(edit, Mapping)]
    return body.get("compaction") is not None or any(str(kind).startswith("compact_") for kind in kinds)


def _sending(request: APIRequest, body: Mapping[str, Any], outgoing: Outgoing) -> APIRequest:
    """The request with what is to be sent; the very same where that is what the caller sends.

    The SDK's own copy of a request copies its whole history first, so it is made here without.
    """
    if outgoing.messages is body["messages"]:
        return request
    options = request.options.model_copy(update={"json_data": {**body, "messages": outgoing.messages}})
    return APIRequest(
        options=options,
        cast_to=request.cast_to,
        stream=request.stream,
        stream_cls=request.stream_cls,
        retries_taken=request.retries_taken,
    )


def _may_be_overflow(response: Any) -> bool:
    return bool(response.http_response.status_code in (400, 413))


def _is_overflow(response: Any) -> bool:
    """Whether a refusal, read by now, is for the length of the prompt (TRG_18)."""
    return is_overflow_response(response.http_response.status_code, response.http_response.content)


Report: TypeAlias = Callable[[Mapping[str, Any], str, bool], None]
"""Told the usage, the model, and whether the response gave a stop reason."""
STREAMED: Final = "text/event-stream"
TELLING: Final = (b'"message_start"', b'"message_delta"')
"""The events of a stream that carry a usage."""


class UsageHeard:
    """Listens to the bytes of one response; what cannot be read is not reported, and nothing is ever raised.

    A stream's usage is reported as soon as it begins, and again when it is complete: one that is closed early has told
    what it read.
    """

    def __init__(self, report: Report, *, streamed: bool) -> None:
        self._report, self._streamed = report, streamed
        self._rest = b""
        self._usage: dict[str, Any] = {}
        self._model = ""

    def hear(self, piece: bytes) -> None:
        """Listen to the next bytes."""
        self._rest += piece
        if self._streamed and b"\n" in piece:
            *lines, self._rest = self._rest.split(b"\n")
            for line in lines:
                if line.startswith(b"data:") and any(telling in line for telling in TELLING):
                    self._hear_event(_read(line.removeprefix(b"data:")))

    def end(self) -> None:
        """Nothing more comes: a response that is no stream has told all."""
        if not self._streamed:
            self.hear_message(_read(self._rest))

    def hear_message(self, message: Any) -> None:
        """A whole response, as it was parsed."""
        if isinstance(message, Mapping) and isinstance(message.get("usage"), Mapping):
            self._usage, self._model = dict(message["usage"]), str(message.get("model", ""))
            self._tell(None, finished=message.get("stop_reason") is not None)

    def _hear_event(self, event: Any) -> None:
        if not isinstance(event, Mapping):
            return
        message = event.get("message")
        if event.get("type") == "message_start" and isinstance(message, Mapping):
            self._model = str(message.get("model", ""))
            self._tell(message.get("usage"), finished=False)
        elif event.get("type") == "message_delta":
            delta = event.get("delta")
            stopped = isinstance(delta, Mapping) and delta.get("stop_reason") is not None
            self._tell(event.get("usage"), finished=stopped)

    def _tell(self, usage: Any, *, finished: bool) -> None:
        if isinstance(usage, Mapping):
            self._usage |= {name: count for name, count in usage.items() if count is not None}
        if self._usage:
            with suppress(InvalidInput):
                self._report(self._usage, self._model, finished)


def _read(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def listen(response: Response, report: Report) -> None:
    """Report the usage of a response: at once where it was read already, else while its caller reads it.

    Nothing is read that the caller does not read, and every byte reaches him as it came, decoded as he would have it.
    """
    heard = UsageHeard(report, streamed=response.headers.get("content-type", "").startswith(STREAMED))
    if response.is_stream_consumed:
        heard.hear(response.content)
        heard.end()
        return
    _listen_while_read(response, heard)


def _listen_while_read(response: Any, heard: UsageHeard) -> None:
    """The SDK reads bodies through these two, raw or parsed, line by line or at once.

    They do not hold the response: a stream that is dropped unread closes when its last reader lets go of it.
    """
    kind, here = type(response), ref(response)

    def iter_bytes(chunk_size: int | None = None) -> Iterator[bytes]:
        for piece in kind.iter_bytes(here(), chunk_size):
            heard.hear(piece)
            yield piece
        heard.end()

    async def aiter_bytes(chunk_size: int | None = None) -> AsyncGenerator[bytes, None]:
        async with aclosing(kind.aiter_bytes(here(), chunk_size)) as pieces:
            async for piece in pieces:
                heard.hear(piece)
                yield piece
        heard.end()

    response.iter_bytes, response.aiter_bytes = iter_bytes, aiter_bytes
