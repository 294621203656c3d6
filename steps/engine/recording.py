"""Steps of features/engine/recording.feature: an agent whose conversation writes into a session."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pytest_bdd import given, parsers

from brim import Compactor, Conversation, ModelLimits
from brim.sessions import SessionStore, open_store
from brim.testing import Answer, MessagesServer, complaints, rejected, text_block, thinking_block, tool_call
from steps.policies import with_policy
from steps.worlds.agents import MODEL, Agent, filler

MAX_REQUESTS = 200
ANSWER = 500
"""Tokens of an answer of the model; a summary is asked for with another number."""
OUTPUT = 2_500
"""Tokens of the output of each tool."""
SAID = 800
"""Tokens of its answer."""
LIMITS = ModelLimits(context_window=16_000, max_output_tokens=4_000)
UNTIL = {
    "compacted": ["compacted"],
    "compacted twice": ["compacted", "compacted"],
    "cleared": ["pruned"],
    "cleared and compacted": ["pruned", "compacted"],
}
"""The events until which an agent works."""
INTERRUPTED = "[Tool execution was interrupted]"


class RecordingAgent(Agent):
    """An agent that writes into a session, on a strict server."""

    def __init__(self, store: SessionStore, *, thinks: bool = False, in_loop: bool = False) -> None:
        super().__init__({})
        self.store, self.thinks, self.in_loop = store, thinks, in_loop
        self.server = MessagesServer(models={MODEL: (LIMITS.context_window, LIMITS.max_output_tokens)})
        self.server.when(lambda _: True, *[self.answer] * MAX_REQUESTS)
        self.session = store.create(project="/project")
        self.first, self.turns = "Read the notes.", 0
        self.conversation: Any = None
        self.usage: dict[str, int] = {}
        self.refused = 0
        """How many messages the request has whose thinking the provider refuses; 0 for none."""
        self.tokens_held_at_first = 0
        """What the window held as its last process began."""

    @contextmanager
    def working(self) -> Iterator[None]:
        """Open its server and its process."""
        with super().working(), self.server, asyncio.Runner() as runner:
            self.run = runner.run
            self.begin()
            yield
            self.end()

    def begin(self) -> None:
        """Make a client, and a conversation of the session."""
        self.client = self.server.async_client() if self.in_loop else self.server.client()
        options = {"limits": LIMITS, "on_event": lambda event: self.events.append(event.kind)}
        self.conversation: Any = Conversation(
            Compactor(self.client, MODEL, **options, **with_policy(self.settings)), model=MODEL, session=self.session
        )

    def end(self) -> None:
        """End the process."""
        self.session.close()
        if self.in_loop:
            self.run(self.client.close())
        else:
            self.client.close()

    def hears(self, words: str) -> None:
        """Be told something in the first message."""
        self.first = words

    def works(self, count: str) -> None:
        """Work for some turns."""
        for _ in range(int(count)):
            self.run(self._turn())

    def works_until(self, what: str) -> None:
        """Work in turns until these events happened, in this order."""
        left = [*UNTIL[what]]
        while left:
            seen = len(self.events)
            self.run(self._turn())
            left = left[sum(event == left[0] for event in self.events[seen:]) :]

    async def _turn(self) -> None:
        self.conversation.append({"role": "user", "content": f"{self.first} Turn {self.turns}."})
        self.turns += 1
        while True:
            send = self.conversation.asend if self.in_loop else self.conversation.send
            response = await _awaited(send(self._request))
            self.conversation.append({"role": "assistant", "content": response.content})
            calls = [block.id for block in response.content if block.type == "tool_use"]
            if not calls:
                return
            results = [{"type": "tool_result", "tool_use_id": call, "content": filler(OUTPUT)} for call in calls]
            self.conversation.append({"role": "user", "content": results})

    def _request(self, messages: list[Any]) -> Any:
        return self.client.messages.create(model=MODEL, max_tokens=ANSWER, messages=messages)

    def answer(self, body: Any) -> Any:
        """The model: it reads in each turn, thinks where it does, and writes summaries."""
        if self.usage:
            return Answer([text_block("Read.")], usage=self.usage)
        if body["max_tokens"] != ANSWER:
            return "<summary>All went well.</summary>"
        thought = [thinking_block("I look.")] if self.thinks else []
        if self.refused and len(body["messages"]) >= self.refused:
            self.refused = 0
            return rejected("messages.1.content.0: the thinking block is bound to a different conversation")
        last = body["messages"][-1]["content"]
        is_prompt = isinstance(last, str) or last[0]["type"] == "text"
        read = tool_call("read", {"path": "/notes"})
        return [*thought, read if is_prompt else text_block(f"Read. {filler(SAID)}")]

    def resumes(self) -> None:
        """Go on with the session in another process."""
        self.end()
        self.session = self.store.open(self.session.id)
        self.begin()
        self.events.clear()

    def goes_on_in_another_process(self) -> None:
        """Work for a turn there."""
        self.resumes()
        self.tokens_held_at_first = self.run(self._held())
        self.works("1")

    async def _held(self) -> int:
        prepare = self.conversation.aprepare if self.in_loop else self.conversation.prepare
        return (await _awaited(prepare())).verdict.held

    def ends_before(self, first: str, second: str, missing: str) -> None:
        """End while the results of two calls are missing, or of the second one."""
        calls = [tool_call(name, {"path": "/notes"}, id=name) for name in (first, second)]
        there = [] if missing == "both results" else [first]
        results = [{"type": "tool_result", "tool_use_id": name, "content": "Notes."} for name in there]
        self.session.append({"role": "user", "content": "Read and write."})
        self.session.append({"role": "assistant", "content": calls})
        self.session.extend([{"role": "user", "content": results}] * bool(results))

    @property
    def requests(self) -> list[Any]:
        """The messages of each of its requests, those for summaries left out."""
        return [one.body["messages"] for one in self.server.requests if one.body["max_tokens"] == ANSWER]

    @property
    def sent(self) -> list[Any]:
        """The messages of its last request."""
        return self.requests[-1]

    @property
    def shown(self) -> list[Any]:
        """The messages that the session shows."""
        return [message.raw for message in self.session.view().messages]

    @property
    def session_shows(self) -> str:
        """Whether the session shows what the last request said, and the answer."""
        return "what was sent" if self.shown[:-1] == self.sent and self.shown[-1]["role"] == "assistant" else "else"

    @property
    def first_request(self) -> str:
        """Whether the last process began by what was sent before it, with the answer, and a new message."""
        before, first, _ = self.requests[-3:]
        roles = [one["role"] for one in first[len(before) :]]
        return "as before" if first[: len(before)] == before and roles == ["assistant", "user"] else "otherwise"

    @property
    def requests_refused(self) -> int:
        """How many of its requests, those for summaries too, break a rule of the provider."""
        return sum(bool([*complaints(one.body)]) for one in self.server.requests)

    @property
    def calls_interrupted(self) -> list[str]:
        """The calls of whose results its last request says that they were interrupted."""
        blocks = [block for one in self.sent if isinstance(one["content"], list) for block in one["content"]]
        return [block["tool_use_id"] for block in blocks if INTERRUPTED in str(block.get("content"))]


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


@given(
    parsers.re("an agent that (?P<thinks>thinks and )?has a session(?P<in_loop>, in an event loop)?"),
    target_fixture="agent",
)
def with_session(tmp_path, thinks, in_loop):
    store = open_store(tmp_path)
    yield RecordingAgent(store, thinks=bool(thinks), in_loop=bool(in_loop))
    store.close()
