"""The entries of the branch that a session of pi ended in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from brim.transcripts.decoding import Json

Numbered: TypeAlias = Sequence[tuple[int, Mapping[str, Json]]]
OTHER: str = "on another branch"


def branch_of(records: Numbered, left_out: Counter[str]) -> Iterator[tuple[int, int, Mapping[str, Json]]]:
    """The line, the place among all entries and the entry, of those on the last entry's branch; others are counted."""
    kept = _ancestry(records)
    for place, (line, entry) in enumerate(records):
        if entry.get("type") == "session" or _name(entry) is None or _name(entry) in kept:
            yield line, place, entry
        else:
            left_out[OTHER] += 1


def _name(entry: Mapping[str, Json]) -> str | None:
    """The id of an entry that has its place in the tree."""
    name = entry.get("id")
    return name if isinstance(name, str) and "parentId" in entry else None


def _ancestry(records: Numbered) -> set[str]:
    """The ids from the last entry of the tree back to its root."""
    parents = {name: entry.get("parentId") for _, entry in records if (name := _name(entry)) is not None}
    kept: set[str] = set()
    at: Json = next(reversed(parents), None)
    while isinstance(at, str) and at in parents and at not in kept:
        kept.add(at)
        at = parents[at]
    return kept
