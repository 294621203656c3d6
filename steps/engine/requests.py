"""Steps of features/engine/requests.feature."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import pytest
from anthropic import Anthropic, APIStatusError
from pytest_bdd import given, then, when

from brim.anthropic.errors import is_overflow
from brim.compaction.policy import CompactionPolicy
from brim.engine.compactor import Compactor
from brim.engine.requests import Requests
from brim.errors import ContextOverflow
from brim.models import ModelLimits
from brim.testing import MessagesServer, rejected, too_long
from steps.compaction_windows import filler
from steps.counted import TERMS
from steps.policies import with_policy
from steps.vocabulary import phrase

MODEL = "claude-opus-5-5"
OUTPUT = 2_000
"""Tokens of the tool output of each turn."""
TIGHT = ModelLimits(context_window=40_000, max_output_tokens=30_000)
"""Six such turns are due by these."""


def worked(count: int, output: int = OUTPUT) -> list[Any]:
    """So many turns of an agent that reads files, and a request that waits for its answer."""
    history: list[Any] = []
    for number in range(count):
        call = {"type": "tool_use", "id": f"call-{number}", "name": "read", "input": {"path": f"/notes-{number}"}}
        result = {"type": "tool_result", "tool_use_id": f"call-{number}", "content": filler(output)}
        history += [
            {"role": "user", "content": f"Read notes {number}."},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": "Read."},
        ]
    return [*history, {"role": "user", "content": "What do they say?"}]


@dataclass
class Agent:
    """An agent in its loop: its list, and how it was set up."""

    messages: list[Any] = field(default_factory=lambda: worked(6))
    limits: ModelLimits | None = None
    pinned: range = range(0)
    outcome: Any = None

    def run(self, requests: Requests, client: Anthropic, times: int) -> None:
        """Make so many requests, each with what came since the one before."""
        for _ in range(times):
            response = self._request(requests, client)
            self.messages += [{"role": "assistant", "content": response.content}, {"role": "user", "content": "And?"}]
            self.outcome = response

    def attempt(self, requests: Requests, client: Anthropic) -> None:
        """Make one request, and note what was met."""
        try:
            self.outcome = self._request(requests, client)
        except (APIStatusError, ContextOverflow) as error:
            self.outcome = error

    def _request(self, requests: Requests, client: Anthropic) -> Any:
        def call(messages: list[Any]) -> Any:
            return client.messages.create(model=MODEL, max_tokens=100, messages=messages)

        return requests.send(call, self.messages, pinned=self.pinned)


@pytest.fixture
def server():
    """A provider, with as much room as anybody could want."""
    with MessagesServer(models={MODEL: (1_000_000, 64_000)}) as server:
        yield server


@pytest.fixture
def agent_requests(server, agent, summarizer, settings) -> Callable[..., None]:
    """Lets the agent make its requests to the provider."""
    requests = Requests(Compactor(limits=agent.limits, summarizer=summarizer, **with_policy(settings)))

    def make(act: Callable[..., None], *arguments: Any) -> None:
        with server.client() as client:
            act(requests, client, *arguments)

    return make


@given("an agent that nobody told how much its model can hold", target_fixture="agent")
def unknowing():
    return Agent()


@given("an agent whose window is due", target_fixture="agent")
def due():
    return Agent(limits=TIGHT)


@given("an agent with one long request", target_fixture="agent")
def one_request():
    return Agent([{"role": "user", "content": filler(12_000)}])


@given("an agent with a pinned conversation", target_fixture="agent")
def all_pinned():
    agent = Agent()
    agent.pinned = range(len(agent.messages))
    return agent


@given(phrase("an agent with {turns:Count} long turns and a window to spare"), target_fixture="agent")
def room_to_spare(turns):
    said = [{"role": "user", "content": "Hello there."}, {"role": "assistant", "content": "Hello."}]
    for number in range(turns):
        said.append({"role": "user", "content": f"Turn {number}: {filler(7_500)}"})
        said.append({"role": "assistant", "content": filler(2_000)})
    return Agent(said[:-1], limits=ModelLimits(context_window=200_000, max_output_tokens=8_192))


@given("an agent whose window is due, with short turns", target_fixture="agent")
def due_with_short_turns():
    return Agent(worked(40, output=600), limits=TIGHT)


@given("its list ends with the result of a tool")
def in_mid_work(agent):
    del agent.messages[-2:]


@given(phrase("a provider that says {times:Times} that the prompt is too long", TERMS))
def says_too_long(server, times):
    server.script(*[too_long()] * times)


@given(phrase('a provider that first refuses with {status:Count}: "{words:Quoted}"'))
def refuses(server, status, words):
    server.script(rejected(words, status=status))


@when("the agent makes its request", target_fixture="before")
def make_request(agent, agent_requests):
    before = deepcopy(agent.messages)
    agent_requests(agent.attempt)
    return before


@when(phrase("the agent makes its request, and {more:Count} more with what came since"))
def make_requests(agent, agent_requests, more):
    agent_requests(agent.run, 1 + more)


def _reminder(clock: str) -> dict[str, str]:
    return {"type": "text", "text": f"<system-reminder>It is {clock}.</system-reminder>"}


def _environment(branch: str) -> dict[str, str]:
    return {"type": "text", "text": f"<environment_context>branch {branch}</environment_context>"}


CARRIED: dict[str, Callable[[dict[str, Any]], Any]] = {
    "nothing beside its text": lambda text: text["text"],
    "a system reminder": lambda text: [text, _reminder("9:00")],
    "another system reminder": lambda text: [text, _reminder("10:00")],
    "an environment text": lambda text: [_environment("main"), text],
    "another environment text": lambda text: [_environment("fix"), text],
    "a cache mark": lambda text: [text | {"cache_control": {"type": "ephemeral"}}],
}


@given(phrase("its newest message has {what}"), target_fixture="newest")
def newest_has(agent, what):
    newest = agent.messages[-1]
    text = {"type": "text", "text": newest["content"]}
    newest["content"] = CARRIED[what](text)
    return newest, text


@when(phrase("the agent makes its request, and another in which that message has {what}"))
def make_another(agent, agent_requests, newest, what):
    def act(requests, client):
        agent.run(requests, client, 1)
        newest[0]["content"] = CARRIED[what](newest[1])
        agent.run(requests, client, 1)

    agent_requests(act)


@given(
    phrase("{agents:Count} agents whose windows are due, and room for {remembered:Count} conversations"),
    target_fixture="crowd",
)
def many_agents(agents, remembered, summarizer):
    policy = CompactionPolicy(max_conversations=remembered)
    requests = Requests(Compactor(policy=policy, limits=TIGHT, summarizer=summarizer))
    crowd = [Agent(limits=TIGHT) for _ in range(agents)]
    for number, one in enumerate(crowd):
        one.messages[0]["content"] = f"I am agent {number}."
    return requests, crowd


@when("each of them makes its request, and then another", target_fixture="warned")
def each_makes_two(server, crowd):
    requests, agents = crowd
    with warnings.catch_warnings(record=True) as met, server.client() as client:
        warnings.simplefilter("always")
        for one in (*agents, *agents):
            one.run(requests, client, 1)
    return [str(one.message) for one in met]


@then("there is no warning")
def check_no_warning(warned):
    assert warned == []


@then(phrase('a warning says "{words:Quoted}"'))
def check_warning(warned, words):
    (warning,) = warned
    assert words in warning


@then(phrase("the provider saw {count:Requests}", TERMS))
def check_requests(server, count):
    assert len(server.requests) == count


@then(phrase("it cost {count:Summaries}", TERMS))
def check_summaries(summarizer, count):
    assert len(summarizer.requests) == count


@then("the agent meets an answer")
def check_answer(agent):
    assert agent.outcome.stop_reason == "end_turn"


@then("the agent meets the overflow")
def check_overflow(agent):
    assert is_overflow(agent.outcome)


@then(phrase('the agent meets a context overflow of "{parts:Quoted}"'))
def check_context_overflow(agent, parts):
    assert isinstance(agent.outcome, ContextOverflow)
    assert f": {parts}. " in str(agent.outcome)


@then("the second request is at most half as long as the first")
def check_half(server):
    first, second = (len(json.dumps(request.body["messages"])) for request in server.requests)
    assert second <= first // 2


@then(phrase('what went out last says "{words:Quoted}"'))
def check_says(server, words):
    assert words in str(server.requests[-1].body["messages"])


@then("what went out last ends with the agent's last message")
def check_ends(server, agent):
    assert server.requests[-1].body["messages"][-1] == agent.messages[-1]


@then(phrase('what went out last ends with "{words:Quoted}"'))
def check_ends_with(server, words):
    assert words in server.requests[-1].body["messages"][-1]["content"]


@then("the agent's list is as it was")
def check_list(agent, before):
    assert agent.messages == before
