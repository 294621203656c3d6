"""Steps of features/engine/middleware.feature."""

from __future__ import annotations

import asyncio
import json
import warnings
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import pytest
from anthropic import Anthropic, APIStatusError, AsyncAnthropic
from anthropic.types import Message
from pytest_bdd import given, then, when

import brim
from brim.models import ModelLimits
from brim.pruning.tool_outputs import PLACEHOLDER
from brim.testing import Answer, MessagesServer, rejected
from steps.compaction_windows import filler
from steps.vocabulary import phrase

MODEL = "claude-opus-5-5"
SUMMARY = "All went well."
ANSWER = 100
"""The longest answer of the agent's requests, in tokens; that of summary requests differs."""
OUTPUT = 2_000
"""Tokens of the tool output of each turn."""
FURTHER = 1_000
"""Tokens of the message with which an agent asks further."""
TIGHT = ModelLimits(context_window=40_000, max_output_tokens=30_000)
"""Six such turns are due by these, and the last is kept."""


def worked(count: int) -> list[Any]:
    """So many turns of an agent that reads files, and a request that waits for its answer."""
    history: list[Any] = []
    for number in range(count):
        call = {"type": "tool_use", "id": f"call-{number}", "name": "read", "input": {"path": f"/notes-{number}"}}
        result = {"type": "tool_result", "tool_use_id": f"call-{number}", "content": filler(OUTPUT)}
        history += [
            {"role": "user", "content": f"Read notes {number}."},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": "Read."},
        ]
    return [*history, {"role": "user", "content": "What do they say?"}]


@dataclass
class ListingAgent:
    """An agent that keeps one list, and passes it to the client with each request."""

    messages: list[Any] = field(default_factory=lambda: worked(6))
    counts: bool = False
    """Whether it only counts the tokens of its messages."""
    besides: dict[str, Any] = field(default_factory=dict)
    """Further fields of its request."""

    def request(self, client: Anthropic, *, streamed: bool = False, in_bytes: bool = False) -> None:
        """Make a request, and append its response and a question."""
        if in_bytes:
            asked = client.messages.with_streaming_response
            with asked.create(model=MODEL, max_tokens=ANSWER, messages=self.messages) as given:
                response = Message.model_validate_json(b"".join(given.iter_bytes()))
        elif streamed:
            with client.messages.stream(model=MODEL, max_tokens=ANSWER, messages=self.messages) as stream:
                response = stream.get_final_message()
        else:
            response = client.messages.create(model=MODEL, max_tokens=ANSWER, messages=self.messages)
        self.go_on(response)

    async def request_in_loop(self, client: AsyncAnthropic, *, streamed: bool = False, in_bytes: bool = False) -> None:
        """The same in an event loop."""
        if in_bytes:
            asked = client.messages.with_streaming_response
            async with asked.create(model=MODEL, max_tokens=ANSWER, messages=self.messages) as given:
                response = Message.model_validate_json(b"".join([piece async for piece in given.iter_bytes()]))
        elif streamed:
            async with client.messages.stream(model=MODEL, max_tokens=ANSWER, messages=self.messages) as stream:
                response = await stream.get_final_message()
        else:
            response = await client.messages.create(model=MODEL, max_tokens=ANSWER, messages=self.messages)
        self.go_on(response)

    def go_on(self, response: Any) -> None:
        """Append a response and a question."""
        self.messages += [{"role": "assistant", "content": response.content}, {"role": "user", "content": "And?"}]


class Provider:
    """The strict server, a client that compacts, and the warnings of its requests."""

    def __init__(self, server: MessagesServer) -> None:
        self.server = server
        self.warned: list[str] = []

    def run(self, act: Callable[[Anthropic], Any], pinned: Callable[[Any], bool] | None = None, **policy: Any) -> None:
        """Let an agent act with one client."""
        settings = brim.CompactionPolicy(keep_share="0.3", **policy)
        with warnings.catch_warnings(record=True) as met, self.server.client() as plain:
            warnings.simplefilter("always")
            act(brim.compacting(plain, limits=TIGHT, policy=settings, pinned=pinned))
        self.warned = [str(one.message) for one in met]

    @property
    def summary_requests(self) -> int:
        """How many requests asked for a summary: the agent's have their own longest answer."""
        return sum(request.body["max_tokens"] != ANSWER for request in self.server.requests)


@pytest.fixture
def provider():
    """A provider whose model has a large window."""
    with MessagesServer(default=SUMMARY, models={MODEL: (1_000_000, 64_000)}) as server:
        yield Provider(server)


@given("an agent whose window is due", target_fixture="agent")
def due():
    return ListingAgent()


@given(
    phrase("an agent that has read {count:Count} notes for one question, and whose window is due"),
    target_fixture="agent",
)
def has_read_for_one(count):
    history = worked(count)
    return ListingAgent([history[0], *(one for n in range(0, 4 * count, 4) for one in history[n + 1 : n + 3])])


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
def make_another(provider, agent, newest, what):
    def act(client):
        agent.request(client)
        newest[0]["content"] = CARRIED[what](newest[1])
        agent.request(client)

    provider.run(act)


@then(phrase("the last request it received has {what}"))
def check_last_has(provider, newest, what):
    assert CARRIED[what](newest[1]) in [message["content"] for message in provider.server.requests[-1].body["messages"]]


@given(
    phrase("{agents:Count} agents whose windows are due, and room for {most:Count} conversations"),
    target_fixture="crowd",
)
def many_agents(agents, most):
    crowd = [ListingAgent() for _ in range(agents)]
    for number, one in enumerate(crowd):
        one.messages[0]["content"] = f"I am agent {number}."
        one.messages[-1]["content"] = f"What do they say, agent {number}?"
    return crowd, most


@given(phrase('another agent whose {which} says "{words:Quoted}"'), target_fixture="crowd")
def another_agent(agent, which, words):
    other = ListingAgent()
    for index in (0, -1) if which == "first and newest message" else (-1,):
        other.messages[index]["content"] = words
    return [agent, other], 64


@when("each of them makes two requests")
def each_makes_two(provider, crowd):
    agents, most = crowd
    provider.run(lambda client: [one.request(client) for one in (*agents, *agents)], max_conversations=most)


def _edit(messages: list[Any], which: str) -> None:
    """Edit messages in the agent's list: their words, or the outputs of tools."""
    outputs = [n for n, message in enumerate(messages) if "tool_result" in str(message["content"])]
    indices = {
        "its first message": [0],
        "its third message": [outputs[0]],
        "its first 3 outputs": outputs[:3],
        "its last tool output": outputs[-1:],
        "its newest message": [24],
    }[which]
    for index in indices:
        content = messages[index]["content"]
        new = "Edited." if isinstance(content, str) else [content[0] | {"content": "Edited."}]
        messages[index] = messages[index] | {"content": new}


@when(phrase("the agent makes its request, and another after it has edited {which}"))
def edit(provider, agent, which):
    def act(client):
        agent.request(client)
        _edit(agent.messages, which)
        agent.request(client)

    provider.run(act)


@given("its first answer in words is pinned, and has thinking", target_fixture="pinned_answer")
def thinking_answer(agent):
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "signed"}
    agent.messages[3]["content"] = [thinking, {"type": "text", "text": "Noted."}]
    return agent.messages[3]["content"]


@when("the agent makes its request, and another after an edit of that answer")
def edit_pinned(provider, agent, pinned_answer):
    def act(client):
        agent.request(client)
        pinned_answer[1] = pinned_answer[1] | {"text": "Edited."}
        agent.request(client)

    provider.run(act, pinned=lambda message: message["content"] == pinned_answer)


@given(phrase('its first message says "{words:Quoted}"'))
def first_says(agent, words):
    agent.messages[0]["content"] += f" {words}"


@when("the agent makes its request, edits its last tool output, and works until its window is due again")
def edit_and_work(provider, agent):
    def act(client):
        agent.request(client)
        agent.request(client)
        _edit(agent.messages, "its last tool output")
        agent.messages += worked(5)[1:]
        agent.request(client)

    provider.run(act)


@when("a compactor with the agent's client compacts its conversation")
def compact_through_client(provider, agent):
    provider.run(lambda client: brim.Compactor(client, MODEL, limits=TIGHT).compact(agent.messages))


@given(phrase('a provider that first refuses with {status:Count}: "{words:Quoted}"'))
def refuses(provider, status, words):
    provider.server.script(rejected(words, status=status))


@when("the agent makes 1 request, read at once")
def make_one(provider, agent):
    def act(client):
        with suppress(APIStatusError):
            agent.request(client.with_options(max_retries=0))

    provider.run(act)


@when("the agent makes its request, another, and one without the messages added since the first")
def take_back(provider, agent):
    def act(client):
        agent.request(client)
        agent.request(client)
        del agent.messages[26:]
        agent.messages.append({"role": "user", "content": "Rather this."})
        agent.request(client)

    provider.run(act)


@when(
    phrase(
        "the agent makes its request, and another with a newest message of {tokens:Tokens} tokens in place of that one"
    )
)
def replace_newest(provider, agent, tokens):
    def act(client):
        agent.request(client)
        agent.messages[24:] = [{"role": "user", "content": filler(tokens)}]
        agent.request(client)

    provider.run(act)


SENT: dict[str, list[Any]] = {
    "a text": [{"role": "user", "content": "Read on."}],
    "a cache mark": [
        {"role": "user", "content": [{"type": "text", "text": "Read.", "cache_control": {"type": "ephemeral"}}]}
    ],
    "a tool call and its result": worked(1),
    "a block with a field unknown yet": [
        {"role": "user", "content": [{"type": "text", "text": "Read.", "new": [1, 2.5]}]}
    ],
}


@given(phrase("an agent that sends {what}"), target_fixture="agent")
def sends(what):
    return ListingAgent(deepcopy(SENT[what]))


BESIDES: dict[str, dict[str, Any]] = {
    "asks the provider to compact when due": {"context_management": {"edits": [{"type": "compact_20260112"}]}},
    "asks the provider to compact at once": {"compaction": {"type": "summarize"}},
    "continues a thread that the server holds": {"thread": {"type": "continue", "id": "thread_1"}},
}


@given(phrase("its request {does}"))
def request_does(agent, does):
    if does == "counts tokens":
        agent.counts = True
    elif does == "has a message with an unknown role":
        agent.messages.append({"role": "critic", "content": "Not so."})
    else:
        agent.besides = BESIDES[does]


@when("it makes its request with brim and without it")
def with_and_without(provider, agent):
    def create(client):
        with suppress(APIStatusError):
            if agent.counts:
                client.messages.count_tokens(model=MODEL, messages=agent.messages)
            else:
                asked = {"model": MODEL, "max_tokens": ANSWER, "messages": agent.messages}
                client.messages.create(**asked, extra_body=agent.besides)

    provider.run(create)
    with provider.server.client() as client:
        create(client)


@then("the provider receives the same bytes twice")
def check_bytes(provider):
    one, other = provider.server.requests
    assert json.dumps(one.body) == json.dumps(other.body)


@then(phrase("the provider receives {count:SummaryRequests}", {"SummaryRequests": lambda text: int(text.split()[0])}))
def check_summary_requests(provider, count):
    assert provider.summary_requests == count


@then("there is no warning")
def check_no_warning(provider):
    assert provider.warned == []


@then(phrase('one warning says "{words:Quoted}"'))
def check_warning(provider, words):
    (warning,) = provider.warned
    assert words in warning


def _sent_last(provider: Provider, nth: int = 1) -> str:
    asked = [request.body for request in provider.server.requests if request.body["max_tokens"] == ANSWER]
    return str(asked[-nth]["messages"])


@then(phrase('the last request it received says "{words:Quoted}"'))
def check_says(provider, words):
    assert words in _sent_last(provider)


@then(phrase('the last request it received does not say "{words:Quoted}"'))
def check_does_not_say(provider, words):
    assert words not in _sent_last(provider)


@then(phrase('the second agent\'s request says "{words:Quoted}" and not "{others:Quoted}"'))
def check_second(provider, words, others):
    assert words in _sent_last(provider)
    assert others not in _sent_last(provider)


@then(phrase('the first agent\'s request does not say "{words:Quoted}"'))
def check_first(provider, words):
    assert words not in _sent_last(provider, 2)


@when(phrase("the agent makes its request, and another with its first {count:Count} messages alone"))
def go_back(provider, agent, count):
    def act(client):
        agent.request(client)
        del agent.messages[count:]
        agent.request(client)

    provider.run(act)


@given("an agent with a reminder beside its first output", target_fixture="agent")
def with_reminder():
    agent = ListingAgent(worked(4))
    agent.messages[2]["content"].append(_reminder("9:00"))
    return agent


def _end(messages: list[Any], how: str) -> None:
    """Change the end of an agent's list, which holds the answer to its request, and a question."""
    if how != "the answer follows":
        del messages[-2:]
    if how == "its newest message is edited":
        messages[-1] = messages[-1] | {"content": "Edited."}
    elif how == "its last 2 messages are gone":
        del messages[-2:]


CHANGED: dict[str, dict[str, str]] = {
    "changed": _reminder("10:00"),
    "grown by 1,500 tokens": _reminder(filler(1_500)),
    "grown by 10,000 tokens": _reminder(filler(10_000)),
}


@when(phrase("the agent makes its request, and another in which that reminder has {changed} and {end}"))
def change_reminder(provider, agent, changed, end):
    def act(client):
        agent.request(client)
        agent.messages[2]["content"][1] = CHANGED[changed]
        _end(agent.messages, end)
        agent.request(client)

    provider.run(act, prune_protect=2_000, prune_minimum=1_000)


@when(
    phrase(
        "the agent drops the answer to its request, repeats it with that reminder {changed}, which fails, and asks "
        "further"
    )
)
def fail_with_reminder(provider, agent, changed):
    def act(client):
        agent.request(client)
        del agent.messages[-2:]
        agent.messages[2]["content"][1] = CHANGED[changed]
        provider.server.script(rejected("overloaded", status=529, kind="overloaded_error"))
        with pytest.raises(APIStatusError):
            agent.request(client.with_options(max_retries=0))
        agent.messages.append({"role": "user", "content": filler(FURTHER)})
        agent.request(client)

    provider.run(act)


@then("in the last request it received the first output is cleared")
def check_cleared(provider):
    assert provider.server.requests[-1].body["messages"][2]["content"][0]["content"] == PLACEHOLDER


@given(phrase("an agent that has read {count:Count} notes"), target_fixture="agent")
def has_read(count):
    return ListingAgent(worked(count))


@given(phrase("a provider whose first response reports {read:Tokens} tokens read"))
def reports(provider, read):
    provider.server.script(Answer("Noted.", usage={"input_tokens": read}))


@given(phrase("a provider whose first response reports {read:Tokens} tokens read and {written:Tokens} written"))
def reports_written(provider, read, written):
    provider.server.script(Answer("Noted.", usage={"input_tokens": read, "output_tokens": written}))


@given(phrase('a provider whose responses report "{read:Quoted}" tokens read'))
def report(provider, read):
    provider.server.script(*[Answer("Noted.", usage={"input_tokens": read})] * 2)


@when(phrase("the agent makes {count:Count} requests, {how}"))
def make_several(provider, agent, count, how):
    reading = {"streamed": how.endswith("streamed"), "in_bytes": how.endswith("as bytes")}

    def act(client):
        for _ in range(count):
            agent.request(client, **reading)

    async def act_in_loop():
        async with provider.server.async_client() as plain:
            client = brim.compacting(plain, limits=TIGHT)
            for _ in range(count):
                await agent.request_in_loop(client, **reading)

    if "in an event loop" in how:
        asyncio.run(act_in_loop())
    else:
        provider.run(act)


@when(phrase("the agent reads its first answer after {later}, and goes on by 2,000 tokens"))
def read_late(provider, agent, later):
    def act(client):
        with client.messages.stream(model=MODEL, max_tokens=ANSWER, messages=[*agent.messages]) as stream:
            if later == "its next request":
                agent.messages.append({"role": "user", "content": "Be quick."})
                agent.request(client)
            elif later == "the same request, which is compacted":
                provider.server.script(rejected("prompt is too long: 9 > 8 maximum", status=400))
                agent.request(client)
            answer = stream.get_final_message()
        if later == "no other request":
            agent.go_on(answer)
        agent.messages += [{"role": "assistant", "content": filler(400)}, {"role": "user", "content": "And?"}] * 5
        agent.request(client)

    provider.run(act)
