"""Agents of OpenAI's two APIs through the proxy, against a provider that refuses what the APIs refuse."""

from __future__ import annotations

import json
from typing import Any

import pytest

from brim.testing import asks_for_summary
from steps.prerequisites import sized
from tests.serve.openai_agents import ChatAgent, ResponsesAgent, connected, providing
from tests.serve.proxies import TASK, proxied

TURNS = sized(13, nightly=120)
AGENTS = {"chat": ChatAgent, "responses": ResponsesAgent}


@pytest.mark.parametrize("streamed", sized([True], nightly=[False, True]))
@pytest.mark.parametrize("kind", AGENTS)
def test_an_agent_goes_on_for_ever(kind: str, streamed: bool) -> None:
    """Nothing is refused, each request has the user's words, and summaries are asked for with the agent's key."""
    with providing() as (provider, upstream), proxied(upstream) as url, connected(url) as client:
        agent = AGENTS[kind](client)
        for _ in range(TURNS):
            agent.turn(streamed=streamed)
    asked = [one.body for one in provider.requests if not asks_for_summary(one.body)]
    assert not provider.refusals
    assert len(asked) == TURNS
    assert all(TASK in json.dumps(body) for body in asked)
    assert TURNS // 12 <= len(provider.requests) - TURNS <= TURNS // 4


def test_a_chat_that_reports_no_usage_is_estimated() -> None:
    """Few agents ask for the usage of a stream."""
    with providing() as (provider, upstream), proxied(upstream) as url, connected(url) as client:
        agent = ChatAgent(client)
        for _ in range(TURNS):
            agent.turn(streamed=True, usage=False)
    assert not provider.refusals


@pytest.mark.parametrize("kind", AGENTS)
def test_a_refusal_for_length_is_resolved(kind: str) -> None:
    """The proxy takes the window for larger than it is; the agent sees no error."""
    with providing() as (provider, upstream), proxied(upstream, window=200_000) as url, connected(url) as client:
        agent = AGENTS[kind](client)
        for _ in range(18):
            agent.turn()
    assert provider.refusals


@pytest.mark.parametrize("kind", AGENTS)
def test_an_agent_that_goes_back_goes_on_from_there(kind: str) -> None:
    """It takes back its last steps, before and after a compaction, and edits its instructions."""
    with providing() as (provider, upstream), proxied(upstream) as url, connected(url) as client:
        agent = AGENTS[kind](client)
        for step in range(TURNS):
            agent.turn()
            if step % 5 == 4:
                back = next(n for n in range(len(agent.items) - 4, 0, -1) if _is_result(agent.items[n]))
                del agent.items[back + 1 :]
            if step % 6 == 5:
                agent.items[0] = {**agent.items[0], "content": f"{agent.items[0]['content']} {step}"}
    assert not provider.refusals
    assert len([one.body for one in provider.requests if asks_for_summary(one.body)]) <= TURNS // 3


def _is_result(item: Any) -> bool:
    return item.get("role") == "tool" or item.get("type") == "function_call_output"
