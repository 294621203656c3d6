"""Agents of frameworks that were given a client that compacts, as the guide shows them, against the strict server."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from brim.testing import MessagesServer, tool_call
from steps.prerequisites import frameworks, sized
from tests.examples.following import FILE, blocks_of

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "frameworks.md"
PROGRAMS = {FILE.match(block.text)[1]: block.text for block in blocks_of(GUIDE.read_text(encoding="utf-8"))}
OWN_ENVIRONMENT = ("google_adk_agent.py", "strands_agent.py")
"""Those whose framework is not in the extra `dev`."""
HEAVY = (pytest.mark.nightly, pytest.mark.frameworks)
EACH = [pytest.param(name, marks=HEAVY if name in OWN_ENVIRONMENT else ()) for name in PROGRAMS]
WITHOUT_BRIM = "import brim\nbrim.compacting = lambda client: client\n"
MODEL = "claude-opus-5-5"
WORDS = "Read all notes. Never skip one."
MAX_TOKENS = 1_000
"""What the programs ask for; a summary's limit is another."""
NOTES = 30


class Reader:
    """A model that reads one note after the other, and summarizes when it is asked to."""

    def __init__(self):
        self.accepted = []
        self.calls = self.summaries = 0

    def __call__(self, body):
        """Answer a request that the server accepted."""
        self.accepted.append(body)
        if body["max_tokens"] != MAX_TOKENS:
            self.summaries += 1
            return "<summary>The notes were read in their order, and none was skipped.</summary>"
        self.calls += 1
        return "All notes are read." if self.calls > NOTES else [tool_call("read_note", {"number": self.calls})]


def run(name, folder, before=""):
    """A program of the guide, its model, and every request for an answer."""
    reader = Reader()
    with MessagesServer(default=reader, models={MODEL: (20_000, 4_000)}) as server:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "ANTHROPIC_BASE_URL": server.url,
            "ANTHROPIC_API_KEY": server.key,
        }
        python = frameworks() if name in OWN_ENVIRONMENT else sys.executable
        command = [python, "-c", before + PROGRAMS[name]]
        ran = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    return ran, reader, [one.body for one in server.requests if one.method == "POST"]


@pytest.mark.parametrize("name", EACH)
def test_a_framework_finishes_with_a_client_that_compacts(name, tmp_path):
    """It is compacted, no request is refused, and each of the agent's has the user's words."""
    ran, reader, asked = run(name, tmp_path)
    assert (ran.returncode, ran.stdout.strip()) == (0, "All notes are read."), ran.stderr
    assert asked == reader.accepted
    assert reader.summaries >= 1
    own = [body for body in asked if body["max_tokens"] == MAX_TOKENS]
    assert len(own) == NOTES + 1
    assert [body for body in own if WORDS not in str(body["messages"])] == []


@pytest.mark.parametrize("name", sized(EACH[:1], nightly=EACH))
def test_a_framework_dies_at_the_window_without_it(name, tmp_path):
    """So the window is one."""
    ran, reader, asked = run(name, tmp_path, before=WITHOUT_BRIM)
    assert "invalid_request_error" in ran.stderr
    assert len(asked) > len(reader.accepted) < NOTES
