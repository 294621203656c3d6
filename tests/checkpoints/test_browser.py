"""The browser on screens and sessions of every size."""

import asyncio

import pytest

from steps.checkpointed_projects import Workshop
from steps.checkpoints.browser import looked_at


@pytest.fixture
def workshop(tmp_path, monkeypatch):
    """A project of a user who has configured nothing."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    made = Workshop(tmp_path)
    yield made
    made.session.close()


def test_a_session_without_checkpoints(workshop):
    """It says what makes one (CHK_10)."""
    lines = asyncio.run(looked_at(workshop.checkpoints, 120, ["f"]))
    assert any("No checkpoints yet: brim checkpoints create makes one." in line for line in lines)


@pytest.mark.parametrize(("count", "height"), [(1, 24), (40, 24), (40, 14)])
def test_the_keys_that_answer_are_seen_however_much_changes(workshop, count, height):
    """The frame of the question has them (CHK_10)."""
    workshop.mark("start")
    for number in range(1, count + 1):
        workshop.write(f"new{number}", "new\n")
    workshop.mark("later")
    lines = asyncio.run(looked_at(workshop.checkpoints, 50, ["down", "f"], height))
    assert all(any(words in line for line in lines) for words in ("removed  new1  +0 -1", "y Yes   n No"))
