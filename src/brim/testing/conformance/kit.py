"""The kit: its options, its fixtures, and its results as JSON. A plugin of pytest."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Final, NoReturn

import pytest

from brim.testing.conformance.conversations import SYSTEM, TOOLS, WINDOW
from brim.testing.conformance.judging import Message, tokens
from brim.testing.conformance.proxied import Agent, Refused, Upstream
from brim.testing.conformance.subject import Broken, Compacted, Messages, Subject, Summarize
from brim.testing.conformance.summaries import faithful

PREVENTS: Final = "Prevents: "
CALLS_MAX: Final = 10
"""Calls of the summarizer that one compaction may need."""
FIRST_REQUESTS: Final = count(100, 50)
"""For each agent the number of its first request, so that no proxy takes two for one."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options; one that another plugin has too is that one."""
    group = parser.getgroup("conformance", "brim.testing.conformance: judges a compactor")
    for name, options in {
        "--compactor": {"metavar": "MODULE:CALLABLE", "help": "the compactor that is judged"},
        "--base-url": {"metavar": "URL", "help": "the address of a proxy that compacts, and that is judged"},
        "--upstream-port": {
            "metavar": "PORT",
            "type": int,
            "help": "the port of 127.0.0.1 that this proxy forwards to; the kit's strict server listens there",
        },
        "--conformance-timeout": {
            "metavar": "SECONDS",
            "type": float,
            "default": 60.0,
            "help": "how long a check of a compactor may take [60]",
        },
        "--conformance-json": {"metavar": "FILE", "help": "write the results to a file, as JSON"},
    }.items():
        with suppress(ValueError):
            group.addoption(name, **options)  # type: ignore[arg-type]


def pytest_configure(config: pytest.Config) -> None:
    """Refuse a run with nothing to judge."""
    if not (config.getoption("--compactor") or config.getoption("--base-url")) and not config.option.collectonly:
        raise pytest.UsageError("name what is judged: --compactor MODULE:CALLABLE, or --base-url URL")
    if config.getoption("--base-url") and not config.getoption("--upstream-port"):
        raise pytest.UsageError("--base-url needs --upstream-port: where the proxy forwards to, and the kit listens")
    if config.getoption("--conformance-json") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Results(config), "conformance-results")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the checks of what is not there to be judged."""
    needed = {"test_compactor.py": "--compactor", "test_proxy.py": "--base-url"}
    left = [one for one in items if config.getoption(needed.get(one.path.name, "--compactor"))]
    config.hook.pytest_deselected(items=[one for one in items if one not in left])
    items[:] = left


class Check:
    """One check: says what is wrong, and which failure in the field that is."""

    def __init__(self, item: Any) -> None:
        self._item = item

    def fail(self, fault: str) -> NoReturn:
        """End the check, with the fault and the failure in the field that it prevents."""
        source = (inspect.getdoc(self._item.function) or "").partition(PREVENTS)[2]
        raise pytest.fail.Exception(f"{fault}\n{PREVENTS}{' '.join(source.split())}", pytrace=False) from None

    def refute(self, faults: Iterable[str]) -> None:
        """End the check with the first of the faults, if there are any."""
        for fault in faults:
            self.fail(fault)

    def note(self, **figures: object) -> None:
        """Record figures of the check."""
        self._item.user_properties.extend(figures.items())


class Judge(Check):
    """A check of a compactor."""

    def __init__(self, item: Any, subject: Subject) -> None:
        super().__init__(item)
        self._subject = subject
        subject.begin_check()

    def needs(self, keyword: str) -> None:
        """Skip the check where the compactor does not accept a keyword."""
        if keyword not in self._subject.accepts:
            pytest.skip(f"not offered: {keyword}")

    def limit_calls(self, done: Compacted) -> None:
        """Record how often one compaction asked for a summary, and end the check where that was too often."""
        self.note(summary_calls=len(done.prompts))
        if len(done.prompts) > CALLS_MAX:
            self.fail(f"{len(done.prompts)} calls of the summarizer")

    def shrinks(self, before: Sequence[Message], after: Sequence[Message], which: str = "") -> None:
        """End the check where the result is not smaller; `which` says of several compactions which one that was."""
        if tokens(after) >= tokens(before):
            self.fail(f"{which}{tokens(before)} tokens became {tokens(after)}")

    def restart(self) -> None:
        """Go on with a process that knows nothing of what was before."""
        self._subject.close()

    def call(self, messages: Messages, *, summarize: Summarize = faithful, pinned: Sequence[int] = ()) -> Compacted:
        """Compact, and let it raise or refuse."""
        options = {"summarize": summarize, "window": WINDOW, "pinned": pinned, "system": SYSTEM, "tools": TOOLS}
        try:
            return self._subject.compact(messages, **options)
        except Broken as error:
            self.fail(str(error))

    def compact(self, messages: Messages, *, acts: bool = True, **options: Any) -> Compacted:
        """Compact a conversation that nothing is wrong with; where nothing was done, there is nothing to judge."""
        done = self.call(messages, **options)
        if done.error:
            self.fail(f"raised {done.error}")
        if acts and done.is_refusal:
            pytest.skip("nothing was compacted")
        return done


@pytest.fixture(scope="session")
def subject(pytestconfig: pytest.Config) -> Iterator[Subject]:
    """Start the compactor that is judged, and end it after the run, which ends here where it cannot be imported."""
    target = pytestconfig.getoption("--compactor")
    try:
        judged = Subject(target, pytestconfig.getoption("--conformance-timeout"))
    except Broken as error:
        pytest.exit(f"--compactor {target} cannot be used: {error}", returncode=pytest.ExitCode.USAGE_ERROR)
    yield judged
    judged.close()


@pytest.fixture
def judge(subject: Subject, request: pytest.FixtureRequest) -> Judge:
    """Return the judge of one check."""
    return Judge(request.node, subject)


class Tunnel(Check):
    """A check of a proxy."""

    def __init__(self, item: Any, url: str, upstream: Upstream) -> None:
        super().__init__(item)
        self._url, self.upstream = url, upstream

    def work(self, turns: int, *, summarize: Summarize = faithful, streamed: bool = False) -> Agent:
        """Let a new agent work for so many turns, and return it; a request that is refused ends the check."""
        self.upstream.begin_check(summarize)
        with self.upstream.server.client(base_url=self._url) as client:
            agent = Agent(client, next(FIRST_REQUESTS))
            try:
                agent.work(turns, streamed=streamed)
            except Refused as error:
                self.fail(str(error))
            finally:
                self.note(summary_calls=self.upstream.summary_calls)
        return agent


@pytest.fixture(scope="session")
def upstream(pytestconfig: pytest.Config) -> Iterator[Upstream]:
    """Serve as the API behind the proxy."""
    behind = Upstream(pytestconfig.getoption("--upstream-port") or 0)
    with behind.server:
        yield behind


@pytest.fixture
def tunnel(upstream: Upstream, request: pytest.FixtureRequest) -> Tunnel:
    """Return the proxy that is judged, between an agent and the upstream."""
    return Tunnel(request.node, request.config.getoption("--base-url"), upstream)


class Results:
    """Writes what each check came to."""

    def __init__(self, config: pytest.Config) -> None:
        self._path = Path(config.getoption("--conformance-json"))
        self._judged = config.getoption("--compactor") or config.getoption("--base-url")
        self._checks: dict[str, dict[str, Any]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in the outcome of a check."""
        if report.when == "call" or not report.passed:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr or ""
            message, _, prevents = str(reason).removeprefix("Skipped: ").partition(PREVENTS)
            self._checks[report.nodeid.rpartition("::")[2].removeprefix("test_")] = {
                "outcome": report.outcome,
                "message": " ".join(message.split()),
                "prevents": " ".join(prevents.split()),
                "seconds": round(report.duration, 3),
                **dict(report.user_properties),
            }

    def pytest_sessionfinish(self) -> None:
        """Write the file."""
        outcomes = [one["outcome"] for one in self._checks.values()]
        counts = {kind: outcomes.count(kind) for kind in ("passed", "failed", "skipped")}
        found = {"judged": self._judged, **counts, "checks": self._checks}
        self._path.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
