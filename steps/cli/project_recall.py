"""Steps of features/cli/project_recall.feature."""

from __future__ import annotations

import os
from pathlib import Path
from time import time

import pytest
from pytest_bdd import given, when

from brim.cli.project_recall import ProjectMemory
from steps.kept_sessions import TOOLS
from steps.vocabulary import phrase

BROKEN = {
    "a title alone": b'{"type": "summary", "summary": "Tides", "leafUuid": "u1"}\n',
    "no text": b"\0\xff\0",
    "no JSON": b"The harbour code is unknown.\n",
}


@pytest.fixture
def kept():
    """The sessions so far, from the oldest."""
    return []


def keep(machine, kept, tool, project, says=""):
    """A session that is newer than those before, and is being written to."""
    make, root, _ = TOOLS[tool]
    kept.append(make(machine.home / root, f"{len(kept) + 1}", project, says=says))
    os.utime(kept[-1], (time() + len(kept), time() + len(kept)))


@given(phrase('the project "{project:Quoted}" has a session of {tool} that says "{says:Quoted}"'))
def say(machine, kept, tool, project, says):
    keep(machine, kept, tool, project, says)


@given(phrase('the project "{project:Quoted}" has a session of {tool} that is {broken}'))
def break_one(machine, kept, tool, project, broken):
    keep(machine, kept, tool, project)
    kept[-1].write_bytes(BROKEN[broken])


@when(phrase('an agent in "{project:Quoted}" recalls "{query:Quoted}" by MCP'), target_fixture="outcome")
def recall(machine, project, query):
    return {"recall": ProjectMemory(Path(project)).answer({"query": query}).text}
