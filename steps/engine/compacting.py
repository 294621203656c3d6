"""Steps of features/engine/compacting.feature."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from anthropic import APIConnectionError, APIError, Middleware
from pytest_bdd import given, parsers

import brim
from brim.engine import middleware
from brim.engine.middleware import compaction
from brim.errors import BrimError
from brim.testing import MessagesServer
from steps.policies import with_policy
from steps.worlds.agents import ANSWER, Agent, ListingAgent

LIMITS = {"small": brim.ModelLimits(context_window=20_000), "large": brim.ModelLimits(context_window=1_000_000)}


class NoLimits(Middleware):
    """The network of a client on which no question for a model's limits arrives, or not the first."""

    def __init__(self, failures: int = 0, clock: list[int] | None = None, seconds: int = 0) -> None:
        self.failures, self.clock, self.seconds = failures, clock, seconds

    def handle(self, request: Any, call_next: Any) -> Any:
        """Meet a request of a client that waits."""
        self._meet(request)
        return call_next(request)

    async def handle_async(self, request: Any, call_next: Any) -> Any:
        """Meet a request of a client for event loops."""
        self._meet(request)
        return await call_next(request)

    def _meet(self, request: Any) -> None:
        if request.method.lower() != "get":
            if self.clock:
                self.clock[0] += self.seconds
        elif self.failures:
            self.failures -= 1
            raise APIConnectionError(request=None)  # type: ignore[arg-type]


class ClientAgent(ListingAgent):
    """An agent that names its model with each request of a client that compacts."""

    def __init__(self, server: MessagesServer, messages: list[Any], network: list[Any], kind: str | None) -> None:
        kind = kind or ""
        super().__init__(server, messages, in_loop=kind.endswith("in an event loop"))
        self.network, self.kind, self.answer_or_error, self.model = network, kind, "", "large"
        self.first = messages[0]

    @contextmanager
    def working(self) -> Iterator[None]:
        """Make the client compact."""
        with (
            Agent.working(self),
            asyncio.Runner() as runner,
            self.server.client(middleware=self.network) as waiting,
        ):
            self.run = runner.run
            plain: Any = self.server.async_client(middleware=self.network) if self.in_loop else waiting
            self.client = self._compacts(plain)
            yield
            if self.in_loop:
                runner.run(plain.close())

    def _compacts(self, plain: Any) -> Any:
        if "with limits" in self.kind:
            return plain.with_options(middleware=[compaction(brim.Compactor(limits=LIMITS), **self.settings)])
        if "that asks" in self.kind:
            asking = brim.Compactor(plain, policy=brim.CompactionPolicy(summary_model="large"))
            return plain.with_options(middleware=[*plain.middleware, compaction(asking, **self.settings)])
        return brim.compacting(plain, **with_policy(self.settings))

    @property
    def request(self) -> dict[str, Any]:
        """Its request as it would make it now."""
        return {"model": self.model, "max_tokens": ANSWER, "messages": self.messages}

    def sends_to(self, model: str) -> None:
        """Make a request of a model."""
        self.model = model
        self.held = [*self.messages]
        try:
            self.sends(None)
            self.answer_or_error = self.messages[-2]["content"][-1].text
        except (APIError, BrimError) as error:
            self.answer_or_error = str(error)

    @property
    def requests(self) -> int:
        """How many requests reached the provider."""
        return len(self.asked())

    @property
    def models_of_the_summaries(self) -> list[str]:
        """Which model wrote each summary."""
        bodies = [one.body for one in self.server.requests if one.body]
        return [body["model"] for body in bodies if body["max_tokens"] != ANSWER]

    def asked(self) -> list[Any]:
        """Return the messages of each request that reached the provider, questions for limits left out."""
        bodies = [one.body for one in self.server.requests if one.body]
        return [body["messages"] for body in bodies if body["max_tokens"] == ANSWER]

    @property
    def conversation_sent(self) -> str:
        """Whether its last request had as many messages as its list."""
        return "unchanged" if len(self.sent) == len(self.held) else "compacted"

    @property
    def its_first_message(self) -> str:
        """Whether it was sent word for word."""
        return "is sent" if self.first in self.sent else "has left"


@pytest.fixture
def network() -> list[Any]:
    """What stands between the client and the provider."""
    return []


@given(
    parsers.re(
        r"the provider (?P<how>states|fails to state|fails once and takes (?P<seconds>\d+) seconds to state) limits"
    ),
    target_fixture="network",
)
def states_limits(monkeypatch, how, seconds):
    if not seconds:
        return [NoLimits(0 if how == "states" else sys.maxsize)]
    clock = [0]
    monkeypatch.setattr(middleware, "monotonic", lambda: clock[0])
    return [NoLimits(1, clock, int(seconds))]


@given(parsers.re("the agent has a client that compacts(?P<kind>, .+)?"), target_fixture="agent")
def has_client(strict_server, conversation, network, kind):
    return ClientAgent(strict_server, [one.raw for one in conversation], network, kind)
