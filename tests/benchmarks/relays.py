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
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from httpx2 import AsyncClient, Response
from psutil import Process
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from brim.serve.server import address_of, listen, server

EVENTS = 50
BYTES_A_TOKEN = 4
PAUSE = "/paced"
"""How the upstream's path begins for a stream whose events come `SECONDS` apart."""
SECONDS = 0.02
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
            first, *others = _events(size // BYTES_A_TOKEN)
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
            writer.write(_chunk(first))
            if PAUSE.encode() in head.partition(b"\r\n")[0]:
                for event in others:
                    await asyncio.sleep(SECONDS)
                    writer.write(_chunk(event))
            else:
                writer.write(_chunk(b"".join(others)))
            writer.write(LAST)
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
def process(*arguments: str, home: Path | None = None) -> Iterator[tuple[str, Process]]:
    """The address of a server in a process of its own, which says it in its first line, and the process."""
    environ = {**os.environ, **({"BRIM_HOME": str(home)} if home else {})}
    command = [sys.executable, "-m", *arguments]
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as one:
        assert one.stdout is not None
        try:
            yield one.stdout.readline().split()[1 if arguments[0] != "brim" else 2], Process(one.pid)
        finally:
            one.kill()


@contextmanager
def upstream_process() -> Iterator[str]:
    """The address of the upstream."""
    with process("tests.benchmarks.relays", "upstream") as (url, _):
        yield url


@contextmanager
def relay_process(upstream: str) -> Iterator[tuple[str, Process]]:
    """The address and the process of the relay."""
    with process("tests.benchmarks.relays", "relay", upstream) as started:
        yield started


@contextmanager
def brim_process(upstream: str, *options: str, home: Path | None = None) -> Iterator[tuple[str, Process]]:
    """The address and the process of `brim serve`, which keeps compactions in a home, by default in one of its own."""
    with TemporaryDirectory() as own:
        arguments = ["--upstream", upstream, "--port", "0", *options]
        with process("brim", "serve", *arguments, home=home or Path(own)) as started:
            yield started


if __name__ == "__main__":
    main()
