"""Agents and compactors for the tests of the loop: real requests of the SDK, to the strict server."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from httpx2 import Response

from brim.engine.compactor import Compactor, request_of
from brim.engine.conversation import RECOVERIES, Outgoing
from brim.engine.driving import run
from brim.engine.middleware import Conversations, TrackedConversation
from brim.models import ModelLimits
from brim.testing import MessagesServer, ScriptedSummarizer, thinking_block, tool_call
from steps.policies import with_policy

MODEL = "claude-opus-5-5"
LIMITS = ModelLimits(context_window=20_000, max_output_tokens=1_000)
SUMMARY = "All went well so far."
LONG = "a line of text\n" * 300
"""What a tool answers: 1,125 tokens."""


class Giving:
    """A summarizer of the caller's own that gives, or raises, what it was made with."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def summarize(self, _request: Any, _on_text: Any) -> Any:
        """Return the answer, or raise it."""
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer() if callable(self.answer) else self.answer


class AsyncGiving(Giving):
    """The same for event loops."""

    async def summarize(self, request: Any, on_text: Any) -> Any:
        """Return the answer, or raise it."""
        return super().summarize(request, on_text)


class Lists:
    """What the middleware does with the lists of its client's requests, without the client."""

    def __init__(self, compactor: Compactor[Any]) -> None:
        self.conversations = Conversations(compactor)
        self._states: dict[int, TrackedConversation] = {}

    def prepare(self, messages: Any, **options: Any) -> Outgoing:
        """Prepare a request of these messages."""
        state, outgoing = run(self.conversations.preparing(request_of(options, messages)))
        self._states[id(outgoing)] = state
        return outgoing

    def state(self, outgoing: Outgoing) -> TrackedConversation:
        """The conversation of a request."""
        return self._states[id(outgoing)]

    def answered(self, outgoing: Outgoing, usage: Any, **reported: Any) -> None:
        """Report the usage of the response to a request."""
        self.state(outgoing).report(outgoing, usage, **reported)

    def overflowed(self, outgoing: Outgoing, messages: Any) -> Outgoing | None:
        """What to send after the provider's overflow error."""
        state = self.state(outgoing)
        again = run(self.conversations.recovering(state, outgoing, messages, iter(RECOVERIES), Response(413)))
        self._states[id(again)] = state
        return again


def served(*answers: Any, default: Any = "Done.", window: int = 20_000) -> MessagesServer:
    """The server, with a model of this window."""
    return MessagesServer(answers, default=default, models={MODEL: (window, 4_000)})


def compactor(limits: ModelLimits | None = LIMITS, **options: Any) -> Compactor[None]:
    """A compactor whose summaries are scripted."""
    return Compactor(limits=limits, **{"summarizer": ScriptedSummarizer(SUMMARY), **with_policy(options)})


def reader(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A model that thinks and reads one file after the other, for ever."""
    return [thinking_block("Which one is next?"), tool_call("read", {"path": f"/notes-{len(body['messages'])}.txt"})]


def asked(name: str = "") -> list[Any]:
    """A conversation that begins."""
    return [{"role": "user", "content": f"Read all notes{name}."}]


def results_of(content: Any) -> dict[str, Any]:
    """The results of all calls of a response."""
    calls = [block.id for block in content if block.type == "tool_use"]
    return {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": call, "content": LONG} for call in calls],
    }


def answered(messages: list[Any], response: Any) -> None:
    """Append a response as it came and the results of its calls, as any agent does."""
    messages += [{"role": "assistant", "content": response.content}, results_of(response.content)]


def create(client: Any, messages: list[Any], **options: Any) -> Any:
    """One request of a client that is not streamed."""
    return client.messages.create(model=MODEL, max_tokens=500, messages=messages, **options)


def sent(server: MessagesServer) -> list[int]:
    """How many messages each request to the server held."""
    return [len(request.body["messages"]) for request in server.requests]


def compactions(server: MessagesServer) -> int:
    """How often fewer messages went out than before."""
    return sum(after < before for before, after in pairwise(sent(server)))


def long_ago(count: int = 8, start: int = 0) -> list[Any]:
    """A conversation of so many turns of 1,125 tokens each, and a question."""
    history: list[Any] = []
    for number in range(start, start + count):
        call = {"type": "tool_use", "id": f"call-{number}", "name": "read", "input": {"path": f"/old-{number}.txt"}}
        result = {"type": "tool_result", "tool_use_id": f"call-{number}", "content": LONG}
        history += [
            {"role": "user", "content": f"Read old notes {number}."},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": "Read."},
        ]
    return [*history, {"role": "user", "content": "What do they say?"}]
