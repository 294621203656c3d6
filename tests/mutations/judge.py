"""A pytest plugin that judges mutants of mutmut: each in a process forked after the features were collected once.

mutmut collects the features anew for each mutant, which takes longer than most mutants live. Run in the folder that
mutmut made, with this folder on PYTHONPATH: `MUTANT_UNDER_TEST=stats pytest features -n0 -p judge --mutants=FILE`; with
a space, pytest would take FILE for a place of tests.

First every scenario runs once without a mutant: it shows which functions each reaches, and what fails then, or fails
alone without the mutant that it noticed, judges nothing. Time limits count the processor's time, so that other work on
the machine is not taken for an endless loop. Survivors are printed with what was changed.
"""

from __future__ import annotations

import difflib
import functools
import gc
import importlib
import inspect
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from mutmut.state import state

SECONDS = 60.0
"""Seconds of the processor of scenarios that judge a mutant; the feature of its module always runs whole."""
CPU_SECONDS = 20
"""Seconds of the processor after which a scenario that takes less than two has not ended: it noticed the mutant."""
WAITING_SECONDS = 900
"""Seconds after which a scenario that only waits has noticed the mutant; these are named."""
MEMORY = 4 * 2**30
"""Bytes of a process at most, for mutants that collect without end."""
KILLED, SURVIVED, ENDLESS, WAITING = "a scenario failed", "survived", "did not end", "waited without end"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The file that names the mutants, one a line."""
    parser.addoption("--mutants", required=True, type=Path)
    parser.addoption("--mutant-seconds", default=SECONDS, type=float)
    parser.addoption("--mutant-jobs", default=os.cpu_count() or 1, type=int)


@dataclass(frozen=True, slots=True)
class Baseline:
    """What every scenario does without a mutant."""

    seconds: Mapping[str, float]
    """Of the scenarios that pass."""
    reached: Mapping[str, Sequence[str]]
    """For each function the scenarios that reach it."""
    failing: Sequence[str] = ()


@dataclass(slots=True)
class Tally:
    """How the mutants ended."""

    survivors: list[str] = field(default_factory=list)
    ends: Counter[str] = field(default_factory=Counter)
    untrusted: set[str] = field(default_factory=set)
    """Scenarios that fail alone without a mutant."""
    trusted: set[str] = field(default_factory=set)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Judge the mutants instead of running the scenarios, several at once."""
    if session.testsfailed:
        raise session.Interrupted("the features could not be collected")
    while_imported = set(state()._stats)
    os.environ["MUTANT_UNDER_TEST"] = ""
    with tempfile.TemporaryDirectory() as folder:
        gc.freeze()  # no fork copies what is collected
        jobs = session.config.getoption("mutant_jobs")
        baseline = _baseline({item.nodeid: item for item in session.items}, Path(folder), jobs)
        for one in baseline.failing:
            print(f"judges nothing, since it fails without a mutant: {one}")
        judge = Judge(session, baseline, jobs, Path(folder))
        names = session.config.getoption("mutants").read_text(encoding="utf-8").split()
        judge.run(names, while_imported)
    return True


class Judge:
    """Judges mutants in forks of this process."""

    def __init__(self, session: pytest.Session, baseline: Baseline, jobs: int, folder: Path) -> None:
        self.items = {item.nodeid: item for item in session.items}
        self.features: Sequence[str] = session.config.args
        self.seconds: float = session.config.getoption("mutant_seconds")
        self.baseline, self.jobs, self.folder = baseline, jobs, folder
        self.tally = Tally()
        self.running: dict[int, str] = {}

    def run(self, names: Sequence[str], while_imported: set[str]) -> None:
        """Judge these mutants, and print what survives and how many were noticed."""
        left = [*reversed(names)]
        while left or self.running:
            while left and len(self.running) < self.jobs:
                name = left.pop()
                pid = _fork(functools.partial(self._judge, name))
                self.running[pid] = name
            left += self._wait(while_imported)
        noticed = len(names) - len(self.tally.survivors)
        ends = ", ".join(f"{number} {end}" for end, number in self.tally.ends.items() if end != SURVIVED)
        print(f"{len(names)} mutants, {noticed} noticed by a scenario ({noticed / max(len(names), 1):.1%}): {ends}")

    def _wait(self, while_imported: set[str]) -> list[str]:
        """The name of the mutant that ended if it has to be judged again, without a scenario that cannot be trusted."""
        pid, status = os.wait()
        name = self.running.pop(pid)
        at = self._place(name).read_text(encoding="utf-8")
        end = _end(status)
        if end == KILLED and not self._is_trusted(at):
            return [name]
        if end == SURVIVED and _function(name) in while_imported and not _passes_anew(name, self.features):
            end = KILLED
        self.tally.ends[end] += 1
        if end == SURVIVED:
            self.tally.survivors.append(name)
            print(f"not noticed: {name} ({at})", *_difference(name), sep="\n    ", flush=True)
        if end == WAITING:
            print(f"{end}: {name} in {at}", flush=True)
        return []

    def _place(self, name: str) -> Path:
        return self.folder / name

    def _is_trusted(self, nodeid: str) -> bool:
        """Whether a scenario that failed passes alone without a mutant."""
        if nodeid not in self.tally.trusted | self.tally.untrusted:
            pid = _fork(functools.partial(_run, [self.items[nodeid]], lambda nodeid: None))
            passes = _end(os.waitpid(pid, 0)[1]) == SURVIVED
            (self.tally.trusted if passes else self.tally.untrusted).add(nodeid)
            if not passes:
                print(f"judges nothing, since it fails alone without a mutant: {nodeid}", flush=True)
        return nodeid in self.tally.trusted

    def _judge(self, name: str) -> str:
        place = self._place(name)
        ordered, reaching = self._ordered(name)
        place.write_text("nothing runs", encoding="utf-8")
        os.environ["MUTANT_UNDER_TEST"] = name
        end = _run([self.items[test] for test in ordered], lambda nodeid: place.write_text(nodeid, encoding="utf-8"))
        if end == SURVIVED:
            place.write_text(f"{len(ordered)} of {reaching} scenarios that reach it", encoding="utf-8")
        return end

    def _ordered(self, name: str) -> tuple[list[str], int]:
        """The scenarios that judge a mutant: the feature of its module, then the quickest; and how many reach it."""
        feature, seconds = f"/{name.split('.')[2]}.feature::", self.baseline.seconds
        reaching = [one for one in self.baseline.reached.get(_function(name), ()) if one not in self.tally.untrusted]
        left, ordered = self.seconds, []
        for test in sorted(reaching, key=lambda test: (feature not in test, seconds[test])):
            left -= seconds[test]
            if feature in test or left >= 0:
                ordered.append(test)
        return ordered, len(reaching)


def _fork(run: Callable[[], str]) -> int:
    sys.stdout.flush()
    if pid := os.fork():
        return pid
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    os._exit({SURVIVED: 1, KILLED: 0}[run()])


def _end(status: int) -> str:
    if os.WIFSIGNALED(status):
        return {signal.SIGPROF: ENDLESS, signal.SIGALRM: WAITING}.get(signal.Signals(os.WTERMSIG(status)), KILLED)
    return SURVIVED if os.WEXITSTATUS(status) == 1 else KILLED


def _run(items: Sequence[pytest.Item], begins: Callable[[str], object]) -> str:
    """Run scenarios until one fails; one that does not end is ended by a signal."""
    for item, following in zip_longest(items, items[1:]):
        begins(item.nodeid)
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
        signal.alarm(WAITING_SECONDS)
        if any(report.failed for report in runtestprotocol(item, nextitem=following, log=False)):
            return KILLED
    return SURVIVED


def _baseline(items: Mapping[str, pytest.Item], folder: Path, number: int) -> Baseline:
    """Run every scenario without a mutant, in so many processes."""
    modules = [*dict.fromkeys(nodeid.partition("::")[0] for nodeid in items)]
    queue, end = os.pipe()
    os.write(end, b"".join(n.to_bytes(4, "big") for n in range(len(modules))))
    os.close(end)
    pids = []
    for n in range(number):
        sys.stdout.flush()
        if pid := os.fork():
            pids.append(pid)
        else:
            seen: list[tuple[str, bool, float, list[str]]] = []
            while index := os.read(queue, 4):
                module = f"{modules[int.from_bytes(index, 'big')]}::"
                seen += _observed([item for nodeid, item in items.items() if nodeid.startswith(module)])
            (folder / f"{n}.json").write_text(json.dumps(seen), encoding="utf-8")
            os._exit(0)
    for pid in pids:
        os.waitpid(pid, 0)
    seconds: dict[str, float] = {}
    reached: dict[str, list[str]] = {}
    for n in range(number):
        for nodeid, passes, duration, functions in json.loads((folder / f"{n}.json").read_text(encoding="utf-8")):
            if passes:
                seconds[nodeid] = duration
                for function in functions:
                    reached.setdefault(function, []).append(nodeid)
    return Baseline(seconds, reached, [one for one in items if one not in seconds])


def _observed(items: Sequence[pytest.Item]) -> Iterator[tuple[str, bool, float, list[str]]]:
    """Of each scenario whether it passes, how many seconds it takes and which functions it reaches.

    Results that functions remember are forgotten before each: they would hide all but the first that reaches them.
    """
    os.environ["MUTANT_UNDER_TEST"] = "stats"
    caches = [*_caches()]
    for item, following in zip_longest(items, items[1:]):
        state()._stats.clear()
        for cache in caches:
            cache.cache_clear()
        begin = time.process_time()
        passes = not any(report.failed for report in runtestprotocol(item, nextitem=following, log=False))
        yield item.nodeid, passes, time.process_time() - begin, [*state()._stats]


def _caches() -> Iterator[Any]:
    for name, module in [*sys.modules.items()]:
        if name.partition(".")[0] == "brim":
            owners = [module, *(one for one in vars(module).values() if inspect.isclass(one))]
            yield from (one for owner in owners for one in vars(owner).values() if hasattr(one, "cache_clear"))


def _passes_anew(name: str, features: Sequence[str]) -> bool:
    """Whether the features pass in a process that has the mutant from its first import on."""
    command = [sys.executable, "-m", "pytest", *features, "-n0", "-q", "-x"]
    environment = {**os.environ, "MUTANT_UNDER_TEST": name}
    return subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 0


def _difference(name: str) -> list[str]:
    """The lines of the function that are not as they were."""
    module, _, mutant = name.rpartition(".")
    owner: Any = importlib.import_module(module)
    if "ǁ" in mutant:
        owner = getattr(owner, mutant.split("ǁ")[1])
    old, new = (
        inspect.getsource(inspect.unwrap(_plain(vars(owner)[one]))).replace(one, _function(mutant)).splitlines()
        for one in (f"{_function(mutant)}__mutmut_orig", mutant)
    )
    changed = difflib.unified_diff(old, new, n=0, lineterm="")
    return [line for line in changed if not line.startswith(("---", "+++", "@@"))]


def _plain(function: Any) -> Any:
    return getattr(function, "__func__", function)


def _function(name: str) -> str:
    return name.rpartition("__mutmut_")[0]
