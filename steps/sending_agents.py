"""Agents that send real requests to the strict server, in each way brim offers, with all that a request may carry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from anthropic import beta_tool
from pytest_bdd import given, then, when

from brim.engine.backends import backend
from brim.engine.compacting import tool_runner
from brim.engine.compaction_control import tool_runner as controlled
from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation
from brim.engine.middleware import compaction
from brim.models import ModelLimits
from brim.testing import MessagesServer, rejected, tool_call
from steps.compaction_windows import filler
from steps.vocabulary import phrase

MODEL = "claude-opus-5-5"
LIMITS = ModelLimits(context_window=20_000, max_output_tokens=8_000)
"""Thirteen turns of 1,000 tokens are due by these, and fit with the request for a summary."""
SUMMARY = "The piers were built."
MARK = {"type": "ephemeral"}
CARRIES: dict[str, dict[str, Any]] = {
    "a tool": {"tools": [{"name": "read", "input_schema": {"type": "object"}}]},
    "a system prompt": {"system": "You build piers."},
    "thinking within 1,024 tokens": {"thinking": {"type": "enabled", "budget_tokens": 1_024}},
    "thinking within 10,000 tokens": {"thinking": {"type": "enabled", "budget_tokens": 10_000}},
    "thinking as much as it likes": {"thinking": {"type": "adaptive"}},
    "a free choice of tools": {"tool_choice": {"type": "auto"}},
    "no use of tools": {"tool_choice": {"type": "none"}},
    "little effort": {"output_config": {"effort": "low"}},
    "a cache mark for the whole": {"cache_control": MARK},
    "a clearing of old outputs": {
        "betas": ["context-management-2025-06-27"],
        "context_management": {"edits": [{"type": "clear_tool_uses_20250919"}]},
    },
    "a beta": {"betas": ["interleaved-thinking-2025-05-14"]},
    "a beta in their headers": {"extra_headers": {"anthropic-beta": "interleaved-thinking-2025-05-14"}},
}
CARRIES["all of it"] = {
    "system": "You build piers.",
    "thinking": {"type": "adaptive"},
    "tool_choice": {"type": "auto"},
    "output_config": {"effort": "low"},
    "betas": ["interleaved-thinking-2025-05-14"],
}
ITS_OWN: dict[str, Any] = {"stop_sequences": ["STOP"], "metadata": {"user_id": "someone"}, "max_tokens": 1_500}
FORCED: dict[str, dict[str, Any]] = {
    "the tool to call": {"tool_choice": {"type": "tool", "name": "read"}},
    "a call of any tool": {"tool_choice": {"type": "any"}},
    "the form of the answer": {"output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}}},
}


@beta_tool
def read(path: str) -> str:
    """Read a file."""
    return path


def talk(turns: int) -> list[Any]:
    """A conversation of so many turns of 1,000 tokens, and a question."""
    said = ({"role": "user", "content": f"Build pier {n}. {filler(1_000)}"} for n in range(turns))
    history = [message for asked in said for message in (asked, {"role": "assistant", "content": "Done."})]
    return [*history, {"role": "user", "content": "How are the piers?"}]


def split(carried: dict[str, Any]) -> dict[str, Any]:
    """What a request carries, as the loop of an agent's own and a compactor take it."""
    parameters = {name: value for name, value in carried.items() if name not in ("betas", "system")}
    headers = {"anthropic-beta": ",".join(carried.get("betas", ()))}
    return {"parameters": parameters, "headers": headers, "system": carried.get("system")}


def through_the_client(client: Any, messages: list[Any], carried: dict[str, Any]) -> None:
    """One request of a client with the middleware."""
    wrapped = client.with_options(middleware=[compaction(Compactor(client, MODEL, limits=LIMITS))])
    arguments = {"max_tokens": 2_000, "tools": [read.to_dict()], **carried}
    wrapped.beta.messages.create(model=MODEL, messages=messages, **arguments)


def in_its_own_loop(client: Any, messages: list[Any], carried: dict[str, Any]) -> None:
    """One request of an agent that has its own loop."""

    def call(sent: list[Any]) -> Any:
        arguments = {"max_tokens": 2_000, "tools": [read.to_dict()], **carried}
        return client.beta.messages.create(model=MODEL, messages=sent, **arguments)

    conversation = Conversation(Compactor(client, MODEL, limits=LIMITS), tools=[read.to_dict()], **split(carried))
    conversation.extend(messages)
    conversation.send(call)


def by_hand(client: Any, messages: list[Any], carried: dict[str, Any]) -> None:
    """A compaction that is asked for."""
    Compactor(client, MODEL, limits=LIMITS).compact(messages, tools=[read.to_dict()], **split(carried))


def by_the_tool_runner(client: Any, messages: list[Any], carried: dict[str, Any]) -> None:
    """A run of the SDK's tool runner."""
    arguments = {"max_tokens": 2_000, **carried}
    runner = tool_runner(
        client, Compactor(client, MODEL, limits=LIMITS), **arguments, model=MODEL, tools=[read], messages=messages
    )
    runner.until_done()


def by_compaction_control(client: Any, messages: list[Any], carried: dict[str, Any]) -> None:
    """A run with the compaction control of the SDK's tool runner, whose first answer calls a tool."""
    arguments = {"max_tokens": 2_000, **carried, "model": MODEL, "tools": [read], "messages": messages}
    control = {"enabled": True, "context_token_threshold": 10_000}
    controlled(client, compaction_control=control, limits=LIMITS, **arguments).until_done()


def by_the_back_end(client: Any, messages: list[Any], carried: dict[str, Any]) -> None:
    """One request that the back end `brim` prepares."""
    arguments = {"model": MODEL, "max_tokens": 2_000, "messages": messages, "tools": [read.to_dict()], **carried}
    client.beta.messages.create(**backend(client, MODEL, limits=LIMITS).prepare(arguments))


WAYS: dict[str, Callable[..., None]] = {
    "through the client": through_the_client,
    "in a loop of its own": in_its_own_loop,
    "by hand": by_hand,
    "by the tool runner": by_the_tool_runner,
    "by compaction control": by_compaction_control,
    "by the back end": by_the_back_end,
}


@pytest.fixture
def provider():
    """The strict server; each of its answers will do as a summary."""
    with MessagesServer(default=SUMMARY, models={MODEL: (1_000_000, 64_000)}) as server:
        yield server


def summary_calls(provider: MessagesServer) -> list[Any]:
    """The requests for a summary: they alone are streamed."""
    return [request for request in provider.requests if (request.body or {}).get("stream")]


@given(phrase("an agent whose requests carry {what}"), target_fixture="carried")
def carrying(what):
    return CARRIES[what]


@given("an agent whose requests name stop words, an owner and a longest answer", target_fixture="carried")
def carrying_its_own():
    return ITS_OWN


@given(phrase("an agent whose requests force {what}"), target_fixture="carried")
def forcing(what):
    return FORCED[what]


@given("a provider that refuses the first request for a summary")
def refusing(provider):
    provider.when(lambda body: body.get("stream") is True, rejected("messages.0: not like this"))


@when("compaction is due before a request through the client")
def due(provider, carried):
    with provider.client() as client:
        through_the_client(client, talk(13), carried)


@when(phrase("its conversation is compacted {way}"))
def compacted(provider, carried, way):
    messages = talk(13)
    if way == "by compaction control":
        provider.when(lambda body: body["messages"] == messages, tool_call("read", {"path": "pier.md"}))
    with provider.client() as client:
        WAYS[way](client, messages, carried)


@when(phrase("it is compacted by hand, for a model with a longest answer of {most:Tokens} tokens"))
def compacted_for(provider, carried, most):
    limits = ModelLimits(context_window=200_000, max_output_tokens=most)
    with provider.client() as client:
        Compactor(client, MODEL, limits=limits).compact(talk(40), tools=[read.to_dict()], **split(carried))


@given("an agent that moves its cache mark to its newest message with every request", target_fixture="carried")
def moving():
    return {}


@when(phrase("it makes {count:Count} requests through the client, the last of which is compacted"))
def many_requests(provider, count):
    with provider.client() as summarizing:
        compactor = Compactor(summarizing, MODEL, limits=LIMITS)
        client = provider.client(middleware=[compaction(compactor)])
        history: list[Any] = []
        for asked in talk(count)[: 2 * count : 2]:
            block = {"type": "text", "text": asked["content"]}
            marked = {"role": "user", "content": [{**block, "cache_control": MARK}]}
            client.messages.create(model=MODEL, max_tokens=500, messages=[*history, marked])
            history += [{"role": "user", "content": [block]}, {"role": "assistant", "content": SUMMARY}]
        client.close()


@then("the request for a summary carries the same")
def check_carried(provider, carried):
    (call,) = summary_calls(provider)
    parameters = {name: value for name, value in carried.items() if name != "betas"}
    assert {name: call.body.get(name) for name in parameters} == parameters
    assert call.betas >= {*carried.get("betas", ())}


@then("the request for a summary carries the same, and offers the agent's tool")
def check_carried_with_tool(provider, carried):
    check_carried(provider, carried)
    (call,) = summary_calls(provider)
    assert [tool["name"] for tool in call.body["tools"]] == ["read"]


@then("the request for a summary carries none of them")
def check_own(provider, carried):
    (call,) = summary_calls(provider)
    assert not [name for name, value in carried.items() if call.body.get(name) == value]


@then(phrase('the request for a summary names the beta "{beta:Quoted}"'))
def check_beta(provider, beta):
    (call,) = summary_calls(provider)
    assert beta in call.betas


@then(phrase("the request for a summary asks for {most:Tokens} tokens at most"))
def check_most(provider, most):
    (call,) = summary_calls(provider)
    assert call.body["max_tokens"] == most


@then(phrase("the requests for a summary are {forms}"))
def check_forms(provider, forms):
    told = ["rendered" if "quote-" in str(call.body["messages"]) else "warm" for call in summary_calls(provider)]
    assert ", ".join(told) == forms


@then("what went out last begins with the summary")
def check_summary(provider):
    assert SUMMARY in str(provider.requests[-1].body["messages"][0])


@then(phrase("the request for a summary has {count:Count} cache marks"))
def check_marks(provider, count):
    (call,) = summary_calls(provider)
    assert str(call.body).count("cache_control") == count
