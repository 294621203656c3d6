"""Agents that do not know of brim, through the proxy, against strict servers that refuse what the APIs refuse."""

from __future__ import annotations

import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from brim.testing import asks_for_summary, hang
from steps.prerequisites import sized
from tests.serve.proxies import RESULT, TASK, Agent, model, proxied, served

TURNS = sized(13, nightly=120)


@pytest.mark.parametrize("streamed", sized([True], nightly=[False, True]))
def test_an_agent_that_thinks_goes_on_for_ever(streamed: bool) -> None:
    """No request is refused, each has the user's words, and the model is asked for a summary with the agent's key."""
    with served() as server, proxied(server.url) as url:
        agent = Agent(url)
        for _ in range(TURNS):
            agent.turn(streamed=streamed)
    asked = [one for one in server.requests if not asks_for_summary(one.body)]
    summaries = [one for one in server.requests if asks_for_summary(one.body)]
    assert len(asked) == TURNS
    assert all(TASK in str(one.body["messages"]) for one in asked)
    assert len(summaries) >= TURNS // 12
    assert {one.headers["authorization"] for one in server.requests} == {"Bearer sk-ant-test"}


def test_three_agents_at_once_keep_their_own_conversations() -> None:
    """Two of them begin with the same words, one has another key; no summary reaches another one's request."""
    with served(model_of_many) as server, proxied(server.url) as url:
        tasks = [("one", "sk-ant-test"), ("one", "sk-ant-test"), ("two", "sk-ant-test")]
        agents = [Agent(url, key, task) for task, key in tasks]
        with ThreadPoolExecutor() as pool:
            for done in [pool.submit(run, agent, n) for n, agent in enumerate(agents)]:
                done.result()
    for n in range(3):
        own = [str(one.body["messages"]) for one in server.requests if f"agent {n} " in str(one.body["messages"])]
        assert len(own) >= TURNS
        assert not any(f"agent {other} " in text for text in own for other in range(3) if other != n)


def model_of_many(body: Mapping[str, Any]) -> Any:
    """Summarize by the name of the agent, which stands in every result."""
    if not asks_for_summary(body):
        return model(body)
    name = re.search(r"agent \d ", str(body["messages"]))
    return f"<summary>It read for {name and name[0]}so far.</summary>"


def run(agent: Agent, number: int) -> None:
    """Work through all turns."""
    for _ in range(TURNS):
        agent.turn(result=f"agent {number} read this\n{RESULT}", streamed=bool(number % 2))


def test_thinking_that_another_process_bound_is_left_out() -> None:
    """A proxy that starts anew, without a store, does not know the compaction: the refusal is resolved."""
    with served() as server:
        with proxied(server.url) as url:
            agent = Agent(url)
            for _ in range(12):
                agent.turn()
        assert any(asks_for_summary(one.body) for one in server.requests)
        with proxied(server.url, window=400_000) as url:
            agent.connect(url)
            agent.turn()


def test_a_summary_that_does_not_come_is_written_by_the_template(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request waits for a summary no longer than it may."""
    monkeypatch.setattr("brim.serve.conversations.LONGEST_WAIT", 1)
    with served(silent) as server, proxied(server.url) as url:
        agent = Agent(url)
        for _ in range(12):
            agent.turn()
        assert 1 <= sum(asks_for_summary(one.body) for one in server.requests) <= 2
        assert "written by brim" in str(server.requests[-1].body["messages"])


def silent(body: Mapping[str, Any]) -> Any:
    """Say nothing where a summary is asked for."""
    return hang(30) if asks_for_summary(body) else model(body)
