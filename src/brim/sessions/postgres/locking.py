"""Locking: one connection writes a session, on whatever machine it is; whoever else wants to is told who does.

Specified by features/sessions/locking.feature (SES_08). The lock is the server's and goes with the connection; the note
in the table only says who holds it, and counts as long as the connection it names holds the lock.
"""

from __future__ import annotations

import json
import os
import socket
import time
import uuid
from contextlib import suppress
from typing import Final

from sqlalchemy import Connection, func, select, text
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from brim.sessions.locking import Holder, held, parse_holder
from brim.sessions.postgres.locks import ended, noted, settings, taken
from brim.sessions.postgres.server import Server

MOMENT: Final = "500ms"
"""How long the server may take to miss a process that was killed, before its session is said to be held."""
PATIENCE: Final = "1s"
"""How long it may take to miss a connection that was lost, once the server was asked to end it."""
LOOKING_S: Final = 2.0
"""Seconds that are looked for the note of whoever took the lock just now: the server writes it as it gives the lock."""
BETWEEN_S: Final = 0.005
"""Seconds between two looks."""
RESET: Final = text("RESET lock_timeout")
TOO_LONG: Final = "55P03"
"""What the server says when that time is over."""


class Hold:
    """The right to write one session, held until it is released or its connection ends."""

    def __init__(self, server: Server, connection: Connection, name: str, since: int, number: int = 0) -> None:
        """`connection` is the hold's own, and closed with it; `number` is that of the session, once it has one."""
        self._server, self._name, self.since, self.number = server, name, since, number
        self._keep(connection)
        who = Holder(os.getpid(), socket.gethostname(), since)._asdict()
        self.note = json.dumps({**who, "hold": uuid.uuid4().hex})
        """What the table says of it; no other hold, of this process or another, says the same."""

    def _keep(self, connection: Connection) -> None:
        self._connection, self._driver = connection, connection.connection.dbapi_connection

    @property
    def connection(self) -> Connection | None:
        """The connection that holds it; None where it was lost."""
        return None if self._connection.invalidated or self._connection.closed else self._connection

    def take(self) -> None:
        """Take it. Raises SessionHeld where another connection has it, naming who, and StoreFailed."""
        with self._server.telling(f"lock session {self._name}"):
            self.settle()
            self._claim()

    def settle(self) -> None:
        """Set the connection up for a writer; before anything is waited for."""
        self._connection.execute(settings(self._connection.dialect.server_version_info or ()))

    def _claim(self) -> None:
        who = self._take()
        if who is not None:
            raise held(self._name, who)

    def _take(self) -> Holder | str | None:
        """Take it, or say who has it."""
        if self._taken() or self._waited(MOMENT):
            return None
        end = time.monotonic() + LOOKING_S
        while not self._taken():
            if (holder := self._holder()) is not None:
                return holder
            if time.monotonic() > end:
                return "another process"
            time.sleep(BETWEEN_S)
        return None

    def renew(self) -> Connection:
        """Go on with another connection, in the place of one that was lost. Raises StoreFailed."""
        self.release()
        self._keep(self._server.reconnect(f"write session {self._name}"))
        self.settle()
        return self._connection

    def regain(self) -> Connection:
        """Take it anew on another connection; where that succeeds, the lost one is at its end, and all it did is known.

        Raises SessionHeld where another has it meanwhile, and StoreFailed.
        """
        try:
            self.renew()
            self.retake()
        except BaseException:
            self.release()
            raise
        return self._connection

    def retake(self) -> None:
        """Take it from the connection that was lost, which is ended first. Raises SessionHeld."""
        try:
            self._connection.execute(ended(self.number, self.note))
        except DBAPIError as error:  # the server may have missed it already, or does not let us
            if error.connection_invalidated:
                raise
        if not self._waited(PATIENCE):
            self._claim()

    def release(self) -> None:
        """Give it back; when this returns, another may have it."""
        with suppress(SQLAlchemyError):
            if self.connection is not None:
                self._connection.execute(select(func.pg_advisory_unlock_all()))
        with suppress(SQLAlchemyError):
            self._connection.close()
        if self._driver is not None:  # an interruption takes it from the connection, and an error that is kept keeps it
            self._driver.close()

    def _taken(self) -> bool:
        return self._connection.scalar(taken(self.number, self.note, waiting=False)) is not None

    def _waited(self, time: str) -> bool:
        """Wait for so long until whoever has it lets go; whether it was taken then."""
        try:
            self._connection.execute(select(func.set_config("lock_timeout", time, False)))  # noqa: FBT003
            return self._connection.scalar(taken(self.number, self.note, waiting=True)) is not None
        except OperationalError as error:
            if getattr(error.orig, "sqlstate", None) != TOO_LONG:
                raise
            return False
        finally:
            if self.connection is not None:  # what is written later may wait as long as it has to
                self._connection.execute(RESET)

    def _holder(self) -> Holder | None:
        return parse_holder(self._connection.scalar(noted(self.number)) or "")
