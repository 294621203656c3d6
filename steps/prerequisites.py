"""Leaves out the tests that need what this machine lacks, and says in one line which and how to have them run.

Loaded with -p. A test names its prerequisite as a marker. Nothing is skipped silently: `.ci/run` installs the programs,
and names in BRIM_REQUIRED what its run cannot do without.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

import pytest

TRANSCRIPTS = "BRIM_TRANSCRIPTS"
CASELESS = "BRIM_CASELESS"
"""Names a folder in which names that differ in case alone are one file."""
NIGHTLY = "BRIM_NIGHTLY"
SITE = "BRIM_SITE"
REQUIRED = "BRIM_REQUIRED"
"""Names the markers of prerequisites without which no run may begin."""
AGENTS = Path(__file__).parents[1] / "build" / "agents"
"""Where `.ci/agents.py` installs the agents that tests run."""
PROGRAMS = AGENTS / "npm" / "node_modules" / ".bin"
"""Where those of npm are."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
Size = TypeVar("Size")
LEFT_OUT = pytest.StashKey[Counter[str]]()
OUTPUT = "left_out"
"""The key under which a worker of xdist sends how many tests it left out, by their markers."""


@dataclass(frozen=True, slots=True)
class Prerequisite:
    """What a test needs beside the packages of the extra `dev`."""

    what: str
    cure: str
    is_met: Callable[[], bool]


def transcripts() -> Path | None:
    """The folder that BRIM_TRANSCRIPTS names; None where it names none that is there."""
    named = os.environ.get(TRANSCRIPTS)
    return Path(named) if named and Path(named).is_dir() else None


def browser() -> str | None:
    """The path of Chromium; None where it is not installed."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def is_set(name: str) -> bool:
    """Whether an environment variable says yes: it holds anything but nothing, 0, no or false."""
    return os.environ.get(name, "").lower() not in {"", "0", "no", "false"}


def sized(sample: Size, *, nightly: Size) -> Size:
    """How much a test does: a sample in every run, all of it in `make nightly`."""
    return nightly if is_set(NIGHTLY) else sample


def npm_path() -> str:
    """The PATH with the agents of npm first, and the Node.js that is installed with them."""
    return os.pathsep.join([str(PROGRAMS), os.environ.get("PATH", "")])


def npm_program(name: str) -> str | None:
    """The path of an agent of npm; None where it is not installed."""
    return shutil.which(name, path=npm_path())


def mini_swe_agent() -> Path | None:
    """A Python that has mini-swe-agent and brim; None where there is none."""
    python = AGENTS / "mini-swe-agent" / "bin" / "python"
    return python if any(python.parents[1].glob("lib/python*/site-packages/minisweagent")) else None


def litellm() -> Path | None:
    """The program `litellm`, with brim beside it; None where it is not installed."""
    program = AGENTS / "litellm" / "bin" / "litellm"
    return program if program.exists() else None


def frameworks() -> Path | None:
    """A Python that has Strands, Google's ADK and brim; None where there is none."""
    python = AGENTS / "frameworks" / "bin" / "python"
    return python if any(python.parents[1].glob("lib/python*/site-packages/strands")) else None


def suites() -> Path | None:
    """A Python that has the public suites for compaction and brim; None where there is none."""
    python = AGENTS / "suites" / "bin" / "python"
    return python if any(AGENTS.glob("suites/compactbench-*/benchmarks/public")) else None


@cache
def mounts() -> bool:
    """Whether this user may mount a file system in a namespace of its own."""
    tried = ["unshare", "--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return bool(shutil.which("unshare")) and not subprocess.run(tried, capture_output=True, check=False).returncode  # noqa: S603


def caseless() -> Path | None:
    """A folder in which names that differ in case alone are one file; None where there is none."""
    folder = Path(os.environ.get(CASELESS) or tempfile.gettempdir())
    with suppress(OSError), tempfile.TemporaryDirectory(prefix="brim-Case-", dir=folder) as made:
        path = Path(made)
        return folder if path.with_name(path.name.swapcase()).exists() else None
    return None


PREREQUISITES = {
    "transcripts": Prerequisite("real transcripts", f"set {TRANSCRIPTS} to their folder", lambda: bool(transcripts())),
    "chromium": Prerequisite("Chromium", "install chromium", lambda: bool(browser())),
    "node": Prerequisite("Node.js", "install nodejs", lambda: bool(shutil.which("node"))),
    "site": Prerequisite(
        "a build of the documentation site",
        f"set {SITE}=yes",
        lambda: is_set(SITE) or is_set(NIGHTLY),
    ),
    "mount": Prerequisite("a file system of a set size", "allow user namespaces", mounts),
    "caseless": Prerequisite(
        "a file system that ignores case", f"set {CASELESS} to a folder on one", lambda: bool(caseless())
    ),
    "compiler": Prerequisite("a C compiler", "install gcc", lambda: bool(shutil.which("cc"))),
    "claude_code": Prerequisite("Claude Code", "run python3 .ci/agents.py", lambda: bool(npm_program("claude"))),
    "codex": Prerequisite("Codex", "run python3 .ci/agents.py", lambda: bool(npm_program("codex"))),
    "opencode": Prerequisite("OpenCode", "run python3 .ci/agents.py", lambda: bool(npm_program("opencode"))),
    "pi": Prerequisite("pi", "run python3 .ci/agents.py", lambda: bool(npm_program("pi"))),
    "mini_swe_agent": Prerequisite("mini-swe-agent", "run python3 .ci/agents.py", lambda: bool(mini_swe_agent())),
    "litellm": Prerequisite("LiteLLM's proxy", "run python3 .ci/agents.py", lambda: bool(litellm())),
    "frameworks": Prerequisite("Strands and Google's ADK", "run python3 .ci/agents.py", lambda: bool(frameworks())),
    "suites": Prerequisite("the public suites", "run python3 .ci/agents.py", lambda: bool(suites())),
    "nightly": Prerequisite("the long run", "run `make nightly`", lambda: is_set(NIGHTLY)),
}
"""By the marker of the tests that need it."""


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers. Raises UsageError where something is missing that BRIM_REQUIRED names."""
    for name in os.environ.get(REQUIRED, "").split():
        if name not in PREREQUISITES:
            raise pytest.UsageError(f"{REQUIRED} names {name!r}; there are {', '.join(PREREQUISITES)}")
        if not (one := PREREQUISITES[name]).is_met():
            raise pytest.UsageError(f"{REQUIRED} names {name!r}, and {one.what} is not there: {one.cure}")
    for name, one in PREREQUISITES.items():
        config.addinivalue_line("markers", f"{name}: needs {one.what}; {one.cure}")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what cannot run here."""
    missing = [name for name, one in PREREQUISITES.items() if not one.is_met()]
    needed = {item: " ".join(filter(item.get_closest_marker, missing)) for item in items}
    lacks = {item: names for item, names in needed.items() if names}
    items[:] = [item for item in items if item not in lacks]
    config.stash[LEFT_OUT] = Counter(lacks.values())
    if lacks:
        config.hook.pytest_deselected(items=list(lacks))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of xdist sends its count to the process that started it, which collects nothing itself."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[OUTPUT] = json.dumps(session.config.stash.get(LEFT_OUT, {}))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    """Every worker collects all tests, so that the count of one is the count of the run."""
    if left_out := getattr(node, "workeroutput", {}).get(OUTPUT):
        node.config.stash[LEFT_OUT] = Counter(json.loads(left_out))  # type: ignore[attr-defined]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """One line, where anything was left out."""
    if left_out := config.stash.get(LEFT_OUT, None):
        parts = ", ".join(f"{count:,} for {_several(names)}" for names, count in left_out.items())
        tests = "test" if left_out.total() == 1 else "tests"
        terminalreporter.write_line(f"left out {left_out.total():,} {tests}: {parts}")


def _several(names: str) -> str:
    needs = [PREREQUISITES[name] for name in names.split()]
    return f"{' and '.join(one.what for one in needs)} ({', '.join(one.cure for one in needs)})"
