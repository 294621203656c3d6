"""How long sub-agents take side by side, beside the slowest of them alone (AGT_07)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from brim.agents.sub_agents import TASK, SubAgents
from brim.testing import MessagesServer, tool_call
from tests.benchmarks.tables import print_table

MODEL = "claude-opus-5-5"
CALLERS = 500
"""The longest answer of the caller, by which its requests are known."""
SECONDS = (0.5, 1.0, 1.5, 2.0)
"""Seconds of the provider for each sub-agent, in its one response."""
AIM = "four sub-agents take at most 1.3 times as long as the slowest alone"


@dataclass(frozen=True, slots=True, kw_only=True)
class SubAgentsRow:
    """Seconds of so many sub-agents."""

    count: int
    slowest: float
    """Seconds of the provider for the slowest."""
    took: float


def measure_sub_agents() -> list[SubAgentsRow]:
    """The slowest alone, and all of them; once before, since the first one loads what is needed."""
    _took((0.0,))
    return [_took(SECONDS[-1:]), _took(SECONDS)]


def _took(seconds: tuple[float, ...]) -> SubAgentsRow:
    calls = [tool_call(TASK, {"subagent_type": "explore", "prompt": f"Wait {one}."}) for one in seconds]
    with MessagesServer([calls], default=_answer) as server, server.client() as client:
        agents = SubAgents(client, MODEL)
        asked = [{"role": "user", "content": "Go."}]
        response = client.messages.create(model=MODEL, max_tokens=CALLERS, messages=asked, tools=[agents.tool])
        start = time.perf_counter()
        results = agents.results(response)
        took = time.perf_counter() - start
    assert [one["content"] for one in results] == ["Waited."] * len(seconds)
    return SubAgentsRow(count=len(seconds), slowest=max(seconds), took=took)


def _answer(body: Mapping[str, Any]) -> str:
    """The provider writes for as long as the prompt says."""
    time.sleep(float(body["messages"][0]["content"].removeprefix("Wait ").removesuffix(".")))
    return "Waited."


COLUMNS: dict[str, Callable[[SubAgentsRow], str]] = {
    "sub-agents": lambda row: str(row.count),
    "slowest s": lambda row: f"{row.slowest:.2f}",
    "took s": lambda row: f"{row.took:.2f}",
}


def show_sub_agents(rows: list[SubAgentsRow], console: Console) -> None:
    """The table, the ratio and the aim."""
    print_table("Sub-agents side by side", COLUMNS, rows, console)
    console.print(f"{rows[1].took / rows[0].took:.2f} times the slowest alone; {AIM}")
