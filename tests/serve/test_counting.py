"""What is counted before it is sent: the agent's messages as brim would send them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from brim.testing import asks_for_summary
from tests.serve.openai_agents import MODEL as OPENAI_MODEL
from tests.serve.openai_agents import ResponsesAgent, connected, providing
from tests.serve.proxies import Agent, proxied, served


@pytest.mark.parametrize("restarted", [False, True])
def test_the_tokens_of_what_would_be_sent_are_counted(tmp_path: Path, *, restarted: bool) -> None:
    """And the conversation goes on as if nobody had asked; also of a proxy that has just started."""
    with served() as server:
        with proxied(server.url, folder=tmp_path) as url:
            agent = Agent(url)
            for _ in range(12):
                agent.turn()
                if not restarted:
                    agent.count()
            if not restarted:
                check(agent, server)
        if restarted:
            with proxied(server.url, folder=tmp_path) as url:
                agent.connect(url)
                check(agent, server)
        assert sum(asks_for_summary(one.body) for one in server.requests if "count" not in one.path) == 1


def check(agent: Agent, server: Any) -> None:
    """The count through the proxy is that of the next request, and far below that of the whole history."""
    through = agent.count()
    messages = server.requests[-1].body["messages"]
    assert through < counted_directly(agent, server.url) / 2
    response = agent.turn()
    assert server.requests[-1].body["messages"] == messages
    assert response.usage.input_tokens == through


def counted_directly(agent: Agent, url: str) -> int:
    """The tokens of the agent's whole history."""
    straight = Agent(url)
    straight.messages = agent.messages
    return straight.count()


def test_a_count_of_other_messages_passes_as_it_is() -> None:
    """Agents count single texts and tools too."""
    with served() as server, proxied(server.url) as url:
        agent = Agent(url)
        for _ in range(12):
            agent.turn()
        own = [{"role": "user", "content": "foo"}]
        agent.count(messages=own)
        assert server.requests[-1].body["messages"] == own
        agent.turn()


def test_the_tokens_of_responses_are_counted() -> None:
    """By the path of that API, which takes the whole history no more."""
    with providing() as (provider, direct), proxied(direct) as url, connected(url) as client:
        agent = ResponsesAgent(client)
        for _ in range(8):
            agent.turn()
        client.responses.input_tokens.count(model=OPENAI_MODEL, input=agent.items)
        counted = provider.requests[-1].body["input"]
        agent.turn()
        assert provider.requests[-1].body["input"] == counted
        assert "Summary" in str(counted[0])
