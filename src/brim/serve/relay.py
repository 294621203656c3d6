"""Relay: what comes is sent on to the upstream, and its response is passed back as it comes.

Specified by features/serve/requests.feature (SRV_02).
"""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeVar

from httpx2 import URL, AsyncClient, HTTPError, InvalidURL, Limits, Response, Timeout, TimeoutException
from httpx2 import Request as HTTPRequest
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response as Answer
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from brim.engine.middleware import UsageObserver
from brim.errors import described
from brim.serve.conversations import Prepared, ServedConversations, observer_of
from brim.serve.requests import HOP_BY_HOP, MAX_BODY, NO_PROXY, READABLE, UnchangedRequest, api_of, read_call

TIMEOUT: Final = Timeout(connect=30, read=900, write=300, pool=30)
"""Seconds that the upstream may take; the APIs end a request after 600."""
REFUSALS: Final = (400, 413)
"""Statuses of a refusal that a recovery may resolve."""
FIRST_ERROR: Final = 400
OPENING: Final = frozenset({"message_start", "ping", "response.created", "response.queued", "response.in_progress"})
"""The events of a stream before its answer, or before a refusal."""
MAX_OPENING: Final = 3
"""Events of a stream that are read, at most, before the first byte of it is passed back."""
T = TypeVar("T")


class Relay:
    """An ASGI application in front of an upstream.

    Args:
        target: gives the upstream's URL for a request.
        conversations: prepares the requests that hold one.
    """

    def __init__(self, target: Callable[[Request], URL], conversations: ServedConversations) -> None:
        self._target, self._conversations = target, conversations
        self._client = AsyncClient(limits=Limits(max_connections=None), timeout=TIMEOUT, mounts=NO_PROXY)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; what waits for the upstream ends once the client has gone."""
        request, read = Request(scope, receive), asyncio.Event()
        answering = asyncio.ensure_future(self._answer_or_error(request, read))
        gone = asyncio.ensure_future(_gone(request, read))
        try:
            await asyncio.wait({answering, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
            is_answered = answering.done() or not answering.cancel()
        if is_answered:
            with suppress(ClientDisconnect):
                await answering.result()(scope, receive, send)

    async def _answer_or_error(self, request: Request, read: asyncio.Event) -> Answer:
        try:
            return await self._answer(request, read)
        except InvalidURL as error:
            return failed(400, f"the path is none of a URL: {error}")
        except TimeoutException as error:
            return failed(504, f"the upstream does not answer in time ({type(error).__name__}); try again later")
        except HTTPError as error:
            said = f"{type(error).__name__}: {error}"
            where = self._target(request).copy_with(raw_path=b"/")
            return failed(502, f"the upstream {where} cannot be reached ({said}); check --upstream")

    async def aclose(self) -> None:
        """Close the connections to the upstream, and end what is prepared."""
        await self._client.aclose()
        await self._conversations.aclose()

    async def _answer(self, request: Request, read: asyncio.Event) -> Answer:
        """Answer one request; its body is read once `read` is set."""
        if request.headers.get("upgrade", "").lower() == "websocket":
            self._conversations.tell("a WebSocket is refused, so that the agent asks by HTTP")
            return failed(426, "WebSockets are not relayed; ask by HTTP")
        api = api_of(request.method, request.url.path)
        if api is None:
            has_body = "content-length" in request.headers or "transfer-encoding" in request.headers
            content = _passed_on(request, read) if has_body else None
            if content is None:
                read.set()
            response = await self._sent(self._outgoing(request, content))
            return passed_back(response, response.aiter_raw())
        payload = await _read(request)
        if payload is None:
            return failed(413, f"the body has more than {MAX_BODY:,} bytes, which no API takes; send less")
        read.set()
        try:
            call = read_call(api, str(self._target(request)), payload, dict(request.headers))
        except Exception as error:  # noqa: BLE001 -- brim's own reading never ends a request
            reason = str(error) if isinstance(error, UnchangedRequest) else described(error)
            self._conversations.tell(f"passed on unchanged: {reason}")
            response = await self._sent(self._outgoing(request, payload))
            return passed_back(response, response.aiter_raw())
        return await self._recovered(request, await self._conversations.prepare(call, payload))

    async def _recovered(self, request: Request, prepared: Prepared) -> Answer:
        """Return the response to a call, after what the recoveries resolve."""
        while True:
            response, pieces, refusal = await self._begun(self._calling(request, prepared))
            if refusal is None or not await self._conversations.recover(prepared, refusal):
                break
            await response.aclose()
        if response.status_code >= FIRST_ERROR:
            return passed_back(response, pieces)
        report = partial(self._conversations.report, prepared)
        observer = observer_of(prepared.call, report, streamed=is_stream(response))
        return passed_back(response, pieces, observer, partial(self._conversations.account, prepared))

    async def _begun(self, outgoing: HTTPRequest) -> tuple[Response, AsyncIterator[bytes], Response | None]:
        """Return a response, its bytes, and the refusal that it is: a stream may tell it after it has begun."""
        response = await self._sent(outgoing)
        pieces, held, status = response.aiter_raw(), list[bytes](), response.status_code
        refusal = None
        try:
            if status in REFUSALS:
                held = [piece async for piece in pieces]
                refusal = Response(status, headers=response.headers, content=b"".join(held))
            elif status < FIRST_ERROR and is_stream(response):
                async for piece in pieces:
                    held.append(piece)
                    if (error := first_error(response, b"".join(held))) is not None:
                        refusal = Response(REFUSALS[0], json={"error": error}) if error else None
                        break
        except BaseException:
            await response.aclose()
            raise
        return response, _chained(held, pieces), refusal

    def _outgoing(self, request: Request, content: bytes | AsyncIterator[bytes] | None) -> HTTPRequest:
        """Return the request to the upstream: the caller's headers but for those of the connection."""
        named = {name.strip().lower() for name in request.headers.get("connection", "").split(",")}
        is_counted = isinstance(content, bytes) or "transfer-encoding" in request.headers
        left_out = HOP_BY_HOP | named | {"host", "expect"} | ({"content-length"} if is_counted else set())
        headers = [(name, value) for name, value in request.headers.raw if name.decode("latin-1") not in left_out]
        timeout = {"timeout": TIMEOUT.as_dict()}
        return HTTPRequest(request.method, self._target(request), headers=headers, content=content, extensions=timeout)

    def _calling(self, request: Request, prepared: Prepared) -> HTTPRequest:
        """Return the request for a call, whose response brim can read."""
        outgoing = self._outgoing(request, prepared.payload)
        if prepared.changed:
            outgoing.headers.pop("content-encoding", None)
        if "accept-encoding" in outgoing.headers:
            accepted = outgoing.headers["accept-encoding"].split(",")
            readable = [one.strip() for one in accepted if one.partition(";")[0].strip() in READABLE]
            outgoing.headers["accept-encoding"] = ", ".join(readable) or "identity"
        return outgoing

    async def _sent(self, outgoing: HTTPRequest) -> Response:
        return await self._client.send(outgoing, stream=True)


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


def is_stream(response: Response) -> bool:
    """Return whether a response is a stream of events."""
    return bool(response.headers.get("content-type", "").startswith("text/event-stream"))


def first_error(response: Response, raw: bytes) -> Any:
    """Return the error that a stream's first events tell, empty where its answer begins; None while neither came."""
    encoding, events = response.headers.get("content-encoding", "identity"), list[Any]()
    try:
        text = raw if encoding == "identity" else zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(raw)
        for line in text.split(b"\n")[:-1]:
            if line.startswith((b"data:", b":")):
                events.append(json.loads(line.removeprefix(b"data:")))
                error = events[-1].get("error") or (events[-1].get("response") or {}).get("error")
                if error or events[-1].get("type") not in OPENING:
                    return error or (events[-1] if events[-1].get("type") == "error" else {})
    except (ValueError, RecursionError, AttributeError, zlib.error):  # it has another form
        return {}
    return None if len(events) < MAX_OPENING else {}


def passed_back(
    response: Response,
    pieces: AsyncIterator[bytes],
    observer: UsageObserver | None = None,
    ended: Callable[[], None] = lambda: None,
) -> Answer:
    """Return the upstream's response, byte for byte as it comes; the observer reads what passes, until it has ended."""
    passing = _pieces(response, pieces, observer, ended)
    return _with_headers(StreamingResponse(passing, response.status_code), response)


def _with_headers(answer: Answer, response: Response) -> Answer:
    answer.raw_headers = [
        (name.lower(), value)
        for name, value in response.headers.raw
        if name.lower().decode("latin-1") not in HOP_BY_HOP
    ]
    return answer


async def _chained(held: Sequence[bytes], pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    for piece in held:
        yield piece
    async for piece in pieces:
        yield piece


async def _pieces(
    response: Response, pieces: AsyncIterator[bytes], observer: UsageObserver | None, ended: Callable[[], None]
) -> AsyncIterator[bytes]:
    encoding = response.headers.get("content-encoding", "identity")
    decode: Any = zlib.decompressobj(zlib.MAX_WBITS | 32).decompress if encoding in ("gzip", "deflate") else bytes
    try:
        async for piece in pieces:
            if observer is not None and encoding in READABLE:
                with suppress(Exception):  # what brim cannot read passes
                    observer.feed(decode(piece))
            yield piece
        if observer is not None:
            with suppress(Exception):
                observer.end()
    finally:
        await response.aclose()
        ended()


def failed(status: int, text: str) -> Answer:
    """Return an error of the proxy's own, in the form of every API that it serves."""
    error = {"type": "api_error", "message": f"brim serve: {text}", "code": None, "param": None}
    return Answer(json.dumps({"type": "error", "error": error}), status, media_type="application/json")
