"""Which commands commit."""

from __future__ import annotations

import pytest

from brim.conversation.turns import ToolUse
from brim.evidence.evidence import read_use


def used(command: object = "", *, name: str = "Bash", output: str = "", succeeded: bool | None = True) -> ToolUse:
    """A tool use that ran a command."""
    return ToolUse(name, {"command": command}, output, succeeded)


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


@pytest.mark.parametrize(
    ("command", "committed"),
    [
        ("git -c user.name=x commit", True),
        ("git --git-dir=x commit", True),
        ("legit commit", False),
        ("git show commit", False),
        ("commit", False),
    ],
)
def test_what_commits(command, committed):
    """Git does, by its command alone (ANC_08)."""
    assert read_use(used(command)).committed is committed
