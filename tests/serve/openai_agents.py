"""Agents of OpenAI's two APIs that do not know of a proxy, and a model that calls a tool for ever."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from openai import DefaultHttpxClient, OpenAI

from brim.testing import OpenAIServer, asks_for_summary, thinking_block, tool_call
from brim.testing.scripted_server import NO_CERTIFICATES
from tests.serve.proxies import RESULT, SUMMARY, TASK

MODEL = "gpt-5.2-codex"
KEY = "sk-test"


def model(body: Mapping[str, Any]) -> str | tuple[str, dict[str, Any]]:
    """What the model says: a summary where brim asks for one, else the call of a tool, for ever."""
    number = len(body.get("messages") or body["input"])
    return SUMMARY if asks_for_summary(body) else ("read_file", {"path": f"src/{number}.py"})


@contextmanager
def providing(
    window: int = 60_000, model: Callable[[Mapping[str, Any]], Any] = model
) -> Iterator[tuple[OpenAIServer, str]]:
    """The provider, whose model thinks before each call of a tool, and its address."""

    def says(body: Mapping[str, Any]) -> Any:
        said = model(body)
        return said if isinstance(said, str) else [thinking_block("Hm."), tool_call(*said)]

    with OpenAIServer(default=says, context_window=window, key=KEY) as server:
        yield server, server.url


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
            calls = list[Any]()
            for chunk in self.client.chat.completions.create(**request, **asked, stream=True):
                for call in (one for choice in chunk.choices for one in choice.delta.tool_calls or ()):
                    calls += [call.model_dump(exclude={"index"})] if call.id else []
                    calls[call.index]["function"]["arguments"] += "" if call.id else call.function.arguments
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
