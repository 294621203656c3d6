"""Steps of features/sessions/sql.feature."""

from __future__ import annotations

import math
import re
import selectors
import socket
from contextlib import contextmanager
from threading import Thread

import psycopg
import pytest
from pytest_bdd import given, then, when

from brim.compaction.plan import plan_compaction
from brim.compaction.result import compact_without_model
from brim.errors import BrimError, SessionHeld
from brim.sessions.file_store import FileStore
from brim.sessions.search import index_of, search
from brim.sessions.store import open_store
from steps.other_process import act_in_session, holding
from steps.policies import SMALL_TARGET
from steps.postgres import PASSWORD, PATIENT, TcpProxy, database, schema_of, sign_in_and_say_nothing  # noqa: F401
from steps.stored_sessions import LIMITS, turns, user
from steps.vocabulary import attempt, phrase


def compact(session):
    """Compact a session by hand."""
    plan = plan_compaction(session.view().window(LIMITS, SMALL_TARGET))
    session.compacted(compact_without_model(plan))


def undo(session):
    compact(session)
    session.undo()


ACTS = {
    "the user says something": lambda session: session.append(user("Go on.")),
    "the conversation is compacted": compact,
    "a compaction is made and undone": undo,
    "the first message is gone back to": lambda session: session.rewind(session.view().ids[0]),
}


ADDRESS = "postgresql://me:secret@db.example.com/brim"
OTHERS = {
    "one with another password": "postgresql://me:other@db.example.com/brim",
    "one of another name": "postgresql://me:secret@db.example.com/brim2",
    "one with other tables": "postgresql://me:secret@db.example.com/brim?options=-csearch_path%3Dmine",
}
"""Databases beside the one above."""


class PostgresFixture:
    """A store in a database with one session on it."""

    def __init__(self, database, url):  # noqa: F811
        self.database, self.url = database, url
        self.store = open_store(url)
        self.session = None

    def make(self, messages):
        """Make the session, fill it and close it."""
        with self.store.create() as session:
            session.extend(messages)
            self.name = session.id
        return self

    def reroute(self, proxy):
        """Go on by way of a proxy that can be cut."""
        self.store.close()
        self.store = open_store(proxy.through(self.url))
        return self

    def open(self):
        """Open it to write."""
        self.session = self.store.open(self.name)
        return self.session

    def opened(self):
        """The session that is open to write."""
        return self.session or self.open()

    def read(self):
        """Open it to read."""
        self.session = self.store.read(self.name)
        return self.session

    def close(self):
        """Close what is open."""
        if self.session is not None:
            self.session.close()
        self.store.close()


@contextmanager
def elsewhere(postgres, act):
    """Another process that does something to the session, and then holds it."""
    with holding(act_in_session, postgres.url, postgres.name, act) as process:
        yield process
    postgres.database.miss(postgres.url)


@pytest.fixture
def postgres(database):  # noqa: F811  the fixture it is
    """A store in a database with nothing on it yet."""
    postgres = PostgresFixture(database, database.new_store())
    yield postgres
    postgres.close()


@pytest.fixture
def other(postgres):
    """Another process that writes the session, as long as the scenario goes on."""
    with elsewhere(postgres, "writes it") as process:
        yield process


@pytest.fixture
def proxy(database):  # noqa: F811
    """A proxy to the server that can be cut."""
    proxy = TcpProxy(database)
    yield proxy
    proxy.close()


class Waits:
    """The seconds that a server was given: by the driver to connect, and by the store for its first answer."""

    def __init__(self):
        self._connecting, self._answering = [], []

    def watch(self, patched):
        """Note them from here on; what is waited for goes on as it would."""
        connect, connecting, answering = psycopg.connect, self._connecting, self._answering

        def connect_within(*given, **options):
            connecting.append(options.get("connect_timeout", math.inf))
            return connect(*given, **options)

        class Awaited(selectors.DefaultSelector):
            def select(self, timeout=None):
                answering.append(math.inf if timeout is None else timeout)
                return super().select(timeout)

        patched.setattr(psycopg, "connect", connect_within)
        patched.setattr(selectors, "DefaultSelector", Awaited)

    @property
    def longest(self):
        """The most of them; without end where none was given to connect."""
        return max(max(self._connecting, default=math.inf), *self._answering, 0)


@pytest.fixture
def waits():
    """What a server was given to answer."""
    return Waits()


@pytest.fixture
def silent():
    """A port at which somebody listens who never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def mute():
    """A port at which a server accepts every client, and then says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        Thread(target=sign_in_and_say_nothing, args=(server,), daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


@given(phrase("a session of {count:Count} turns in a folder and one in a database"), target_fixture="both")
def in_both(postgres, tmp_path, count):
    files = FileStore(tmp_path)
    both = [store.create(title="One") for store in (files, postgres.store)]
    for session in both:
        session.extend(turns(count))
    yield both
    for session in both:
        session.close()


@given(phrase("a session of {count:Count} turns in a database"))
def in_database(postgres, count):
    postgres.make(turns(count))


@given("another process writes it")
def held(other):
    assert other.is_alive()


@given(phrase("another process {act} to it"))
def acted(postgres, act):
    with elsewhere(postgres, f"{act} to it"):
        pass


@given(phrase("its connection is lost {when}"))
@given("its connection is lost")
def lost(postgres, database, proxy, when=""):  # noqa: F811
    LOST[when](postgres, database, proxy)


def lose(postgres, database, _proxy):  # noqa: F811
    postgres.opened()
    database.cut(postgres.url)


def lose_afterwards(postgres, _database, proxy):
    postgres.reroute(proxy).opened()
    proxy.cut_at_the_next_answer()


LOST = {
    "": lose,
    "as soon as a message is there": lose_afterwards,
}


@given(phrase("a database whose tables are of version {version:Count}"))
def of_version(postgres, database, version):  # noqa: F811
    postgres.store.sessions()
    postgres.store.close()
    database.ask(f"COMMENT ON TABLE {schema_of(postgres.url)}.brim_sessions IS 'brim tables of version {version}'")
    postgres.store = open_store(postgres.url)


@when(phrase("in both of them {act}"))
def act_in_both(both, act):
    for session in both:
        ACTS[act](session)


@when("it is opened in the database", target_fixture="outcome")
def open_it(postgres):
    return attempt(postgres.open)


@when("the user says something in it", target_fixture="outcome")
def say(postgres):
    return attempt(postgres.opened().append, user("Go on."))


@when(phrase('"{query:Quoted}" is looked for in the database'), target_fixture="hits")
def look_for(postgres, tmp_path, monkeypatch, query):
    monkeypatch.setenv("BRIM_HOME", str(tmp_path / "home"))
    return search(index_of(postgres.store), query)


@when(phrase("the indexes of two databases are named, {other}"), target_fixture="indexes")
def name_indexes(other):
    return [open_store(url).index_path for url in (ADDRESS, OTHERS[other])]


@when("the sessions of the database are listed", target_fixture="outcome")
def list_them(postgres):
    return attempt(postgres.store.sessions)


@when(phrase("the sessions at {address} are listed"), target_fixture="tried")
def list_at(addresses, waits, monkeypatch, address):
    with monkeypatch.context() as patched:
        patched.setattr(socket, "getaddrinfo", looked_up)
        waits.watch(patched)
        return attempt(lambda: open_store(addresses[address]).sessions())


def looked_up(host, *more, look_up=socket.getaddrinfo, **options):
    """Look a name up; that there is no such machine is known at once, as where a network answers."""
    if str(host).endswith(".invalid"):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    return look_up(host, *more, **options)


@pytest.fixture
def addresses(database, silent, mute):  # noqa: F811
    """The URLs that these words are about; the password stands in each."""
    wrong = {"user": "guarded", "password": f"{PASSWORD}not", "connect_timeout": PATIENT}
    nowhere = {"database": "nowhere", "user": "postgres", "password": PASSWORD, "connect_timeout": PATIENT}
    return {
        "a port where nobody listens": f"postgresql://guarded:{PASSWORD}not@127.0.0.1:1/brim",
        "a port that never answers": f"postgresql://guarded:{PASSWORD}not@127.0.0.1:{silent}/brim",
        "a server that says nothing": f"postgresql://guarded:{PASSWORD}not@127.0.0.1:{mute}/brim",
        "a machine that is not there": f"postgresql://guarded:{PASSWORD}not@nowhere.invalid/brim",
        "a database that is not there": database.url(**nowhere),
        "a user with a wrong password": database.url(**wrong, database="postgres"),
        "an address with an unknown option": f"postgresql://guarded:{PASSWORD}not@127.0.0.1/brim?colour=blue",
        "an address that cannot be read": f"postgresql://guarded:@{PASSWORD}@/not@127.0.0.1/brim",
    }


@then(phrase("{count:Count} message of it is found"))
def check_found(hits, count):
    assert len(hits) == count


@then("the index lies in the folder of the user")
def check_index(postgres, tmp_path):
    assert postgres.store.index_path.is_file()
    assert postgres.store.index_path.parent == tmp_path / "home"


@then(phrase("they are {same}"))
def check_same_index(indexes, same):
    assert (indexes[0] == indexes[1]) == (same == "the same")


@then("both show the same conversation")
def check_same(both):
    one, other = ([message.raw for message in session.view().messages] for session in both)
    assert one == other


@then("both logs tell of the same acts")
def check_acts(both):
    one, other = ([record.kind for record in session.records()] for session in both)
    assert one == other


@then(phrase("{count:Count} messages of it are shown"))
def check_shown(postgres, count):
    assert len(postgres.store.read(postgres.name).view().messages) == count


@then("it is refused, and the process that writes it is named")
def check_named(outcome, other):
    assert isinstance(outcome, SessionHeld)
    assert f"process {other.pid} on " in str(outcome)


@then(phrase('that fails in one line that tells "{reason:Quoted}" and no password'))
def check_failure(tried, reason):
    assert isinstance(tried, BrimError)
    assert reason in str(tried)
    assert not re.search(rf"\n|{PASSWORD}", str(tried))


@then(phrase("no answer is waited for longer than {count:Count} seconds"))
def check_time(waits, count):
    assert 0 < waits.longest <= count
