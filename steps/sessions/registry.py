"""Steps of features/sessions/registry.feature."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from functools import partial

import pytest
from pytest_bdd import given, then, when

from brim.errors import BrimError, InvalidInput
from brim.sessions.paths import folder_of
from brim.sessions.records import VERSION, RenameRecord
from brim.sessions.search import SearchIndex, search
from brim.sessions.store import open_store
from steps.clock import TIMES, milliseconds
from steps.file_cells import contents
from steps.stored_sessions import user
from steps.vocabulary import attempt, phrase

THREE = ("first", "second", "third")


@pytest.fixture
def index(shelf):
    """The file that the registry lies in."""
    return shelf.place.where / "index.sqlite"


def damage(index, statement):
    """Change the index from outside."""
    with closing(sqlite3.connect(index, isolation_level=None)) as base:
        base.executescript(statement)


TROUBLES = {
    "is lost": lambda index: index.unlink(),
    "is empty": lambda index: index.write_bytes(b""),
    "is of another version": lambda index: damage(index, "PRAGMA user_version = 7"),
    'reads "my thesis"': lambda index: index.write_text("my thesis " * 800, encoding="utf-8"),
}


@given("the sessions first, second and third")
def three(shelf):
    for name in THREE:
        shelf.make([], name=name)


@given("the user has said something since")
def say_since(shelf):
    with shelf.store.open(shelf.name) as session:
        session.append(user())


@given(phrase('a newer version renames the session {name} "{title:Quoted}"'))
def rename_newer(shelf, name, title):
    with shelf.store.open(name) as session:
        session.write(RenameRecord, v=VERSION + 1, title=title)


@given(phrase("the user said something in the session {name}, and its first line was damaged"))
def damage_first(shelf, name):
    with shelf.store.open(name) as session:
        session.append(user())
    log = shelf.place.log_of(name)
    first, *others = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([b"#" * len(first[:-1]), b"\n", *others]))


@given(phrase("3 sessions and an index that {trouble}"))
def three_and_trouble(shelf, index, trouble):
    three(shelf)
    shelf.store.sessions()
    TROUBLES[trouble](index)


@when(phrase("the user says something in the session {name} and the sessions are listed"), target_fixture="outcome")
def say_and_list(shelf, name):
    with shelf.store.open(name) as session:
        session.append(user())
    return shelf.store.sessions()


@when(phrase('the sessions of the project "{project:Quoted}" are listed'), target_fixture="outcome")
def list_some(shelf, project):
    return shelf.store.sessions(project)


@when(phrase('the session "{name:Quoted}" is opened'), target_fixture="outcome")
def open_named(shelf, name):
    return attempt(shelf.store.open, name)


@when(phrase('the store "{url:Quoted}" is opened'), target_fixture="outcome")
def open_named_store(url):
    return attempt(open_store, url)


@then("the list is")
def check_list(outcome, datatable):
    columns, *rows = datatable
    fields = [column.replace("name", "id") for column in columns]
    assert [[getattr(one, field) or "" for field in fields] for one in outcome] == rows


@then(phrase("{count:Count} sessions are listed without a title, and nothing is reported"))
def check_untitled(shelf, outcome, count):
    assert ([one.title for one in outcome], shelf.store.warnings()) == ([""] * count, ())


@then(phrase("{count:Count} session{:S} {:Is} listed"))
def check_count(outcome, count):
    listed = [] if isinstance(outcome, BrimError) else outcome
    assert len(listed) == count


@then("it is reported that the index was damaged")
def check_report(shelf):
    (report,) = shelf.store.warnings()
    assert "was damaged" in report


@then("it is not reported that the index was damaged")
def check_no_report(shelf):
    assert shelf.store.warnings() == ()


@then(phrase("it is reported that the first line of the session {name} is lost"))
def check_headless(shelf, name):
    assert any(f"session {name} is listed without" in report for report in shelf.store.warnings())


@then(phrase("it was made at {made:Moment} and last active at {active:Moment}", TIMES))
def check_times(outcome, made, active):
    (one,) = outcome
    assert (one.created, one.last_active) == (milliseconds(made), milliseconds(active))


@then(phrase('it is listed as active "{when:Quoted}"'))
def check_active(shelf, page, when):
    assert [shelf.name, when, "(no title)"] in [re.split(" {2,}", line) for line in page.splitlines()]


PLACES = {
    "index": lambda store: store.index_path,
    "log of second": lambda store: log_of(store, "second"),
    "folder of all sessions": lambda store: store.root / "sessions",
}
"""What brim keeps in a store, by what it is."""


def log_of(store, name):
    return store.root / "sessions" / folder_of("") / f"{name}.jsonl"


@given(phrase("the {thing} is a link that leads out of the store"), target_fixture="outside")
def link_out(shelf, thing, tmp_path):
    outside, place = tmp_path / "outside", PLACES[thing](shelf.store)
    outside.mkdir()
    if place.exists():
        place.rename(outside / place.name)
    else:
        (outside / place.name).write_text("my thesis", encoding="utf-8")
    place.symlink_to(outside / place.name)
    return outside, contents(outside)


@when("every session is listed, searched, opened, written and renamed", target_fixture="outcome")
def use_all(shelf):
    store, met = shelf.store, []

    def write(name):
        with store.open(name) as session:
            session.append(user())
            session.rename("Another")

    for act in (
        store.sessions,
        lambda: search(SearchIndex(store), "words"),
        *(partial(act, name) for name in THREE for act in (write, store.info, lambda name: store.read(name).view())),
        lambda: store.create(name="fourth").close(),
        lambda: log_of(store, "fourth").unlink(missing_ok=True),
    ):
        found = attempt(act)
        met += [str(found)] if isinstance(found, BrimError) else []
    shelf.met = met
    return attempt(store.sessions)


@then("nothing outside of the store has changed")
def check_outside(outside):
    folder, before = outside
    assert contents(folder) == before


@then("it is reported in one line that a link is not followed")
def check_link(shelf):
    told = [*shelf.met, *shelf.store.warnings()]
    assert [one for one in told if "is a link" in one or "a link" in one]
    assert [one for one in told if "\n" in one] == []


@then(phrase('it is not understood, without repeating "{words:Quoted}"'))
def check_unrepeated(outcome, words):
    assert isinstance(outcome, InvalidInput)
    assert words not in str(outcome)
