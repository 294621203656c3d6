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
from pytest_bdd import given, parsers, then, when
from sqlalchemy import event, text

from brim.compaction.plan import plan_compaction
from brim.compaction.result import compact_without_model
from brim.errors import BrimError, SessionHeld, StoreFailed
from brim.sessions.file_store import FileStore
from brim.sessions.records import CompactionRecord, Copy, SummaryRecord
from brim.sessions.search import index_of, search
from brim.sessions.store import open_store
from steps.other_process import act_in_session, holding
from steps.policies import SMALL_TARGET
from steps.postgres import PASSWORD, PATIENT, TcpProxy, database, schema_of, sign_in_and_say_nothing  # noqa: F401
from steps.stored_sessions import LIMITS, turns, user
from steps.vocabulary import attempt, phrase

SUMMARY = SummaryRecord(content="What was done.", generated=1, summarized=1, tokens_before=2)
ODD = {"role": "user", "content": "zero \0 and half \ud83d of a sign"}


def compact(session):
    """Compact a session by hand."""
    plan = plan_compaction(session.view().window(LIMITS, SMALL_TARGET))
    session.compacted(compact_without_model(plan))


def undo(session):
    compact(session)
    session.undo()


def undo_and_redo(session):
    undo(session)
    session.redo()


ACTS = {
    "the user says something": lambda session: session.append(user("Go on.")),
    "the title is changed": lambda session: session.rename("Another"),
    "the conversation is compacted": compact,
    "a compaction is made and undone": undo,
    "a compaction is undone and taken back": undo_and_redo,
    "the first message is gone back to": lambda session: session.rewind(session.view().ids[0]),
}


ADDRESS = "postgresql://me:secret@db.example.com/brim"
OTHERS = {
    "one with another password": "postgresql://me:other@db.example.com/brim",
    "one with a password in another place": "postgresql://me@db.example.com/brim?password=other",
    "one by its older name": "postgres://me:secret@db.example.com/brim",
    "one at another machine": "postgresql://me:secret@db2.example.com/brim",
    "one of another name": "postgresql://me:secret@db.example.com/brim2",
    "one of another user": "postgresql://you:secret@db.example.com/brim",
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


@given(phrase("a session of {count:Count} messages in a database of which {visible:Count} are visible"))
def aged(postgres, count, visible):
    with postgres.make([]).open() as session:
        names = session.extend(user() for _ in range(count))
        opening = (Copy(message=user("What was done.")),)
        session.write(CompactionRecord, summary=SUMMARY, opening=opening, tail=names[-visible])


@given("an empty database")
def empty(postgres):
    postgres.store.sessions()  # the tables are there


@given("another process writes it")
def held(other):
    assert other.is_alive()


@given(parsers.re(r"another process (?P<act>(?!writes it).*)"))
@when(parsers.re(r"another process (?P<act>(?!writes it).*)"))
def acted(postgres, act):
    by_another(postgres, act)


def by_another(postgres, act):
    """What another process does to the session, before it is killed."""
    with elsewhere(postgres, act):
        pass


@given(phrase("its connection is lost {when}"))
@given("its connection is lost")
def lost(postgres, database, proxy, when=""):  # noqa: F811
    LOST[when](postgres, database, proxy)


@given(phrase("its connection {what}, and the session is deleted"))
def deleted(postgres, database, what):  # noqa: F811
    postgres.opened()
    if what == "is lost":
        database.cut(postgres.url)
    with database.tables(postgres.url) as connection:
        connection.execute(text("DELETE FROM brim_records; DELETE FROM brim_sessions"))


def lose(postgres, database, _proxy):  # noqa: F811
    postgres.opened()
    database.cut(postgres.url)


def lose_afterwards(postgres, _database, proxy):
    postgres.reroute(proxy).opened()
    proxy.cut_at_the_next_answer()


def lose_one_end(postgres, _database, proxy):
    postgres.reroute(proxy).opened()
    proxy.cut_our_end()


def lose_when_made(postgres, _database, proxy):
    postgres.reroute(proxy).store.sessions()
    cut_after(postgres, proxy, "INSERT INTO brim_sessions")


LOST = {
    "": lose,
    "as soon as a message is there": lose_afterwards,
    "at one end": lose_one_end,
    "as soon as a new session is there": lose_when_made,
    "again as soon as it is asked for anything": lambda postgres, _, proxy: cut_after(
        postgres, proxy, "pg_terminate_backend"
    ),
}


def cut_after(postgres, proxy, words):
    """Lose the connection once the server has done what these words are of, and has yet to say so."""
    once = iter([proxy.cut_at_the_next_answer])

    def cut(_connection, _cursor, statement, *_):
        if words in statement:
            next(once, bool)()

    event.listen(postgres.store.server.engine, "before_cursor_execute", cut)


@given(phrase("the server ends every statement after {count:Count} milliseconds"))
def hasten(postgres, count):
    postgres.store.close()
    postgres.store = open_store(f"{postgres.url}%20-cstatement_timeout%3D{count}")


@given("the database cannot be reached while the user says something")
def out_of_reach(postgres, proxy):
    proxy.broken = True
    assert isinstance(attempt(postgres.session.append, user("Never mind.")), StoreFailed)
    proxy.broken = False


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


@when(phrase("a session of {count:Count} turns is made in it"))
def make_it(postgres, count):
    postgres.make(turns(count))


@when("a message with a zero byte and half a surrogate pair is added to it")
def add_odd(postgres):
    postgres.open().append(ODD)


@when("it is opened in the database", target_fixture="outcome")
def open_it(postgres):
    return attempt(postgres.open)


@when("it is read in the database")
def read_it(postgres):
    postgres.read()


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


@then(phrase('the first is called "{title:Quoted}"'))
def check_title(outcome, title):
    assert outcome[0].title == title


@then(parsers.re(r"the database holds (?P<sessions>\d+) sessions? and (?P<records>\d+) records"))
def check_holds(database, postgres, sessions, records):  # noqa: F811
    with database.tables(postgres.url) as connection:
        counts = [connection.scalar(text(f"SELECT count(*) FROM brim_{one}")) for one in ("sessions", "records")]  # noqa: S608
    assert counts == [int(sessions), int(records)]


@then("its newest message is the one that was added")
def check_odd(postgres):
    assert postgres.store.read(postgres.name).view().messages[-1].raw == ODD


@then(phrase("no more than {count:Count} bytes of lines were asked for"))
def check_read(postgres, count):
    assert postgres.session.journal.bytes_read <= count


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
