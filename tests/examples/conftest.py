"""A reader of the guides: at home in a folder of their own, with a copy of the project that is ready for use."""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path

import pytest

from steps.postgres import database  # noqa: F401 - a fixture of the guides
from tests.examples.following import Reader

ROOT = Path(__file__).parents[2]
PROJECT = ("Makefile", "README.md", "docs", "features", "pyproject.toml", "src", "steps", "tests")
"""What a copy of the project holds."""
SCREEN = {"COLUMNS": "80", "NO_COLOR": "1", "PYTEST_ADDOPTS": "-p no:cacheprovider"}
OWN = ("ANTHROPIC_", "BRIM_", "BUILD_NUMBER", "CI", "MAKE", "MFLAGS", "PG", "PYTEST_", "XDG_")
"""How settings begin that a reader does not have; where CI is set, pytest says more, and so does make within make."""
EVENTS = [
    {"source": "user", "action": "message", "args": {"content": "Find the lighthouse."}},
    {"source": "agent", "action": "message", "args": {"content": "It stands behind the second pier."}},
]
"""A run of OpenHands, which keeps each event in a file."""


@pytest.fixture
def home():
    """A home whose path is about as short as the one on the pages, so that lines end where they end there."""
    with tempfile.TemporaryDirectory(dir="/tmp" if Path("/tmp").is_dir() else None) as folder:
        yield Path(folder).resolve()


@pytest.fixture
def loop():
    """The event loop for what runs without one of its own, as in a program; it ends with the reader."""
    made = asyncio.new_event_loop()
    asyncio.set_event_loop(made)
    yield made
    asyncio.set_event_loop(None)
    made.close()


@pytest.fixture
def reader(home, loop, monkeypatch):
    """Someone without a key or a setting, in a folder that holds the project."""
    folder = home / "brim"
    (folder / ".venv").mkdir(parents=True)
    for name in PROJECT:
        (folder / name).symlink_to(ROOT / name)
    (folder / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    for stamp in (".package", ".docs", ".dev"):
        (folder / ".venv" / stamp).touch()
    write_events(home / ".openhands" / "conversations" / "ID" / "events")
    for name in [name for name in os.environ if name.startswith(OWN)]:
        monkeypatch.delenv(name)
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for name, value in {**SCREEN, "HOME": str(home), "PATH": programs}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(folder)
    return Reader(home)


def write_events(folder):
    """Each event in a file of its own, numbered."""
    folder.mkdir(parents=True)
    for number, event in enumerate(EVENTS):
        (folder / f"{number}.json").write_text(json.dumps({"id": number, **event}, indent=1), encoding="utf-8")
