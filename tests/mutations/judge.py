"""A pytest plugin that judges mutants of mutmut: each in a process forked after the features were collected once.

mutmut collects the features anew for each mutant, which takes longer than most mutants live. Run in the folder that
mutmut made, with this folder on PYTHONPATH: `MUTANT_UNDER_TEST= pytest features -n0 -p judge --mutants=FILE`; with a
space, pytest would take FILE for a place of tests. Prints how many of the mutants a scenario notices, and names the
others.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

SECONDS = 60.0
"""Seconds of scenarios, as mutmut measured them, that judge a mutant; the feature of its module always runs whole."""
LONGEST = 120
"""Seconds after which a scenario that does not end has noticed the mutant."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The file that names the mutants, one a line."""
    parser.addoption("--mutants", required=True, type=Path)
    parser.addoption("--mutant-seconds", default=SECONDS, type=float)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Judge the mutants instead of running the scenarios, as many at once as there are processors."""
    if session.testsfailed:
        raise session.Interrupted("the features could not be collected")
    stats = json.loads(Path("mutmut-stats.json").read_text(encoding="utf-8"))
    reached = _by_module_where_cached(stats["tests_by_mangled_function_name"])
    items = {item.nodeid: item for item in session.items}
    running: dict[int, str] = {}
    survivors: list[str] = []
    names = session.config.getoption("mutants").read_text(encoding="utf-8").split()
    for name in names:
        if len(running) == (os.cpu_count() or 1):
            _wait(running, survivors)
        tests = [test for test in reached.get(_function(name), ()) if test in items]
        ordered = _ordered(name, tests, stats["duration_by_test"], session.config.getoption("mutant_seconds"))
        sys.stdout.flush()
        if pid := os.fork():
            running[pid] = name
        else:
            os._exit(_survives(name, [items[test] for test in ordered]))
    while running:
        _wait(running, survivors)
    print(*(f"not noticed: {name}" for name in survivors), sep="\n")
    print(f"{len(names)} mutants, {len(names) - len(survivors)} noticed by a scenario")
    return True


def _wait(running: dict[int, str], survivors: list[str]) -> None:
    pid, status = os.wait()
    name = running.pop(pid)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 1:
        survivors.append(name)


def _survives(name: str, items: Sequence[pytest.Item]) -> int:
    """1 if every scenario passes with the mutant, else 0; a scenario that does not end is ended by the alarm."""
    os.environ["MUTANT_UNDER_TEST"] = name
    for item, following in zip_longest(items, items[1:]):
        signal.alarm(LONGEST)
        if any(report.failed for report in runtestprotocol(item, nextitem=following, log=False)):
            return 0
    return 1


def _ordered(name: str, tests: Sequence[str], durations: Mapping[str, float], seconds: float) -> Iterator[str]:
    """The scenarios that judge a mutant: those of the feature of its module, then others as the seconds allow."""
    feature = f"/{name.split('.')[2]}.feature::"
    own = sorted((test for test in tests if feature in test), key=lambda test: durations.get(test, 0))
    others = sorted(set(tests) - set(own))
    random.Random(name).shuffle(others)  # noqa: S311  no secret
    yield from own
    left = seconds - sum(durations.get(test, 0) for test in own)
    for test in others:
        left -= durations.get(test, 0)
        if left < 0:
            return
        yield test


def _by_module_where_cached(reached: Mapping[str, Sequence[str]]) -> Mapping[str, set[str]]:
    """The scenarios that reach each function; of a module that remembers results, those that reach any of it.

    mutmut notes who reaches a function in one run, where a remembered result hides all but the first.
    """
    everywhere: dict[str, set[str]] = {}
    for function, tests in reached.items():
        everywhere.setdefault(_module(function), set()).update(tests)
    cached = {module for module in everywhere if "lru_cache" in _source(module)}
    return {
        function: everywhere[_module(function)] if _module(function) in cached else set(tests)
        for function, tests in reached.items()
    }


def _source(module: str) -> str:
    path = Path("src", *module.split("."))
    return path.with_suffix(".py").read_text(encoding="utf-8") if path.with_suffix(".py").exists() else ""


def _function(name: str) -> str:
    return name.rpartition("__mutmut_")[0]


def _module(function: str) -> str:
    return function.rpartition(".")[0]
