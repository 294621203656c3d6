"""Steps of features/sessions/log.feature."""

from __future__ import annotations

import os
from functools import reduce

import pytest
from pytest_bdd import given, then, when

from brim.conversation.messages import PINNED, PLAIN
from brim.errors import StoreFailed
from brim.sessions.lines import encode
from brim.sessions.records import MessageRecord
from brim.sessions.session import Session
from steps.clock import TIMES
from steps.stored_sessions import nearly_full, turns, user
from steps.vocabulary import attempt, phrase

PARTS = {"the first byte": (0, 1), "one half": (1, 2), "all but the line end": (1, 1)}
MARKED = {"a message": PLAIN, "a pinned message": PINNED}
ROOM = 400
"""Bytes that a nearly full disk still takes of a file."""
FAR_DOWN = 600
"""Calls that a reader is in already, of the 1,000 that Python allows."""


def nested(depth):
    """A message of that many objects and lists, one in another."""
    return {**user(), "odd": reduce(lambda inner, _: [inner], range(depth - 2), [])}


def far_down(read, calls=FAR_DOWN):
    """What is read where so many calls have been made already."""
    return far_down(read, calls - 1) if calls else read()


@given("a message with an unknown field", target_fixture="message")
def odd_message():
    return {"role": "user", "content": [{"type": "hologram", "depth": 3}], "mood": "é\u2028\ud800"}


@given("a session in which the user said one, two, three")
def three_messages(shelf):
    shelf.make(user(word) for word in ("one", "two", "three"))


@given(phrase("a further message of which only {part} was written"))
def tear(shelf, part):
    line = encode(MessageRecord(id="7" * 26, time=1, message=user()))
    share, of = PARTS[part]
    written = line[: max(1, (len(line) - 1) * share // of)]
    shelf.log.write_bytes(shelf.before + written)


@given(phrase("a session of {count:Count} turns on a disk that is nearly full"))
def on_full_disk(shelf, count):
    shelf.make(turns(count))
    shelf.open()


@when("it is rewound to a record of another session", target_fixture="outcome")
def rewind_elsewhere(shelf):
    return attempt(shelf.open().rewind, "7" * 26)


@when("it is added to a session and read again", target_fixture="again")
def add_and_read(shelf, message):
    return shelf.make([message]).view().messages


@when(phrase('a message of the speaker "{role:Quoted}" is added'), target_fixture="outcome")
def add_wrong(shelf, role):
    return attempt(shelf.open().append, {"role": role, "content": "Hello."})


@when("its log holds a record of an unknown kind")
def add_unknown(shelf):
    line = b'{"v":2,"kind":"weather","id":"70000000000000000000000000","time":1,"sky":"blue"}\n'
    shelf.log.write_bytes(shelf.before + line)


@when(phrase("{kind} is added that is nested {depth:Count} deep"), target_fixture="outcome")
def add_deep(shelf, kind, depth):
    return attempt(shelf.open().append, nested(depth), MARKED[kind])


@when("a long message is added", target_fixture="outcome")
def add_long(shelf):
    with nearly_full(len(shelf.before) + ROOM):
        return attempt(shelf.session.append, user("long " * ROOM))


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


@then(phrase("the user is shown to have said {words}"))
def check_said(shelf, words):
    assert [one.text for one in shelf.view().messages] == words.split(", ")


@then("its messages are shown as if it were not there")
def check_carried(shelf):
    assert shelf.view() == shelf.shown
    assert shelf.records()[-1].kind == "weather"


@then("it is reported that a last line was cut off")
def check_cut(outcome):
    (report,) = outcome.warnings
    assert report.endswith("cut off")


@then("it is reported that a line was set aside")
def check_aside(outcome):
    (report,) = outcome.warnings
    assert "was set aside" in report


@then(phrase("a program that reads it deep in its own calls is shown {count:Count} messages"))
def check_far_down(shelf, count):
    assert len(far_down(shelf.view).messages) == count


@then("it fails and says that it could not be written")
def check_failed(outcome):
    assert isinstance(outcome, StoreFailed)
    assert str(outcome).startswith("cannot write ")


@then("the ids of all records ascend")
def check_ids(shelf):
    ids = [one.id for one in shelf.records()]
    assert ids == sorted(set(ids))


@then(phrase('there is a session of the id "{name:Quoted}"'))
def check_named(shelf, outcome, name):
    assert isinstance(outcome, Session)
    assert shelf.store.info(name).id == name


@then("nothing was written")
def check_nothing(shelf):
    assert shelf.place.is_empty()


@pytest.fixture
def synced(monkeypatch):
    """Each file that was brought to the disk, with its size then."""
    sync, synced = os.fsync, []

    def watch(file):
        sync(file)
        synced.append((os.fstat(file).st_ino, os.fstat(file).st_size))

    monkeypatch.setattr(os, "fsync", watch)
    return synced
