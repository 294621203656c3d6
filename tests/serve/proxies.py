"""The proxy as its users run it: on a port of loopback, in front of a strict server, for agents that do not know it."""

from __future__ import annotations

import asyncio
import json
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import uvicorn.server
from anthropic import Anthropic, DefaultHttpxClient
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response as Answer
from starlette.routing import Route

from brim.compaction.policy import CompactionPolicy
from brim.serve.conversations import ServedConversations
from brim.serve.relay import Relay
from brim.serve.server import Upstreams, address_of, application, listen, served_policy, server
from brim.serve.status import Status
from brim.testing import MessagesServer, asks_for_summary, thinking_block, tool_call
from brim.testing.scripted_server import NO_CERTIFICATES

MODEL = "claude-opus-5-5"
MAX_TOKENS = 4_000
"""What an agent asks for; a summary's limit is another."""
TASK = "Port the parser. Never touch the lexer."
SUMMARY = "<summary>The parser is ported in part, and the lexer untouched.</summary>"
RESULT = "x = 1  # filler\n" * 1_125
TOOLS = [{"name": "read_file", "description": "Read a file.", "input_schema": {"type": "object"}}]


async def _briefly(seconds: float) -> None:
    await asyncio.sleep(seconds / 20)


# uvicorn looks ten times a second whether it is to end, and as often whether its connections have ended.
uvicorn.server.asyncio = SimpleNamespace(**vars(asyncio) | {"sleep": _briefly})  # type: ignore[assignment]


@contextmanager
def listening(app: Any) -> Iterator[str]:
    """The address of an application that runs meanwhile."""
    with listen("127.0.0.1", 0) as listener:
        running = server(app)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield address_of(listener)
        finally:
            running.should_exit = True
            thread.join()


@contextmanager
def proxied(
    upstream: str,
    *,
    window: int = 60_000,
    max_output: int | None = None,
    shadow: bool = False,
    tell: Callable[[str], object] = lambda _: None,
    folder: Path | None = None,
    host: str = "127.0.0.1",
    token: str = "",
    **policy: Any,
) -> Iterator[str]:
    """The address of a proxy in front of an upstream; with a token it shows its status, unless the host is another."""
    settings = served_policy(CompactionPolicy(**{"threshold": "50%", **policy}))
    limits: Any = {"window": window, "max_output": max_output}
    conversations = ServedConversations(settings, **limits, shadow=shadow, tell=tell, folder=folder)
    status = Status(conversations)
    status.token = token
    with listening(application(Relay(Upstreams(upstream), conversations), host, status if token else None)) as url:
        yield url


def model(body: Mapping[str, Any]) -> Any:
    """Think, and read one file after the other, for ever."""
    if asks_for_summary(body):
        return SUMMARY
    return [thinking_block("Which one is next?"), tool_call("read_file", {"path": f"src/{len(body['messages'])}.py"})]


def served(default: Any = model, window: int = 60_000, longest: int = 8_000) -> MessagesServer:
    """The strict server, with a model of this window and longest answer."""
    return MessagesServer(default=default, models={MODEL: (window, longest)})


class Agent:
    """An agent of the SDK that was made without a thought of brim."""

    def __init__(self, url: str, key: str = "sk-ant-test", task: str = TASK) -> None:
        self.key = key
        self.messages: list[Any] = [{"role": "user", "content": task}]
        self.connect(url)

    def connect(self, url: str) -> None:
        """Go on by another address."""
        http = DefaultHttpxClient(verify=NO_CERTIFICATES)
        self.client = Anthropic(base_url=url, api_key=self.key, max_retries=0, http_client=http)
        weakref.finalize(self, self.client.close)

    def turn(self, *, streamed: bool = False, result: str = RESULT) -> Any:
        """Ask once, and answer what the model calls."""
        request: Any = {
            "model": MODEL,
            "max_tokens": MAX_TOKENS,
            "thinking": {"type": "adaptive"},
            "tools": TOOLS,
            "system": "You are a coding agent.",
            "messages": self.messages,
        }
        if streamed:
            with self.client.messages.stream(**request) as stream:
                response = stream.get_final_message()
        else:
            response = self.client.messages.create(**request)
        calls = [block.id for block in response.content if block.type == "tool_use"]
        results = [{"type": "tool_result", "tool_use_id": call, "content": result} for call in calls]
        self.messages += [
            {"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in response.content]},
            {"role": "user", "content": results or "Go on."},
        ]
        return response

    def count(self, **other: Any) -> int:
        """Ask for the tokens of the next request, as Claude Code does."""
        request: Any = {"model": MODEL, "system": "You are a coding agent.", "tools": TOOLS, "messages": self.messages}
        return int(self.client.messages.count_tokens(**{**request, **other}).input_tokens)


USAGE = {"input_tokens": 3, "output_tokens": 1}
ANSWER = json.dumps({"type": "message", "model": MODEL, "usage": USAGE, "stop_reason": "end_turn"}, indent=1).encode()


class Upstream:
    """An upstream that keeps what it receives, and answers as it is told."""

    def __init__(self) -> None:
        self.received: list[tuple[str, str, list[tuple[bytes, bytes]], bytes]] = []
        self.answer: Any = None
        """Makes the answer to a request."""
        methods = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]
        self.app = Starlette(routes=[Route("/{path:path}", self.respond, methods=methods)])

    async def respond(self, request: Request) -> Answer:
        """Answer one request."""
        body = await request.body()
        self.received.append((request.method, str(request.url.path), request.headers.raw, body))
        return self.answer() if self.answer else Answer(ANSWER, media_type="application/json")
