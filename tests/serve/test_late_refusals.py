"""Refusals that come inside of a stream, after its status said that all is well."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from httpx2 import AsyncClient, Client
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from tests.serve.openai_agents import ChatAgent, ResponsesAgent, connected, providing
from tests.serve.proxies import MODEL, Agent, Upstream, listening, proxied, served

RESPONSE = {"id": "resp_1", "object": "response", "error": None}
REFUSED: list[str] = []


def late(upstream: str, *, zipped: bool = False) -> Starlette:
    """A gateway that answers 200 to whoever asks for a stream, and tells a refusal in it, as the APIs do."""

    async def respond(request: Request) -> Response:
        body = await request.body()
        headers = {name: value for name, value in request.headers.items() if name not in ("host", "content-length")}
        async with AsyncClient(timeout=60) as client:
            answer = await client.post(upstream + request.url.path, content=body, headers=headers)
        kind = answer.headers["content-type"]
        if answer.status_code != 400 or not json.loads(body).get("stream"):
            return Response(answer.content, answer.status_code, media_type=kind)
        REFUSED.append(answer.text)
        text = written(request.url.path, answer.json()["error"]).encode()
        encoding = {"content-encoding": "gzip"} if zipped else {}
        return Response(gzip.compress(text) if zipped else text, 200, encoding, "text/event-stream")

    return Starlette(routes=[Route("/{path:path}", respond, methods=["POST"])])


def written(path: str, error: dict[str, Any]) -> str:
    """The events of a refusal."""
    message = {"id": "msg_1", "role": "assistant", "type": "message", "model": MODEL, "content": [], "usage": {}}
    events: dict[str, list[dict[str, Any]]] = {
        "messages": [
            {"type": "message_start", "message": message},
            {"type": "ping"},
            {"type": "error", "error": error},
        ],
        "responses": [
            {"type": "response.created", "response": {**RESPONSE, "instructions": "prompt is too long"}},
            {"type": "response.failed", "response": {**RESPONSE, "error": {**error, "code": error.get("code")}}},
        ],
        "completions": [{"error": error}],
    }
    told = events[path.rpartition("/")[2]]
    return "".join(f"event: {one.get('type', 'error')}\r\ndata: {json.dumps(one)}\r\n\r\n" for one in told)


@pytest.mark.parametrize("zipped", [False, True])
def test_a_late_refusal_for_length_is_resolved(zipped: bool) -> None:
    """The proxy takes the window for larger than it is; the agent sees no error."""
    REFUSED.clear()
    with served() as server, listening(late(server.url, zipped=zipped)) as gateway:
        with proxied(gateway, window=200_000) as url:
            agent = Agent(url)
            for _ in range(15):
                agent.turn(streamed=True)
    assert any("prompt is too long" in text for text in REFUSED)
    assert len(agent.messages) == 31


@pytest.mark.parametrize("kind", [ChatAgent, ResponsesAgent])
def test_so_it_is_by_openais_apis(kind: Any) -> None:
    """Whose first event names the request, instructions and all."""
    REFUSED.clear()
    with providing() as (_, upstream), listening(late(upstream)) as gateway:
        with proxied(gateway, window=200_000) as url, connected(url) as client:
            agent = kind(client)
            for _ in range(18):
                agent.turn(streamed=True)
    assert any("maximum context length" in text for text in REFUSED)
    assert len(agent.items) > 36


def test_a_late_refusal_of_thinking_is_resolved() -> None:
    """A proxy that starts anew, without a store, does not know the compaction."""
    REFUSED.clear()
    with served() as server, listening(late(server.url)) as gateway:
        with proxied(gateway) as url:
            agent = Agent(url)
            for _ in range(12):
                agent.turn(streamed=True)
        with proxied(gateway, window=400_000) as url:
            agent.connect(url)
            agent.turn(streamed=True)
    assert any("bound to a different conversation" in text for text in REFUSED)


BODY = {"model": MODEL, "max_tokens": 10, "stream": True, "messages": [{"role": "user", "content": "Hello."}]}
START = 'event: message_start\ndata: {"type": "message_start", "message": {}}\n\n'


@pytest.mark.parametrize(
    "events",
    [
        START + 'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error", "message": "O"}}\n\n',
        START + "data: [1]\n\ndata: {\n\n",
        START + START + START + START,
        "data: [DONE]\n\n",
        "",
    ],
)
def test_any_other_beginning_passes_byte_for_byte(events: str) -> None:
    """An error that no smaller request cures too."""
    upstream = Upstream()
    upstream.answer = lambda: Response(events, media_type="text/event-stream")
    with listening(upstream.app) as direct, proxied(direct) as url, Client(base_url=url) as client:
        assert client.post("/v1/messages", json=BODY).text == events
    assert len(upstream.received) == 1


def test_nobody_waits_for_long_for_an_answer_that_is_late() -> None:
    """A third event of the beginning is passed on with those before."""

    async def events() -> AsyncIterator[str]:
        for _ in range(3):
            yield START
        await asyncio.sleep(30)

    upstream = Upstream()
    upstream.answer = lambda: StreamingResponse(events(), media_type="text/event-stream")
    with listening(upstream.app) as direct, proxied(direct) as url, Client(base_url=url, timeout=10) as client:
        with client.stream("POST", "/v1/messages", json=BODY) as response:
            assert next(response.iter_text()).startswith(START)
