"""Lines: a record as one JSON object on a line, and back; and the journal that holds the lines of one session.

Specified by features/sessions/log.feature (SES_01, SES_07) and features/sessions/summary_records.feature (SES_05).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from pydantic import ValidationError
from pydantic_core import from_json

from brim.conversation.messages import PLAIN, read_message
from brim.errors import InvalidInput, faults_of
from brim.sessions.records import (
    FIRST_VERSION,
    KINDS,
    VERSION,
    CarriedRecord,
    CompactionRecord,
    MessageRecord,
    Record,
    SessionRecord,
    known_version,
    summary_of_today,
)
from brim.sessions.resume import RecordLine
from brim.transcripts.source import is_deeper

HEAD: Final = ("v", "kind", "id", "time")
MAX_DEPTH: Final = 190
"""How many objects and lists a message may have one in another, itself included. pydantic_core reads 200 of a line; a
message lies 1 deep in its own record, and 3 in that of a compaction that keeps a copy of it."""


@dataclass(frozen=True, slots=True)
class DamagedLine:
    """A line that could not be read, and why. It stays where it is."""

    offset: int
    """Its first byte in the file, or its position in a database."""
    reason: str
    """The reason."""


class Unreadable(ValueError):
    """A line that is no record; its message says why."""


def encode(record: Record) -> bytes:
    """The line of a record, its line feed included. Raises InvalidInput where it cannot be written as JSON.

    So does a message that goes deeper than every reader gets: MAX_DEPTH.
    """
    try:
        fields = _fields(record)
        text = AS_IT_IS.encode(fields)
    except (TypeError, ValueError, RecursionError) as error:
        _require_depth(record)
        kind = getattr(record, "kind", "record")
        raise InvalidInput(f"a {kind} cannot be written as JSON: {error}; give plain values") from error
    if text.count("[") + text.count("{") > MAX_DEPTH:
        _require_depth(record)
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:  # a lone surrogate: only escaped can it be written
        return ESCAPED.encode(fields).encode() + b"\n"


def _require_depth(record: Record) -> None:
    """Raise InvalidInput for a message of too many objects and lists one in another."""
    if isinstance(record, MessageRecord) and is_deeper(record.message, MAX_DEPTH):
        raise InvalidInput(
            f"a message is nested more than {MAX_DEPTH} deep, and not every reader gets further; "
            "give text for what is deeper"
        )


def _fields(record: Record) -> dict[str, Any]:
    fields = {"v": record.v, "kind": getattr(record, "kind", ""), "id": record.id, "time": record.time}
    if isinstance(record, MessageRecord) and record.marks == PLAIN and not record.model_extra:  # most are
        return {**fields, "message": record.message}
    dumped = record.model_dump(exclude_defaults=True)
    return fields | {name: value for name, value in dumped.items() if name not in HEAD}


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON")


AS_IT_IS: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
ESCAPED: Final = json.JSONEncoder(allow_nan=False, separators=(",", ":"), default=_plain)


def decode(line: bytes) -> Record:
    """The record of a line. Raises Unreadable for a damaged one, and Refused for one of a newer version."""
    fields = _parsed(line)
    if type(fields) is not dict or type(fields.get("kind")) is not str:
        raise Unreadable("an object without a kind")
    try:
        record = _record(fields)
        _read_messages(record)
    except InvalidInput as error:
        raise Unreadable(str(error)) from error
    return record


def _parsed(line: bytes) -> Any:
    """The JSON of a line. The quick reader knows no lone surrogates and less depth; the other one then decides."""
    try:
        return from_json(line, cache_strings="keys")
    except ValueError:
        pass
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Unreadable("not JSON") from error


def _read_messages(record: Record) -> None:
    """Read the messages that a record holds. Raises InvalidInput where one is none."""
    if type(record) is MessageRecord:  # what it would read when it is first asked
        source = f"message {record.id}"
        record.__dict__["value"] = read_message(record.message, record.marks, key=record.id, source=source)
    elif type(record) is CompactionRecord:
        for copy in (*record.opening, *record.closing):
            copy.value  # noqa: B018


def _record(fields: dict[str, Any]) -> Record:
    version = fields.get("v", FIRST_VERSION)
    if type(version) is not int or version != VERSION:
        known_version(version, f"record of kind {fields['kind']!r}")
    if version == FIRST_VERSION and fields["kind"] == "compaction" and "content" in fields:
        fields = {**{name: fields.get(name) for name in HEAD}, "v": version, "summary": summary_of_today(fields)}
    try:
        return KINDS.get(fields["kind"], CarriedRecord).model_validate(fields)
    except ValidationError as error:
        raise Unreadable(f"a {fields['kind']} of which {faults_of(error)}") from error
    except InvalidInput as error:  # of a value within
        raise Unreadable(f"a {fields['kind']} of which {error}") from error


class Journal(Protocol):
    """The lines of one session. Nothing that was appended is ever changed."""

    def append(self, records: Sequence[Record]) -> None:
        """Add records; all of them are durable when this returns. Raises StoreFailed, and then none is acknowledged.

        Where the process dies meanwhile, a journal may keep each whole record before the tear.
        """

    def lines_reversed(self) -> Iterator[RecordLine]:
        """The lines, the newest first; no more is read than what is asked for."""

    def lines(self, start: int = 0) -> Iterator[RecordLine]:
        """The lines, the oldest first, from an offset or position on."""

    def warnings(self) -> Sequence[str]:
        """Return what was repaired when it was opened, in sentences."""

    def close(self) -> None:
        """Let go of it, and of the right to write it."""


def read_records(lines: Iterable[RecordLine], damaged: list[DamagedLine]) -> Iterator[Record]:
    """The records of lines; damaged lines are listed in `damaged` and left where they are. Raises Refused."""
    for line in lines:
        try:
            yield decode(line.data)
        except Unreadable as error:
            damaged.append(DamagedLine(line.offset, str(error)))


def first_record(journal: Journal, name: str) -> SessionRecord:
    """The record that says what the session is. Raises InvalidInput where the log does not begin with one."""
    line = next(journal.lines(), None)
    record = next(read_records([line] if line else [], []), None)
    if not isinstance(record, SessionRecord):
        raise InvalidInput(
            f"{name} does not begin with the record of a session; it is no log of brim, or its head is lost"
        )
    return record
