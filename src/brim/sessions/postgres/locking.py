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

from sqlalchemy import Connection, func, select, text, update
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from brim.errors import SessionHeld
from brim.sessions.locking import BETWEEN, LOOKS, Holder
from brim.sessions.postgres.locks import ROOM, ended, lock, noted, settings
from brim.sessions.postgres.server import Server
from brim.sessions.postgres.tables import SESSIONS, unhurried

MOMENT: Final = "500ms"
"""How long the server may take to miss a process that was killed, before its session is said to be held."""
PATIENCE: Final = "1s"
"""How long it may take to miss a connection that was lost, once the server was asked to end it."""
RESET: Final = text("RESET lock_timeout")
TOO_LONG: Final = "55P03"
"""What the server says when that time is over."""


class Hold:
    """The right to write one session, held until it is released or its connection ends."""

    def __init__(self, server: Server, connection: Connection, number: int, name: str) -> None:
        """`connection` is the hold's own; it is closed with it."""
        self._server, self._connection, self._number, self._name = server, connection, number, name
        self.since = 0
        self._note = ""
        """What the table says of it; no other hold, of this process or another, says the same."""

    @property
    def connection(self) -> Connection | None:
        """The connection that holds it; None where it was lost."""
        return None if self._connection.invalidated or self._connection.closed else self._connection

    def take(self, now: int) -> None:
        """Take it. Raises SessionHeld where another connection has it, naming who, and StoreFailed."""
        with self._server.telling(f"lock session {self._name}"):
            self._claim(now)

    def _claim(self, now: int) -> None:
        who = self._take()
        if who is not None:
            raise SessionHeld(
                f"session {self._name} is being written by {who}; read it meanwhile, or end that process first"
            )
        self.note(now)
        self._connection.execute(settings())

    def _take(self) -> Holder | str | None:
        """Take it, or say who has it; whoever took it just now has yet to say so."""
        if self._taken() or self._waited(MOMENT):
            return None
        for _ in range(LOOKS):
            if (holder := self._holder()) is not None:
                return holder
            if self._taken():
                return None
            time.sleep(BETWEEN)
        return "another process"

    def note(self, now: int) -> None:
        """Say who holds it."""
        self.since = now
        holder = Holder(os.getpid(), socket.gethostname(), now)._asdict()
        self._note = json.dumps({**holder, "hold": uuid.uuid4().hex})
        noted = update(SESSIONS).where(SESSIONS.c.number == self._number, unhurried())
        self._connection.execute(noted.values(holder=self._note, backend=func.pg_backend_pid()))

    def regain(self) -> Connection:
        """Take it anew on another connection; where that succeeds, the lost one is at its end, and all it did is known.

        Raises SessionHeld where another has it meanwhile, and StoreFailed.
        """
        self.release()
        self._connection = self._server.reconnect(f"write session {self._name}")
        try:
            with suppress(DBAPIError):  # the server may have missed it already, or does not let us
                self._connection.execute(ended(self._number, self._note))
            self._waited(PATIENCE)
            self._claim(self.since)
        except BaseException:
            self.release()
            raise
        return self._connection

    def release(self) -> None:
        """Give it back; when this returns, another may have it."""
        with suppress(SQLAlchemyError):
            if self.connection is not None:
                self._connection.execute(select(func.pg_advisory_unlock_all()))
        with suppress(SQLAlchemyError):
            self._connection.close()

    def _taken(self) -> bool:
        return bool(self._connection.scalar(select(lock(self._number))))

    def _waited(self, time: str) -> bool:
        """Wait for so long until whoever has it lets go; whether it was taken then."""
        try:
            self._connection.execute(select(func.set_config("lock_timeout", time, False)))  # noqa: FBT003
            self._connection.execute(select(func.pg_advisory_lock(ROOM, self._number)))
        except OperationalError as error:
            if getattr(error.orig, "sqlstate", None) != TOO_LONG:
                raise
            return False
        finally:
            with suppress(SQLAlchemyError):  # what is written later may wait as long as it has to
                self._connection.execute(RESET)
        return True

    def _holder(self) -> Holder | None:
        told = self._connection.scalar(noted(self._number))
        try:
            note = json.loads(told or "")
            return Holder(int(note["pid"]), str(note["host"]), int(note["since"]))
        except (ValueError, TypeError, KeyError):
            return None
