"""Steps of features/sessions/locking.feature."""

from __future__ import annotations

import os
import signal
import socket

from pytest_bdd import given, then, when

from brim.errors import Refused, SessionHeld
from steps.clock import TIMES
from steps.other_process import ended, hold_session, holding, say_in_session
from steps.stored_sessions import turns, user
from steps.vocabulary import attempt, phrase

TIMES_READ = 200
PATIENCE_S = 60
"""Seconds after which a forked process that waits for an answer of another one is ended."""


def writer(shelf, since=""):
    """Another process that holds the session, since a time by its own clock."""
    return holding(hold_session, str(shelf.place.where), shelf.name, since)


def say_elsewhere(shelf):
    """Another process says something in the session, and ends."""
    assert ended(say_in_session, str(shelf.place.where), shelf.name) == 0


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


@given("its lock is removed and another process says something")
def remove_lock(shelf):
    (shelf.place.where / "locks" / f"{shelf.name}.lock").unlink()
    say_elsewhere(shelf)


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


@when("a process and one that is forked from it read two sessions at the same time", target_fixture="outcome")
def read_in_fork(shelf):
    one = shelf.name
    other = shelf.make([user("Of another session.")]).name
    if (child := os.fork()) == 0:
        signal.alarm(PATIENCE_S)
        otherwise = True
        try:
            otherwise = reads_otherwise(shelf.store, other, 1)
        finally:
            os._exit(int(otherwise))
    otherwise = reads_otherwise(shelf.store, one, 4)
    return otherwise, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def reads_otherwise(store, name, messages):
    """Whether it was ever anything else that was read of a session than so many messages."""
    return any(attempt(shown, store, name) != messages for _ in range(TIMES_READ))


def shown(store, name):
    with store.read(name) as reader:
        return len(reader.view().messages)


@then("each has read the session that it asked for, each time")
def check_read(outcome):
    assert outcome == (False, 0)


@when("it is opened once more", target_fixture="outcome")
def open_again(shelf):
    return attempt(shelf.store.open, shelf.name)


@when("it is opened and closed, and the user says something in another process", target_fixture="closed")
def close_and_say_elsewhere(shelf):
    closed = shelf.open()
    shelf.close()
    say_elsewhere(shelf)
    return closed  # still there: a lock that nobody remembers is free anyway


@when("the user says something to the process that had it open", target_fixture="outcome")
def say_to_holder(shelf):
    return attempt(shelf.session.append, user("Go on."))


@when("it is opened and closed, and the user says something to the process that had it open", target_fixture="outcome")
def say_to_closed(shelf):
    closed = shelf.open()
    shelf.close()
    return attempt(closed.append, user("Go on."))


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


@then("it is refused, asking to open it again")
def check_open_again(outcome):
    assert isinstance(outcome, Refused)
    assert str(outcome).endswith("; open it again")
