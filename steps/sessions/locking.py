"""Steps of features/sessions/locking.feature."""

from __future__ import annotations

import os
import socket

from pytest_bdd import given, then, when

from brim.errors import SessionHeld
from steps.clock import TIMES
from steps.other_process import hold_session, holding
from steps.stored_sessions import turns, user
from steps.vocabulary import attempt, phrase


def writer(shelf, since=""):
    """Another process that holds the session, since a time by its own clock."""
    return holding(hold_session, str(shelf.place.where), shelf.name, since)


@given("a session that another process writes", target_fixture="other")
def held(shelf):
    with writer(shelf.make(turns(2))) as process:
        yield process


@given(phrase("a session that another process writes since {time:Moment}", TIMES), target_fixture="other")
def held_since(shelf, time):
    with writer(shelf.make(turns(2)), time.isoformat()) as process:
        yield process


@given("a session whose writer was killed")
def killed(shelf):
    with writer(shelf.make(turns(2))):
        pass


@given("a session that is being read", target_fixture="reader")
def being_read(shelf):
    shelf.make(turns(2))
    return shelf.store.read(shelf.name)


@given("a session that this very process has open")
def open_here(shelf):
    shelf.make(turns(2))
    shelf.open()


@when("a process that is forked from it says something, and then the process itself does", target_fixture="outcome")
def say_in_fork(shelf):
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        os.write(writing, str(attempt(shelf.session.append, user("From the child."))).encode())
        shelf.session.journal.close()
        os._exit(0)
    os.waitpid(child, 0)
    shelf.session.append(user("From the parent."))
    return os.read(reading, 10_000).decode()


@then("the forked process is refused, naming the process that has it open")
def check_fork(outcome):
    assert f"is open in process {os.getpid()}, which this one was forked from" in outcome


@when("it is opened once more", target_fixture="outcome")
def open_again(shelf):
    return attempt(shelf.store.open, shelf.name)


@when("the user says something to the process that reads it", target_fixture="outcome")
def say_to_reader(reader):
    return attempt(reader.append, user("Go on."))


@then(phrase('it is refused, naming that process and "{since:Quoted}"'))
def check_named(outcome, other, since):
    assert isinstance(outcome, SessionHeld)
    assert f"process {other.pid} on {socket.gethostname()} {since};" in str(outcome)


@then("it is refused, naming this process and asking to close it")
def check_own(outcome):
    assert isinstance(outcome, SessionHeld)
    assert "this very process" in str(outcome)
    assert "close it" in str(outcome)
