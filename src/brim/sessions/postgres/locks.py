"""The locks of the server, as statements: taking one, saying who has it, and ending a connection that is lost.

Part of locking (SES_08). A lock goes with the connection; the note beside it only says who holds it.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Exists, Integer, Select, cast, column, exists, func, literal, select, table
from sqlalchemy.dialects.postgresql import OID
from sqlalchemy.sql.elements import ColumnElement

from brim.sessions.postgres.tables import RECORDS, SESSIONS

ROOM: Final = cast(cast(func.to_regclass(RECORDS.name), OID), Integer)
"""The first number of each lock: that of the table, so that two stores of one database do not meet."""
LOCKS: Final = table(
    "pg_locks", column("locktype"), column("classid"), column("objid"), column("pid"), column("granted")
)
LASTING: Final = ("tcp_keepalives_idle", "30"), ("tcp_keepalives_interval", "10"), ("tcp_keepalives_count", "3")
"""A machine that went away without a word is missed within a minute, and its locks are free."""


def lock(number: int | ColumnElement[int]) -> ColumnElement[bool]:
    """Take the right to write the session of this number, unless another connection has it."""
    return func.pg_try_advisory_lock(ROOM, number)


def noted(number: int) -> Select[str]:
    """The note about a session, where it is about whoever holds the lock now."""
    return select(SESSIONS.c.holder).where(SESSIONS.c.number == number, _holds())


def ended(number: int, note: str) -> Select[bool]:
    """End the connection that this note is about, where it still holds the lock: it was lost on our side alone."""
    ours = select(SESSIONS.c.backend).where(SESSIONS.c.number == number, SESSIONS.c.holder == note, _holds())
    return select(func.pg_terminate_backend(ours.scalar_subquery()))


def _holds() -> Exists:
    """Whether the connection that the row of a session names holds its lock."""
    here = (LOCKS.c.locktype == "advisory") & (LOCKS.c.classid == cast(ROOM, OID)) & LOCKS.c.granted
    its = (LOCKS.c.pid == SESSIONS.c.backend) & (LOCKS.c.objid == cast(SESSIONS.c.number, OID))
    return exists(select(literal(1)).select_from(LOCKS).where(here, its))


def settings() -> Select[Any]:
    """What a connection that writes needs: to be missed when it is gone, and to commit to the disk."""
    told = func.current_setting("synchronous_commit")
    lasting = func.set_config("synchronous_commit", func.replace(told, "off", "on"), False)  # noqa: FBT003
    return select(lasting, *(func.set_config(name, value, False) for name, value in LASTING))  # noqa: FBT003
