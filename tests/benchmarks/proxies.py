"""Agents that do not know of a proxy, without one, through CliffCompaction and through `brim serve`, in one run.

python -m tests.benchmarks.proxies [--cliff COMMAND] [--turns N]

The servers refuse what the providers refuse: what is too long, malformed, or thinking that is bound to another history.
CliffCompaction is installed with `pip install cliffcompaction` in an environment of its own; `--cliff` names its
command. Both proxies compact at 30,000 tokens of a window of 60,000.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from anthropic import APIError as AnthropicError
from openai import OpenAIError
from rich.console import Console
from rich.table import Table

from brim.serve.server import listen
from brim.testing import asks_for_summary
from tests.benchmarks.relays import brim_process
from tests.serve import openai_agents, proxies

TURNS = 120
AGENTS = 3
"""How many work at once, in the rows of several."""
GIVEN_UP = 3
"""Refusals after which an agent gives up."""
WINDOW, THRESHOLD = 60_000, 30_000
BRIM = ("--window", str(WINDOW), "--threshold", str(THRESHOLD))
CLIFF = ("serve", "--threshold", str(THRESHOLD))
STARTING = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyRow:
    """Requests of agents in one way."""

    api: str
    way: str
    agents: int
    streamed: bool
    accepted: int
    refused: int
    summaries: int
    """That the agents' model was asked for."""
    words: int
    """Accepted requests that held the user's words."""
    reason: str
    """Of the first refusal."""


@dataclass(frozen=True, slots=True)
class Api:
    """A strict server of one API, and an agent of it."""

    serving: Callable[[], Any]
    """Gives, as a context, what returns the requests that were received, and the server's address."""
    agent: Callable[[ExitStack, str, str], Any]
    """Makes an agent, until the stack is left, of an address and a task."""


@contextmanager
def _messages() -> Iterator[tuple[Callable[[], list[Any]], str]]:
    with proxies.served(window=WINDOW) as server:
        yield lambda: [one.body for one in server.requests], server.url


@contextmanager
def _openai() -> Iterator[tuple[Callable[[], list[Any]], str]]:
    with openai_agents.providing(WINDOW) as (provider, url):
        yield lambda: [one.body for one in provider.requests], url


def _anthropic_agent(_: ExitStack, url: str, task: str) -> Any:
    return proxies.Agent(url, task=task)


def _openai_agent(kind: Any, stack: ExitStack, url: str, task: str) -> Any:
    return kind(stack.enter_context(openai_agents.connected(url)), task)


APIS = {
    "Messages": Api(_messages, _anthropic_agent),
    "chat completions": Api(_openai, partial(_openai_agent, openai_agents.ChatAgent)),
    "Responses": Api(_openai, partial(_openai_agent, openai_agents.ResponsesAgent)),
}
CASES = (("Messages", 1, False), *((api, agents, True) for api in APIS for agents in (1, AGENTS)))
"""API, agents at once, whether streamed."""


@contextmanager
def cliff(command: str, upstream: str) -> Iterator[str]:
    """The address of CliffCompaction, with a home of its own."""
    with TemporaryDirectory() as home, listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        listener.close()
        to = ["--anthropic-upstream", upstream, "--openai-upstream", upstream, "--port", str(port)]
        environ = {**os.environ, "HOME": home}
        with subprocess.Popen(
            [command, *CLIFF, *to], env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            try:
                _wait_for(port)
                yield f"http://127.0.0.1:{port}"
            finally:
                process.kill()


def _wait_for(port: int) -> None:
    end = time.monotonic() + STARTING
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
        else:
            return


@contextmanager
def _through(way: str, upstream: str, command: str) -> Iterator[str]:
    if way == "brim serve":
        with brim_process(upstream, *BRIM) as url:
            yield url
    elif way == "CliffCompaction":
        with cliff(command, upstream) as url:
            yield url
    else:
        yield upstream


def measure(case: tuple[str, int, bool], way: str, turns: int, command: str) -> ProxyRow:
    """Let agents work, and count."""
    name, count, streamed = case
    api = APIS[name]
    with api.serving() as (received, upstream), _through(way, upstream, command) as url, ExitStack() as stack:
        agents = [api.agent(stack, url, f"{proxies.TASK} You are agent {number}.") for number in range(count)]
        with ThreadPoolExecutor(count) as pool:
            worked = list(pool.map(partial(_work, turns=turns, streamed=streamed), agents))
        bodies = received()
    accepted, refusals = sum(one for one, _ in worked), [text for _, texts in worked for text in texts]
    asked = [body for body in bodies if not asks_for_summary(body)]
    return ProxyRow(
        api=name,
        way=way,
        agents=count,
        streamed=streamed,
        accepted=accepted,
        refused=len(refusals),
        summaries=len(bodies) - len(asked),
        words=sum(proxies.TASK in str(body) for body in asked),
        reason=refusals[0] if refusals else "",
    )


def _work(agent: Any, turns: int, streamed: bool) -> tuple[int, list[str]]:
    """How many requests were accepted, and the refusals."""
    accepted, refusals = 0, list[str]()
    for _ in range(turns):
        try:
            agent.turn(streamed=streamed)
        except (AnthropicError, OpenAIError) as error:
            refusals.append(str(error))
            if len(refusals) == GIVEN_UP:
                break
        else:
            accepted += 1
    return accepted, refusals


COLUMNS: dict[str, Callable[[ProxyRow], str]] = {
    "API": lambda row: f"{row.api}{', streamed' if row.streamed else ''}",
    "agents": lambda row: str(row.agents),
    "way": lambda row: row.way,
    "accepted": lambda row: str(row.accepted),
    "refused": lambda row: str(row.refused),
    "summaries": lambda row: str(row.summaries),
    "with the user's words": lambda row: str(row.words),
    "first refusal": lambda row: row.reason[:160],
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cliff", default=shutil.which("cliff") or "", help="the command; without it, it is left out")
    parser.add_argument("--turns", type=int, default=TURNS)
    asked = parser.parse_args(arguments)
    command = str(Path(asked.cliff).resolve()) if asked.cliff else ""
    ways = ["no proxy", *(["CliffCompaction"] if command else []), "brim serve"]
    console, rows = Console(width=200), list[ProxyRow]()
    for case in CASES:
        for way in ways:
            rows.append(measure(case, way, asked.turns, command))
            console.print(*(cell(rows[-1]) for cell in COLUMNS.values()), sep="; ")
    title = f"{asked.turns} requests of each agent, which gives up after {GIVEN_UP} refusals"
    table = Table(*COLUMNS, title=title)
    for row in rows:
        table.add_row(*(cell(row) for cell in COLUMNS.values()))
    console.print(table)


if __name__ == "__main__":
    main()
