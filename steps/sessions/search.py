"""Steps of features/sessions/search.feature."""

from __future__ import annotations

import json
import sqlite3
from contextlib import nullcontext
from unittest.mock import patch

import pytest
from pytest_bdd import given, parsers, then, when

from brim.sessions.expand import Expansion, expand
from brim.sessions.lineage import fork
from brim.sessions.records import CompactionRecord, MessageRecord
from brim.sessions.search import SearchIndex, search
from steps.stored_sessions import WORDS, nearly_full, tool_turn, turns, user
from steps.vocabulary import attempt, phrase, tokens


@pytest.fixture
def index(shelf):
    """The search index of the store."""
    return SearchIndex(shelf.store)


@pytest.fixture
def disk():
    """What a search meets of the disk: it has room. Whatever else this process writes has room always."""
    return nullcontext


def recorded(shelf):
    """Every message of the log, as it was said."""
    return [record for record in shelf.records() if isinstance(record, MessageRecord)]


def no_longer_visible(shelf):
    """The messages of the log that are not shown, as they were said."""
    shown = set(shelf.view().ids)
    return [record.message for record in recorded(shelf) if record.id not in shown]


def compaction_of(shelf):
    return next(record.id for record in shelf.records() if isinstance(record, CompactionRecord))


def add_line(shelf, name, fields):
    """Add a line to a log as another brim would have written it."""
    log = shelf.place.log_of(name)
    line = {"id": "7" * 26, "time": 1_800_000_000_000, **fields}
    log.write_bytes(log.read_bytes() + json.dumps(line).encode() + b"\n")


@given("a fork of it", target_fixture="forked")
def forked(shelf):
    return fork(shelf.store, shelf.name)


@given("a session of 2 turns that ends with a summary of the oldest form")
def oldest_form(shelf):
    shelf.make(turns(2))
    told = {"content": "What was done.", "generatedAt": "2025-01-15T10:30:00Z", "summarizedMessageCount": 4}
    add_line(shelf, shelf.name, {"v": 1, "kind": "compaction", **told, "originalTokenCount": 900})


@given("a session of 40 turns with a tool, compacted")
def with_tool(shelf):
    shelf.make([*turns(19), *tool_turn("A", "The tool-output. " + WORDS), *turns(20)])
    shelf.compact()


@given("sessions of two projects in which the parser is named")
def two_projects(shelf):
    for project in ("/home/dev/first", "/home/dev/second"):
        shelf.make([user("The parser.")], project=project)


@given("a session of 2 turns beside one with a message from a newer version after 2 turns", target_fixture="newer")
def beside_newer(shelf):
    with shelf.store.create() as session:
        session.extend(turns(2))
        with patch("brim.sessions.records.VERSION", 99):
            session.write(MessageRecord, v=99, message=user("A word on giraffes."))
            session.append(user("A word on elephants."))
    shelf.make(turns(2))
    return session.id


@given("a session in which the user said")
def user_said(shelf, datatable):
    shelf.make([user(words) for (words,) in datatable[1:]])


@given(phrase('a session in which "{words:Quoted}" was said'))
def was_said(shelf, words):
    shelf.make([user(words)])


@given(
    phrase(
        "a session in which the harbour master is named in {length:Count} characters of other words, and the harbour "
        "alone after it"
    )
)
def named_in_long(shelf, length):
    half = WORDS * (length // len(WORDS) // 2)
    shelf.make([user(f"{half}The harbour master said so. {half}"), user("The harbour is full. " * 3)])


@given(parsers.parse("its index is {state}"))
def spoil(shelf, state):
    SPOILT[state](SearchIndex(shelf.store).path)


@given("there is no room for its index", target_fixture="disk")
def no_room():
    return lambda: nearly_full(0)


def remove(path):
    path.unlink()


def overwrite(path):
    path.write_bytes(b"no database " * 1_000)


def change(path, statement):
    base = sqlite3.connect(path)
    base.execute(statement)
    base.close()


SPOILT = {
    "gone": remove,
    "overwritten": overwrite,
    "of another version": lambda path: change(path, "PRAGMA user_version = 99"),
}


MATCHES = {"exact": "as written", "all": "by all words", "some": "by some words"}


@when(phrase("{which} summary is expanded"), target_fixture="outcome")
def expand_summary(shelf, which, request):
    if which == "the fork's":
        return attempt(expand, shelf.store, request.getfixturevalue("forked"))
    return attempt(expand, shelf.store, shelf.name, {"its": lambda _: None, "that": compaction_of}[which](shelf))


@when(
    parsers.re(
        r'(?:up to (?P<most>[\d,]+) messages with |(?P<phrased>the phrase ))?"(?P<query>[^"]*)" (?:is|are) looked for'
        r"(?: in (?P<of_first>the session of the first project and in )?the (?P<project>\w+) project)?"
    ),
    target_fixture="outcome",
)
def look_for(shelf, index, disk, *, query, most, phrased, of_first, project):
    told = {"limit": tokens(most)} if most else {}
    told |= {"project": f"/home/dev/{project}"} if project else {}
    told |= {"session": shelf.store.sessions("/home/dev/first")[0].id} if of_first else {}
    with disk():
        return attempt(search, index, f'"{query}"' if phrased else query, **told)


@when(phrase("a query of {length:Count} characters is looked for"), target_fixture="outcome")
def look_for_long(index, length):
    return attempt(search, index, "x" * length)


@when(phrase('the user says "{words:Quoted}" and "{query:Quoted}" is looked for'), target_fixture="outcome")
def say_and_look(shelf, index, words, query):
    shelf.open().append(user(words))
    return attempt(search, index, query)


@when(phrase('the user says "{words:Quoted}" in the fork and "{query:Quoted}" is looked for'), target_fixture="outcome")
def say_in_fork_and_look(shelf, forked, index, words, query):
    with shelf.store.open(forked) as session:
        session.append(user(words))
    return attempt(search, index, query)


@then("it opens into the messages that are no longer visible, as they were said")
def check_expanded(shelf, outcome):
    assert isinstance(outcome, Expansion), outcome
    assert [one.raw for one in outcome.messages] == no_longer_visible(shelf)


@then("it opens into the earlier summary as well")
def check_earlier(shelf, outcome):
    assert outcome.earlier.compaction == compaction_of(shelf)


@then("together they open into the messages that are no longer visible, as they were said")
def check_whole(shelf, outcome):
    assert [one.raw for one in outcome.whole] == no_longer_visible(shelf)


@then("it opens into nothing that was rewound")
def check_left_behind(shelf, outcome):
    left = {one.id for one in recorded(shelf)[40:60]}
    assert outcome.ids
    assert not left & set(outcome.ids)


@then(phrase("it opens into {count:Count} messages"))
def check_count(outcome, count):
    assert len(outcome.messages) == count


@then(phrase("the best that is found is of turn {turn:Count}, and {state}"))
def check_best(outcome, turn, state):
    assert (outcome[0].turn, outcome[0].state) == (turn, state)


@then(phrase('the best that is found reads "{words:Quoted}"'))
def check_snippet(outcome, words):
    assert outcome[0].snippet.startswith(words)


@then(phrase("{count:Count} message{:S} {:Is} found, by {match}"))
def check_found_by(outcome, count, match):
    assert [MATCHES[hit.matched] for hit in outcome] == [f"by {match}"] * count


@then(parsers.parse("what is found is {found}"))
def check_order(outcome, found):
    assert ", ".join(f"{hit.number} {MATCHES[hit.matched]}" for hit in outcome) == found


@then("its passage has at most 600 characters, and names the harbour master")
def check_passage(outcome):
    assert "The harbour master said so" in outcome[0].passage
    assert len(outcome[0].passage) <= 600


@then(phrase("{count:Count} message{:S} {:Is} found"))
def check_found(outcome, count):
    assert len(outcome) == count


@then(phrase("{count:Count} line{:S} of the log {:Is} read for it"))
def check_read(index, count):
    assert index.lines_read == count


@then("it says that the index cannot be written")
def check_temporary(index):
    assert any("cannot be written" in sentence for sentence in index.warnings)


@then("it says once which session was not searched to its end")
def check_told(index, newer):
    assert [newer in sentence for sentence in index.warnings] == [True]
