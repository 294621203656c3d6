"""The store on a real PostgreSQL: what holds for every store, many processes, lost connections, odd addresses."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, run_state_machine_as_test
from psycopg import Cursor
from sqlalchemy import event, text

import tests.sessions.test_file_store as of_stores
import tests.sessions.test_log as of_logs
from brim.errors import BrimError, InvalidInput, Refused, SessionHeld, StoreFailed
from brim.sessions.ids import new_id
from brim.sessions.records import MessageRecord
from brim.sessions.sql import SqlStore
from brim.sessions.store import open_store
from steps.postgres import PATIENT, TcpProxy
from steps.prerequisites import sized
from tests.sessions.memory import user
from tests.sessions.test_view import Acts

pytestmark = pytest.mark.peers
ROOT = Path(__file__).parents[2]
WRITERS = 8

test_an_existing_id_is_not_taken_twice = of_stores.test_an_existing_id_is_not_taken_twice
test_a_reader_sees_what_was_added_since = of_logs.test_a_reader_sees_what_was_added_since


@pytest.fixture
def url(database):
    """The URL of a store that is not there yet."""
    return database.new_store()


@pytest.fixture
def store(url):
    """A store with nothing in it yet."""
    store = SqlStore(url)
    yield store
    store.close()


@pytest.fixture
def proxy(database):
    """A proxy to the server that can be cut."""
    proxy = TcpProxy(database)
    yield proxy
    proxy.close()


@pytest.fixture
def opened():
    """Opens further stores, which are let go of when the test ends, however it does."""
    with ExitStack() as stores:
        yield lambda url: stores.enter_context(closing(SqlStore(url)))


@pytest.fixture
def session(store):
    """A session of it, held to be written."""
    with store.create(project="/home/dev/parser", title="The parser", model="some-model") as made:
        yield made


def texts(store, name):
    """What is shown of a session."""
    return [message.text for message in store.read(name).view().messages]


def test_whatever_is_done_in_any_order_the_view_holds(store):
    """The same machine that tries the view in memory tries it on a database."""

    class OnPostgres(Acts):
        """Acts on a session of the store."""

        @initialize(window=st.sampled_from((3_000, 120_000)))
        def begin(self, window):
            super().begin(window)
            self.session = store.create()

        def teardown(self):
            self.session.close()

    run_state_machine_as_test(OnPostgres, settings=settings(max_examples=sized(8, nightly=100), stateful_step_count=15))


def write_one_each(url, number):
    """What each of several writers does on a session of its own."""
    store = SqlStore(url)
    with store.create(name=f"session-{number}") as session:
        for turn in range(20):
            session.append(user(f"{number}-{turn}"))
    store.close()


def write_in_turn(url, number):
    """What each of several writers does on the one session: it asks until it has it."""
    store = SqlStore(url)
    for turn in range(3):
        while True:
            try:
                session = store.open("one")
            except SessionHeld as told:
                assert "is open in this very process" in str(told)
            else:
                break
        with session:
            session.extend([user(f"{number}-{turn}-{part}") for part in range(3)])
    store.close()


def run_eight(work, url):
    """Eight of them at once, each with connections of its own."""
    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(work, [url] * WRITERS, range(WRITERS)))


def test_eight_writers_on_eight_sessions_lose_nothing(url, store):
    """They begin with a database that has no tables, and each finds all it said, in its order."""
    run_eight(write_one_each, url)
    for number in range(WRITERS):
        assert texts(store, f"session-{number}") == [f"{number}-{turn}" for turn in range(20)]
    assert len(store.sessions()) == WRITERS


def test_eight_writers_on_one_session_write_one_at_a_time(url, store):
    """What is added together stands together, each writer's words are in its order, and the others are told."""
    store.create(name="one").close()
    run_eight(write_in_turn, url)
    said = texts(store, "one")
    assert len(said) == len(set(said)) == WRITERS * 3 * 3
    together = [said[place : place + 3] for place in range(0, len(said), 3)]
    assert all([one.rpartition("-")[2] for one in three] == ["0", "1", "2"] for three in together)
    for number in range(WRITERS):
        assert [one for one in said if one.startswith(f"{number}-")] == [
            f"{number}-{turn}-{part}" for turn in range(3) for part in range(3)
        ]


SPEAKER = """
import sys
from brim.sessions.ids import new_id
from brim.sessions.records import MessageRecord
from brim.sessions.lines import decode
from brim.sessions.sql import SqlStore
session = SqlStore(sys.argv[1]).open("one")
for number in range(10_000):
    session.extend([{"role": "user", "content": f"{number}-{part}"} for part in range(2)])
    print(number, flush=True)
"""


@pytest.mark.parametrize("lines", sized([7], nightly=[1, 2, 7, 40]))
def test_a_writer_that_is_killed_has_what_it_acknowledged(database, url, store, lines):
    """Every acknowledged message is there, none twice, none by half, and the session is free."""
    store.create(name="one").close()
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", SPEAKER, url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        heard = [int(process.stdout.readline()) for _ in range(lines)]
        process.send_signal(signal.SIGKILL)
        heard += [int(line) for line in process.stdout if line.endswith(b"\n")]
    database.miss(url)
    said = texts(store, "one")
    assert said == [f"{number}-{part}" for number in range(len(said) // 2) for part in range(2)]
    assert len(said) in {2 * len(heard), 2 * len(heard) + 2}
    with store.open("one") as session:
        session.append(user("next"))
    assert texts(store, "one")[-1] == "next"


def test_a_server_that_goes_away_meanwhile_is_told_and_nothing_is_lost(database, url, store, session):
    """What could not be written is not there; where the server is back, the session goes on."""
    session.append(user("before"))
    socket = database.folder / ".s.PGSQL.5432"
    aside = socket.rename(database.folder / "aside")
    database.cut(url)
    try:
        with pytest.raises(StoreFailed, match=r"cannot write session .*No such file.*see that the server runs"):
            session.append(user("meanwhile"))
    finally:
        aside.rename(socket)
    session.append(user("after"))
    assert texts(store, session.id) == ["before", "after"]


def test_a_session_that_another_took_meanwhile_is_not_mixed(database, url, opened, store, session):
    """Whoever lost a session to another is told so, as long as that one holds it."""
    database.cut(url)
    with opened(url).open(session.id) as taken:
        taken.append(user("mine"))
        with pytest.raises(SessionHeld):
            session.append(user("yours"))
    assert texts(store, session.id) == ["mine"]


def test_whoever_lost_a_session_tells_the_registry_nothing(database, url, opened, store, session):
    """What another wrote since is what the registry knows, though the one who lost it closes last."""
    session.append(user("before"))
    database.cut(url)
    other = opened(url)
    with other.open(session.id) as taken:
        taken.rename("Another title")
    session.close()
    assert store.info(session.id).title == other.sessions()[0].title == "Another title"
    assert store.info(session.id).size == other.info(session.id).size


def test_what_was_interrupted_is_not_there_twice(store, session, monkeypatch):
    """An act that was interrupted once it was carried out was never told of: it is taken back with the next one."""
    add = session.journal._append

    def add_and_interrupt(*given):
        monkeypatch.undo()
        add(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr(session.journal, "_append", add_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        session.append(user("once"))
    session.append(user("once"))
    session.append(user("twice"))
    assert texts(store, session.id) == ["once", "twice"]
    assert [message.text for message in session.view().messages] == ["once", "twice"]


def test_what_another_wrote_meanwhile_is_never_taken_back(database, url, store, session, monkeypatch):
    """Only what is known word by word is taken back; where others wrote, that is told, and stays."""

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(session.journal, "_append", interrupt)
        with pytest.raises(KeyboardInterrupt):
            session.append(user("never"))
    database.cut(url)
    with store.open(session.id) as other:
        other.append(user("mine"))
    with pytest.raises(Refused, match="written by another process meanwhile"):
        session.append(user("yours"))
    session.close()
    assert texts(store, session.id) == ["mine"]


def test_a_lost_connection_that_the_server_keeps_is_ended(database, url, proxy, opened, store):
    """Whoever lost a connection on its own side alone has the session back at once, and the old one is gone."""
    with opened(proxy.through(url)).create(name="one") as session:
        session.append(user("before"))
        (before,) = backends(store)
        proxy.cut_our_end()
        session.append(user("after"))
        (after,) = backends(store)
    assert before != after
    assert not database.ask("SELECT 1 FROM pg_stat_activity WHERE pid = :pid", pid=before)
    assert texts(store, "one") == ["before", "after"]


def backends(store):
    """Which connections hold sessions."""
    with store.server.connected("look") as connection:
        return list(connection.scalars(text("SELECT backend FROM brim_sessions")))


def test_a_session_whose_opening_was_interrupted_is_free(url, opened, store, monkeypatch):
    """Not even an error that is kept keeps a session."""
    store.create(name="one").close()

    def interrupt(cursor, query, *more, execute=Cursor.execute, **options):
        execute(cursor, query, *more, **options)
        if "UPDATE brim_sessions" in str(query):
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Cursor, "execute", interrupt)
        with pytest.raises(KeyboardInterrupt) as kept:
            opened(url).open("one")
    store.open("one").close()
    assert kept.value.__traceback__ is not None


def test_a_session_whose_making_was_interrupted_is_not_there(url, opened, store):
    """Neither its row nor its lines, though they are more than go into one statement."""
    other = opened(url)
    other.sessions()
    statements = []

    def interrupt(_connection, _cursor, statement, *_):
        statements.append(statement)
        if "INSERT INTO brim_records" in statement:
            raise KeyboardInterrupt

    event.listen(other.server.engine, "before_cursor_execute", interrupt)
    with pytest.raises(KeyboardInterrupt):
        other.create(name="one", records=much)
    assert any("INSERT INTO brim_sessions" in one for one in statements)
    assert store.sessions() == []
    with store.create(name="one", records=much) as session:
        assert len(session.view().messages) == 3


def much(first):
    """Three long messages."""
    return [
        MessageRecord(id=new_id(first.time, first.id), time=first.time, message=user("x" * 4_000_000)) for _ in range(3)
    ]


def test_no_part_of_a_store_shows_a_password():
    """Neither what it is called, nor what of it is printed, nor the name of its index."""
    store = SqlStore("postgresql://me:geheim@127.0.0.1:1/brim?password=geheim&sslpassword=geheim")
    for told in (store.server.name, repr(store), repr(store.server), repr(store.server.engine), store.index_path):
        assert "geheim" not in str(told)


SET = {
    "synchronous_commit": ("off", "on"),
    "statement_timeout": ("300ms", "0"),
    "idle_session_timeout": ("300ms", "0"),
    "transaction_timeout": ("300ms", "0"),
    "default_transaction_isolation": ("serializable", "read committed"),
}
"""What a server may be set to, and what a session needs: to be on the disk, and to have time."""


@pytest.mark.parametrize("name", SET)
def test_a_session_has_what_it_needs_whatever_the_server_is_set_to(database, url, opened, name):
    """What is acknowledged lasts, and nobody loses a session by thinking, or by waiting for it."""
    there, needed = SET[name]
    store = opened(f"{url}%20-c{name}%3D{there}")
    with store.create(name="one") as session:
        assert shown(session, name) == needed
    with store.open("one") as session:
        assert shown(session, name) == needed
        database.cut(url)
        session.append(user())
        assert shown(session, name) == needed


def shown(session, name):
    """What a setting reads on the connection that holds a session."""
    return session.journal._lock.connection.scalar(text(f"SHOW {name}"))


@pytest.mark.parametrize("about", [None, "", "{", "[]"])
def test_what_the_registry_lost_is_gathered_from_the_lines(database, store, session, about):
    """The row of a session is an index; whatever it reads, the lines tell the same."""
    session.rename("The lexer")
    listed = store.sessions()
    with store.server.connected("lose what is known") as connection:
        connection.execute(text("UPDATE brim_sessions SET about = :about"), {"about": about})
    assert store.sessions() == listed
    assert store.info(session.id).title == "The lexer"


def test_a_session_whose_first_line_is_lost_is_reported_and_the_others_are_listed(store):
    """One session without a head keeps nobody from the rest."""
    store.create(name="lost").close()
    store.create(name="other").close()
    with store.server.connected("lose a line") as connection:
        connection.execute(text("UPDATE brim_sessions SET about = NULL WHERE name = 'lost'"))
        connection.execute(text("DELETE FROM brim_records WHERE session = 1 AND position = 0"))
    assert [one.id for one in store.sessions()] == ["other"]
    assert "lost does not begin with the record of a session" in store.warnings()[0]


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_of_another_encoding_takes_every_text(database, opened, encoding):
    """What users say is kept as it is, whatever letters the database knows."""
    name = f"of_{encoding.lower()}"
    database.ask(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    database.ask(f"CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0")
    store = opened(database.url(database=name, user="postgres", connect_timeout=PATIENT))
    with store.create(title="日本 \0 \ud800", project="/é/日") as session:
        session.append(user("日本 \0 \ud800"))
    assert texts(store, session.id) == ["日本 \0 \ud800"]
    assert store.sessions("/é/日")[0].title == "日本 \0 \ud800"


def test_a_server_that_takes_no_writing_is_told_in_one_line(url, opened, store, session):
    """A copy of a server can be read, and says why it cannot be written."""
    session.append(user("before"))
    session.close()
    copy = opened(f"{url}%20-cdefault_transaction_read_only%3Don")
    assert texts(copy, session.id) == ["before"]
    with pytest.raises(StoreFailed, match=r"read-only transaction; name a server that can be written"):
        copy.open(session.id)
    with store.open(session.id):
        pass


def test_whoever_has_no_right_is_told_in_one_line(database, opened):
    """A user of the server who may not make tables."""
    database.ask("DROP ROLE IF EXISTS nobody")
    database.ask("CREATE ROLE nobody LOGIN")
    about = {"user": "nobody", "database": "postgres", "connect_timeout": PATIENT}
    refused = opened(database.url(**about, options="-csearch_path=public"))
    with pytest.raises(StoreFailed, match=r"permission denied.*give the user the right"):
        refused.sessions()


@settings(max_examples=sized(50, nightly=750))
@given(st.text("ab@:/?#%[]=& '\\ßé", min_size=1, max_size=6))
def test_no_message_repeats_a_password(middle):
    """However a password is written in a URL, no failure repeats it, nor a piece of it."""
    url = f"postgresql://somebody:secret{middle}secret@127.0.0.1:1/brim"
    try:
        SqlStore(url).sessions()
    except BrimError as error:
        told = f"{error} {error.__cause__} {'' if error.__suppress_context__ else error.__context__}"
        assert "\n" not in str(error)
    assert "secret" not in told


def test_an_address_of_the_older_kind_is_read(url):
    """postgres:// and postgresql+psycopg:// name the same."""
    for kind in ("postgres", "postgresql+psycopg"):
        store = open_store(url.replace("postgresql", kind, 1))
        assert store.sessions() == []
        store.close()


def test_without_the_packages_it_is_said_which_extra_brings_them(monkeypatch):
    """Whoever has not installed them is told how to."""
    for name in [name for name in sys.modules if name.startswith("brim.sessions.sql")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(InvalidInput, match=r"pip install '\.\[postgres\]'"):
        open_store("postgresql://127.0.0.1/x")
