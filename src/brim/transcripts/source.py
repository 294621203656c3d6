"""A file of JSON: one value, or records line by line, the damaged ones skipped and counted. Else a chat in Markdown.

Lines end at a line feed alone: U+2028 and U+0085 stand inside strings. Two values joined on one line are both read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from brim.errors import InvalidInput
from brim.transcripts.decoding import Json, Undecodable, decode, decode_line
from brim.transcripts.values import Damaged

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


def read_source(path: Path) -> Source:
    """Read a file of JSON. Raises InvalidInput with one line that names the path, what was met and the cure."""
    try:
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
