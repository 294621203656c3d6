"""Steps of features/engine/compaction_control.feature: an agent that the SDK's tool runner runs, with a control."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from copy import deepcopy
from typing import Any

import pytest
from pytest_bdd import given, parsers, when

from brim.engine.compaction_control import tool_runner
from brim.errors import BrimError, CompactionStalled, SummaryFailed
from brim.testing import MessagesServer
from steps.vocabulary import attempt, tokens
from steps.worlds.agents import MODEL, Agent, Alike
from steps.worlds.notation import Notation
from steps.worlds.values import read_settings

WAYS: tuple[dict[str, bool], ...] = (
    {},
    {"streamed": True, "in_loop": True},
    {"streamed": True},
    {"in_loop": True},
)
ASKED = [{"role": "user", "content": "Where is the printer?"}]
FOUND = "In room 7, by the window, next to the plant. " * 200
FAILURES = {CompactionStalled: "stall", SummaryFailed: "no summary"}
CONTROL: dict[str, Any] = {
    "switch": ("enabled", {"on": True, "off": False, "missing": None}.__getitem__),
    "threshold": ("context_token_threshold", lambda cell: tokens(cell) if cell[:1].isdigit() else cell),
    "model": ("model", str),
    "prompt": ("summary_prompt", str),
    "keep": ("keep", tokens),
}
"""Settings of a control by their names on the page, and one that it does not have."""


def for_summary(request: Any) -> bool:
    """Return whether a request asks for a summary."""
    last = str(request["messages"][-1])
    return "Stop the work here." in last or "You write the summary" in str(request.get("system"))


class ControlledAgent(Agent):
    """An agent with one tool, which the tool runner runs in a thread or in an event loop, streamed or not."""

    def __init__(self, control: dict[str, Any], *, streamed: bool = False, in_loop: bool = False) -> None:
        super().__init__({})
        self.control, self.streamed, self.in_loop = control, streamed, in_loop
        self.server = MessagesServer(default="Done.")
        self.options: dict[str, Any] = {}
        self.tools_run = 0
        self.answers: list[Any] = []
        self.refusal: BrimError | None = None
        self.runner: Any = None

    @contextmanager
    def working(self) -> Iterator[None]:
        """Open its server."""
        with super().working(), self.server:
            yield

    def find(self) -> Any:
        """Return its tool, for a thread or for an event loop."""
        from anthropic import beta_async_tool, beta_tool  # noqa: PLC0415  few features need it, and it takes a second

        def find() -> str:
            """Find out where the printer is."""
            self.tools_run += 1
            return FOUND

        async def find_in_loop() -> str:
            """Find out where the printer is."""
            return find()

        return beta_async_tool(name="find")(find_in_loop) if self.in_loop else beta_tool(find)

    def arguments(self) -> dict[str, Any]:
        """Return what its runner is made with."""
        streamed = {"stream": True} if self.streamed else {}
        told = {
            "model": MODEL,
            "max_tokens": 1_000,
            "thread": False,
            "tools": [self.find()],
            "messages": deepcopy(ASKED),
        }
        return {"compaction_control": self.control, **told, **streamed, **self.options}

    def runs(self, fails: str | None) -> None:
        """Run to the end; the caller's messages stay as they are."""
        given = self.arguments()
        with pytest.raises(BrimError) if fails else nullcontext() as refusal:
            if self.in_loop:
                asyncio.run(self._run_in_loop(given))
            else:
                self._run(given)
        self.refusal = refusal.value if refusal else None
        assert given["messages"] == ASKED

    def _run(self, given: dict[str, Any]) -> None:
        with self.server.client() as client:
            self.runner = tool_runner(client, sleep=lambda _: None, **given)
            for item in self.runner:
                self.answers.append(item.get_final_message() if self.streamed else item)

    async def _run_in_loop(self, given: dict[str, Any]) -> None:
        async def wait(_: float) -> None:
            return None

        async with self.server.async_client() as client:
            self.runner = tool_runner(client, sleep=wait, **given)
            async for item in self.runner:
                self.answers.append(await item.get_final_message() if self.streamed else item)

    @property
    def bodies(self) -> list[Any]:
        """The bodies of all its requests."""
        return [received.body for received in self.server.requests]

    @property
    def summary_requests(self) -> int:
        """How many requests for a summary the provider received."""
        return sum(map(for_summary, self.bodies))

    @property
    def summaries(self) -> int:
        """How many summaries the runner made."""
        return len(getattr(self.runner, "compactions", ()))

    @property
    def summaries_by(self) -> list[str]:
        """Who wrote them."""
        return [one.summary_source for one in self.runner.compactions]

    @property
    def summarized(self) -> list[str]:
        """What the first request for a summary holds behind the question, without the instructions."""
        asked = next(filter(for_summary, self.bodies))["messages"]
        assert FOUND in str(asked[2])
        return [block["type"].removeprefix("tool_") for message in asked[1:3] for block in message["content"]]

    @property
    def model_asked(self) -> str:
        """The model that is asked for a summary."""
        (model,) = {body["model"] for body in self.bodies if for_summary(body)}
        return str(model)

    @property
    def summary_request(self) -> str:
        """The end of the first request for a summary."""
        return str(next(filter(for_summary, self.bodies))["messages"][-1])

    @property
    def sent(self) -> list[Any]:
        """The messages of the first request behind the newest summary."""
        last = max(n for n, body in enumerate(self.bodies) if for_summary(body))
        return list(self.bodies[last + 1]["messages"])

    @property
    def messages_sent(self) -> int:
        """How many they are."""
        return len(self.sent)

    @property
    def answers_given(self) -> int:
        """How many answers the model gave."""
        return len(self.answers)

    @property
    def last_answer(self) -> str:
        """What the last of them says."""
        return str(self.answers[-1].content[0].text)

    @property
    def failure(self) -> str:
        """How the run failed."""
        return FAILURES.get(type(self.refusal), "")


@pytest.fixture
def control() -> dict[str, Any]:
    """A control of which nothing is said."""
    return {"enabled": True}


@given(
    Notation("a compaction control with {line}", lambda line: read_settings(line, CONTROL)), target_fixture="control"
)
def control_with(control, line):
    said = control | read_settings(line, CONTROL)
    return {name: value for name, value in said.items() if value is not None}


@given(parsers.re("an agent under compaction control(?P<each>, in each way)?"), target_fixture="agent")
def controlled(control, each):
    return Alike([ControlledAgent(control, **way) for way in (WAYS if each else WAYS[:2])])


@when("a runner is made with the control", target_fixture="outcome")
def make_runner(control):
    return attempt(tool_runner, None, compaction_control=control)
