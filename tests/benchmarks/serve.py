"""What passing through `brim serve` costs where nothing is due, beside a bare relay, each in a process of its own.

An agent says one thing more with each request. The ways take turns, so that whatever else runs disturbs all alike.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from psutil import Process
from rich.console import Console

from tests.benchmarks.conversation import WORDS
from tests.benchmarks.relays import LAST, PAUSE, brim_process, relay_process, upstream_process
from tests.benchmarks.tables import print_table

MODEL = "claude-opus-5-5"
TURNS = 100
RESULT = 3_700
"""Characters of a tool's result: with the call, some 400 kB in 100 turns."""
STREAMS = 64
ROUNDS = 12
CONVERSATIONS = (1, 200, 1_000, 2_000)
TURNS_OF_60_KB = 14
AIM = "at most 3 ms and 5 % of throughput more than the bare relay, the first byte as early"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeRow:
    """Figures of one way: seconds, and the requests a second."""

    way: str
    what: str
    bytes: int
    """Of the largest body."""
    first: float
    """Until the first byte of the response, in the median."""
    whole: float
    """Until its last byte, in the median."""
    rate: float
    """Requests a second."""
    ratio: float
    """The same, as the median of the rounds' ratios to the bare relay."""
    cpu: float
    """Of the process for a request; 0 without one."""


class Agent:
    """An agent whose conversation grows by a call and its result with each request."""

    def __init__(self, number: int, turns: int = 0) -> None:
        self._chance = random.Random(number)  # noqa: S311 - a conversation, not a secret
        task = {"role": "user", "content": f"Agent {number}, please port the parser, and never touch the lexer."}
        self._pieces, self._turns = [json.dumps(task)], 0
        for _ in range(turns):
            self.body()

    def body(self) -> bytes:
        """The body of the next request."""
        self._turns += 1
        head = json.dumps({"model": MODEL, "max_tokens": 4_000, "stream": True, "system": "You are a coding agent."})
        body = f'{head[:-1]}, "messages": [{", ".join(self._pieces)}]}}'.encode()
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
    process: Process | None = None
    streams: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = field(default_factory=list)
    times: list[tuple[float, float]] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    cpu: float = 0

    def used(self) -> float:
        """Seconds of the processor that its process has taken."""
        times = self.process.cpu_times() if self.process else None
        return times.user + times.system if times else 0.0

    async def ask(self, number: int, body: bytes, path: str = "") -> None:
        """Send a request on one of the connections, and read the stream."""
        address = urlsplit(self.url)
        while len(self.streams) <= number:
            self.streams.append(await asyncio.open_connection(address.hostname, address.port))
        reader, writer = self.streams[number]
        head = f"POST {path}/v1/messages HTTP/1.1\r\nhost: {address.netloc}\r\nx-api-key: sk-ant-test\r\n"
        head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        begun = time.perf_counter()
        writer.writelines([head.encode(), body])
        received = await reader.readuntil(b"\r\n\r\n")
        piece = await reader.read(65_536)
        first = time.perf_counter() - begun
        while not piece.endswith(LAST):
            piece = piece[-len(LAST) :] + await reader.read(65_536)
        self.times.append((first, time.perf_counter() - begun))
        assert received.startswith(b"HTTP/1.1 200"), received

    async def round(self, bodies: Sequence[Sequence[bytes]], path: str = "") -> None:
        """Send what each agent sends, one after the other, all agents at once."""

        async def agent(number: int, own: Sequence[bytes]) -> None:
            for body in own:
                await self.ask(number, body, path)

        used, begun = self.used(), time.perf_counter()
        await asyncio.gather(*(agent(number, own) for number, own in enumerate(bodies)))
        self.rates.append(sum(map(len, bodies)) / (time.perf_counter() - begun))
        self.cpu += self.used() - used

    def forget(self) -> None:
        """Begin to measure anew."""
        self.times, self.rates, self.cpu = [], [], 0


Bodies = Iterator[list[list[bytes]]]
"""For each round, what each agent sends."""


def _growing() -> Bodies:
    agent = Agent(0)
    for _ in range(TURNS // 4):
        yield [[agent.body() for _ in range(4)]]


def _long(agents: int, requests: int) -> Bodies:
    """Agents in their last turns."""
    working = [Agent(agents * 1_000 + number, TURNS - requests * ROUNDS) for number in range(agents)]
    for _ in range(ROUNDS):
        yield [[agent.body() for _ in range(requests)] for agent in working]


MEASURED: Mapping[str, tuple[Callable[[], Bodies], str]] = {
    f"one agent, turn 1 to {TURNS}": (_growing, ""),
    "one agent, the last 60 turns": (lambda: _long(1, 5), ""),
    "64 agents, the last 12 turns": (lambda: _long(STREAMS, 1), ""),
    "64 streams of a second": (lambda: _long(STREAMS, 1), PAUSE),
}


def measure_serve() -> list[ServeRow]:
    """Agents without a proxy, through the bare relay and through brim."""
    with upstream_process() as upstream, relay_process(upstream) as relay, brim_process(upstream) as brim:
        ways = [Way("no proxy", upstream), Way("bare relay", *relay), Way("brim serve", *brim)]
        return asyncio.run(_measured(ways))


async def _measured(ways: Sequence[Way]) -> list[ServeRow]:
    rows = []
    for what, (bodies, path) in MEASURED.items():
        largest = count = 0
        for number, one in enumerate(bodies()):
            for way in (*ways[number % len(ways) :], *ways[: number % len(ways)]):
                await way.round(one, path)
            largest = len(one[-1][-1])
            if number == 0:  # connections are opened, and conversations met for the first time
                for way in ways:
                    way.forget()
            else:
                count += sum(map(len, one))
        rows += [_row(way, ways[1], what, largest, count) for way in ways]
        for way in ways:
            way.forget()
    return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRow:
    """Memory of the proxy after so many conversations, each compacted once."""

    conversations: int
    kept: int
    """Compactions in the store."""
    resident: int
    """Bytes."""


def measure_memory() -> list[MemoryRow]:
    """Conversations of 60 kB, in a window that is full with them."""
    with TemporaryDirectory() as home, upstream_process() as upstream:
        with brim_process(upstream, "--window", "16k", home=Path(home)) as (url, process):
            return asyncio.run(_filled(Way("brim serve", url, process), process, Path(home)))


async def _filled(way: Way, process: Process, home: Path) -> list[MemoryRow]:
    rows, done = list[MemoryRow](), 0
    for count in CONVERSATIONS:
        for number in range(done, count):
            await way.ask(0, Agent(number, TURNS_OF_60_KB).body())
        done, kept = count, len(await asyncio.to_thread(lambda: [*home.glob("proxy/*.json")]))
        rows.append(MemoryRow(conversations=count, kept=kept, resident=process.memory_info().rss))
    return rows


def _row(way: Way, relay: Way, what: str, largest: int, count: int) -> ServeRow:
    first, whole = (median(each) for each in zip(*way.times, strict=True))
    ratio = median(own / bare for own, bare in zip(way.rates, relay.rates, strict=True))
    cpu, rate = way.cpu / count, median(way.rates)
    return ServeRow(way=way.name, what=what, bytes=largest, first=first, whole=whole, rate=rate, ratio=ratio, cpu=cpu)


COLUMNS: Mapping[str, Callable[[ServeRow], str]] = {
    "what": lambda row: row.what,
    "way": lambda row: row.way,
    "bytes": lambda row: f"{row.bytes:,}",
    "first byte ms": lambda row: f"{row.first * 1e3:.2f}",
    "whole ms": lambda row: f"{row.whole * 1e3:.2f}",
    "requests a second": lambda row: f"{row.rate:,.0f}",
    "× the relay's": lambda row: f"{row.ratio:.2f}",
    "processor ms": lambda row: f"{row.cpu * 1e3:.2f}" if row.cpu else "",
}


def show_serve(rows: Sequence[ServeRow], console: Console) -> None:
    """Print the table."""
    print_table(f"Requests for which nothing is due, streamed ({AIM})", COLUMNS, rows, console)


def show_memory(rows: Sequence[MemoryRow], console: Console) -> None:
    """Print the table."""
    columns: Mapping[str, Callable[[MemoryRow], str]] = {
        "conversations": lambda row: f"{row.conversations:,}",
        "compactions in the store": lambda row: f"{row.kept:,}",
        "resident MB": lambda row: f"{row.resident / 1e6:.0f}",
    }
    print_table("Memory of the proxy, each conversation compacted once", columns, rows, console)
