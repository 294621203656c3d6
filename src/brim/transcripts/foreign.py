"""Formats that brim does not read, by a trait of their records, so that a refusal can name them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Final

from brim.transcripts.blocks import Given
from brim.transcripts.source import Source, mapping, objects


def foreign_format(source: Source) -> str | None:
    """Return the name of the format that one of the first records has a trait of; None where none has."""
    records = [*islice(_records(source), 100)]
    return next((name for name, is_of in FOREIGN.items() if any(map(is_of, records))), None)


def _records(source: Source) -> Iterator[Given]:
    """Yield the objects of a file: of its lines, or the one that it is, and those of the list that it is or holds."""
    yield from (record for _, record in source.records)
    yield mapping(source.document)
    yield from objects(source.listed("messages", "history", "conversation"))


def _is_of_goose(one: Given) -> bool:
    called = any(block.get("type") in ("toolRequest", "toolResponse") for block in objects(one.get("content")))
    return called or {"working_dir", "description"} <= one.keys()


def _is_of_ai_sdk(one: Given) -> bool:
    if any(block.get("type") in ("tool-call", "tool-result") for block in objects(one.get("content"))):
        return True
    return "role" in one and not one.get("content") and any("type" in part for part in objects(one.get("parts")))


def _is_of_grok_build(one: Given) -> bool:
    return one.get("type") in ("assistant", "tool_result") and "content" in one and not {"role", "message"} & one.keys()


def _is_of_amp(one: Given) -> bool:
    thread = {"v", "messages"} <= one.keys() and str(one.get("id")).startswith("T-")
    return thread or any("toolUseID" in block for block in objects(one.get("content")))


FOREIGN: Final[Mapping[str, Callable[[Given], bool]]] = {
    "goose": _is_of_goose,
    "the AI SDK": _is_of_ai_sdk,
    "Grok Build": _is_of_grok_build,
    "Amp": _is_of_amp,
    "Factory Droid": lambda one: one.get("type") in ("session_start", "compaction_state"),
    "Qwen Code": lambda one: isinstance(mapping(one.get("message")).get("parts"), list),
}
"""For each format the trait of one of its records, which no record of a format that is read has."""
