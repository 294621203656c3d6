"""The locks of the server, as statements: taking one, saying who has it, and ending a connection that is lost.

Part of locking (SES_08). A lock goes with the connection; the note beside it only says who holds it, and is written by
the very statement that takes the lock.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Exists, Integer, Select, cast, column, exists, func, literal, select, table, update
from sqlalchemy.dialects.postgresql import OID
from sqlalchemy.sql.dml import ReturningUpdate
from sqlalchemy.sql.elements import ColumnElement

from brim.sessions.postgres.tables import RECORDS, SESSIONS, unhurried

ROOM: Final = cast(cast(func.to_regclass(RECORDS.name), OID), Integer)
"""The first number of each lock: that of the table, so that two stores of one database do not meet."""
LOCKS: Final = table(
    "pg_locks", column("locktype"), column("classid"), column("objid"), column("pid"), column("granted")
)
LASTING: Final = {
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
    "default_transaction_isolation": "read committed",
}
"""A machine that went away without a word is missed within a minute, and its locks are free. Whoever waited for a lock
meets the row as it is then."""
PATIENT: Final = {"statement_timeout": 0, "idle_session_timeout": 14, "transaction_timeout": 17}
"""Times after which a server may end what a writer does, or a writer who thinks; each with the version that has it."""


def lock(number: ColumnElement[int]) -> ColumnElement[bool]:
    """Take the right to write the session of this number, unless another connection has it."""
    return func.pg_try_advisory_lock(ROOM, number)


def taken(number: int, note: str, *, waiting: bool) -> ReturningUpdate[tuple[int]]:
    """Take the right to write a session and say who does, at once; a row where it was taken.

    One that waits does so as long as the time for locks allows.
    """
    got = func.pg_advisory_lock(ROOM, number).is_not(None) if waiting else lock(literal(number))
    marked = update(SESSIONS).where(SESSIONS.c.number == number, got, unhurried())
    return marked.values(holder=note, backend=func.pg_backend_pid()).returning(SESSIONS.c.number)


def noted(number: int) -> Select[tuple[str | None]]:
    """The note about a session, where it is about whoever holds the lock now."""
    return select(SESSIONS.c.holder).where(SESSIONS.c.number == number, _holds())


def ended(number: int, note: str) -> Select[Any]:
    """End the connection that this note is about, where it still holds the lock: it was lost on our side alone."""
    ours = select(SESSIONS.c.backend).where(SESSIONS.c.number == number, SESSIONS.c.holder == note, _holds())
    return select(func.pg_terminate_backend(ours.scalar_subquery()))


def _holds() -> Exists:
    """Whether the connection that the row of a session names holds its lock."""
    here = (LOCKS.c.locktype == "advisory") & (LOCKS.c.classid == cast(ROOM, OID)) & LOCKS.c.granted
    its = (LOCKS.c.pid == SESSIONS.c.backend) & (LOCKS.c.objid == cast(SESSIONS.c.number, OID))
    return exists(select(literal(1)).select_from(LOCKS).where(here, its))


def settings(version: tuple[Any, ...]) -> Select[Any]:
    """What a connection that writes needs: to be missed when it is gone, to commit to the disk, and to have time."""
    told = func.current_setting("synchronous_commit")
    patient = {name: "0" for name, since in PATIENT.items() if version >= (since,)}
    given = {"synchronous_commit": func.replace(told, "off", "on"), **LASTING, **patient}
    return select(*(func.set_config(name, value, False) for name, value in given.items()))  # noqa: FBT003
