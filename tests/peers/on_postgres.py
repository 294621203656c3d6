"""A plugin: what is written for a store in a folder runs on PostgreSQL, at the server that BRIM_TEST_POSTGRES names.

It is named where pytest is called: python -m pytest -p tests.peers.on_postgres features/sessions/view.feature
"""

import os
import uuid

from sqlalchemy import create_engine, delete, insert, make_url, select, text

import steps.stored_sessions as shared
from brim.sessions.postgres.tables import RECORDS, SESSIONS
from brim.sessions.store import open_store

ADDRESS = "BRIM_TEST_POSTGRES"


def new_store(root, *, clock):
    """A store in a schema of its own."""
    address = make_url(os.environ[ADDRESS]).set(drivername="postgresql+psycopg")
    schema = f"of_{uuid.uuid4().hex}"
    engine = create_engine(address)
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    engine.dispose()
    url = address.set(drivername="postgresql").update_query_dict({"options": f"-csearch_path={schema}"})
    store = open_store(url.render_as_string(hide_password=False), clock=clock)
    store.root = root
    return store


class TableLog:
    """The lines of a session as if they were a file."""

    def __init__(self, store, name):
        self._engine = store.server.engine
        self._number = select(SESSIONS.c.number).where(SESSIONS.c.name == name).scalar_subquery()

    def read_bytes(self):
        """All lines, one after another."""
        wanted = select(RECORDS.c.line).where(RECORDS.c.session == self._number).order_by(RECORDS.c.position)
        with self._engine.connect() as connection:
            return b"".join(connection.scalars(wanted))

    def write_bytes(self, data):
        """Put these lines in the place of those that are there."""
        with self._engine.connect() as connection:
            number = connection.scalar(select(self._number))
            connection.execute(delete(RECORDS).where(RECORDS.c.session == number))
            rows = [
                {"session": number, "position": place, "line": line}
                for place, line in enumerate(data.splitlines(keepends=True))
            ]
            connection.execute(insert(RECORDS), rows)


class TableShelf(shared.Shelf):
    """A shelf in the database."""

    @property
    def log(self):
        """The lines of the session."""
        return TableLog(self.store, self.name)

    def close(self):
        """Close what is open, and let go of the server."""
        super().close()
        self.store.close()


shared.FileStore = new_store
shared.Shelf = TableShelf
