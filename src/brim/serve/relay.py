"""Relay: what comes is sent on to the upstream, and its response is passed back as it comes.

Specified by features/serve/requests.feature (SRV_02).
"""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final

from httpx2 import URL, AsyncClient, HTTPError, InvalidURL, Limits, Response, Timeout, TimeoutException
from httpx2 import Request as HTTPRequest
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from brim.engine.middleware import UsageObserver
from brim.errors import described
from brim.serve.conversations import ServedConversations
from brim.serve.requests import (
    MAX_BODY,
    NO_PROXY,
    Call,
    UnchangedRequest,
    api_of,
    end_to_end,
    read_call,
)

EXTENSIONS: Final = {"timeout": Timeout(connect=30, read=900, write=300, pool=30).as_dict()}
"""Seconds that the upstream may take; the APIs end a request after 600."""
REFUSALS: Final = (400, 413)
"""Statuses of a refusal that a recovery may resolve."""
FIRST_ERROR: Final = 400
OPENING: Final = frozenset({"message_start", "ping", "response.created", "response.queued", "response.in_progress"})
"""The events of a stream before its answer, or before a refusal."""
MAX_OPENING: Final = 3
"""Events of a stream that are read, at most, before the first byte of it is passed back."""
READERS: Final[Mapping[str, Callable[[], Callable[[bytes], bytes]]]] = {
    "identity": lambda: bytes,
    "gzip": lambda: zlib.decompressobj(zlib.MAX_WBITS | 16).decompress,
    "deflate": lambda: zlib.decompressobj().decompress,
}
"""What reads the pieces of a response in each encoding that brim reads."""


class Relay:
    """An ASGI application in front of an upstream.

    Args:
        target: gives the upstream's URL for a request.
        conversations: prepares the requests that hold one.
    """

    def __init__(self, target: Callable[[Request], URL], conversations: ServedConversations) -> None:
        self._target, self._conversations = target, conversations
        self._client = AsyncClient(limits=Limits(max_connections=None), mounts=NO_PROXY)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; all that is done for it ends once the client has gone."""
        request, read = Request(scope, receive), asyncio.Event()
        answering = asyncio.ensure_future(self._answer(request, read, send))
        gone = asyncio.ensure_future(_gone(request, read))
        try:
            await asyncio.wait({answering, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
            is_ended = not answering.cancel()
        if is_ended:
            with suppress(ClientDisconnect):
                answering.result()

    async def aclose(self) -> None:
        """Close the connections to the upstream, and end what is prepared."""
        await self._client.aclose()
        await self._conversations.aclose()

    async def _answer(self, request: Request, read: asyncio.Event, send: Send) -> None:
        """Answer one request; its body is read once `read` is set."""
        try:
            answer = await self._relayed(request, read)
        except InvalidURL as error:
            answer = failed(400, f"the path is none of a URL: {error}")
        except TimeoutException as error:
            answer = failed(504, f"the upstream does not answer in time ({type(error).__name__}); try again later")
        except HTTPError as error:
            said, where = f"{type(error).__name__}: {error}", self._target(request).copy_with(raw_path=b"/")
            cure = "check --upstream, or the base URL that was set before brim run"
            answer = failed(502, f"the upstream {where} cannot be reached ({said}); {cure}")
        await answer(request.scope, request.receive, send)

    async def _relayed(self, request: Request, read: asyncio.Event) -> ASGIApp:
        """Return what the upstream, or the proxy, answers."""
        target = self._target(request)
        if request.headers.get("upgrade", "").lower() == "websocket":
            self._conversations.tell("a WebSocket is refused, so that the agent asks by HTTP")
            return failed(426, "WebSockets are not relayed; ask by HTTP")
        api = api_of(request.method, request.scope["path"])
        if api is None:
            has_body = "content-length" in request.headers or "transfer-encoding" in request.headers
            content = _passed_on(request, read) if has_body else None
            if content is None:
                read.set()
            return PassedBack(await self._client.send(_outgoing(request, target, content), stream=True))
        payload = await _read(request)
        if payload is None:
            return failed(413, f"the body has more than {MAX_BODY:,} bytes, which no API takes; send less")
        read.set()
        try:
            call = read_call(api, str(target), payload, end_to_end(request.headers.raw))
        except Exception as error:  # noqa: BLE001 -- brim's own reading never ends a request
            reason = str(error) if isinstance(error, UnchangedRequest) else described(error)
            self._conversations.tell(f"passed on unchanged: {reason}")
            return PassedBack(await self._client.send(_outgoing(request, target, payload), stream=True))
        await self._conversations.prepare(call)
        return await self._recovered(request, target, call)

    async def _recovered(self, request: Request, target: URL, call: Call) -> ASGIApp:
        """Return the response to a call, after what the recoveries resolve."""
        while True:
            outgoing = _readable(_outgoing(request, target, call.payload))
            response = await self._client.send(outgoing, stream=True)
            passed = PassedBack(response)
            try:
                refusal = await passed.refusal()
                if refusal is None or not await self._conversations.recover(call, refusal):
                    break
            except BaseException:
                await response.aclose()
                raise
            await response.aclose()
        if response.status_code < FIRST_ERROR:
            report = partial(self._conversations.report, call)
            passed.observer = UsageObserver(report, streamed=passed.is_stream)
            passed.ended = partial(self._conversations.account, call)
        return passed


def _outgoing(request: Request, target: URL, content: bytes | AsyncIterator[bytes] | None) -> HTTPRequest:
    """Return the request to the upstream: the caller's headers but for those of the connection."""
    is_counted = isinstance(content, bytes) or "transfer-encoding" in request.headers
    left_out = {b"host", b"expect", b"content-length" if is_counted else b"host"}
    headers = [one for one in end_to_end(request.headers.raw) if one[0] not in left_out]
    return HTTPRequest(request.method, target, headers=headers, content=content, extensions=EXTENSIONS)


def _readable(outgoing: HTTPRequest) -> HTTPRequest:
    """Return the request for a response in an encoding that brim reads: another one could not be measured."""
    if accepted := outgoing.headers.get("accept-encoding"):
        readable = [one.strip() for one in accepted.split(",") if one.partition(";")[0].strip() in READERS]
        outgoing.headers["accept-encoding"] = ", ".join(readable) or "identity"
    return outgoing


async def _read(request: Request) -> bytes | None:
    """Read a whole body; None where it is too large."""
    pieces, size = list[bytes](), 0
    async for piece in request.stream():
        size += len(piece)
        if size > MAX_BODY:
            return None
        pieces.append(piece)
    return b"".join(pieces)


async def _passed_on(request: Request, read: asyncio.Event) -> AsyncIterator[bytes]:
    async for piece in request.stream():
        yield piece
    read.set()


async def _gone(request: Request, read: asyncio.Event) -> None:
    """Return once the client has gone, which shows when its body is read."""
    await read.wait()
    while (await request.receive())["type"] != "http.disconnect":
        pass


class PassedBack:
    """The upstream's response, which goes back byte for byte as it comes."""

    observer: UsageObserver | None = None
    """Reads what passes."""

    def __init__(self, response: Response) -> None:
        self._response, self._pieces, self._held = response, response.aiter_raw(), list[bytes]()
        self.is_stream = response.headers.get("content-type", "").startswith("text/event-stream")
        self._reader = READERS.get(response.headers.get("content-encoding", "identity"))
        self.ended: Callable[[], None] = lambda: None
        """Is called once all has passed, or the client has gone."""

    async def refusal(self) -> Response | None:
        """Return the refusal that it is: a stream may tell it after it has begun."""
        status = self._response.status_code
        if status in REFUSALS:
            self._held = [piece async for piece in self._pieces]
            return Response(status, headers=self._response.headers, content=b"".join(self._held))
        error, text = None, b""
        if status < FIRST_ERROR and self.is_stream and self._reader is not None:
            read = self._reader()
            with suppress(zlib.error):
                async for piece in self._pieces:
                    self._held.append(piece)
                    text += read(piece)
                    if (error := first_error(text)) is not None:
                        break
        return Response(REFUSALS[0], json={"error": error}) if error else None

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Send it to the client."""
        response, observer = self._response, self.observer if self._reader else None
        read = self._reader() if self._reader else bytes

        async def passed(piece: bytes) -> None:
            if observer is not None:
                with suppress(Exception):  # what brim cannot read passes
                    observer.feed(read(piece))
            await send({"type": "http.response.body", "body": piece, "more_body": True})

        try:
            headers = end_to_end(response.headers.raw)
            await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
            for piece in self._held:
                await passed(piece)
            async for piece in self._pieces:
                await passed(piece)
            if observer is not None:
                with suppress(Exception):
                    observer.end()
        finally:
            await response.aclose()
            self.ended()
        await send({"type": "http.response.body", "body": b""})


def first_error(text: bytes) -> Any:
    """Return the error that a stream's first events tell, empty where its answer begins; None while neither came."""
    events = list[Any]()
    try:
        for line in text.split(b"\n")[:-1]:
            if line.startswith((b"data:", b":")):
                events.append(json.loads(line.removeprefix(b"data:")))
                error = events[-1].get("error") or (events[-1].get("response") or {}).get("error")
                if error or events[-1].get("type") not in OPENING:
                    return error or (events[-1] if events[-1].get("type") == "error" else {})
    except (ValueError, RecursionError, AttributeError):  # it has another form
        return {}
    return None if len(events) < MAX_OPENING else {}


def failed(status: int, text: str) -> ASGIApp:
    """Return an error of the proxy's own, in the form of every API that it serves."""
    error = {"type": "api_error", "message": f"brim serve: {text}", "code": None, "param": None}
    return JSONResponse({"type": "error", "error": error}, status)
