"""A real server of PostgreSQL that lives as long as the run, with a place of its own for each store."""

from __future__ import annotations

import itertools
import socket
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import create_engine, make_url, text

PASSWORD = "Geheim!ß"  # noqa: S105  of a server that lives as long as the run
GUARDED = "local all guarded scram-sha-256\n"
"""One user of the server has to give a password."""
NO_DISK = ("fsync", "full_page_writes")
"""What the server need not do, for no run outlives its machine; what is asked of it for a session is another matter."""
PATIENT = "30"
"""Seconds that it may take to connect, where it is not that time that is tested: the machine may be busy."""
RUNNING = pytest.StashKey()
NOT_YET = ((80_877_103).to_bytes(4, "big"), (80_877_104).to_bytes(4, "big"))
"""How a driver asks for encryption before it signs in."""


MISSED = """
DO $$ BEGIN
  FOR look IN 1..6000 LOOP
    PERFORM pg_stat_clear_snapshot();
    EXIT WHEN to_regclass('{schema}.brim_sessions') IS NULL;
    EXIT WHEN NOT EXISTS (SELECT 1 FROM pg_stat_activity JOIN {schema}.brim_sessions ON pid = backend);
    PERFORM pg_sleep(0.005);
  END LOOP;
END $$
"""


class Database:
    """A server that runs, and how it is reached."""

    def __init__(self, server):
        self.server, self.folder = server, Path(server.pgdata)
        self.address = make_url(server.get_uri()).set(drivername="postgresql+psycopg")
        self._engine = create_engine(self.address, isolation_level="AUTOCOMMIT")
        self._numbers = itertools.count(1)
        self._free = []
        rules = self.folder / "pg_hba.conf"
        rules.write_text(GUARDED + rules.read_text(encoding="utf-8"), encoding="utf-8")
        self.ask(f"CREATE ROLE guarded LOGIN PASSWORD '{PASSWORD}'")
        for setting in NO_DISK:
            self.ask(f"ALTER SYSTEM SET {setting} = off")
        self.ask("SELECT pg_reload_conf()")

    def ask(self, statement, **given):
        """Ask the server; the rows it answers with."""
        with self._engine.connect() as connection:
            rows = connection.execute(text(statement), given)
            return rows.all() if rows.returns_rows else []

    def new_store(self):
        """The URL of a store that is not there yet."""
        schema = f"store_{next(self._numbers)}"
        self.ask(f"CREATE SCHEMA {schema}")
        return self.url(connect_timeout=PATIENT, options=f"-csearch_path={schema}")

    def lend(self):
        """The URL of a store with nothing in it, which may have been somebody else's."""
        return self._free.pop() if self._free else self.new_store()

    def take_back(self, url):
        """Empty a store that was lent."""
        with self.tables(url) as connection:
            if connection.scalar(text("SELECT to_regclass('brim_sessions')")):
                connection.execute(text("DELETE FROM brim_records; DELETE FROM brim_sessions"))
        self._free.append(url)

    def url(self, *, database=None, user=None, password=None, **query):
        """The URL of a database of this server."""
        told = self.address.set(drivername="postgresql", database=database, username=user, password=password)
        return told.update_query_dict(query).render_as_string(hide_password=False)

    @contextmanager
    def tables(self, url):
        """A connection on which the tables of a store are those that are met."""
        with self._engine.connect() as connection:
            connection.execute(text(f"SET search_path = {schema_of(url)}"))
            yield connection
            connection.execute(text("RESET search_path"))

    def miss(self, url):
        """Wait until the server has noticed that the writer of a store is gone."""
        self.ask(MISSED.format(schema=schema_of(url)))

    def cut(self, url):
        """Break every connection that is made to a store, and leave the server running."""
        schema = schema_of(url)
        return self.ask(
            f"SELECT pg_terminate_backend(backend, 3000) FROM {schema}.brim_sessions WHERE backend IS NOT NULL"  # noqa: S608
        )

    def close(self):
        """Let go of it."""
        self._engine.dispose()


class Schema:
    """A place in a database that a store lies in, used as the folder of a store is."""

    def __init__(self, database, beside):
        self.database, self.beside = database, beside
        self.where = database.lend()

    def log_of(self, name):
        """The log of a session, to be looked at and changed from outside."""
        return TableLog(self, name)

    def is_empty(self):
        """Whether nothing was written."""
        with self.database.tables(self.where) as connection:
            there = connection.scalar(text("SELECT to_regclass('brim_sessions')"))
            return not there or not connection.execute(text("SELECT name FROM brim_sessions")).all()

    def close(self):
        """Give it back."""
        self.database.take_back(self.where)


class TableLog:
    """The lines of a session as if they were a file."""

    def __init__(self, place, name):
        self._place, self._name = place, name

    def _ask(self, connection, statement, **given):
        """Ask about the session, whose number is known as :number where it is there."""
        number = connection.scalar(text("SELECT number FROM brim_sessions WHERE name = :name"), {"name": self._name})
        return connection.execute(text(statement), {"number": number, **given})

    def read_bytes(self):
        """All lines, one after another."""
        wanted = "SELECT body FROM brim_records WHERE session = :number ORDER BY position"
        with self._place.database.tables(self._place.where) as connection:
            return b"".join(self._ask(connection, wanted).scalars())

    def write_bytes(self, data):
        """Put these lines in the place of those that are there; the row says nothing of them."""
        row = "INSERT INTO brim_records VALUES (:number, :position, '', '', 0, :body)"
        with self._place.database.tables(self._place.where) as connection:
            self._ask(connection, "DELETE FROM brim_records WHERE session = :number")
            for position, line in enumerate(data.splitlines(keepends=True)):
                self._ask(connection, row, position=position, body=line)
            self._ask(connection, "UPDATE brim_sessions SET about = NULL WHERE number = :number")

    def unlink(self):
        """Take the session out of the tables."""
        with self._place.database.tables(self._place.where) as connection:
            self._ask(connection, "DELETE FROM brim_records WHERE session = :number")
            self._ask(connection, "DELETE FROM brim_sessions WHERE number = :number")


class TcpProxy:
    """A proxy to the server that can be cut: at our end alone, or when an answer comes."""

    def __init__(self, database):
        self._socket = database.folder / ".s.PGSQL.5432"
        self._server = socket.create_server(("127.0.0.1", 0))
        self._pairs, self._cut, self.broken = [], False, False
        self._listening = Thread(target=self._accept, daemon=True)
        self._listening.start()

    def through(self, url):
        """The URL of a store, by way of this proxy."""
        address = make_url(url).difference_update_query(["host"])
        port = self._server.getsockname()[1]
        return address.set(host="127.0.0.1", port=port, username="postgres").render_as_string(hide_password=False)

    def cut_our_end(self):
        """The server does not notice."""
        for ours, _ in self._pairs:
            ours.shutdown(socket.SHUT_RDWR)

    def cut_at_the_next_answer(self):
        """What was asked is done, and nobody is told."""
        self._cut = True

    def close(self):
        """Let go of it."""
        self._server.shutdown(socket.SHUT_RDWR)
        self._listening.join()
        self._server.close()
        for end in itertools.chain(*self._pairs):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self):
        with suppress(OSError):
            while True:
                ours, _ = self._server.accept()
                if self.broken:
                    ours.close()
                    continue
                theirs = socket.socket(socket.AF_UNIX)
                theirs.connect(str(self._socket))
                self._pairs.append((ours, theirs))
                Thread(target=self._pass_on, args=(ours, theirs, False), daemon=True).start()
                Thread(target=self._pass_on, args=(theirs, ours, True), daemon=True).start()

    def _pass_on(self, one, other, answers):
        with suppress(OSError):
            while data := one.recv(65_536):
                if answers and self._cut:
                    self._cut = False
                    one.shutdown(socket.SHUT_RDWR)
                    other.shutdown(socket.SHUT_RDWR)
                    return
                other.sendall(data)


def sign_in_and_say_nothing(server):
    """Be a server that takes whoever comes, and answers nothing that is asked."""
    with ExitStack() as kept, suppress(OSError):
        while True:
            connection = kept.enter_context(server.accept()[0])
            while connection.recv(65_536)[4:8] in NOT_YET:
                connection.sendall(b"N")
            connection.sendall(b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I")


def schema_of(url):
    """The part of the database that a store lies in."""
    return make_url(url).query["options"].partition("=")[2]


@pytest.fixture(scope="session")
def database(pytestconfig):
    """A server, the same for everything that asks for one."""
    if RUNNING not in pytestconfig.stash:
        pytestconfig.stash[RUNNING] = start(pytestconfig)
    return pytestconfig.stash[RUNNING]


def start(config):
    """Start a server, which is stopped when the run ends."""
    from steps.running_postgres import start_server  # noqa: PLC0415  most runs need no server

    running = Database(start_server(config))
    config.add_cleanup(running.close)
    return running
