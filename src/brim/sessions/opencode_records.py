"""OpenCode's documents and brim's records of them, the one beside the other without a text that is written twice.

Specified by features/sessions/opencode_records.feature (SES_16). A log keeps the documents of an imported session, and
a tree keeps the records of an exported one. In place of a long text that the other has is a reference to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from brim.errors import InvalidInput
from brim.sessions.lines import is_deeper
from brim.sessions.records import CompactionRecord, ForeignRecord, MessageRecord, Record
from brim.transcripts.source import DEPTH, TOO_DEEP

REFERENCE: Final = "$text"
"""The key of an object that is the number of a text elsewhere; a value that has such a key itself is kept whole."""
SHORTEST: Final = 40
"""Characters of a text that a reference replaces."""


def foreign_fields(document: Mapping[str, Any], records: Iterable[Record]) -> dict[str, Any]:
    """The fields of a record that keeps this document, which these records were read from."""
    held = tuple(records)
    count, short = without_texts(document, list(map(_messages, held)))
    return {"document": short, "held": tuple(record.id for record in held), "texts": count}


def document_of(record: ForeignRecord, records: Mapping[str, Record]) -> dict[str, Any]:
    """The document word for word; `records` are those of its log by id. Raises InvalidInput where one was changed."""
    if is_deeper(record.document, DEPTH):
        raise InvalidInput(f"record {record.id} is {TOO_DEEP}; import the session anew")
    held = [_messages(records[name]) for name in record.held if name in records]
    return dict(with_texts(record.texts, record.document, held))


def _messages(record: Record) -> Any:
    """What a record has of a document: a message, or those that a compaction put first."""
    if isinstance(record, CompactionRecord):
        return [copy.message for copy in record.opening]
    return record.message if isinstance(record, MessageRecord) else None


def without_texts(value: Any, source: Any) -> tuple[int | None, Any]:
    """The value with references in place of the texts of a source, and their number; None where it is whole."""
    texts = _texts(source)
    if any(REFERENCE in one for one in _objects(value)):
        return None, value
    return len(texts), _changed(value, lambda one: {REFERENCE: texts[one]} if one in texts else one)


def with_texts(count: int | None, value: Any, source: Any) -> Any:
    """The value with its texts again. Raises InvalidInput where the source has not so many, or not the one."""
    texts = _texts(source)
    if count is None:
        return value
    if count != len(texts):
        raise InvalidInput(f"a record refers to {count} texts beside it, and {len(texts)} are there")
    try:
        return _filled(value, list(texts))
    except (IndexError, TypeError, RecursionError) as error:
        raise InvalidInput(f"a record refers to a text beside it that is not there ({error})") from error


def _texts(value: Any) -> dict[str, int]:
    """The long texts in a value, each with its number."""
    seen: dict[str, int] = {}
    _changed(value, lambda one: seen.setdefault(one, len(seen)) if len(one) >= SHORTEST else None)
    return seen


def _changed(value: Any, change: Callable[[str], Any]) -> Any:
    """The value with another one in the place of each text."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {name: _changed(one, change) for name, one in value.items()}
    return [_changed(one, change) for one in value] if isinstance(value, list) else value


def _filled(value: Any, texts: list[str]) -> Any:
    """The value with its texts in the place of the references. Raises IndexError or TypeError for a wrong one."""
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
