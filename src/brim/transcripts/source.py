"""A file of JSON: one value, or records line by line, the damaged ones skipped and counted. Else a chat in Markdown.

Lines end at a line feed alone: U+2028 and U+0085 stand inside strings. Two values joined on one line are both read.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from os import SEEK_END
from pathlib import Path
from typing import Any, BinaryIO, Final, NoReturn, TypeAlias

from pydantic_core import from_json

from brim.errors import InvalidInput
from brim.transcripts.values import Damaged

Json: TypeAlias = Any
"""Whatever a file of JSON may hold."""
CONTAINERS: Final = (Mapping, list, tuple)
"""What JSON has objects and lists for."""
DEPTH: Final = 200
"""Levels of nesting that are read; deeper values would exhaust whatever walks them later."""
TOO_DEEP: Final = f"nested deeper than {DEPTH} levels"
BLANK: Final = " \t\r\n"


class Undecodable(ValueError):
    """A text that is no JSON; its message says why."""


def _refuse(constant: str) -> NoReturn:
    raise Undecodable(f"{constant} is no JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)


def decode(raw: bytes) -> Json:
    """Return the one value that these bytes are. Raises Undecodable."""
    values, reason = decode_line(raw)
    if reason is not None or len(values) != 1:
        raise Undecodable(reason or "holds more than one value")
    return values[0]


def decode_line(raw: bytes) -> tuple[list[Json], str | None]:
    """Return the values on a line, in order, and what is wrong with the line after them, if anything.

    The fast decoder, which keeps equal texts once, reads one value alone: what it refuses the exact one reads.
    """
    with suppress(ValueError):
        value = from_json(raw, allow_inf_nan=False, cache_strings="all")
        return ([value], None) if not _is_too_deep(raw, value) else ([], TOO_DEEP)
    values: list[Json] = []
    try:
        text, position = raw.decode().strip(BLANK), 0
        while position < len(text):
            value, end = _DECODER.raw_decode(text, position)
            if _is_too_deep(raw, value):
                raise RecursionError  # noqa: TRY301  as the decoder does at some depth
            values.append(value)
            position = len(text) - len(text[end:].lstrip(BLANK))
    except (ValueError, RecursionError) as error:
        return values, _fault(error, raw)
    return values, None


def _fault(error: Exception, raw: bytes) -> str:
    """Return why a line is no JSON."""
    match error:
        case UnicodeDecodeError():
            return "not UTF-8"
        case RecursionError():
            return TOO_DEEP
        case json.JSONDecodeError():
            return "cut short" if raw.lstrip()[:1] in (b"{", b"[") and not raw.endswith(b"\n") else "not JSON"
        case Undecodable():
            return str(error)
    return "a number of too many digits"


def _is_too_deep(raw: bytes, value: Json) -> bool:
    return raw.count(b"[") + raw.count(b"{") > DEPTH and is_deeper(value, DEPTH)


def mapping(value: Json) -> Mapping[str, Json]:
    """Return the value where it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def objects(value: Json) -> list[Mapping[str, Json]]:
    """Return the objects of a list; none where the value is no list."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def string(value: Json) -> str | None:
    """Return the value where it is a text."""
    return value if isinstance(value, str) else None


MOST: Final = 1e12


def amount(value: Json) -> float | None:
    """Return the value where it is an amount of US dollars, below a million millions."""
    return float(value) if type(value) in (int, float) and 0 <= value <= MOST else None


def moment(value: Json) -> datetime | None:
    """Return the time that ISO 8601 (UTC without a zone), or seconds or milliseconds since 1970 name; None for none.

    A count from 10 ** 11 on is of milliseconds: as seconds it is after the year 5000.
    """
    with suppress(ValueError, OverflowError, OSError):
        if isinstance(value, str):
            time = datetime.fromisoformat(value)
            return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
        if type(value) is int or type(value) is float:
            return datetime.fromtimestamp(value / 1000 if value >= 10**11 else value, UTC)
    return None


def is_deeper(value: Json, levels: int) -> bool:
    """Return whether more than so many objects and lists lie one in another, the value itself counted."""
    level: Collection[Json] = [value]
    for _ in range(levels):
        level = _inner(level)
        if not level:
            return False
    return True


def _inner(level: Collection[Json]) -> Collection[Json]:
    """Return the objects and lists that lie in these, each once."""
    held = (one.values() if isinstance(one, Mapping) else one for one in level if isinstance(one, CONTAINERS))
    return {id(inner): inner for values in held for inner in values if isinstance(inner, CONTAINERS)}.values()


LIMIT: Final = 64 * 1024 * 1024
"""Bytes of the longest line that is read, and of the longest file that is one JSON value."""
CHUNK: Final = 1024 * 1024
UNREAD: Final = "toolUseResult"
"""A field in which Claude Code repeats what a tool answered, often at ten times the length."""


@dataclass(slots=True)
class Source:
    """What a file holds: `document` where it is one JSON value, `records` (line, object) where it is read by lines,
    and `text` where it is Markdown.
    """

    path: Path
    records: list[tuple[int, dict[str, Json]]] = field(default_factory=list)
    document: Json = None
    damaged: list[Damaged] = field(default_factory=list)
    text: str | None = None
    """The whole file where it is a chat in Markdown."""

    def listed(self, *names: str) -> list[Json] | None:
        """Return the list that the file is, or that its object holds under the first of these names; None if none."""
        value = self.document
        if isinstance(value, Mapping):
            value = next((value[name] for name in names if name in value), None)
        return value if isinstance(value, list) else None

    def take(self, line: int, values: list[Json], reason: str | None) -> None:
        """Add what a line holds: its objects to the records, what is wrong with it to the damage."""
        for value in values:
            if isinstance(value, dict):
                value.pop(UNREAD, None)
                self.records.append((line, value))
            else:
                reason = reason or "holds JSON that is no object"
        if reason is not None:
            self.damaged.append(Damaged(line, reason))


def drain(records: list[tuple[int, dict[str, Json]]]) -> Iterator[tuple[int, dict[str, Json]]]:
    """Yield the records and let go of each, so that a large file is not in memory beside its messages."""
    records.reverse()
    while records:
        yield records.pop()


def read_source(path: Path, newest_bytes: int | None = None) -> Source:
    """Read a file of JSON, or only the lines within its last bytes, which are then counted from 1.

    Raises InvalidInput with one line that names the path, what was met and the cure.
    """
    try:
        return _read(path, newest_bytes)
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror or error}; name a transcript that can be read") from error


def _read(path: Path, newest_bytes: int | None) -> Source:
    if path.exists() and not path.is_file():
        raise InvalidInput(f"{path} is no ordinary file; save the transcript to one and name that")
    size = path.stat().st_size
    if newest_bytes is not None and size > newest_bytes:
        with path.open("rb") as handle:
            handle.seek(-newest_bytes - 1, SEEK_END)
            handle.readline()  # the rest of a line, or the end of the line before
            source = Source(path)
            for line, raw in _lines(handle, source.damaged):
                source.take(line, *decode_line(raw))
        if source.records:
            return source
        raise InvalidInput(f"{path} has no line of JSON that begins in its last {newest_bytes:,} bytes; read it whole")
    with path.open("rb") as handle:
        chat = _markdown(handle.read(CHUNK), path)
        if chat is not None:
            return Source(path, text=chat)
        handle.seek(0)
        source = _read_whole(handle, path, size)
    if not source.records and source.document is None:
        raise InvalidInput(_nothing_in(path, size, source.damaged))
    if len(source.records) == 1 and not source.damaged:
        source.document = source.records[0][1]
    return source


def _read_whole(handle: BinaryIO, path: Path, size: int) -> Source:
    """Return the records of the lines, or the one JSON value where the first line is no object."""
    source = Source(path)
    for line, raw in _lines(handle, source.damaged):
        values, reason = decode_line(raw)
        is_record = reason is None and all(isinstance(value, dict) for value in values)
        if not (is_record or source.records or source.damaged):
            if raw.strip() in (b"{", b"[") and size > LIMIT:
                raise InvalidInput(_too_large(path, line, reason or "not JSON"))
            document = _document(path, size)
            if document is not None:
                return Source(path, document=document)
        source.take(line, values, reason)
    return source


def _lines(handle: BinaryIO, damaged: list[Damaged]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank, with their numbers; one that is too long is skipped and counted."""
    for number in count(1):
        raw = handle.readline(LIMIT + 1)
        if not raw:
            return
        if len(raw) > LIMIT:
            damaged.append(Damaged(number, f"longer than {LIMIT // 2**20} MiB"))
            while not raw.endswith(b"\n") and (raw := handle.readline(CHUNK)):
                pass
        elif raw.strip():
            yield number, raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw


def _markdown(head: bytes, path: Path) -> str | None:
    """Return the text of a file whose beginning is no JSON and has the line that opens a chat; None for another."""
    head = head.removeprefix(b"\xef\xbb\xbf")
    is_chat = head.lstrip()[:1] not in (b"{", b"[") and b"\n# aider chat started at " in b"\n" + head
    return path.read_bytes().decode("utf-8-sig", errors="replace") if is_chat and path.stat().st_size <= LIMIT else None


def _document(path: Path, size: int) -> Json | None:
    """Return the one JSON value that a whole file is, None where it is none."""
    with suppress(Undecodable):
        return decode(path.read_bytes().removeprefix(b"\xef\xbb\xbf")) if size <= LIMIT else None
    return None


def _nothing_in(path: Path, size: int, damaged: list[Damaged]) -> str:
    """Return why nothing could be read from a file, in one line."""
    if not damaged:
        return f"{path} is empty; a transcript holds at least one message"
    with path.open("rb") as handle:
        head = handle.read(4096)
    if b"\0" in head or len(head.decode(errors="ignore").encode()) < len(head) - 4:
        return f"{path} holds binary data; a transcript is JSON text in UTF-8"
    first = damaged[0]
    if size > LIMIT:
        return _too_large(path, first.line, first.reason)
    return f"{path} holds no JSON that can be read (line {first.line}: {first.reason}); name a transcript in JSON"


def _too_large(path: Path, line: int, reason: str) -> str:
    return (
        f"{path} holds no JSON lines (line {line}: {reason}), and one JSON value is read up to {LIMIT // 2**20} MiB; "
        "save it as JSON lines, one record a line"
    )
