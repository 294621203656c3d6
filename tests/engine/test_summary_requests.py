"""Each way into brim passes on what an agent's requests carry to the request for a summary (SUM_16)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from anthropic import beta_tool

from brim.engine.backends import backend
from brim.engine.compacting import tool_runner
from brim.engine.compaction_control import tool_runner as controlled
from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation
from brim.engine.middleware import compaction
from brim.models import ModelLimits
from brim.testing import MessagesServer, tool_call

MODEL = "claude-opus-5-5"
LIMITS = ModelLimits(context_window=20_000, max_output_tokens=8_000)
"""Thirteen turns of 1,000 tokens are due by these, and fit with the request for a summary."""
BETA = "interleaved-thinking-2025-05-14"
CARRIED: dict[str, Any] = {
    "system": "You build piers.",
    "thinking": {"type": "adaptive"},
    "tool_choice": {"type": "auto"},
    "output_config": {"effort": "low"},
    "betas": [BETA],
}


@beta_tool
def read(path: str) -> str:
    """Read a file."""
    return path


def talk(turns: int) -> list[Any]:
    """A conversation of so many turns of 1,000 tokens, and a question."""
    said = ({"role": "user", "content": f"Build pier {n}. {'text' * 1_000}"} for n in range(turns))
    history = [message for asked in said for message in (asked, {"role": "assistant", "content": "Done."})]
    return [*history, {"role": "user", "content": "How are the piers?"}]


def split(carried: dict[str, Any]) -> dict[str, Any]:
    """What a request carries, as the loop of an agent's own and a compactor take it."""
    parameters = {name: value for name, value in carried.items() if name not in ("betas", "system")}
    headers = {"anthropic-beta": ",".join(carried.get("betas", ()))}
    return {"parameters": parameters, "headers": headers, "system": carried.get("system")}


def request(messages: list[Any], carried: dict[str, Any]) -> dict[str, Any]:
    """A request of the agent."""
    return {"model": MODEL, "max_tokens": 2_000, "tools": [read.to_dict()], "messages": messages, **carried}


def through_the_client(client: Any, messages: list[Any], carried: dict[str, Any]) -> None:
    """One request of a client with the middleware."""
    wrapped = client.with_options(middleware=[compaction(Compactor(client, MODEL, limits=LIMITS))])
    wrapped.beta.messages.create(**request(messages, carried))


def in_its_own_loop(client: Any, messages: list[Any], carried: dict[str, Any]) -> None:
    """One request of an agent that has its own loop."""
    conversation = Conversation(Compactor(client, MODEL, limits=LIMITS), tools=[read.to_dict()], **split(carried))
    conversation.extend(messages)
    conversation.send(lambda sent: client.beta.messages.create(**request(sent, carried)))


def by_hand(client: Any, messages: list[Any], carried: dict[str, Any]) -> None:
    """A compaction that is asked for."""
    Compactor(client, MODEL, limits=LIMITS).compact(messages, tools=[read.to_dict()], **split(carried))


def by_the_tool_runner(client: Any, messages: list[Any], carried: dict[str, Any]) -> None:
    """A run of the SDK's tool runner."""
    arguments = request(messages, carried) | {"tools": [read]}
    tool_runner(client, Compactor(client, MODEL, limits=LIMITS), **arguments).until_done()


def by_compaction_control(client: Any, messages: list[Any], carried: dict[str, Any]) -> None:
    """A run with the compaction control of the SDK's tool runner."""
    control = {"enabled": True, "context_token_threshold": 10_000}
    arguments = request(messages, carried) | {"tools": [read]}
    controlled(client, compaction_control=control, limits=LIMITS, **arguments).until_done()


def by_the_back_end(client: Any, messages: list[Any], carried: dict[str, Any]) -> None:
    """One request that the back end `brim` prepares."""
    client.beta.messages.create(**backend(client, MODEL, limits=LIMITS).prepare(request(messages, carried)))


@pytest.fixture
def provider() -> Iterator[MessagesServer]:
    """The strict server; each of its answers will do as a summary."""
    with MessagesServer(default="The piers were built.", models={MODEL: (1_000_000, 64_000)}) as server:
        yield server


def summary_request(provider: MessagesServer) -> Any:
    """The request for a summary: it alone is streamed."""
    (one,) = [one for one in provider.requests if (one.body or {}).get("stream")]
    return one


@pytest.mark.parametrize(
    "way",
    [through_the_client, in_its_own_loop, by_hand, by_the_tool_runner, by_compaction_control, by_the_back_end],
)
def test_each_way_into_brim_passes_on_what_requests_carry(provider: MessagesServer, way: Callable[..., None]) -> None:
    """With the parameters and betas, it offers the agent's tool (SUM_16)."""
    messages = talk(13)
    if way is by_compaction_control:  # which acts behind an answer that calls a tool
        provider.when(lambda body: body["messages"] == messages, tool_call("read", {"path": "pier.md"}))
    with provider.client() as client:
        way(client, messages, CARRIED)
    one = summary_request(provider)
    assert {name: one.body.get(name) for name in CARRIED if name != "betas"} == {
        name: value for name, value in CARRIED.items() if name != "betas"
    }
    assert BETA in one.betas
    assert [tool["name"] for tool in one.body["tools"]] == ["read"]


def test_a_beta_in_the_headers_is_named_too(provider: MessagesServer) -> None:
    """A request of the SDK may name it in either place (SUM_16)."""
    with provider.client() as client:
        by_the_back_end(client, talk(13), {"extra_headers": {"anthropic-beta": BETA}})
    assert BETA in summary_request(provider).betas


@pytest.mark.parametrize(
    ("thinking", "most"),
    [({"type": "adaptive"}, 8_000), ({"type": "enabled", "budget_tokens": 10_000}, 18_000)],
)
def test_tokens_for_thinking_are_added_to_the_longest_summary(
    provider: MessagesServer, thinking: dict[str, Any], most: int
) -> None:
    """To the 8,000 of the default, for a model with a longest answer of 64,000 tokens (SUM_16)."""
    limits = ModelLimits(context_window=200_000, max_output_tokens=64_000)
    with provider.client() as client:
        compactor = Compactor(client, MODEL, limits=limits)
        compactor.compact(talk(40), tools=[read.to_dict()], **split({"thinking": thinking}))
    assert summary_request(provider).body["max_tokens"] == most
