"""What the server remembers between requests: cached prefixes, and the thinking that it signed."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from brim.testing.messages_api.counting import Counter, Part
from brim.testing.strictness import THOUGHTS, Placed, blocks_of, canonical, placed_blocks

Body = Mapping[str, Any]

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


FIELD = {"thinking": "signature", "redacted_thinking": "data"}
DIGEST = 16


class Signer:
    """Signs the thinking blocks that are handed out, and checks those that come back."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()

    def sign(self, body: Mapping[str, Any], content: Sequence[dict[str, Any]]) -> None:
        """Sign each thinking block of an answer to a request, in place; one that is signed already stays so."""
        if not any(block["type"] in THOUGHTS for block in content):
            return
        prefix = _Prefix(body)
        for placed in placed_blocks(body["messages"]):
            prefix.add(placed.role, placed.block)
        for block in content:
            field = FIELD.get(block["type"])
            if field and not block.get(field):
                block[field] = self._seal(block, prefix)
            prefix.add("assistant", block)

    def faults(self, body: Mapping[str, Any]) -> Iterator[str]:
        """Tell the thinking blocks of a request that were not signed here, or not behind what stands before them."""
        placed_all = list(placed_blocks(body["messages"]))
        last = max((place for place, placed in enumerate(placed_all) if placed.kind in THOUGHTS), default=-1)
        prefix = _Prefix(body)
        for placed in placed_all[: last + 1]:
            if placed.kind in THOUGHTS:
                fault = self._fault(placed.block, prefix)
                if fault is not None:
                    yield _mismatch(placed, fault)
            prefix.add(placed.role, placed.block)

    def _seal(self, block: Mapping[str, Any], prefix: _Prefix) -> str:
        claim = {**prefix.digests(), "previous": prefix.previous or ""}
        sealed = json.dumps([claim, self._mac(block, claim)], separators=(",", ":"))
        return base64.b64encode(sealed.encode()).decode()

    def _mac(self, block: Mapping[str, Any], claim: Mapping[str, str]) -> str:
        signed = canonical([block["type"], block.get("thinking", ""), claim])
        return hmac.new(self._key, signed.encode(), hashlib.sha256).hexdigest()[: 2 * DIGEST]

    def _fault(self, block: Mapping[str, Any], prefix: _Prefix) -> str | None:
        """None for a block that fits, an empty text for one that was not signed here, else what differs."""
        claim = self._claim(block)
        if claim is None:
            return ""
        changed = [name for name, digest in prefix.digests().items() if claim[name] != digest]
        if changed:
            return f"`{changed[0]}` changed"
        if prefix.previous is not None and claim["previous"] != prefix.previous:
            return "a thinking block between it and the one before was left out or moved"
        return None

    def _claim(self, block: Mapping[str, Any]) -> dict[str, str] | None:
        try:
            claim, mac = json.loads(base64.b64decode(block[FIELD[block["type"]]], validate=True))
        except ValueError:
            return None
        genuine = isinstance(claim, dict) and hmac.compare_digest(str(mac), self._mac(block, claim))
        return claim if genuine else None


class _Prefix:
    """What stands before a place of a request, as running digests."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self._system = _digest(canonical(blocks_of(body.get("system"))))
        self._tools = _digest(canonical(body.get("tools") or []))
        self._messages = hashlib.sha256()
        self.previous: str | None = None
        """The last thinking block before the place, by its digest."""

    def add(self, role: str, block: Mapping[str, Any]) -> None:
        if block["type"] in THOUGHTS:
            self.previous = _digest(block[FIELD[block["type"]]])
        else:
            self._messages.update(canonical([role, block]).encode())

    def digests(self) -> dict[str, str]:
        return {"system": self._system, "tools": self._tools, "messages": self._messages.hexdigest()[: 2 * DIGEST]}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[: 2 * DIGEST]


def _mismatch(placed: Placed, fault: str) -> str:
    invalid = f"{placed.path}: Invalid `{FIELD[placed.kind]}` in `{placed.kind}` block"
    if not fault:
        return invalid
    return f"{invalid}. The block is bound to a different conversation. Remove the block. What differs: {fault}."
