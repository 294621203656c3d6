"""A conversation that was compacted three times, and goes on without the proxy: as the guide says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from anthropic import BadRequestError
from openai import BadRequestError as OpenAIBadRequestError

from tests.serve.openai_agents import ChatAgent, ResponsesAgent, connected, providing
from tests.serve.proxies import MAX_TOKENS, MODEL, TOOLS, Agent, proxied, served

TURNS = 29
"""After so many turns of any agent it was compacted three times or more."""

SYSTEM = "You are a coding agent."
ANOTHER_TURN = [{"role": "assistant", "content": "I stop here."}, {"role": "user", "content": "Go on."}]


def without_thinking(messages: list[Any]) -> list[Any]:
    """The messages of an agent that takes its thinking out."""
    return [
        {**one, "content": [part for part in one["content"] if isinstance(part, str) or part["type"] != "thinking"]}
        if isinstance(one["content"], list)
        else one
        for one in messages
    ]


def test_anthropic_refuses_the_thinking_and_then_the_length(tmp_path: Path) -> None:
    """Of the agent's own compaction too.

    Behind a proxy it goes on, also behind one that knows nothing of it; so does a new conversation without one.
    """
    told: list[str] = []
    with served() as server:
        with proxied(server.url, tell=told.append) as url:
            agent = Agent(url)
            for _ in range(TURNS):
                agent.turn()
        assert sum("compacted" in line for line in told) == 3
        agent.connect(server.url)
        own: Any = {"model": MODEL, "max_tokens": MAX_TOKENS, "tools": TOOLS, "system": SYSTEM}
        compact = [*agent.messages, ANOTHER_TURN[0], {"role": "user", "content": "Summarize all of it."}]
        with pytest.raises(BadRequestError, match="bound to a different conversation"):
            agent.client.messages.create(**own, messages=compact)
        with pytest.raises(BadRequestError, match="bound to a different conversation"):
            agent.turn()
        stripped = [*without_thinking(agent.messages), *ANOTHER_TURN]
        with pytest.raises(BadRequestError, match="prompt is too long"):
            agent.client.messages.create(**own, messages=stripped)
        Agent(server.url).turn()
        with proxied(server.url, folder=tmp_path) as url:
            agent.connect(url)
            agent.turn()


@pytest.mark.parametrize("kind", [ChatAgent, ResponsesAgent])
def test_openai_refuses_the_length_alone(kind: Any) -> None:
    """Where the window holds the history, the conversation goes on."""
    told: list[str] = []
    with providing(400_000) as (provider, upstream):
        with proxied(upstream, tell=told.append) as url, connected(url) as client:
            agent = kind(client)
            for _ in range(TURNS):
                agent.turn()
        assert sum("compacted" in line for line in told) >= 3
        with connected(upstream) as client:
            agent.client = client
            agent.turn()
            provider.context_window = 60_000
            with pytest.raises(OpenAIBadRequestError, match="maximum context length"):
                agent.turn()
