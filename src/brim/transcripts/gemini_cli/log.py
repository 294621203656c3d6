"""The messages of a chat as they stand at its end, whichever way they were written down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from brim.transcripts.decoding import Json
from brim.transcripts.source import Source

Numbered: TypeAlias = Sequence[tuple[int, Json]]


def messages_of(source: Source) -> Numbered:
    """The messages with their numbers: in the list of a chat, or of their lines."""
    held = source.document.get("messages") if isinstance(source.document, dict) else None
    if isinstance(held, list):
        return list(enumerate(held, 1))
    if source.document is not None and not source.records:
        return []
    kept: dict[str, tuple[int, Json]] = {}
    for line, record in source.records:
        if "$rewindTo" in record:
            _rewind(kept, record["$rewindTo"])
        elif isinstance(record.get("type"), str) and "$set" not in record:
            name = str(record.get("id", f"line {line}"))
            kept[name] = (kept[name][0] if name in kept else line, record)
    return list(kept.values())


def _rewind(kept: dict[str, tuple[int, Json]], name: Json) -> None:
    """Take back a message and all that follow it."""
    names = list(kept)
    if isinstance(name, str) and name in kept:
        for gone in names[names.index(name) :]:
            del kept[gone]
