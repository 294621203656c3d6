"""The relay, byte for byte, in front of an upstream that says what it received."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from httpx2 import Client, RemoteProtocolError, Response
from starlette.responses import Response as Answer
from starlette.responses import StreamingResponse

from brim.serve import requests
from tests.serve.proxies import ANSWER, MODEL, Upstream, listening, proxied

BODY = {"model": MODEL, "max_tokens": 10, "messages": [{"role": "user", "content": "Hello. \ud83d\udc4b"}]}
PAYLOAD = json.dumps(BODY, indent=3).encode()
"""Written as no library writes it."""


@pytest.fixture
def upstream() -> Upstream:
    """An upstream."""
    return Upstream()


@pytest.fixture
def direct(upstream: Upstream) -> Iterator[str]:
    """The address of the upstream."""
    with listening(upstream.app) as url:
        yield url


@pytest.fixture
def client(direct: str) -> Iterator[Client]:
    """A client of the proxy in front of it."""
    with proxied(direct) as url, Client(base_url=url, timeout=20) as client:
        yield client


def both(client: Client, direct: str, *arguments: Any, **options: Any) -> tuple[Response, Response]:
    """The responses to a request through the proxy and to the upstream itself, with the bytes of each as they came."""
    responses = []
    with Client(base_url=direct) as straight:
        for one in (client, straight):
            with one.stream(*arguments, **options) as response:
                response.raw = b"".join(response.iter_raw())  # type: ignore[attr-defined]
            responses.append(response)
    return responses[0], responses[1]


def test_a_request_and_its_response_pass_byte_for_byte(upstream: Upstream, client: Client, direct: str) -> None:
    """Headers too, those that come twice among them, but for those of the connection."""
    own = [(b"x-two", b"1"), (b"x-two", b"2"), (b"request-id", b"req_1")]
    upstream.answer = lambda: _answer(
        [*own, (b"connection", b"x-hop"), (b"x-hop", b"1"), (b"keep-alive", b"timeout=5")]
    )
    sent = [
        ("x-api-key", "k"),
        ("X-Own", "a"),
        ("X-Own", "b"),
        ("te", "trailers"),
        ("Connection", "x-hop"),
        ("x-hop", "1"),
    ]
    through, straight = both(client, direct, "POST", "/v1/messages?beta=true", content=PAYLOAD, headers=sent)
    assert through.raw == straight.raw == ANSWER
    of_the_connection = {b"host", b"te", b"connection", b"x-hop", b"keep-alive"}
    assert [*through.headers.raw] == [one for one in straight.headers.raw if one[0].lower() not in of_the_connection]
    ours, theirs = upstream.received
    assert ours[3] == theirs[3] == PAYLOAD
    assert [one for one in ours[2] if one[0] not in of_the_connection] == [
        one for one in theirs[2] if one[0] not in of_the_connection
    ]
    assert {name for name, _ in ours[2]} & of_the_connection == {b"host"}


def _answer(headers: list[tuple[bytes, bytes]], content: bytes = ANSWER) -> Answer:
    answer = Answer(content, media_type="application/json")
    answer.raw_headers += headers
    return answer


def test_a_compressed_response_stays_compressed(upstream: Upstream, client: Client, direct: str) -> None:
    """What it says of its usage is read all the same."""
    upstream.answer = lambda: _answer([(b"content-encoding", b"gzip")], gzip.compress(ANSWER, mtime=0))
    through, straight = both(client, direct, "POST", "/v1/messages", content=PAYLOAD)
    assert through.raw == straight.raw
    assert gzip.decompress(through.raw) == ANSWER


@pytest.mark.parametrize("path", ["/v1/messages", "/anything"])
@pytest.mark.parametrize("status", [400, 429, 500])
def test_a_status_passes_with_its_body(upstream: Upstream, client: Client, direct: str, path: str, status: int) -> None:
    """The agent sees the upstream's own error."""
    upstream.answer = lambda: Answer(b'{"type":"error","error":{"message":"no"}}', status, {"retry-after": "7"})
    through, straight = both(client, direct, "POST", path, content=PAYLOAD)
    assert (through.status_code, through.raw, [*through.headers.raw]) == (status, straight.raw, [*straight.headers.raw])


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b'{"messages": "none"}',
        b'{"messages": [1, null, {"role": "tool"}]}',
        json.dumps({**BODY, "model": "nobody-knows-me"}).encode(),
        json.dumps({**BODY, "model": 7, "system": 3, "tools": "x"}).encode(),
        json.dumps({**BODY, "context_management": {"edits": [{"type": "compact_20260112"}]}}).encode(),
        b"[" * 100_000,
        gzip.compress(PAYLOAD, mtime=0),
    ],
    ids=lambda body: body[:20].decode(errors="replace"),
)
def test_what_brim_does_not_read_passes_as_it_is(upstream: Upstream, client: Client, body: bytes) -> None:
    """A fault in a body is the upstream's to name."""
    headers = {"content-encoding": "gzip"} if body.startswith(b"\x1f") else {}
    assert client.post("/v1/messages", content=body, headers=headers).content == ANSWER
    assert upstream.received[0][3] == body


@pytest.mark.parametrize("encoding", ["zstd", "gzip", "nonsense"])
def test_a_body_that_is_encoded_in_another_way_than_brim_reads_passes(
    upstream: Upstream, client: Client, encoding: str
) -> None:
    """It may be one that brim knows, and not be encoded so."""
    client.post("/v1/messages", content=PAYLOAD, headers={"content-encoding": encoding})
    assert upstream.received[0][3] == PAYLOAD
    assert (b"content-encoding", encoding.encode()) in upstream.received[0][2]


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_other_methods_and_paths_pass(upstream: Upstream, client: Client, method: str) -> None:
    """With their query, as they were written."""
    client.request(method, "/v1/files/a%20b?x=%2F&y", content=b"data" if method == "PUT" else None)
    assert upstream.received[0][0] == method
    assert upstream.received[0][3] == (b"data" if method == "PUT" else b"")


def test_a_stream_passes_as_it_comes(upstream: Upstream, client: Client) -> None:
    """The first event is there before the second is written."""
    seen = threading.Event()

    async def events() -> AsyncIterator[bytes]:
        yield b"event: message_start\ndata: {}\n\n"
        for _ in range(2_000):
            if seen.is_set():
                break
            await _moment()
        yield b"event: late\ndata: {}\n\n" if seen.is_set() else b"never seen"

    upstream.answer = lambda: StreamingResponse(events(), media_type="text/event-stream")
    with client.stream("POST", "/v1/messages", content=PAYLOAD) as response:
        pieces = response.iter_raw()
        assert next(pieces).startswith(b"event: message_start")
        seen.set()
        assert b"event: late" in b"".join(pieces)


async def _moment() -> None:
    await asyncio.sleep(0.005)


def test_a_stream_that_breaks_off_breaks_off(upstream: Upstream, client: Client) -> None:
    """The agent is not told that the answer was whole."""

    async def events() -> AsyncIterator[bytes]:
        yield b"event: message_start\ndata: {}\n\n"
        raise ConnectionResetError

    upstream.answer = lambda: StreamingResponse(events(), media_type="text/event-stream")
    with pytest.raises(RemoteProtocolError), client.stream("POST", "/v1/messages", content=PAYLOAD) as response:
        response.read()
    upstream.answer = None
    assert client.post("/v1/messages", content=PAYLOAD).content == ANSWER


def test_an_agent_that_leaves_ends_the_request(upstream: Upstream, client: Client) -> None:
    """The upstream's stream is closed: nobody pays for what nobody reads."""
    ended = threading.Event()

    async def events() -> AsyncIterator[bytes]:
        try:
            while True:
                yield b"event: ping\ndata: {}\n\n"
                await _moment()
        finally:
            ended.set()

    upstream.answer = lambda: StreamingResponse(events(), media_type="text/event-stream")
    with client.stream("POST", "/v1/messages", content=PAYLOAD) as response:
        next(response.iter_raw())
    assert ended.wait(10)


def test_an_upstream_that_is_not_there_is_named() -> None:
    """The status is that of a gateway, so that the agent tries again."""
    with proxied("http://127.0.0.1:9") as url, Client(base_url=url) as client:
        for path in ("/v1/messages", "/v1/models"):
            response = client.post(path, content=PAYLOAD)
            assert response.status_code == 502
            assert "http://127.0.0.1:9/ cannot be reached" in response.json()["error"]["message"]


def test_a_body_that_no_api_takes_is_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a reason; what is no conversation, such as a file, passes at any size."""
    monkeypatch.setattr("brim.serve.relay.MAX_BODY", 1_000)
    response = client.post("/v1/messages", content=b" " * 1_001)
    assert (response.status_code, response.json()["type"]) == (413, "error")
    assert client.post("/v1/files", content=b" " * 1_001).content == ANSWER


def test_an_old_client_is_answered(client: Client) -> None:
    """HTTP/1.0 has neither a host nor chunks."""
    with socket.create_connection((client.base_url.host, client.base_url.port)) as connection:
        head = f"POST /v1/messages HTTP/1.0\r\nHost: localhost\r\nContent-Length: {len(PAYLOAD)}\r\n\r\n"
        connection.sendall(head.encode() + PAYLOAD)
        assert b"".join(iter(lambda: connection.recv(65_536), b"")).endswith(ANSWER)


def test_a_websocket_is_refused_so_that_the_agent_asks_by_http(upstream: Upstream, client: Client) -> None:
    """As Codex does at once for this status."""
    asked = {"connection": "Upgrade", "upgrade": "websocket", "sec-websocket-version": "13"}
    assert client.get("/v1/responses", headers=asked).status_code == 426
    assert not upstream.received


def test_half_a_character_and_many_levels_are_read() -> None:
    """An agent cuts a text in the middle of an emoji; tools answer with deep trees."""
    tree = "[" * 300 + "]" * 300
    payload = f'{{"model": "m", "messages": [{{"role": "user", "content": "Cut \\ud83d"}}], "x": {tree}}}'.encode()
    call = requests.read_call(requests.APIS[0], "http://upstream/v1/messages", payload, [])
    assert call.messages == [{"role": "user", "content": "Cut \ud83d"}]
    assert call.body == json.loads(payload)
