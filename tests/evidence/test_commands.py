"""What a tool use ran, and what kind of command that is."""

from __future__ import annotations

import pytest

from brim.conversation.turns import ToolUse
from brim.evidence.evidence import read_use
from brim.evidence.shell import only_shows
from brim.evidence.tools import command_run, runs_command


def used(command: object = "", *, name: str = "Bash", output: str = "", succeeded: bool | None = True) -> ToolUse:
    """A tool use that ran a command."""
    return ToolUse(name, {"command": command}, output, succeeded)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"command": "make"}, "make"),
        ({"cmd": "make"}, "make"),
        ({"command": ["bash", "-lc", "make"]}, "bash -lc make"),
        ({"cmd": ("make", 3)}, "make 3"),
        ({"command": None, "cmd": "make"}, "make"),
        ({"command": 3}, ""),
        ({"command": "view", "path": "a.py"}, ""),
        ({}, ""),
    ],
)
def test_command_run(given, expected):
    """A command is a text or a list of words, in either of two fields."""
    assert command_run(ToolUse("Bash", given)) == expected


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        (used("make"), True),
        (used("make", name="Anything"), True),
        (ToolUse("Bash", {}), True),
        (ToolUse("run_shell_command", {}), True),
        (ToolUse("Read", {}), False),
    ],
)
def test_runs_command(use, expected):
    """A tool use runs a command where one can be read, or its tool is a shell."""
    assert runs_command(use) is expected


@pytest.mark.parametrize(
    "command",
    [
        "cat a.txt",
        "cat a.txt; ls",
        "grep -r x . || true",
        "git log",
        "git --no-pager diff",
        "cat a.txt &&\nls",
        "set -e; cd x; ls",
    ],
)
def test_shows(command):
    """Each of its programs only shows something."""
    assert only_shows(command)


@pytest.mark.parametrize("command", ["make", "make | tail -5", "cd x", "", "  ", "git push", "git", "catalogue", "&&"])
def test_acts(command):
    """One of its programs does more, or there is none."""
    assert not only_shows(command)


@pytest.mark.parametrize(
    "command",
    [
        "git commit",
        "git -c user.name=x commit",
        "git --git-dir=x commit",
    ],
)
def test_commits(command):
    """It commits."""
    assert read_use(used(command)).committed


@pytest.mark.parametrize(
    "command",
    [
        "legit commit",
        "git show commit",
        "commit",
        "",
    ],
)
def test_does_not_commit(command):
    """It does not."""
    assert not read_use(used(command)).committed


@pytest.mark.parametrize(
    "use",
    [
        used("git commit", succeeded=False),
        used("git commit", succeeded=None),
        used("git commit", output="On branch main\nnothing to commit, working tree clean"),
        used("git commit", output="no changes added to commit"),
    ],
)
def test_commit_that_did_not_happen(use):
    """A commit that failed, or had nothing to commit, is none."""
    assert not read_use(use).committed
