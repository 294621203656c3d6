"""A server of OpenAI's two APIs on loopback, strict about what it is sent, that answers from a script."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from openai import AsyncOpenAI, OpenAI

from brim.testing import openai_chat_complaints, openai_responses_complaints

CHAT, RESPONSES = "/v1/chat/completions", "/v1/responses"
Event = dict[str, Any]


class Server(ThreadingHTTPServer):
    """Answers each request with the next of its answers, the last again and again; and keeps what it was sent."""

    daemon_threads = True

    def __init__(self, answers: list[Any]) -> None:
        super().__init__(("127.0.0.1", 0), _Exchange)
        self.answers, self.received, self.left = answers, [], threading.Event()

    def client(self, **options: Any) -> OpenAI:
        """A client of this server that would try again by itself."""
        return OpenAI(**{"api_key": "key", "base_url": f"http://127.0.0.1:{self.server_port}/v1"} | options)

    def async_client(self, **options: Any) -> AsyncOpenAI:
        """The same for an event loop."""
        return AsyncOpenAI(**{"api_key": "key", "base_url": f"http://127.0.0.1:{self.server_port}/v1"} | options)


@contextmanager
def serving(*answers: Any) -> Iterator[Server]:
    """A server that runs meanwhile."""
    server = Server(list(answers))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.left.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Exchange(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        """Answer one request."""
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.received.append((self.path, body))
        faults = (
            openai_chat_complaints(body["messages"])
            if self.path == CHAT
            else openai_responses_complaints(body["input"])
        )
        answers = self.server.answers
        answer = answers[min(len(self.server.received), len(answers)) - 1]
        if faults:
            answer = failed(400, faults[0])
        if isinstance(answer, tuple):
            self._send(answer[0], json.dumps(answer[1]).encode(), "application/json", answer[2])
        elif isinstance(answer, list):
            self._send(200, b"".join(map(_encoded, answer)), "text/event-stream", {})
        else:
            self._begin_and_hang(answer)

    def _send(self, status: int, content: bytes, kind: str, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"content-type": kind, "content-length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _begin_and_hang(self, begin: Any) -> None:
        """Some events, and then silence until the test is over."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.wfile.write(b"".join(map(_encoded, begin())))
        self.wfile.flush()
        self.server.left.wait(30)
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def _encoded(event: Event | str) -> bytes:
    data = event if isinstance(event, str) else json.dumps(event)
    kind = event.get("type") if isinstance(event, dict) else None
    return f"{f'event: {kind}{chr(10)}' if kind else ''}data: {data}\n\n".encode()


def failed(status: int, message: str, code: str | None = None, **headers: str) -> tuple[int, Event, dict[str, str]]:
    """An error with this status."""
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    return status, {"error": error}, {name.replace("_", "-"): value for name, value in headers.items()}


USAGE = {
    "prompt_tokens": 150,
    "completion_tokens": 40,
    "total_tokens": 190,
    "prompt_tokens_details": {"cached_tokens": 100},
}


def chunk(delta: Event, finish: str | None = None, **fields: Any) -> Event:
    """A chunk of chat completions."""
    choices = [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}]
    made = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-test-2026"}
    return {**made, "choices": choices, **fields}


def chat(*pieces: str, finish: str | None = "stop", end: tuple[Event | str, ...] | None = None) -> list[Event | str]:
    """A whole answer of chat completions in these pieces; or one that has another end."""
    usage = {**chunk({}), "choices": [], "usage": USAGE}
    begun = [chunk({"role": "assistant", "content": ""}), *(chunk({"content": piece}) for piece in pieces)]
    return [*begun, *((chunk({}, finish), usage, "[DONE]") if end is None else end)]


def response(status: str, output: list[Event], **fields: Any) -> Event:
    """A response of the Responses API."""
    usage = {
        "input_tokens": 150,
        "input_tokens_details": {"cached_tokens": 100},
        "output_tokens": 40,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 190,
    }
    made = {"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt-test-2026", "status": status}
    rest = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None, "incomplete_details": None}
    return {**made, **rest, "output": output, "usage": usage, **fields}


def responses(*pieces: str, end: Event | None = None) -> list[Event | str]:
    """A whole answer of the Responses API in these pieces; or one that has another end."""
    part = {"type": "output_text", "text": "".join(pieces), "annotations": []}
    said = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}
    deltas = [
        {"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0, "content_index": 0}
        for _ in pieces
    ]
    texts = [{**delta, "delta": piece, "logprobs": []} for delta, piece in zip(deltas, pieces, strict=True)]
    whole = {"type": "response.completed", "response": response("completed", [said])}
    created = {"type": "response.created", "response": response("in_progress", [])}
    events = [created, *texts, *([whole] if end is None else [end] if end else [])]
    return [{**event, "sequence_number": n} for n, event in enumerate(events)]
