"""What `brim serve` is measured beside, each in a process of its own: an upstream, and the barest relay to it.

python -m tests.benchmarks.relays upstream
python -m tests.benchmarks.relays relay URL
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

from httpx2 import AsyncClient, Response
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from brim.serve.server import address_of, listen, server

EVENTS = 50
BYTES_A_TOKEN = 4
LAST = b"0\r\n\r\n"
"""The end of a body in chunks."""


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer the requests of a connection with streams, at no more cost than that of reading them."""
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if line)
            size = int(fields[b"content-length"])
            await reader.readexactly(size)
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
            writer.writelines([_chunk(b"".join(_events(size // BYTES_A_TOKEN))), LAST])
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def _events(tokens: int) -> list[bytes]:
    """An answer that a request for a summary takes too."""
    said: dict[str, Any] = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "stop_reason": None}
    usage = {"input_tokens": tokens, "output_tokens": 1}
    words = ["<summary>It goes on.", *["and one more word"] * EVENTS, "</summary>"]
    texts = [{"delta": {"type": "text_delta", "text": word}} for word in words]
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**said, "model": "claude-opus-5-5", "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *({"type": "content_block_delta", "index": 0, **text} for text in texts),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": EVENTS}},
        {"type": "message_stop"},
    ]
    return [f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in events]


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def relay(upstream: str) -> Starlette:
    """Build the barest relay: it reads the body, sends it on, and passes the response back as it comes."""
    client = AsyncClient(timeout=60)

    async def send(request: Request) -> StreamingResponse:
        content, headers = await request.body(), {"content-type": "application/json"}
        sent = client.build_request(request.method, upstream + request.url.path, content=content, headers=headers)
        response = await client.send(sent, stream=True)
        return StreamingResponse(_pieces(response), response.status_code, media_type="text/event-stream")

    return Starlette(routes=[Route("/{path:path}", send, methods=["POST"])])


async def _pieces(response: Response) -> AsyncIterator[bytes]:
    async for piece in response.aiter_raw():
        yield piece
    await response.aclose()


async def _upstream() -> None:
    with listen("127.0.0.1", 0) as listener:
        sys.stdout.write(f"upstream: {address_of(listener)}\n")
        sys.stdout.flush()
        async with await asyncio.start_server(answer, sock=listener) as serving:
            await serving.serve_forever()


def main() -> None:
    """Serve until the process is ended."""
    if sys.argv[1] == "upstream":
        asyncio.run(_upstream())
        return
    with listen("127.0.0.1", 0) as listener:
        sys.stdout.write(f"relay: {address_of(listener)}\n")
        sys.stdout.flush()
        server(relay(sys.argv[2])).run(sockets=[listener])


@contextmanager
def process(*arguments: str, home: str = "") -> Iterator[str]:
    """Run a server in a process of its own; the address that it says in its first line."""
    environ = {**os.environ, **({"BRIM_HOME": home} if home else {})}
    command = [sys.executable, "-m", *arguments]
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as one:
        assert one.stdout is not None
        try:
            yield one.stdout.readline().split()[1 if arguments[0] != "brim" else 2]
        finally:
            one.kill()


upstream_process = partial(process, "tests.benchmarks.relays", "upstream")
relay_process = partial(process, "tests.benchmarks.relays", "relay")


@contextmanager
def brim_process(upstream: str, *options: str) -> Iterator[str]:
    """Run `brim serve` with a home of its own; its address."""
    with (
        TemporaryDirectory() as home,
        process("brim", "serve", "--upstream", upstream, "--port", "0", *options, home=home) as url,
    ):
        yield url


if __name__ == "__main__":
    main()
