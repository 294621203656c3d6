"""Lines: a record as one JSON object on a line, and back.

Specified by features/sessions/log.feature (SES_01, SES_07) and features/sessions/summary_records.feature (SES_05).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from brim.errors import InvalidInput
from brim.sessions.records.kinds import KINDS, CarriedRecord, CompactionRecord, MessageRecord, Record
from brim.sessions.summary_records import FIRST_VERSION, known_version, summary_of_today

HEAD: Final = ("v", "kind", "id", "time")


@dataclass(frozen=True, slots=True)
class Damaged:
    """A line that could not be read, and why. It stays where it is; `place` is its first byte, or its number."""

    place: int
    reason: str


class Unreadable(ValueError):
    """A line that is no record; its message says why."""


def encode(record: Record) -> bytes:
    """The line of a record, its line feed included. Raises InvalidInput where it cannot be written as JSON."""
    dumped = record.model_dump(exclude_defaults=True)
    fields = {"v": record.v, "kind": getattr(record, "kind", ""), "id": record.id, "time": record.time}
    fields |= {name: value for name, value in dumped.items() if name not in HEAD}
    try:
        text = json.dumps(fields, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
        return text.encode() + b"\n"
    except UnicodeEncodeError:  # a lone surrogate: only escaped can it be written
        return json.dumps(fields, allow_nan=False, separators=(",", ":"), default=_plain).encode() + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"a {fields['kind']} cannot be written as JSON: {error}; hand in plain values") from error


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON")


def decode(line: bytes) -> Record:
    """The record of a line. Raises Unreadable for a damaged one, and Refused for one of a newer version."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Unreadable("not JSON") from error
    if type(fields) is not dict or type(fields.get("kind")) is not str:
        raise Unreadable("an object without a kind")
    try:
        record = _record(fields)
        _read_messages(record)
    except InvalidInput as error:
        raise Unreadable(str(error)) from error
    return record


def _read_messages(record: Record) -> None:
    """Read the messages that a record holds. Raises InvalidInput where one is none."""
    if type(record) is MessageRecord:
        record.value  # noqa: B018
    elif type(record) is CompactionRecord:
        for copy in (*record.opening, *record.closing):
            copy.value  # noqa: B018


def _record(fields: dict[str, Any]) -> Record:
    version = known_version(fields.get("v", FIRST_VERSION), f"record of kind {fields['kind']!r}")
    if version == FIRST_VERSION and fields["kind"] == "compaction" and "content" in fields:
        fields = {**{name: fields.get(name) for name in HEAD}, "v": version, "summary": summary_of_today(fields)}
    try:
        return KINDS.get(fields["kind"], CarriedRecord).model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise Unreadable(f"a {fields['kind']} whose {where} is wrong: {first['msg']}") from error
