"""Gathering: what is known of a session, as its row says and as its lines go on.

Part of the registry in a table (SES_02). The server reads the heads of the lines, and sends only those that tell more
than when they were made; for any number of sessions at once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from string import ascii_lowercase, digits
from typing import Any, Final, NamedTuple

from pydantic import ValidationError
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    CompoundSelect,
    Integer,
    LargeBinary,
    and_,
    bindparam,
    case,
    cast,
    column,
    func,
    literal,
    not_,
    null,
    or_,
    select,
    union_all,
)
from sqlalchemy.dialects.postgresql import ARRAY

from brim.errors import InvalidInput
from brim.sessions.lines import read_records
from brim.sessions.postgres.lines import SqlLines
from brim.sessions.postgres.server import Server
from brim.sessions.postgres.tables import RECORDS
from brim.sessions.records import VERSION, CarriedRecord, SessionRecord
from brim.sessions.registry import TELLING, SessionInfo, info_from_header, with_lines
from brim.sessions.resume import Line

HEAD: Final = 160
"""Bytes of a line within which its head is looked for; one with a longer head is sent as a whole."""
OWN: Final = f'{{"v":{VERSION},"kind":"'
"""How a line of this version begins."""
NAMED: Final = '","id":"'
"""What stands right behind its kind, and before its id."""
DATED: Final = '","time":'
"""What stands right behind its id, and before when it was made."""
DIGITS: Final = 14
"""The most digits of a time."""
GIVEN: Final = {"session": Integer, "start": BigInteger}
"""What is asked for of each session: its number, and the place of its first line that is not known."""


class Newer(NamedTuple):
    """What the lines of a session tell that its row does not know."""

    lines: Sequence[Line]
    """Those that tell more than when they were made, and the very first where it is among them."""
    last_active: int = 0
    """When the newest of the others was made."""
    last: int = 0
    """The place of the last of all, whether it is among them or not."""


def telling() -> CompoundSelect[Any]:
    """The lines that tell something of sessions; and of each its last place, and when the newest other was made.

    Takes a list for each of what is given above, by its name.
    """
    asked = func.unnest(*(bindparam(name, type_=ARRAY(kind)) for name, kind in GIVEN.items()))
    given = asked.table_valued(*(column(name, kind) for name, kind in GIVEN.items())).render_derived()
    since = (RECORDS.c.session == given.c.session) & (RECORDS.c.position >= given.c.start)
    heads = select(RECORDS.c.session, RECORDS.c.position, _made().label("time")).join(given, since).cte("heads")
    newest = select(heads.c.session, func.max(heads.c.position), null(), func.max(heads.c.time))
    same = (RECORDS.c.session == heads.c.session) & (RECORDS.c.position == heads.c.position)
    lines = select(heads.c.session, heads.c.position, RECORDS.c.line, heads.c.time).join(RECORDS, same)
    wanted = lines.where(or_(heads.c.time.is_(None), heads.c.position == 0))
    return union_all(wanted, newest.group_by(heads.c.session)).order_by("session", "position")


def _made() -> ColumnElement[int]:
    """When a line was made, as its head says; nothing where it may tell more than that.

    Its head is what `OWN` of the infos takes, which is too slow here; whatever else it may be, the line is sent.
    """
    head = func.substr(RECORDS.c.line, 1, HEAD, type_=LargeBinary)
    text = func.encode(head, "escape")
    named = func.ltrim(func.substr(text, len(OWN) + 1), ascii_lowercase)
    name = func.replace(func.split_part(named, '"', 5), "\\", "")
    behind = func.split_part(text, DATED, 2)
    time = func.split_part(behind, ",", 1)
    is_time = func.strpos(behind, ",").in_(range(2, DIGITS + 2)) & (func.translate(time, digits, "") == "")
    is_own = _begins(head, OWN) & (func.split_part(named, DATED, 1) == literal(NAMED).concat(name))
    more = (_begins(head, f'{OWN}{kind}"') for kind in ("", *map(bytes.decode, TELLING)))
    return case((and_(is_own, not_(or_(*more)), is_time), cast(time, BigInteger)))


def _begins(head: ColumnElement[bytes], words: str) -> ColumnElement[bool]:
    return head.op("LIKE", is_comparison=True)(literal(f"{words}%".encode(), LargeBinary))


def newer_of(rows: Iterable[Any]) -> Mapping[int, Newer]:
    """What these rows tell, which that statement brings, of each session."""
    lines: dict[int, list[Line]] = {}
    ends: dict[int, tuple[int, int]] = {}
    for row in rows:
        told = lines.setdefault(row.session, [])
        if row.line is None:
            ends[row.session] = (row.time or 0, row.position)
        else:
            told.append(Line(row.position, row.line.removesuffix(b"\n")))
    return {session: Newer(told, *ends[session]) for session, told in lines.items()}


def start_of(row: Any) -> int:
    """From which of its lines on a session is gathered: all of them, where its row cannot be read."""
    return int(row.lines) if _read(row.about) is not None else 0


def gathered(server: Server, row: Any, newer: Newer, report: Callable[[str], None]) -> SessionInfo:
    """What is known of a session: as its row says, and what was added to it since. Raises InvalidInput, Refused."""
    info = _read(row.about)
    if info is None:
        info = _begun(server, row, newer.lines, report)
    info = with_lines(info, newer.lines, newer.last)
    active = max(info.last_active, newer.last_active)
    return info.model_copy(update={"size": int(row.bytes + row.newer_bytes), "last_active": active})


def _begun(server: Server, row: Any, lines: Sequence[Line], report: Callable[[str], None]) -> SessionInfo:
    """What the first line tells; where that is damaged, the name of the session and its first line that can be read."""
    transcript = f"{server.name}#{row.name}"
    first = next(read_records(lines[:1], []), None)
    if isinstance(first, SessionRecord):
        return info_from_header(first, transcript)
    every = read_records(SqlLines(server, row.number, row.name).lines(), [])
    some = next((one for one in every if not isinstance(one, CarriedRecord)), None)
    if some is None:
        raise InvalidInput(
            f"{row.name} does not begin with the record of a session; it is no log of brim, or its head is lost"
        )
    report(f"session {row.name} is listed without what its first line told: that is damaged or lost")
    return SessionInfo(id=row.name, created=some.time, last_active=some.time, transcript=transcript)


def _read(about: str | None) -> SessionInfo | None:
    try:
        return SessionInfo.model_validate(json.loads(about or ""))
    except (ValueError, ValidationError, RecursionError):
        return None
