"""Runs whole folders of tests on all processors: loaded with -p, so that features and tests share it.

A file of tests goes to one worker, because its tests share what they set up; so do the files that share a server or
the built site. A single file, a node id or a search runs in this process, where starting workers would cost more than
they save. `-n` on the command line has the last word.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator
from fnmatch import fnmatch
from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling

# Each worker would rewrite all steps again, and each of hundreds of processes compile the package.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

SHARED = {
    "features/sessions/sql.feature": "postgres",
    "tests/peers/*": "postgres",
    "tests/faults/test_postgres_*": "postgres",
    "tests/site/*": "site",
    "tests/examples/test_*": "examples",
}
"""Files that one worker runs, by pattern, and the name of what they share."""
LONGEST = (
    "tests/site/*",
    "tests/peers/*",
    "tests/portable/test_adapters.py",
    "tests/examples/*",
    "tests/engine/test_compactor.py",
    "tests/sessions/test_view.py",
    "features/sessions/sql.feature",
    "features/engine/*",
)
"""Files that run first, by pattern: begun last, one of them would keep one worker busy while the others have ended."""

IN_MEMORY = Path("/dev/shm")  # noqa: S108  pytest makes a folder there that no one else can write
"""Where files take no disk. Most of the time of an example that keeps sessions goes into waits for one: it syncs each
record, and removes its folder in the end."""
ROOM = 2**30
"""Bytes that have to be free there."""

SELDOM = 100_000
"""Objects made between two collections of garbage: at Python's 700, collections take a third of the time in which types
and steps are read."""


def pytest_configure() -> None:
    """Collect garbage seldom, and keep the files of tests in memory."""
    gc.set_threshold(SELDOM, *gc.get_threshold()[1:])
    if _takes_files(IN_MEMORY):
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(IN_MEMORY))


def _takes_files(folder: Path) -> bool:
    """Whether the files of tests, some of them programs, have room in a folder."""
    if not os.access(folder, os.W_OK):
        return False
    kind = os.statvfs(folder)
    return kind.f_bavail * kind.f_frsize >= ROOM and not kind.f_flag & os.ST_NOEXEC


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write what a worker measured of the coverage: xdist kills one that takes more than 10 s to end."""
    coverage = sys.modules.get("coverage")
    measured = coverage.Coverage.current() if coverage and hasattr(session.config, "workerinput") else None
    if measured is not None:
        measured.save()


@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main(config: pytest.Config) -> Generator[None, object, object]:
    """Ask xdist for a worker a processor, unless the command line says otherwise or little is to be run."""
    if hasattr(config.option, "numprocesses") and not hasattr(config, "workerinput") and _is_a_long_run(config):
        config.option.numprocesses = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()
    return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the longest files."""
    if not gc.get_freeze_count():  # a run within a test would freeze what that test has left behind
        gc.freeze()  # steps and types stay until the end: no collection has to look at them again
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: next((n for n, one in enumerate(LONGEST) if fnmatch(item.nodeid, f"{one}*")), 99))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LoadScopeScheduling:
    """Hand tests out by file, in the order in which they were collected."""
    config.option.loadscopereorder = False
    return ByFile(config, log)


class ByFile(LoadScopeScheduling):
    """Hands tests out by file, and the files that share something together."""

    def _split_scope(self, nodeid: str) -> str:
        """The name of the tests that one worker gets together."""
        path = nodeid.partition("::")[0]
        return next((name for pattern, name in SHARED.items() if fnmatch(path, pattern)), path)


def _is_a_long_run(config: pytest.Config) -> bool:
    """Whether whole folders are to be run, with nothing that a worker cannot do."""
    option = config.option
    chosen = option.numprocesses is not None or option.keyword or option.markexpr
    alone = option.collectonly or option.usepdb or option.capture == "no" or option.help
    return not chosen and not alone and all(Path(one).is_dir() for one in config.args)
