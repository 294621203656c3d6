"""The registry in a table: a row a session, which tells how many of its lines it was gathered from.

Specified by features/sessions/registry.feature (SES_02). What was added since is read from the lines.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Select, func, select, update
from sqlalchemy.sql.selectable import ScalarSelect

from brim.errors import InvalidInput, Refused
from brim.sessions.paths import folder_of
from brim.sessions.postgres.gathering import GIVEN, Newer, gathered, newer_of, start_of, telling
from brim.sessions.postgres.server import Server
from brim.sessions.postgres.tables import RECORDS, SESSIONS, unhurried
from brim.sessions.registry import SessionInfo

NONE: Final = Newer(())


class SqlRegistry:
    """What is known of the sessions of a store."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def number(self, name: str) -> int | None:
        """The number of a session; None where there is none."""
        with self._server.asked(f"find session {name}") as connection:
            return connection.scalar(select(SESSIONS.c.number).where(SESSIONS.c.name == name))

    def info(self, number: int) -> SessionInfo:
        """What is known of a session. Raises InvalidInput where its head is lost."""
        with self._server.asked("read the registry") as connection:
            row = connection.execute(_known().where(SESSIONS.c.number == number)).one()
        return gathered(self._server, row, self._newer([row]).get(number, NONE), lambda _told: None)

    def listed(self, project: str | None, report: Callable[[str], None]) -> Iterator[SessionInfo]:
        """The sessions, of one project or of all; what cannot be told of one is reported."""
        wanted = _known() if project is None else _known().where(SESSIONS.c.folder == folder_of(project))
        with self._server.asked("list the sessions") as connection:
            rows = connection.execute(wanted).all()
        newer = self._newer(rows)
        for row in rows:
            try:
                info = gathered(self._server, row, newer.get(row.number, NONE), report)
            except InvalidInput as error:
                report(str(error))
            except Refused as error:  # of a newer version
                report(f"session {row.name} is not listed: {error}")
            else:
                if project is None or info.project == project:
                    yield info

    def _newer(self, rows: Sequence[Any]) -> Mapping[int, Newer]:
        """What the registry has yet to hear of sessions, for each that has lines of which it knows nothing."""
        wanted = [(row.number, start) for row in rows if (start := start_of(row)) < row.lines + row.newer]
        if not wanted:
            return {}
        given = dict(zip(GIVEN, map(list, zip(*wanted, strict=True)), strict=True))
        with self._server.asked("list the sessions") as connection:
            return newer_of(connection.execute(telling(), given))

    def tell(self, number: int, info: SessionInfo, count: int) -> None:
        """Note what is known of a session with its first so many lines. Raises StoreFailed.

        Whoever lost a session to another knows fewer lines than that one noted, and notes nothing.
        """
        bytes_since = _since(func.coalesce(func.sum(func.octet_length(RECORDS.c.line)), 0), before=count)
        told = {"about": json.dumps(info.model_dump()), "lines": count, "bytes": SESSIONS.c.bytes + bytes_since}
        known = update(SESSIONS).where(SESSIONS.c.number == number, SESSIONS.c.lines <= count, unhurried())
        with self._server.asked(f"tell the registry of session {info.id}") as connection:
            connection.execute(known.values(told))


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
