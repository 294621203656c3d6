"""Documents of another tool, kept in a log word for word: what an export in that tool's form gives back.

Specified by features/sessions/opencode_records.feature (SES_16). A text that a record of brim holds as well is not
written twice: a reference to it is in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from brim.errors import InvalidInput
from brim.sessions.records import CompactionRecord, ForeignRecord, MessageRecord, Record

REFERENCE: Final = "$text"
"""The key of an object that is the number of a text in the records; a document that has such a key is kept whole."""
SHORTEST: Final = 40
"""Characters of a text that a reference replaces."""


def foreign_fields(document: Mapping[str, Any], records: Iterable[Record]) -> dict[str, Any]:
    """The fields of a record that keeps this document, which these records were read from."""
    held = tuple(records)
    numbers = {text: number for number, text in enumerate(_texts(held))}
    is_short = not any(REFERENCE in one for one in _objects(document))
    if is_short:
        document = _changed(document, lambda one: {REFERENCE: numbers[one]} if one in numbers else one)
    return {"document": document, "held": tuple(record.id for record in held), "short": is_short}


def document_of(record: ForeignRecord, records: Mapping[str, Record]) -> dict[str, Any]:
    """The document word for word; `records` are those of its log by id. Raises InvalidInput where one is missing."""
    if not record.short:
        return record.document
    try:
        texts = list(_texts(records[name] for name in record.held))
        return {name: _filled(one, texts) for name, one in record.document.items()}
    except (KeyError, IndexError, TypeError) as error:
        raise InvalidInput(f"record {record.id} refers to a text that is not there; import the session anew") from error


def _texts(records: Iterable[Record]) -> Iterator[str]:
    """The long texts of the messages of records, in order, each once."""
    seen: dict[str, None] = {}
    for record in records:
        copies = record.opening if isinstance(record, CompactionRecord) else ()
        for message in [record.message] if isinstance(record, MessageRecord) else [copy.message for copy in copies]:
            _changed(message, lambda one: seen.setdefault(one) if len(one) >= SHORTEST else None)
    return iter(seen)


def _changed(value: Any, change: Callable[[str], Any]) -> Any:
    """The value with another one in the place of each text."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {name: _changed(one, change) for name, one in value.items()}
    return [_changed(one, change) for one in value] if isinstance(value, list) else value


def _filled(value: Any, texts: list[str]) -> Any:
    """The value with its texts in the place of the references."""
    if isinstance(value, Mapping) and REFERENCE in value:
        return texts[value[REFERENCE]]
    if isinstance(value, Mapping):
        return {name: _filled(one, texts) for name, one in value.items()}
    return [_filled(one, texts) for one in value] if isinstance(value, list) else value


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """The objects in a value, itself included."""
    if isinstance(value, Mapping):
        yield value
    for one in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from _objects(one)
