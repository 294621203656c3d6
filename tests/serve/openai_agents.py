"""OpenAI's two APIs on loopback, strict about what they are sent, and agents that do not know of a proxy."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from openai import DefaultHttpxClient, OpenAI
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from brim.testing import asks_for_summary, openai_chat_complaints, openai_responses_complaints
from brim.testing.messages_server import NO_CERTIFICATES
from tests.serve.proxies import RESULT, SUMMARY, TASK, listening

MODEL = "gpt-5.2-codex"
CHARACTERS_PER_TOKEN = 4
KEY = "sk-test"


def model(body: Mapping[str, Any]) -> str | tuple[str, dict[str, Any]]:
    """What the model says: a summary where brim asks for one, else the call of a tool, for ever."""
    number = len(body.get("messages") or body["input"])
    return SUMMARY if asks_for_summary(body) else ("read_file", {"path": f"src/{number}.py"})


class Provider:
    """Both APIs, with one window; the model says a text, or thinks and calls a tool."""

    def __init__(self, window: int, model: Callable[[Mapping[str, Any]], Any] = model) -> None:
        self.window = window
        self.model = model
        self.received: list[tuple[str, dict[str, Any], Mapping[str, str]]] = []
        self.refused: list[str] = []
        paths = {"/v1/chat/completions": self.chat, "/v1/responses": self.responses}
        paths["/v1/responses/input_tokens"] = self.count
        self.app = Starlette(routes=[Route(path, end, methods=["POST"]) for path, end in paths.items()])

    async def _read(self, request: Request, field: str) -> tuple[dict[str, Any], str, int]:
        """The body, why it is refused, and its tokens."""
        body = await request.json()
        self.received.append((request.url.path, body, request.headers))
        check = openai_chat_complaints if field == "messages" else openai_responses_complaints
        tokens = len(json.dumps(body[field])) // CHARACTERS_PER_TOKEN
        faults = check(body[field])
        if request.headers.get("authorization") != f"Bearer {KEY}":
            faults = ["Incorrect API key provided"]
        if tokens > self.window:
            faults = [f"This model's maximum context length is {self.window} tokens, and these are {tokens}"]
        self.refused += faults
        return body, next(iter(faults), ""), tokens

    async def chat(self, request: Request) -> Response:
        """Answer a request for a chat completion."""
        body, fault, tokens = await self._read(request, "messages")
        if fault:
            return _error(fault)
        usage = {"prompt_tokens": tokens, "completion_tokens": 20, "total_tokens": tokens + 20}
        base: dict[str, Any] = {"id": "chatcmpl-1", "created": 1, "model": body["model"]}
        said = self.model(body)
        if isinstance(said, str):
            message: dict[str, Any] = {"role": "assistant", "content": said}
        else:
            function: Any = {"name": said[0], "arguments": json.dumps(said[1])}
            calls: list[Any] = [{"id": f"call_{len(self.received)}", "type": "function", "function": function}]
            message = {"role": "assistant", "content": None, "tool_calls": calls}
        finish = "stop" if isinstance(said, str) else "tool_calls"
        if not body.get("stream"):
            choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
            return JSONResponse({**base, "object": "chat.completion", "choices": [choice], "usage": usage})
        calls = [{**call, "index": n} for n, call in enumerate(message.get("tool_calls") or ())]
        delta = {**message, "tool_calls": calls} if calls else message
        chunk = {**base, "object": "chat.completion.chunk"}
        events = [
            {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
            {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
        ]
        if (body.get("stream_options") or {}).get("include_usage"):
            events.append({**chunk, "choices": [], "usage": usage})
        return _stream([*events, "[DONE]"])

    async def count(self, request: Request) -> Response:
        """Count the tokens of a request for a response."""
        _, fault, tokens = await self._read(request, "input")
        return _error(fault) if fault else JSONResponse({"object": "response.input_tokens", "input_tokens": tokens})

    async def responses(self, request: Request) -> Response:
        """Answer a request for a response."""
        body, fault, tokens = await self._read(request, "input")
        if fault:
            return _error(fault)
        number = len(self.received)
        usage = {
            "input_tokens": tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 20,
            "output_tokens_details": {"reasoning_tokens": 8},
            "total_tokens": tokens + 20,
        }
        said = self.model(body)
        if isinstance(said, str):
            part = {"type": "output_text", "text": said, "annotations": []}
            output = [_item("message", number, role="assistant", content=[part])]
        else:
            call: dict[str, Any] = {"call_id": f"call_{number}", "name": said[0], "arguments": json.dumps(said[1])}
            output = [
                {"type": "reasoning", "id": f"rs_{number}", "summary": [], "encrypted_content": "gAAAA" * 40},
                _item("function_call", number, **call),
            ]
        rest: dict[str, Any] = {
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "error": None,
            "incomplete_details": None,
        }
        made = {"id": f"resp_{number}", "object": "response", "created_at": 1, "model": body["model"], **rest}
        whole = {**made, "status": "completed", "output": output, "usage": usage}
        if not body.get("stream"):
            return JSONResponse(whole)
        created = {
            "type": "response.created",
            "response": {**made, "status": "in_progress", "output": [], "usage": None},
        }
        done = [event for n, item in enumerate(output) for event in _events_of(item, n)]
        events = [created, *done, {"type": "response.completed", "response": whole}]
        return _stream([{**event, "sequence_number": n} for n, event in enumerate(events)])


def _item(kind: str, number: int, **rest: Any) -> dict[str, Any]:
    return {"type": kind, "id": f"{kind}_{number}", "status": "completed", **rest}


def _events_of(item: dict[str, Any], index: int) -> Iterator[dict[str, Any]]:
    """The events by which an item of a response is streamed."""
    at = {"item_id": item["id"], "output_index": index}
    unsaid: dict[str, Any] = {"message": {"content": []}, "function_call": {"arguments": ""}}
    empty = unsaid.get(item["type"], {})
    yield {"type": "response.output_item.added", "output_index": index, "item": {**item, **empty}}
    if item["type"] == "function_call":
        yield {"type": "response.function_call_arguments.delta", **at, "delta": item["arguments"]}
    if item["type"] == "message":
        (part,) = item["content"]
        yield {"type": "response.content_part.added", **at, "content_index": 0, "part": {**part, "text": ""}}
        delta = {"content_index": 0, "delta": part["text"], "logprobs": []}
        yield {"type": "response.output_text.delta", **at, **delta}
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


def _error(message: str) -> Response:
    code = "context_length_exceeded" if "maximum context length" in message else None
    return JSONResponse(
        {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}, 400
    )


def _stream(events: list[Any]) -> Response:
    lines = [event if isinstance(event, str) else json.dumps(event) for event in events]
    names = [f"event: {event['type']}\n" if isinstance(event, dict) and "type" in event else "" for event in events]
    text = "".join(f"{name}data: {line}\n\n" for name, line in zip(names, lines, strict=True))
    return Response(text, media_type="text/event-stream")


@contextmanager
def providing(
    window: int = 60_000, model: Callable[[Mapping[str, Any]], Any] = model
) -> Iterator[tuple[Provider, str]]:
    """The provider, and its address."""
    provider = Provider(window, model)
    with listening(provider.app) as url:
        yield provider, url


FUNCTION = {"name": "read_file", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}


@contextmanager
def connected(url: str, key: str = KEY) -> Iterator[OpenAI]:
    """A client of the SDK."""
    with OpenAI(
        base_url=f"{url}/v1", api_key=key, max_retries=0, http_client=DefaultHttpxClient(verify=NO_CERTIFICATES)
    ) as client:
        yield client


class ChatAgent:
    """An agent by chat completions."""

    def __init__(self, client: OpenAI, task: str = TASK) -> None:
        self.client = client
        self.items: list[Any] = [
            {"role": "system", "content": "You are a coding agent."},
            {"role": "user", "content": task},
        ]

    def turn(self, *, streamed: bool = False, usage: bool = True) -> None:
        """Ask once, and answer what the model calls."""
        request: Any = {"model": MODEL, "messages": self.items, "tools": [{"type": "function", "function": FUNCTION}]}
        if streamed:
            asked: Any = {"stream_options": {"include_usage": True}} if usage else {}
            chunks = list(self.client.chat.completions.create(**request, **asked, stream=True))
            calls = [
                call.model_dump(exclude={"index"})
                for one in chunks
                for choice in one.choices
                for call in choice.delta.tool_calls or ()
            ]
        else:
            message = self.client.chat.completions.create(**request).choices[0].message
            calls = [call.model_dump() for call in message.tool_calls or ()]
        results = [{"role": "tool", "tool_call_id": call["id"], "content": RESULT} for call in calls]
        self.items += [{"role": "assistant", "content": None, "tool_calls": calls}, *results]


class ResponsesAgent:
    """An agent by the Responses API, which keeps its items itself."""

    def __init__(self, client: OpenAI, task: str = TASK) -> None:
        self.client = client
        self.items: list[Any] = [{"role": "user", "content": task}]

    def turn(self, *, streamed: bool = False, **_: Any) -> None:
        """Ask once, and answer what the model calls."""
        request: Any = {
            "model": MODEL,
            "input": self.items,
            "instructions": "You are a coding agent.",
            "tools": [{"type": "function", "strict": False, **FUNCTION}],
            "store": False,
            "include": ["reasoning.encrypted_content"],
        }
        if streamed:
            events = list(self.client.responses.create(**request, stream=True))
            output = [event.item for event in events if event.type == "response.output_item.done"]
        else:
            output = self.client.responses.create(**request).output
        items = [item.model_dump(exclude_none=True) for item in output]
        self.items += items
        self.items += [
            {"type": "function_call_output", "call_id": item["call_id"], "output": RESULT}
            for item in items
            if item["type"] == "function_call"
        ]
