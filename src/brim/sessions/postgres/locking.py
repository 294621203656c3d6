"""Locking: one connection writes a session, on whatever machine it is; whoever else wants to is told who does.

Specified by features/sessions/locking.feature (SES_08). The lock is the server's and goes with the connection; the note
in the table only says who holds it, and counts as long as the connection it names holds the lock.
"""

from __future__ import annotations

import json
import os
import socket
from contextlib import suppress
from typing import Any, Final

from sqlalchemy import Connection, Integer, Select, cast, column, exists, func, literal, select, table, update
from sqlalchemy.dialects.postgresql import OID
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.sql.elements import ColumnElement

from brim.errors import SessionHeld
from brim.sessions.locking import Holder
from brim.sessions.postgres.server import Server
from brim.sessions.postgres.tables import RECORDS, SESSIONS, unhurried

ROOM: Final = cast(cast(func.to_regclass(RECORDS.name), OID), Integer)
"""The first number of each lock: that of the table, so that two stores of one database do not meet."""
LOCKS: Final = table("pg_locks", column("locktype"), column("classid"), column("objid"), column("pid"))
LASTING: Final = ("tcp_keepalives_idle", "30"), ("tcp_keepalives_interval", "10"), ("tcp_keepalives_count", "3")
"""A machine that went away without a word is missed within a minute, and its locks are free."""

MOMENT: Final = "500ms"
"""How long the server may take to miss a process that was killed, before its session is said to be held."""
PATIENCE: Final = "3s"
"""How long it may take to miss a connection that was lost."""
TOO_LONG: Final = "55P03"
"""What the server says when that time is over."""


def lock(number: int | ColumnElement[int]) -> ColumnElement[bool]:
    """Take the right to write the session of this number, unless another connection has it."""
    return func.pg_try_advisory_lock(ROOM, number)


class Hold:
    """The right to write one session, held until it is released or its connection ends."""

    def __init__(self, server: Server, connection: Connection, number: int, name: str) -> None:
        """`connection` is the hold's own; it is closed with it."""
        self._server, self._connection, self._number, self._name = server, connection, number, name
        self.since = 0

    @property
    def connection(self) -> Connection | None:
        """The connection that holds it; None where it was lost."""
        return None if self._connection.invalidated or self._connection.closed else self._connection

    def take(self, now: int) -> None:
        """Take it. Raises SessionHeld where another connection has it, naming who, and StoreFailed."""
        with self._server.telling(f"lock session {self._name}"):
            if not self._taken() and not self._waited(MOMENT):
                raise SessionHeld(
                    f"session {self._name} is being written by {self._holder() or 'another process'}; "
                    "read it meanwhile, or end that process first"
                )
            self.note(now)

    def note(self, now: int) -> None:
        """Say who holds it, and make sure that what is acknowledged lasts."""
        self.since = now
        holder = json.dumps(Holder(os.getpid(), socket.gethostname(), now)._asdict())
        noted = update(SESSIONS).where(SESSIONS.c.number == self._number, unhurried())
        self._connection.execute(noted.values(holder=holder, backend=func.pg_backend_pid()))
        self._connection.execute(_settings())

    def regain(self) -> None:
        """Take it anew on another connection; where that succeeds, the lost one is at its end, and all it did is known.

        Raises SessionHeld where another has it meanwhile, and StoreFailed.
        """
        self.release()
        self._connection = self._server.connect(f"write session {self._name}")
        try:
            self._waited(PATIENCE)
            self.take(self.since)
        except BaseException:
            self.release()
            raise

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
        return True

    def _holder(self) -> Holder | None:
        told = self._connection.scalar(_noted(self._number))
        try:
            note = json.loads(told or "")
            return Holder(int(note["pid"]), str(note["host"]), int(note["since"]))
        except (ValueError, TypeError, KeyError):
            return None


def _noted(number: int) -> Select[str]:
    """The note about a session, where it is about whoever holds the lock now."""
    holds = (
        (LOCKS.c.locktype == "advisory") & (LOCKS.c.classid == cast(ROOM, OID)) & (LOCKS.c.pid == SESSIONS.c.backend)
    )
    here = exists(select(literal(1)).select_from(LOCKS).where(holds, LOCKS.c.objid == cast(SESSIONS.c.number, OID)))
    return select(SESSIONS.c.holder).where(SESSIONS.c.number == number, here)


def _settings() -> Select[Any]:
    """What a connection that writes needs: to be missed when it is gone, and to commit to the disk."""
    told = func.current_setting("synchronous_commit")
    lasting = func.set_config("synchronous_commit", func.replace(told, "off", "on"), False)  # noqa: FBT003
    return select(lasting, *(func.set_config(name, value, False) for name, value in LASTING))  # noqa: FBT003
