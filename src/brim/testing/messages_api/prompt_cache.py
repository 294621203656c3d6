"""The prompt cache: what a request may read from it, and what it writes to it, at the places that carry a mark."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from brim.testing.messages_api.blocks import canonical
from brim.testing.messages_api.counting import Counter, Part

LOOKBACK = 20
"""Blocks before a mark among which an earlier entry is found."""


@dataclass(frozen=True, slots=True)
class CacheUse:
    """The input of one request, in tokens."""

    fresh: int
    """Neither read from the cache nor written to it."""
    read: int
    written: int

    def usage(self) -> dict[str, Any]:
        """The counts under their names in the API."""
        return {
            "input_tokens": self.fresh,
            "cache_creation_input_tokens": self.written,
            "cache_read_input_tokens": self.read,
            "cache_creation": {"ephemeral_5m_input_tokens": self.written, "ephemeral_1h_input_tokens": 0},
        }


class PromptCache:
    """Remembers the prefixes that were marked, for each model on its own, for as long as the server runs."""

    def __init__(self, counter: Counter, minimum: int) -> None:
        self._counter = counter
        self._minimum = minimum
        self._known: set[str] = set()
        self._lock = threading.Lock()

    def use(self, body: Mapping[str, Any]) -> CacheUse:
        """What a request reads and writes; its marked prefixes are known from then on."""
        parts = list(self._counter.parts(body))
        marks = [place for place, part in enumerate(parts) if part.marked]
        if body.get("cache_control") and parts:
            marks = sorted({*marks, len(parts) - 1})
        tokens = [self._counter.tokens(sum_) for sum_ in accumulate(part.characters for part in parts)]
        marks = [place for place in marks if tokens[place] >= self._minimum]
        read = written = 0
        if marks:
            hit = self._look_up(_keys(body["model"], parts), marks)
            read = tokens[hit] if hit is not None else 0
            written = tokens[marks[-1]] - read
        return CacheUse((tokens[-1] if tokens else 0) - read - written, read, written)

    def _look_up(self, keys: list[str], marks: list[int]) -> int | None:
        with self._lock:
            near = {place for mark in marks for place in range(max(0, mark - LOOKBACK), mark + 1)}
            hits = [place for place in near if keys[place] in self._known]
            self._known.update(keys[mark] for mark in marks)
        return max(hits, default=None)


def _keys(model: str, parts: list[Part]) -> list[str]:
    running = hashlib.sha256(model.encode())
    keys = []
    for part in parts:
        running.update(canonical(part.source).encode())
        keys.append(running.hexdigest())
    return keys
