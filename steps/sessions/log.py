"""Steps of features/sessions/log.feature."""

from __future__ import annotations

import os

import pytest
from pytest_bdd import given, then, when

from brim.sessions.lines import encode
from brim.sessions.records import MessageRecord
from brim.sessions.session import Session
from steps.clock import TIMES
from steps.stored_sessions import user
from steps.vocabulary import attempt, phrase

FAR_DOWN = 600
"""Calls that a reader is in already, of the 1,000 that Python allows."""


def far_down(read, calls=FAR_DOWN):
    """What is read where so many calls have been made already."""
    return far_down(read, calls - 1) if calls else read()


@given("a message with an unknown field", target_fixture="message")
def odd_message():
    return {"role": "user", "content": [{"type": "hologram", "depth": 3}], "mood": "é\u2028\ud800"}


@given("a further message of which only one half was written")
def tear(shelf):
    line = encode(MessageRecord(id="7" * 26, time=1, message=user()))
    shelf.log.write_bytes(shelf.before + line[: len(line) // 2])


@when("it is added to a session and read again", target_fixture="again")
def add_and_read(shelf, message):
    return shelf.make([message]).view().messages


@when(phrase("{count:Count} messages are added, and the clock {way:Move} before each", TIMES))
def add_some(shelf, clock, count, way):
    for _ in range(count):
        clock.tick(way)
        shelf.open().append(user())


@when(phrase('a session is made with the id "{name:Quoted}"'), target_fixture="outcome")
def make_named(shelf, name):
    return attempt(shelf.store.create, name=name)


@then("every line that was there before is still there")
def check_only_added(shelf):
    assert shelf.log.read_bytes().startswith(shelf.before)
    assert len(shelf.log.read_bytes()) > len(shelf.before)


@then("it is the same message")
def check_same(again, message):
    (one,) = again
    assert one.raw == message


@then("it is reported that a last line was cut off")
def check_cut(outcome):
    (report,) = outcome.warnings
    assert report.endswith("cut off")


@then("it is reported that a line was set aside")
def check_aside(outcome):
    (report,) = outcome.warnings
    assert "was set aside" in report


@then("the ids of all records ascend")
def check_ids(shelf):
    ids = [one.id for one in shelf.records()]
    assert ids == sorted(set(ids))


@then(phrase('there is a session of the id "{name:Quoted}"'))
def check_named(shelf, outcome, name):
    assert isinstance(outcome, Session)
    assert shelf.store.info(name).id == name


@pytest.fixture
def synced(monkeypatch):
    """Each file that was brought to the disk, with its size then."""
    sync, synced = os.fsync, []

    def watch(file):
        sync(file)
        synced.append((os.fstat(file).st_ino, os.fstat(file).st_size))

    monkeypatch.setattr(os, "fsync", watch)
    return synced
