"""Agents at work through `brim serve` while their provider fails and the proxy is killed: `tests.soak MINUTES`.

The example agent works in processes of its own. In the first 60% of the time the proxy is killed and started again; in
the rest it lives, and its memory is read. BRIM_SEED draws other failures.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from brim.sessions import open_store
from brim.sessions.records import MessageRecord
from brim.testing import complaints
from tests.examples.test_agent import AGENT, EXAMPLES
from tests.failing_provider import BY_ITSELF, MODEL, WINDOW, Provider

RULES = {"permissions": {"allow": ["Edit(./**)", "Bash(ls *)"]}}
AGENTS, PROMPTS, LEAST = 3, 30, 3
"""Agents at once, prompts of a session, and of an agent whatever the time."""
OWN = ("--context-window-threshold", "12k", "--context-window-target", "4k")
"""By which an agent compacts before the proxy does."""
PATIENCE, LONG = 240, 600
"""Seconds after which an agent that says nothing is stuck, and of a run whose memory is judged."""


def environment_of(home: Path, **more: str) -> dict[str, str]:
    """Return the environment of a process with a home of its own."""
    home.mkdir(exist_ok=True)
    paths = {"HOME": str(home), "BRIM_HOME": str(home), "PYTHONPATH": str(EXAMPLES.parents[1] / "src")}
    return {**os.environ, **paths, **more}


class Proxy:
    """`brim serve` as a process, on one port, however often it is killed."""

    def __init__(self, provider: Provider, folder: Path) -> None:
        self.provider, self.log, self.samples = provider, folder / "proxy.log", list[tuple[float, int]]()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port = listener.getsockname()[1]
        limits = ["--window", str(WINDOW), "--threshold", "50%"]
        self.command = [sys.executable, "-m", "brim", "serve", "--port", str(self.port), *limits]
        self.environment = environment_of(folder / "proxy", BRIM_MAX_CONVERSATIONS=str(AGENTS + 1))
        self.start()

    def start(self) -> None:
        """Start it, and wait until it listens."""
        self.provider.starts += 1
        with self.log.open("ab") as log:
            command = [*self.command, "--upstream", self.provider.url]
            self.process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)
        while self.process.poll() is None:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.05)
        raise RuntimeError(self.log.read_text())

    def kill(self) -> None:
        """End it as `kill -9` does."""
        self.process.kill()
        self.process.wait()

    def sample(self) -> None:
        """Note how much memory it has, in MiB, and how many handles."""
        place = Path(f"/proc/{self.process.pid}")
        pages = int((place / "statm").read_text().split()[1])
        self.samples.append((pages * os.sysconf("SC_PAGE_SIZE") / 2**20, len([*(place / "fd").iterdir()])))


class User:
    """One who works with an agent: prompts, one after the other, a new session after some, and again where it ends."""

    def __init__(self, number: int, proxy: Proxy, end: float, pause: float) -> None:
        self.name, self.provider, self.end, self.pause = f"project-{number}", proxy.provider, end, pause
        self.folder = proxy.log.with_name(self.name)
        to = {
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{proxy.port}/{self.name}",
            "ANTHROPIC_API_KEY": self.provider.key,
        }
        self.environment, project = environment_of(self.folder, **to), self.folder / self.name
        shutil.copytree(EXAMPLES / "project", project, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        (project / ".claude").mkdir()
        (project / ".claude" / "settings.json").write_text(json.dumps(RULES))
        (project / "log.txt").write_text("".join(f"{n} the tide was {n % 7} m\n" for n in range(1_000)))
        words = ["--project", str(project), "--model", MODEL, *(OWN if self.name == BY_ITSELF else ())]
        self.command, self.number = [sys.executable, str(AGENT), *words], 0
        self.session, self.typed, self.answered = "", list[str](), list[str]()

    @property
    def has_time(self) -> bool:
        """Return whether there is time for one more prompt; there is for the first ones."""
        return time.monotonic() < self.end or self.number < LEAST

    def work(self) -> None:
        """Go through one session after another, until the time is over."""
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        while self.has_time:
            self.session, self.typed, self.answered = "", [], []
            self.provider.typed[self.name] = self.typed
            self.provider.heads.pop(self.name, None)
            while len(self.typed) < PROMPTS and self.has_time:
                command = [*self.command, *(["--session", self.session] if self.session else [])]
                with subprocess.Popen(command, env=self.environment, **pipes) as process:
                    while self.is_asked(process) and len(self.typed) < PROMPTS and self.has_time:
                        time.sleep(self.pause)
                        self.number += 1
                        self.typed.append(f"Write down berth {self.number}, whose code is QX-{self.number * 7_919}.")
                        process.stdin.write(f"{self.typed[-1]}\n")
                        process.stdin.flush()
            if self.typed:  # the time was over before one more session had a prompt
                self.check()

    def is_asked(self, process: Any) -> bool:
        """Read until the user is asked, and note what was answered; False where the agent has ended."""
        lines, stuck = list[str](), threading.Timer(PATIENCE, process.kill)
        stuck.start()
        while (line := process.stdout.readline()) and not re.search(r"window [\d,]+ of", line):
            lines.append(line)
        stuck.cancel()
        text = "".join(lines)
        self.session = self.session or "".join(re.findall(r"session (\w+);", text))
        if re.search(r"(?m)^(> )?\w*(Error|Failed|Overloaded)\b", text):
            self.provider.counts["turns that ended in an error"] += 1
        elif line:
            self.answered += re.findall(r"Did \d+\.", text)
        elif lines and lines[-1].startswith("agent: "):
            self.provider.counts["agents that ended with a line"] += 1
        else:
            self.provider.wrong.append(f"{self.name} ended: {text[-700:]}")
        return bool(line)

    def check(self) -> None:
        """Check that each prompt and answer that was shown is in the session once, and the API takes its view."""
        with open_store(self.folder).read(self.session) as read:
            texts = [one.value.text for one in read.records() if isinstance(one, MessageRecord)]
            found = complaints([one.raw for one in read.view().messages]) + [f"damaged: {one}" for one in read.damaged]
        often = {one: texts.count(one) for one in (*self.typed, *self.answered)}
        found += [f"{times} times in session {self.session}: {one}" for one, times in often.items() if times != 1]
        self.provider.wrong += [f"{self.name}: {one}" for one in found]
        counted = {"sessions": 1, "prompts": len(self.typed), "answers": len(self.answered), "messages": len(texts)}
        self.provider.counts.update(counted)


def soak(seconds: float, folder: Path, seed: int) -> tuple[Counter[str], list[str]]:
    """Let agents work for so long: what was counted, and what went wrong."""
    chance, begun = Random(seed), time.monotonic()  # noqa: S311 -- chance, not a secret
    with Provider(seed) as provider, ThreadPoolExecutor(AGENTS) as pool:
        proxy, counts, wrong = Proxy(provider, folder), provider.counts, provider.wrong
        users = [User(number, proxy, begun + seconds, min(5.0, seconds / 100)) for number in range(AGENTS)]
        working = [pool.submit(user.work) for user in users]
        while provider.starts == 1 or time.monotonic() < begun + 0.6 * seconds:
            time.sleep(chance.expovariate(1 / min(60, seconds / 4)))
            proxy.kill()
            time.sleep(chance.uniform(0, 1))
            proxy.start()
        while not all(one.done() for one in working):
            proxy.sample()
            time.sleep(min(5, seconds / 100))
        proxy.kill()
        wrong += [f"{one!r}" for one in (*(one.exception() for one in working), *provider.faults()) if one]
    told = proxy.log.read_text()
    wrong += {
        one for one in told.splitlines() if re.search(r"(unchanged|planned|estimated): \w+Error\b|Traceback", one)
    }
    counts |= {"kills of the proxy": provider.starts - 1, "compactions of the proxy": told.count(": compacted, ")}
    anew, resumed = (counts[f"compacted conversations {how}"] for how in ("summarized anew after a restart", "resumed"))
    wrong += ["most compactions are lost with the proxy"] if anew > resumed else []  # one may be due just then
    quarter = len(proxy.samples) // 4
    for name, series in zip(
        ("MiB of the proxy", "handles of the proxy"), zip(*proxy.samples, strict=True), strict=True
    ):
        early, late = median(series[quarter : 2 * quarter + 1]), median(series[-quarter - 1 :])
        counts |= {f"{name}, early": round(early), f"{name}, late": round(late), f"{name}, most": round(max(series))}
        wrong += [f"{name}: {early:.0f}, later {late:.0f}"] if seconds >= LONG and late > early * 1.1 + 6 else []
    return counts, wrong


if __name__ == "__main__":
    chosen = int(os.environ.get("BRIM_SEED", "1"))
    with tempfile.TemporaryDirectory() as home:
        counted, faults = soak(60 * float(sys.argv[1]), Path(home), chosen)
    for what, often in sorted(counted.items()):
        print(f"{what:58} {often:8,}")
    print(f"{len(faults)} faults (seed {chosen})", *Counter(faults).most_common(20), sep="\n")
    sys.exit(bool(faults))
