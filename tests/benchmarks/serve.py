"""What passing through `brim serve` costs where nothing is due, beside a bare relay, each in a process of its own.

An agent says one thing more with each request. The ways take turns, so that whatever else runs disturbs all alike.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from statistics import median
from typing import Final
from urllib.parse import urlsplit

from tests.benchmarks.conversation import WORDS
from tests.benchmarks.figures import Figure
from tests.benchmarks.proxies import cliff
from tests.benchmarks.relays import LAST, brim_process, relay_process, upstream_process

TURNS: Final = 100
RESULT: Final = 3_700
"""Characters of a tool's result: with the call, some 400 kB in 100 turns."""
ROUNDS: Final = 12
CASES: Final = {"one agent": (1, 5), "each of 64 at once": (64, 1)}
"""Agents at once, and the requests of each in a round."""


class Agent:
    """An agent whose conversation grows by a call and its result with each request."""

    def __init__(self, number: int, turns: int) -> None:
        self._chance = random.Random(number)  # noqa: S311 - a conversation, not a secret
        task = {"role": "user", "content": f"Agent {number}, please port the parser, and never touch the lexer."}
        self._pieces, self._turns = [json.dumps(task)], 0
        for _ in range(turns):
            self.body()

    def body(self) -> bytes:
        """Return the body of the next request."""
        self._turns += 1
        about = {"model": "claude-opus-5-5", "max_tokens": 4_000, "stream": True, "system": "You are a coding agent."}
        body = f'{json.dumps(about)[:-1]}, "messages": [{", ".join(self._pieces)}]}}'.encode()
        text = " ".join(self._chance.choices(WORDS, k=RESULT // 4))[:RESULT]
        said = {"type": "text", "text": text[:200]}
        call = {"type": "tool_use", "id": f"call_{self._turns}", "name": "Read", "input": {"file_path": text[:50]}}
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": f'{text}\n"{self._turns}"\n'}
        self._pieces += [
            json.dumps({"role": "assistant", "content": [said, call]}),
            json.dumps({"role": "user", "content": [result]}),
        ]
        return body


@dataclass(slots=True)
class Way:
    """One way to the upstream, with its connections, and what was measured on it."""

    name: str
    url: str
    streams: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    """Seconds of each round, by its requests."""

    async def ask(self, number: int, body: bytes) -> None:
        """Send a request on one of the connections, and read the stream."""
        address = urlsplit(self.url)
        while len(self.streams) <= number:
            self.streams.append(await asyncio.open_connection(address.hostname, address.port))
        reader, writer = self.streams[number]
        head = f"POST /v1/messages HTTP/1.1\r\nhost: {address.netloc}\r\nx-api-key: sk-ant-test\r\n"
        head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        writer.writelines([head.encode(), body])
        received = await reader.readuntil(b"\r\n\r\n")
        piece = b""
        while not piece.endswith(LAST):
            piece = piece[-len(LAST) :] + await reader.read(65_536)
        assert received.startswith(b"HTTP/1.1 200"), received

    async def round(self, bodies: Sequence[Sequence[bytes]]) -> None:
        """Send what each agent sends, one after the other, all agents at once."""

        async def agent(number: int, own: Sequence[bytes]) -> None:
            for body in own:
                await self.ask(number, body)

        begun = time.perf_counter()
        await asyncio.gather(*(agent(number, own) for number, own in enumerate(bodies)))
        self.shares.append((time.perf_counter() - begun) / sum(map(len, bodies)))


def measure_serve(command: str) -> list[Figure]:
    """Measure agents through the bare relay and through brim; through CliffCompaction where its command is given."""
    with ExitStack() as stack:
        upstream = stack.enter_context(upstream_process())
        ways = [Way("brim", stack.enter_context(brim_process(upstream)))]
        ways += [Way("CliffCompaction", stack.enter_context(cliff(command, upstream)))] if command else []
        ways.append(Way("limit: a bare relay", stack.enter_context(relay_process(upstream))))
        return asyncio.run(_measured(ways))


async def _measured(ways: Sequence[Way]) -> list[Figure]:
    figures: list[Figure] = []
    for size, (agents, requests) in CASES.items():
        working = [Agent(agents * 1_000 + number, TURNS - requests * ROUNDS) for number in range(agents)]
        for number in range(ROUNDS):
            bodies = [[agent.body() for _ in range(requests)] for agent in working]
            for way in (*ways[number % len(ways) :], *ways[: number % len(ways)]):
                await way.round(bodies)
                if number == 0:  # connections are opened, and conversations met for the first time
                    way.shares.clear()
        figures += [Figure("a request of 400 kB by `brim serve`", size, way.name, median(way.shares)) for way in ways]
        for way in ways:
            way.shares.clear()
    return figures
