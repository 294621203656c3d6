"""What the proxy adds to a request that is not due, beside a bare relay of starlette, in turn."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

from httpx2 import AsyncClient, Client
from httpx2 import Response as Received
from rich.console import Console
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from tests.benchmarks.conversation import conversation
from tests.benchmarks.tables import print_table
from tests.serve.proxies import MODEL, listening, proxied

REQUESTS = 40
"""Requests in each way, of which the median counts."""
EVENTS = 50
MESSAGES = (100, 1_000)
AIM = "at most 3 ms more than the bare relay"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeRow:
    """Seconds of a request in one way."""

    way: str
    messages: int
    bytes: int
    """Of the body of its last request."""
    first: float
    """Until the first byte of the answer."""
    whole: float


async def _answer(request: Request) -> StreamingResponse:
    await request.body()

    async def events() -> AsyncIterator[bytes]:
        yield b'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":3}}}\n\n'
        for _ in range(EVENTS):
            yield b'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"text":"one"}}\n\n'

    return StreamingResponse(events(), media_type="text/event-stream")


@contextmanager
def _bare(upstream: str) -> Iterator[str]:
    """The plainest relay: it reads the body, sends it on and passes the answer back as it comes."""
    client = AsyncClient(timeout=60)

    async def relay(request: Request) -> StreamingResponse:
        content, headers = await request.body(), {"content-type": "application/json"}
        sent = client.build_request(request.method, upstream + request.url.path, content=content, headers=headers)
        response: Received = await client.send(sent, stream=True)
        return StreamingResponse(_pieces(response), response.status_code, media_type="text/event-stream")

    @asynccontextmanager
    async def closing(_: Starlette) -> AsyncIterator[None]:
        yield
        await client.aclose()

    with listening(Starlette(routes=[Route("/{path:path}", relay, methods=["POST"])], lifespan=closing)) as url:
        yield url


async def _pieces(response: Received) -> AsyncIterator[bytes]:
    async for piece in response.aiter_raw():
        yield piece
    await response.aclose()


def measure_serve() -> list[ServeRow]:
    """An agent that says one thing more with each request, without a proxy, through the bare relay and through brim."""
    with (
        listening(Starlette(routes=[Route("/{path:path}", _answer, methods=["POST"])])) as upstream,
        _bare(upstream) as bare,
        proxied(upstream, window=100_000_000, prune=False) as proxy,
    ):
        ways = {"no proxy": upstream, "bare relay": bare, "brim serve": proxy}
        return [row for count in MESSAGES for row in _measured(ways, count)]


def _measured(ways: dict[str, str], count: int) -> Iterator[ServeRow]:
    messages: list[Any] = [{key: one[key] for key in ("role", "content")} for one in conversation(count)]
    seconds: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
    clients = {way: Client(base_url=url, timeout=60) for way, url in ways.items()}
    body = b""
    for number in range(REQUESTS):
        messages += [{"role": "assistant", "content": "Done."}, {"role": "user", "content": f"Go on, {number}."}]
        body = json.dumps({"model": MODEL, "max_tokens": 4_000, "stream": True, "messages": messages}).encode()
        for way, client in clients.items():
            seconds[way].append(_timed(client, body))
    for way, client in clients.items():
        client.close()
        first, whole = (median(each) for each in zip(*seconds[way][1:], strict=True))
        yield ServeRow(way=way, messages=len(messages), bytes=len(body), first=first, whole=whole)


def _timed(client: Client, body: bytes) -> tuple[float, float]:
    begun = time.perf_counter()
    with client.stream("POST", "/v1/messages", content=body) as response:
        pieces = response.iter_raw()
        next(pieces)
        first = time.perf_counter() - begun
        for _ in pieces:
            pass
    assert response.status_code == 200
    return first, time.perf_counter() - begun


def show_serve(rows: Sequence[ServeRow], console: Console) -> None:
    """Print the table, with what each way adds."""
    columns = {
        "way": lambda row: row.way,
        "messages": lambda row: f"{row.messages:,}",
        "bytes": lambda row: f"{row.bytes:,}",
        "first byte ms": lambda row: f"{row.first * 1e3:.2f}",
        "whole ms": lambda row: f"{row.whole * 1e3:.2f}",
    }
    print_table(f"A request that is not due, streamed ({AIM})", columns, rows, console)
