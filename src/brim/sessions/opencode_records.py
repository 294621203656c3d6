"""OpenCode's documents in a log, without the texts that brim's records of them hold already.

Specified by features/sessions/opencode_records.feature (SES_16). In place of such a text is a reference to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from brim.errors import InvalidInput
from brim.sessions.records import CompactionRecord, ForeignRecord, MessageRecord, Record

REFERENCE: Final = "$text"
"""The key of an object that is the number of a text elsewhere; a document that has such a key itself is kept whole."""
SHORTEST: Final = 40
"""Characters of a text that a reference replaces."""


def foreign_fields(document: Mapping[str, Any], records: Iterable[Record]) -> dict[str, Any]:
    """The fields of a record that keeps this document, which these records were read from."""
    held = list(records)
    about = {"document": document, "held": tuple(record.id for record in held)}
    if f'"{REFERENCE}"' in json.dumps(document):
        return about
    texts = _texts(held)
    short = _changed(document, lambda one: {REFERENCE: texts[one]} if one in texts else one)
    return about | {"document": short, "texts": len(texts)}


def document_of(record: ForeignRecord, records: Mapping[str, Record]) -> dict[str, Any]:
    """The document, in place of each reference the text that the records have now; `records` are its log's, by id.

    It is word for word what OpenCode wrote where nobody has changed these texts. Raises InvalidInput where their number
    is another than at the import; a text that was changed in its place is not noticed.
    """
    if record.texts is None:
        return record.document
    texts = [*_texts(records[name] for name in record.held if name in records)]
    if record.texts != len(texts):
        raise InvalidInput(f"a record refers to {record.texts} texts beside it, and {len(texts)} are there")
    try:
        return dict(_filled(record.document, texts))
    except (IndexError, TypeError, RecursionError) as error:
        raise InvalidInput(f"a record refers to a text beside it that is not there ({error})") from error


def _texts(records: Iterable[Record]) -> dict[str, int]:
    """The long texts of records, each with its number."""
    seen: dict[str, int] = {}
    _changed(
        [_messages(one) for one in records],
        lambda one: seen.setdefault(one, len(seen)) if len(one) >= SHORTEST else None,
    )
    return seen


def _messages(record: Record) -> Any:
    """Return what a record has of a document: a message, or those that a compaction put first."""
    if isinstance(record, CompactionRecord):
        return [copy.message for copy in record.opening]
    return record.message if isinstance(record, MessageRecord) else None


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
