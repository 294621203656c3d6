"""Servers: a database that is asked, and whose failures are told in one line."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Connection, Engine, create_engine, event, func, select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from brim.errors import InvalidInput, Refused, StoreFailed
from brim.sessions.postgres.addresses import options_for, read_address, shown, without_secrets
from brim.sessions.postgres.patience import hurry, patience_for, within
from brim.sessions.postgres.tables import FORM, MARK, METADATA, SESSIONS

MAKING: Final = 0x6272696D
"""The number of the lock under which the tables are made."""
UNREACHABLE: Final = "see that the server runs, and that host, port, database, user and password are right"
SILENT: Final = f"{UNREACHABLE}; or give it longer, with ?connect_timeout=30 at the end of the URL"
CURES: Final = {
    "25": "name a server that can be written, and not its copy",
    "42": "give the user the right to do it, or name another database",
    "53": "see that the server has room, and connections to spare",
    "57": "try again in a moment",
}
"""What would cure a failure, by the class of the code the server gives."""
BETWEEN_S: Final = 0.1
"""Seconds between two attempts to reach a server that is being started again."""


class Server:
    """A database of PostgreSQL. Nothing is connected before it is first asked."""

    def __init__(self, url: str) -> None:
        """Raises InvalidInput where the URL cannot be read."""
        address = read_address(url)
        self.name = shown(address)
        self._patience = patience_for(address)
        self._ready = False
        self.engine: Engine = create_engine(
            without_secrets(address),
            connect_args=options_for(address),
            hide_parameters=True,
            isolation_level="AUTOCOMMIT",
            max_overflow=-1,
            pool_pre_ping=True,
            pool_size=1,
            use_native_hstore=False,
        )
        event.listen(self.engine, "do_connect", hurry)

    @contextmanager
    def asked(self, what: str) -> Iterator[Connection]:
        """A connection on which each statement is a transaction of its own. Raises StoreFailed, naming `what`."""
        self.prepare()
        with self.telling(what), self._connected() as connection:
            yield connection

    def _connected(self) -> Connection:
        """A connection of the pool, or a new one. Raises TimeoutError where the server says nothing."""
        return within(self._patience, self.engine.connect, Connection.close)

    def connect(self, what: str) -> Connection:
        """A connection to be kept, and closed by whoever keeps it. Raises StoreFailed."""
        self.prepare()
        with self.telling(what):
            connection = self._connected()
            connection.detach()
            return connection

    def reconnect(self, what: str) -> Connection:
        """The same after a connection was lost: a server that is being started again is waited for, for seconds."""
        end = time.monotonic() + (self._patience or 0)
        while True:
            try:
                return self.connect(what)
            except StoreFailed:
                if time.monotonic() > end:
                    raise
                time.sleep(BETWEEN_S)

    @contextmanager
    def telling(self, what: str) -> Iterator[None]:
        """Tell what the database fails in, in one line. Raises StoreFailed; InvalidInput for an unknown option."""
        try:
            yield
        except TimeoutError as error:
            told = f"it said nothing for {self._patience} seconds"
            raise StoreFailed(f"cannot {what} at {self.name}: {told}; {SILENT}") from error
        except DBAPIError as error:
            code = getattr(error.orig, "sqlstate", None) or ""
            if not code and "invalid connection option" in str(error.orig):
                raise InvalidInput(f"cannot {what} at {self.name}: {_first_line(error.orig)}; leave it out") from error
            cure = CURES.get(code[:2], UNREACHABLE)
            raise StoreFailed(f"cannot {what} at {self.name}: {_first_line(error.orig)}; {cure}") from error
        except SQLAlchemyError as error:
            raise StoreFailed(f"cannot {what} at {self.name}: {_first_line(error)}; {UNREACHABLE}") from error

    def prepare(self) -> None:
        """Make the tables where there are none. Raises StoreFailed, and Refused where they are of a newer version."""
        if self._ready:
            return
        with self.telling("open the store"):
            told = within(self._patience, self._told, lambda _told: None)
        if told is None:
            self._make()
        else:
            self._check(told)
        self._ready = True

    def _told(self) -> str | None:
        """What the comment of the tables says; None where there are none."""
        comment = select(func.obj_description(func.to_regclass(SESSIONS.name), "pg_class"))
        with self.engine.connect() as connection:
            return connection.scalar(comment)

    def _make(self) -> None:
        transactions = self.engine.execution_options(isolation_level="READ COMMITTED")
        with self.telling("make the tables"), transactions.begin() as connection:
            connection.execute(select(func.pg_advisory_xact_lock(MAKING)))
            METADATA.create_all(connection)

    def _check(self, told: str) -> None:
        version = told.removeprefix(MARK)
        if not told.startswith(MARK) or not version.isdecimal():
            raise Refused(f"the table {SESSIONS.name} at {self.name} is none of brim's; name another database")
        if int(version) > FORM:
            raise Refused(
                f"the tables at {self.name} are of version {version}, and this brim reads up to {FORM}: "
                "read them with a newer brim"
            )

    def close(self) -> None:
        """Let go of the connections that nobody uses."""
        self.engine.dispose()


def _first_line(error: BaseException | None) -> str:
    return str(error).strip().partition("\n")[0].strip() or type(error).__name__
