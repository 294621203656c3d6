"""The registry in a table: a row a session, which tells how many of its lines it was gathered from.

Specified by features/sessions/registry.feature (SES_02). What was added since is read from the lines.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import ValidationError
from sqlalchemy import BigInteger, Connection, LargeBinary, Select, cast, func, insert, literal, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.sql.selectable import ScalarSelect

from brim.errors import InvalidInput, Refused
from brim.sessions.places import folder_of
from brim.sessions.postgres.journal import SqlJournal
from brim.sessions.postgres.locks import lock, settings
from brim.sessions.postgres.server import Server
from brim.sessions.postgres.tables import RECORDS, SESSIONS, unhurried
from brim.sessions.records.infos import SessionInfo, begun, with_lines
from brim.sessions.records.journal import first_record
from brim.sessions.records.kinds import SessionRecord
from brim.sessions.records.lines import encode


class SqlRegistry:
    """What is known of the sessions of a store."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def add(self, connection: Connection, first: SessionRecord) -> int:
        """Add a session with its first line, and take the right to write it; its number. Raises InvalidInput."""
        line, session = encode(first), first.session
        about = _written(begun(first, self._place(session), len(line)))
        row = {"name": session, "folder": folder_of(first.project), "about": about, "lines": 1, "bytes": len(line)}
        made = insert(SESSIONS).values(row).returning(SESSIONS.c.number).cte("made")
        given = select(made.c.number, cast(literal(0), BigInteger), literal(line, LargeBinary))
        added = insert(RECORDS).from_select(["session", "position", "line"], given)
        with self._server.telling(f"make session {session}"):
            connection.execute(settings())  # the first line lasts as those do that follow
            try:
                told = connection.execute(added.returning(RECORDS.c.session, lock(RECORDS.c.session))).one()
            except IntegrityError as error:
                raise InvalidInput(f"there is a session {session} already; open it, or choose another id") from error
        return int(told[0])

    def number(self, name: str) -> int | None:
        """The number of a session; None where there is none."""
        with self._server.asked(f"find session {name}") as connection:
            return connection.scalar(select(SESSIONS.c.number).where(SESSIONS.c.name == name))

    def info(self, number: int) -> SessionInfo:
        """What is known of a session. Raises InvalidInput where its head is lost."""
        with self._server.asked("read the registry") as connection:
            row = connection.execute(_known().where(SESSIONS.c.number == number)).one()
        return self._gathered(row)

    def listed(self, project: str | None, report: Callable[[str], None]) -> Iterator[SessionInfo]:
        """The sessions, of one project or of all; what cannot be told of one is reported."""
        wanted = _known() if project is None else _known().where(SESSIONS.c.folder == folder_of(project))
        with self._server.asked("list the sessions") as connection:
            rows = connection.execute(wanted).all()
        for row in rows:
            try:
                info = self._gathered(row)
            except InvalidInput as error:
                report(str(error))
            except Refused as error:  # of a newer version
                report(f"session {row.name} is not listed: {error}")
            else:
                if project is None or info.project == project:
                    yield info

    def tell(self, number: int, info: SessionInfo, count: int) -> None:
        """Note what is known of a session with its first so many lines. Raises StoreFailed.

        Whoever lost a session to another knows fewer lines than that one noted, and notes nothing.
        """
        bytes_since = _since(func.coalesce(func.sum(func.octet_length(RECORDS.c.line)), 0), before=count)
        told = {"about": _written(info), "lines": count, "bytes": SESSIONS.c.bytes + bytes_since}
        known = update(SESSIONS).where(SESSIONS.c.number == number, SESSIONS.c.lines <= count, unhurried())
        with self._server.asked(f"tell the registry of session {info.id}") as connection:
            connection.execute(known.values(told))

    def _gathered(self, row: Any) -> SessionInfo:
        """What is known of a session: as its row says, and what was added to it since."""
        journal = SqlJournal(self._server, row.number, row.name)
        info, lines = _read(row.about), row.lines
        if info is None:
            info, lines = begun(first_record(journal, row.name), self._place(row.name)), 0
        if lines < row.lines + row.newer:
            info = with_lines(info, journal.forth(lines))
        return info.model_copy(update={"size": int(row.bytes + row.newer_bytes)})

    def _place(self, name: str) -> str:
        return f"{self._server.name}#{name}"


def _known() -> Select[Any]:
    """The rows, each with how many lines and bytes were added since it was gathered."""
    newer = _since(func.count()).label("newer")
    newer_bytes = _since(func.coalesce(func.sum(func.octet_length(RECORDS.c.line)), 0)).label("newer_bytes")
    return select(SESSIONS.c.number, SESSIONS.c.name, SESSIONS.c.about, SESSIONS.c.lines, SESSIONS.c.bytes).add_columns(
        newer, newer_bytes
    )


def _since(figure: Any, before: int | None = None) -> ScalarSelect[int]:
    """A figure over the lines behind those that the row was gathered from, before a position where one is given."""
    newer = (RECORDS.c.session == SESSIONS.c.number) & (RECORDS.c.position >= SESSIONS.c.lines)
    if before is not None:
        newer &= RECORDS.c.position < before
    return select(figure).select_from(RECORDS).where(newer).correlate(SESSIONS).scalar_subquery()


def _written(info: SessionInfo) -> str:
    return json.dumps(info.model_dump())


def _read(about: str | None) -> SessionInfo | None:
    try:
        return SessionInfo.model_validate(json.loads(about or ""))
    except (ValueError, ValidationError):
        return None
