"""Thinking blocks: each is signed, and its signature binds it to exactly what stood before it.

A signature names the system prompt, the tools, the messages before the block and the thinking block before it. So a
block comes back valid only behind what it was made behind. Cache marks are no part of that; thinking at the beginning
of a conversation may be left out, thinking between other thinking may not.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from brim.testing.messages_api.blocks import THOUGHTS, Placed, blocks_of, canonical, placed_blocks

FIELD = {"thinking": "signature", "redacted_thinking": "data"}
DIGEST = 16


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A thinking block that does not fit where it stands."""

    placed: Placed
    message: str
    bound_elsewhere: bool
    """Whether the block is genuine and only its prefix differs."""


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

    def mismatches(self, body: Mapping[str, Any]) -> Iterator[Mismatch]:
        """The thinking blocks of a request that were not signed here, or not behind what now stands before them."""
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
        told = canonical([block["type"], block.get("thinking", ""), claim])
        return hmac.new(self._key, told.encode(), hashlib.sha256).hexdigest()[: 2 * DIGEST]

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


def _mismatch(placed: Placed, fault: str) -> Mismatch:
    invalid = f"{placed.path}: Invalid `{FIELD[placed.kind]}` in `{placed.kind}` block"
    if not fault:
        return Mismatch(placed, invalid, bound_elsewhere=False)
    cure = 'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
    told = f"{invalid}. The block is bound to a different conversation. {cure} What differs: {fault}."
    return Mismatch(placed, told, bound_elsewhere=True)
