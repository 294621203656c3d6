"""Decoding JSON that others wrote: joined values, lines cut short, invalid UTF-8, nesting without end."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final, NoReturn, TypeAlias

Json: TypeAlias = Any
"""Whatever a file of JSON may hold."""
DEPTH: Final = 200
"""Levels of nesting that are read; deeper values would exhaust whatever walks them later."""
TOO_DEEP: Final = f"nested deeper than {DEPTH} levels"
_BLANK: Final = " \t\r\n"


class Undecodable(ValueError):
    """A text that is no JSON; its message says why."""


def _refuse(constant: str) -> NoReturn:
    raise Undecodable(f"{constant} is no JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)


def decode(raw: bytes) -> Json:
    """The one value that these bytes are. Raises Undecodable."""
    values, reason = decode_line(raw)
    if reason is not None or len(values) != 1:
        raise Undecodable(reason or "holds more than one value")
    return values[0]


def decode_line(raw: bytes) -> tuple[list[Json], str | None]:
    """The values on a line, in order, and what is wrong with the line after them, if anything."""
    values: list[Json] = []
    reason = None
    try:
        _decode_onto(values, raw.decode())
    except UnicodeDecodeError:
        reason = "not UTF-8"
    except RecursionError:
        reason = TOO_DEEP
    except json.JSONDecodeError as error:
        reason = "cut short" if error.doc[:1] in "{[" and not raw.endswith(b"\n") else "not JSON"
    except Undecodable as error:
        reason = str(error)
    except ValueError:
        reason = "a number of too many digits"
    return values, reason


def _decode_onto(values: list[Json], text: str) -> None:
    """Add the values of a text one by one, so that those before a fault are there when it is raised."""
    position = _skip_blank(text, 0)
    while position < len(text):
        value, position = _DECODER.raw_decode(text, position)
        if _may_be_deep(text) and _is_deeper(value, DEPTH):
            raise Undecodable(TOO_DEEP)
        values.append(value)
        position = _skip_blank(text, position)


def string(value: Json) -> str | None:
    """The value where it is a text."""
    return value if isinstance(value, str) else None


MILLISECONDS_FROM: Final = 10**11
"""A count from here on is of milliseconds since 1970: as seconds it is after the year 5000."""


def moment(value: Json) -> datetime | None:
    """The time where the value is one: ISO 8601 (UTC where it names no zone), or seconds or milliseconds since 1970."""
    try:
        if isinstance(value, str):
            told = datetime.fromisoformat(value)
            return told.replace(tzinfo=UTC) if told.tzinfo is None else told.astimezone(UTC)
        if type(value) is int or type(value) is float:
            return datetime.fromtimestamp(value / 1000 if value >= MILLISECONDS_FROM else value, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def _skip_blank(text: str, position: int) -> int:
    while position < len(text) and text[position] in _BLANK:
        position += 1
    return position


def _may_be_deep(text: str) -> bool:
    return text.count("[") + text.count("{") > DEPTH


def _is_deeper(value: Json, levels: int) -> bool:
    """Whether containers stand in containers more than so many levels deep."""
    level = [value]
    for _ in range(levels):
        level = [item for box in level for item in _items(box) if isinstance(item, dict | list)]
        if not level:
            return False
    return True


def _items(box: Json) -> Iterable[Json]:
    return box.values() if isinstance(box, dict) else box if isinstance(box, list) else ()
