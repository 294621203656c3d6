"""A file of JSON: one value, or records line by line, the damaged ones skipped and counted. Else a chat in Markdown.

Lines end at a line feed alone: U+2028 and U+0085 stand inside strings. Two values joined on one line are both read.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from os import SEEK_END
from pathlib import Path
from typing import Any, BinaryIO, Final, NoReturn, TypeAlias

from brim.errors import InvalidInput
from brim.transcripts.values import Damaged

Json: TypeAlias = Any
"""Whatever a file of JSON may hold."""
CONTAINERS: Final = (Mapping, list, tuple)
"""What JSON has objects and lists for."""
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
        if _may_be_deep(text) and is_deeper(value, DEPTH):
            raise Undecodable(TOO_DEEP)
        values.append(value)
        position = _skip_blank(text, position)


def mapping(value: Json) -> Mapping[str, Json]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def objects(value: Json) -> list[Mapping[str, Json]]:
    """The objects of a list; none where the value is no list."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def string(value: Json) -> str | None:
    """The value where it is a text."""
    return value if isinstance(value, str) else None


MOST: Final = 1e12
"""US dollars that are taken for a price at most."""


def amount(value: Json) -> float | None:
    """The value where it is an amount of US dollars."""
    return float(value) if type(value) in (int, float) and 0 <= value <= MOST else None


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


def is_deeper(value: Json, levels: int) -> bool:
    """Whether more than so many objects and lists lie one in another, the value itself counted."""
    level: Collection[Json] = [value]
    for _ in range(levels):
        level = _inner(level)
        if not level:
            return False
    return True


def _inner(level: Collection[Json]) -> Collection[Json]:
    """The objects and lists that lie in these, each once."""
    held = (one.values() if isinstance(one, Mapping) else one for one in level if isinstance(one, CONTAINERS))
    return {id(inner): inner for values in held for inner in values if isinstance(inner, CONTAINERS)}.values()


LIMIT: Final = 64 * 1024 * 1024
"""Bytes of the longest line that is read, and of the longest file that is one JSON value."""
_CHUNK: Final = 1024 * 1024
TOO_LARGE: Final = (
    "{path} holds no JSON lines ({reason}), and one JSON value is read up to {limit} MiB; "
    "save it as JSON lines, one record a line"
)
CHAT: Final = b"\n# aider chat started at "
"""How a chat begins that is written in Markdown."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a file holds: `document` where it is one JSON value, `records` (line, object) where it is read by lines,
    and `text` where it is Markdown.
    """

    path: Path
    records: tuple[tuple[int, dict[str, Json]], ...] = ()
    document: Json = None
    damaged: tuple[Damaged, ...] = ()
    text: str | None = None
    """The whole file where it is a chat in Markdown."""

    def listed(self, *names: str) -> list[Json] | None:
        """The list that the file is, or that its object holds under the first of these names; None where none is."""
        held = self.document
        if isinstance(held, Mapping):
            held = next((held[name] for name in names if name in held), None)
        return held if isinstance(held, list) else None


def read_source(path: Path, newest_bytes: int | None = None) -> Source:
    """Read a file of JSON, or only the lines within its last bytes, which are then counted from 1.

    Raises InvalidInput with one line that names the path, what was met and the cure.
    """
    try:
        if newest_bytes is not None and path.is_file() and path.stat().st_size > newest_bytes:
            return _read_newest(path, newest_bytes)
        return _read(path)
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror or error}; name a transcript that can be read") from error


def _read(path: Path) -> Source:
    if path.exists() and not path.is_file():
        raise InvalidInput(f"{path} is no ordinary file; save the transcript to one and name that")
    chat = _markdown(path)
    if chat is not None:
        return Source(path, text=chat)
    records: list[tuple[int, dict[str, Json]]] = []
    damaged: list[Damaged] = []
    with path.open("rb") as handle:
        for line, raw in _lines(handle, damaged):
            values, reason = decode_line(raw)
            if not records and not damaged and not _all_objects(values, reason):
                if raw.strip() in (b"{", b"[") and path.stat().st_size > LIMIT:
                    raise InvalidInput(_too_large(path, line, reason or "not JSON"))
                whole = _document(path)
                if whole is not None:
                    return Source(path, document=whole)
            _take(line, values, reason, records, damaged)
    if not records:
        raise InvalidInput(_nothing_in(path, damaged))
    alone = records[0][1] if len(records) == 1 and not damaged else None
    return Source(path, tuple(records), alone, tuple(damaged))


def _read_newest(path: Path, newest_bytes: int) -> Source:
    """The records on the lines that begin within the last bytes of a file."""
    records: list[tuple[int, dict[str, Json]]] = []
    damaged: list[Damaged] = []
    with path.open("rb") as handle:
        handle.seek(-newest_bytes - 1, SEEK_END)
        handle.readline()  # the rest of a line, or the end of the line before
        for line, raw in _lines(handle, damaged):
            _take(line, *decode_line(raw), records, damaged)
    if not records:
        raise InvalidInput(f"{path} has no line of JSON that begins in its last {newest_bytes:,} bytes; read it whole")
    return Source(path, tuple(records), damaged=tuple(damaged))


def _markdown(path: Path) -> str | None:
    """The text of a file that is Markdown of a chat: no JSON at its beginning, and the line that opens a chat."""
    with path.open("rb") as handle:
        head = handle.read(_CHUNK).removeprefix(b"\xef\xbb\xbf")
        if head.lstrip()[:1] in (b"{", b"[") or CHAT not in b"\n" + head or path.stat().st_size > LIMIT:
            return None
        return (head + handle.read()).decode(errors="replace")


def _lines(handle: BinaryIO, damaged: list[Damaged]) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers; one that is too long is skipped and counted."""
    number = 0
    while raw := handle.readline(LIMIT + 1):
        number += 1
        if len(raw) > LIMIT:
            damaged.append(Damaged(number, f"longer than {LIMIT // 2**20} MiB"))
            while not raw.endswith(b"\n") and (raw := handle.readline(_CHUNK)):
                pass
        elif raw.strip():
            yield number, raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw


def _all_objects(values: list[Json], reason: str | None) -> bool:
    return reason is None and all(isinstance(value, dict) for value in values)


def _take(
    line: int,
    values: list[Json],
    reason: str | None,
    records: list[tuple[int, dict[str, Json]]],
    damaged: list[Damaged],
) -> None:
    """Add what a line holds: its objects to the records, what is wrong with it to the damage."""
    records += [(line, value) for value in values if isinstance(value, dict)]
    if reason is None and not _all_objects(values, None):
        reason = "holds JSON that is no object"
    if reason is not None:
        damaged.append(Damaged(line, reason))


def _document(path: Path) -> Json | None:
    """The one JSON value that a whole file is, None where it is none."""
    if path.stat().st_size > LIMIT:
        return None
    try:
        return decode(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except Undecodable:
        return None


def _nothing_in(path: Path, damaged: list[Damaged]) -> str:
    """Why nothing could be read from a file, in one line."""
    with path.open("rb") as handle:
        head = handle.read(4096)
    if not damaged:
        return f"{path} is empty; a transcript holds at least one message"
    if b"\0" in head or _is_not_text(head):
        return f"{path} holds binary data; a transcript is JSON text in UTF-8"
    first = damaged[0]
    if path.stat().st_size > LIMIT:
        return _too_large(path, first.line, first.reason)
    return f"{path} holds no JSON that can be read (line {first.line}: {first.reason}); name a transcript in JSON"


def _too_large(path: Path, line: int, reason: str) -> str:
    return TOO_LARGE.format(path=path, reason=f"line {line}: {reason}", limit=LIMIT // 2**20)


def _is_not_text(head: bytes) -> bool:
    try:
        head.decode()
    except UnicodeDecodeError as error:
        return error.start < len(head) - 4
    return False
