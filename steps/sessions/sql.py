"""Steps of features/sessions/sql.feature."""

from __future__ import annotations

import re
import socket
from threading import Thread

import pytest
from pytest_bdd import given, then, when

from brim.errors import BrimError, SessionHeld
from brim.sessions.search import SearchIndex, search
from brim.sessions.store import open_store
from steps.other_process import add_to_session, ended, hold_session, holding
from steps.postgres import (  # noqa: F401
    PASSWORD,
    PATIENT,
    Schema,
    TcpProxy,
    database,
    schema_of,
    sign_in_and_say_nothing,
)
from steps.session_acts import ACTS
from steps.stored_sessions import Folder, Shelf, turns
from steps.vocabulary import attempt, each, phrase

ADDRESS = "postgresql://me:secret@db.example.com/brim"
OTHERS = {
    "one with another password": "postgresql://me:other@db.example.com/brim",
    "one of another name": "postgresql://me:secret@db.example.com/brim2",
    "one with other tables": "postgresql://me:secret@db.example.com/brim?options=-csearch_path%3Dmine",
}
"""Databases beside the one above."""


@pytest.fixture
def place(database, tmp_path):  # noqa: F811  the fixture it is
    """Tables of PostgreSQL in the place of a folder."""
    place = Schema(database, tmp_path)
    yield place
    place.close()


@pytest.fixture
def proxy(database):  # noqa: F811
    """A proxy to the server that can be cut."""
    proxy = TcpProxy(database)
    yield proxy
    proxy.close()


@pytest.fixture
def mute():
    """A port at which a server accepts every client, and then says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        Thread(target=sign_in_and_say_nothing, args=(server,), daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


@given("another process writes it", target_fixture="other")
def held(shelf):
    with holding(hold_session, shelf.place.where, shelf.name) as process:
        yield process
    shelf.place.database.miss(shelf.place.where)


@given("another process has added a message to it")
def added(shelf):
    assert ended(add_to_session, shelf.place.where, shelf.name) == 0
    shelf.place.database.miss(shelf.place.where)


@given("its connection is lost before a message")
def lost(shelf):
    shelf.open()
    shelf.place.database.cut(shelf.place.where)


@given("its connection is lost as soon as a message is there")
def lost_afterwards(shelf, proxy):
    shelf.store.close()
    shelf.store = open_store(proxy.through(shelf.place.where))
    shelf.open()
    proxy.cut_at_the_next_answer()


@given(phrase("a database whose tables are of version {version:Count}"))
def of_version(shelf, version):
    table = f"{schema_of(shelf.place.where)}.brim_sessions"
    shelf.store.sessions()
    shelf.store.close()
    shelf.store = open_store(shelf.place.where)
    shelf.place.database.ask(f"COMMENT ON TABLE {table} IS 'brim tables of version {version}'")
    yield
    shelf.place.database.ask(f"COMMENT ON TABLE {table} IS 'brim tables of version 1'")


@when(phrase("in a folder and in a database {acts}"), target_fixture="both")
def act_in_both(place, tmp_path, acts):
    both = [Shelf(one).make(turns(40)) for one in (Folder(tmp_path), place)]
    for shelf in both:
        for act, words in each(acts, ACTS):
            ACTS[act](shelf, *words)
    yield both
    for shelf in both:
        shelf.close()
        shelf.store.close()


@when(phrase('"{query:Quoted}" is looked for in the database'), target_fixture="hits")
def look_for(shelf, tmp_path, monkeypatch, query):
    monkeypatch.setenv("BRIM_HOME", str(tmp_path / "home"))
    return search(SearchIndex(shelf.store), query)


@when(phrase("the indexes of two databases are named, {other}"), target_fixture="indexes")
def name_indexes(other):
    return [open_store(url).index_path for url in (ADDRESS, OTHERS[other])]


@when(phrase("the sessions at {address} are listed"), target_fixture="tried")
def list_at(addresses, address):
    return attempt(lambda: open_store(addresses[address]).sessions())


@pytest.fixture
def addresses(database, mute):  # noqa: F811
    """The URLs that these words are about; the password stands in each."""
    wrong = {"user": "guarded", "password": f"{PASSWORD}not", "connect_timeout": PATIENT}
    return {
        "a port where nobody listens": f"postgresql://guarded:{PASSWORD}not@127.0.0.1:1/brim",
        "a server that says nothing": f"postgresql://guarded:{PASSWORD}not@127.0.0.1:{mute}/brim",
        "a user with a wrong password": database.url(**wrong, database="postgres"),
        "an address that cannot be read": f"postgresql://guarded:@{PASSWORD}@/not@127.0.0.1/brim",
    }


@then(phrase("{count:Count} message is found by an index in the folder of the user"))
def check_found(shelf, tmp_path, hits, count):
    assert (len(hits), shelf.store.index_path.parent) == (count, tmp_path / "home")


@then(phrase("they are {same}"))
def check_same_index(indexes, same):
    assert (indexes[0] == indexes[1]) == (same == "the same")


@then("both show the same, by records of the same kinds")
def check_same(both):
    in_folder, in_database = (
        ([one.raw for one in shelf.view().messages], [one.kind for one in shelf.records()]) for shelf in both
    )
    assert in_folder == in_database


@then("it is refused, and the process that writes it is named")
def check_named(outcome, other):
    assert isinstance(outcome, SessionHeld)
    assert f"process {other.pid} on " in str(outcome)


@then(phrase('that fails in one line that tells "{reason:Quoted}" and no password'))
def check_failure(tried, reason):
    assert isinstance(tried, BrimError)
    assert reason in str(tried)
    assert not re.search(rf"\n|{PASSWORD}", str(tried))
