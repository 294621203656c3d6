"""Every way to use a policy: each sends the same conversation, and records summary requests, waits and messages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory
from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import convert_to_messages
from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel

import brim
from brim.adapters.langchain import CompactionMiddleware
from brim.adapters.pydantic_ai import CompactHistory
from brim.compaction.policy import CompactionPolicy
from brim.engine.backends import backend
from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation
from brim.engine.middleware import compaction
from brim.models import ModelLimits
from brim.sessions import open_store
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import MessagesServer, ScriptedSummarizer, overloaded
from steps.compaction_windows import filler
from steps.langchain_agents import Model

MODEL = "claude-opus-5-5"
SUMMARY = "All went well."
BUSY = SummaryAnswer(failure="transient", reason="overloaded")


def conversation(turns: int = 20, tokens: int = 250) -> list[Any]:
    """Turns of a question and an answer of so many tokens each, and a question."""
    said = [{"role": role, "content": filler(tokens)} for _ in range(turns) for role in ("user", "assistant")]
    return [*said, {"role": "user", "content": "And now?"}]


@dataclass
class Use:
    """One use of a policy."""

    policy: CompactionPolicy
    limits: ModelLimits
    is_busy: bool = False
    """Whether the first summary request fails."""
    events: list[Any] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)
    """The model and the messages of each summary request."""
    sent: int = 0
    """How many messages the last request held."""

    def settings(self) -> dict[str, Any]:
        """The settings of a compactor in a thread."""
        return {"policy": self.policy, "on_event": self.events.append, "sleep": self.waits.append}

    def async_settings(self) -> dict[str, Any]:
        """The same for event loops."""

        async def wait(seconds: float) -> None:
            self.waits.append(seconds)

        return {**self.settings(), "sleep": wait}

    def summarizer(self) -> ScriptedSummarizer:
        """A summarizer whose requests `note` records."""
        made = ScriptedSummarizer([*[BUSY] * self.is_busy, self._answer], repeat=True)
        self._made = made
        return made

    def _answer(self, _request: Any) -> str:
        return SUMMARY

    def note(self) -> None:
        """Record the summary requests."""
        self.asked += [(one.model, str(one.messages)) for one in self._made.requests]

    def compactor(self) -> Compactor[None]:
        """A compactor with these settings."""
        return Compactor(model=MODEL, limits=self.limits, summarizer=self.summarizer(), **self.settings())

    def async_compactor(self) -> Compactor[None]:
        """The same for event loops."""
        return Compactor(model=MODEL, limits=self.limits, summarizer=self.summarizer(), **self.async_settings())


def by_compactor(use: Use) -> None:
    """Compact before the request."""
    use.sent = len(use.compactor().compact(conversation(), cause="automatic").messages)
    use.note()


def by_async_compactor(use: Use) -> None:
    """The same in an event loop."""
    use.sent = len(asyncio.run(use.async_compactor().acompact(conversation(), cause="automatic")).messages)
    use.note()


def by_conversation(use: Use) -> None:
    """Append every message, and prepare the request."""
    one = Conversation(use.compactor())
    one.extend(conversation())
    use.sent = len(one.prepare().messages)
    use.note()


def by_conversation_of_session(use: Use) -> None:
    """Go on with a session that holds every message but the last."""
    *said, question = conversation()
    with TemporaryDirectory() as folder:
        store = open_store(folder)
        with store.create() as session:
            session.extend(said)
        with store.open(session.id) as session:
            one = Conversation(use.compactor(), session=session)
            one.append(question)
            use.sent = len(one.prepare().messages)
    use.note()


def by_async_conversation(use: Use) -> None:
    """The same in an event loop."""

    async def run() -> None:
        one = Conversation(use.async_compactor())
        one.extend(conversation())
        use.sent = len((await one.aprepare()).messages)

    asyncio.run(run())
    use.note()


REQUEST: dict[str, Any] = {"model": MODEL, "max_tokens": 100}


@contextmanager
def provider(use: Use) -> Iterator[MessagesServer]:
    """A provider that writes the summaries too; they alone are streamed."""
    models = dict.fromkeys((MODEL, "small"), (1_000_000, 64_000))
    with MessagesServer(default=SUMMARY, models=models) as server:
        server.when(lambda body: bool(body.get("stream")), *[overloaded()] * use.is_busy)
        yield server
        bodies = [request.body for request in server.requests]
        use.asked += [(body["model"], str(body["messages"])) for body in bodies if body.get("stream")]
        use.sent = len(bodies[-1]["messages"]) if bodies else 0


def by_client(use: Use) -> None:
    """Call a client of the SDK, which asks its own provider for the summary."""
    with provider(use) as server, server.client() as plain:
        client = brim.compacting(plain, limits=use.limits, **use.settings())
        client.messages.create(messages=conversation(), **REQUEST)


def by_async_client(use: Use) -> None:
    """The same in an event loop."""

    async def run(server: MessagesServer) -> None:
        async with server.async_client() as plain:
            client = brim.compacting(plain, limits=use.limits, **use.async_settings())
            await client.messages.create(messages=conversation(), **REQUEST)

    with provider(use) as server:
        asyncio.run(run(server))


def by_middleware(use: Use) -> None:
    """Call a client whose middleware has a compactor with a summarizer."""
    with provider(use) as server, server.client(middleware=[compaction(use.compactor())]) as client:
        client.messages.create(messages=conversation(), **REQUEST)
    use.note()


def by_async_middleware(use: Use) -> None:
    """The same in an event loop."""

    async def run(server: MessagesServer) -> None:
        async with server.async_client(middleware=[compaction(use.async_compactor())]) as client:
            await client.messages.create(messages=conversation(), **REQUEST)

    with provider(use) as server:
        asyncio.run(run(server))
    use.note()


def by_tool_runner(use: Use) -> None:
    """Run the SDK's tool runner of a client that compacts."""
    with provider(use) as server, server.client() as plain:
        client = brim.compacting(plain, limits=use.limits, **use.settings())
        brim.tool_runner(client, tools=[], messages=conversation(), **REQUEST).until_done()


def by_tool_runner_of_compactor(use: Use) -> None:
    """Run the SDK's tool runner with a compactor."""
    with provider(use) as server, server.client() as client:
        brim.tool_runner(client, use.compactor(), tools=[], messages=conversation(), **REQUEST).until_done()
    use.note()


def by_backend(use: Use) -> None:
    """Prepare the request of a back end."""
    made = backend(None, MODEL, limits=use.limits, summarizer=use.summarizer(), **use.settings())
    use.sent = len(made.prepare({**REQUEST, "messages": conversation()})["messages"])
    use.note()


def by_async_backend(use: Use) -> None:
    """The same in an event loop."""
    made = backend(None, MODEL, limits=use.limits, summarizer=use.summarizer(), **use.async_settings())
    use.sent = len(asyncio.run(made.aprepare({**REQUEST, "messages": conversation()}))["messages"])
    use.note()


def by_langchain(use: Use, *, in_loop: bool = False) -> None:
    """Invoke an agent of LangChain."""
    model = Model(sent=[], sizes=[])
    settings = use.async_settings() if in_loop else use.settings()
    middleware = CompactionMiddleware(use.summarizer(), limits=use.limits, **settings)
    agent = create_agent(model, [], middleware=[middleware])
    messages: Any = {"messages": convert_to_messages([*conversation()[:-1], ("user", "question 1")])}
    if in_loop:
        asyncio.run(agent.ainvoke(messages))
    else:
        agent.invoke(messages)
    use.sent = len(model.sent[-1])
    use.note()


def by_langchain_in_loop(use: Use) -> None:
    """The same in an event loop."""
    by_langchain(use, in_loop=True)


def by_langchain_with_client(use: Use) -> None:
    """Invoke an agent of LangChain whose summaries a client of the SDK asks for."""
    model = Model(sent=[], sizes=[])
    with provider(use) as server, server.client() as client:
        middleware = CompactionMiddleware(client, limits=use.limits, **use.settings())
        agent = create_agent(model, [], middleware=[middleware])
        agent.invoke({"messages": convert_to_messages([*conversation()[:-1], ("user", "question 1")])})
    use.sent = len(model.sent[-1])


def by_pydantic_ai(use: Use) -> None:
    """Run an agent of pydantic-ai."""

    def answer(messages: list[ModelMessage], _info: Any) -> ModelResponse:
        use.sent = len(messages)
        return ModelResponse([TextPart("Done.")])

    processor = CompactHistory(use.summarizer(), limits=use.limits, **use.async_settings())
    *said, question = conversation()
    history: list[ModelMessage] = [
        ModelRequest([UserPromptPart(one["content"])])
        if one["role"] == "user"
        else ModelResponse([TextPart(one["content"])])
        for one in said
    ]
    agent = Agent(FunctionModel(answer), capabilities=[ProcessHistory(processor)])
    asyncio.run(agent.run(question["content"], message_history=history))
    use.note()


ENTRY_POINTS: dict[str, Callable[[Use], None]] = {
    "a compactor": by_compactor,
    "an async compactor": by_async_compactor,
    "a conversation": by_conversation,
    "a conversation of a session": by_conversation_of_session,
    "an async conversation": by_async_conversation,
    "a client": by_client,
    "an async client": by_async_client,
    "the middleware": by_middleware,
    "the async middleware": by_async_middleware,
    "the tool runner": by_tool_runner,
    "the tool runner with a compactor": by_tool_runner_of_compactor,
    "a back end": by_backend,
    "an async back end": by_async_backend,
    "LangChain": by_langchain,
    "LangChain in an event loop": by_langchain_in_loop,
    "LangChain with a client": by_langchain_with_client,
    "pydantic-ai": by_pydantic_ai,
}
