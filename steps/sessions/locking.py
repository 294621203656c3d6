"""Steps of features/sessions/locking.feature."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from pytest_bdd import given, then, when

from brim.errors import SessionHeld
from steps.stored_sessions import turns, user
from steps.vocabulary import attempt

PROGRAM = """
import sys
from brim.sessions.store import open_store
session = open_store(sys.argv[1]).open(sys.argv[2])
print("held", flush=True)
sys.stdin.read()
"""
SOURCE = Path(__file__).parents[2] / "src"


@contextmanager
def writer(shelf):
    """Another process that holds the session."""
    command = [sys.executable, "-c", PROGRAM, str(shelf.place.where), shelf.name]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env={"PYTHONPATH": str(SOURCE)}, **pipes) as process:  # noqa: S603  itself
        process.stdout.readline()
        yield process
        process.kill()


@pytest.fixture
def other(shelf):
    """Another process that writes the session, as long as the scenario goes on."""
    with writer(shelf.make(turns(2))) as process:
        yield process


@given("a session that another process writes")
def held(other):
    assert other.poll() is None


@given("a session whose writer was killed")
def killed(shelf):
    with writer(shelf.make(turns(2))):
        pass


@given("a session that is being read", target_fixture="reader")
def being_read(shelf):
    shelf.make(turns(2))
    return shelf.store.read(shelf.name)


@when("the user says something to whoever reads it", target_fixture="outcome")
def say_to_reader(reader):
    return attempt(reader.append, user("Go on."))


@then("it is refused, naming that process")
def check_named(outcome, other):
    assert isinstance(outcome, SessionHeld)
    assert f"process {other.pid} on " in str(outcome)
