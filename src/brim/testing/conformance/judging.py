"""Judging: what is wrong with the result of a compaction, one line a fault."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from brim.testing.conformance.conversations import CHARACTERS_PER_TOKEN, PATH, SENTENCE, SIGNER, body_of
from brim.testing.strictness import FIELDS, blocks_of, canonical, complaints, loop_faults, placed_blocks

Message = Mapping[str, Any]
TOLD_SHARE: Final = 0.5
"""The share of the replaced requests and files that a result without a model's summary has to name."""


def words(messages: Iterable[Message]) -> str:
    """Return all text of messages: of texts, results and what calls were made with, its white space as one space."""
    return " ".join(" ".join(_texts(one["content"])) for one in messages)


def _texts(content: Any) -> Iterator[str]:
    for block in blocks_of(content):
        match block.get("type"):
            case "text":
                yield " ".join(str(block.get("text")).split())
            case "tool_use":
                yield json.dumps(block.get("input"), ensure_ascii=False)
            case "tool_result":
                yield from _texts(block.get("content"))


def tokens(messages: Sequence[Message]) -> int:
    """Count the tokens of messages, of four characters each, as JSON."""
    return -(-len(json.dumps(messages, ensure_ascii=False)) // CHARACTERS_PER_TOKEN)


def invalid(messages: Sequence[Message]) -> list[str]:
    """Return what the API would refuse; a block of an unknown type is taken for a text."""
    return complaints([_with_known_blocks(one) for one in messages])


def _with_known_blocks(message: Message) -> dict[str, Any]:
    content = message.get("content")
    if not isinstance(content, list):
        return dict(message)
    unknown = {"type": "text", "text": "?"}
    kinds = [block.get("type") if isinstance(block, Mapping) else None for block in content]
    blocks = [block if kind is None or kind in FIELDS else unknown for kind, block in zip(kinds, content, strict=True)]
    return {**message, "content": blocks}


def unpaired(messages: Sequence[Message]) -> list[str]:
    """Return what is wrong between calls and results."""
    return [fault for fault in invalid(messages) if "tool_use" in fault or "tool_result" in fault]


def parted(before: Sequence[Message], after: Sequence[Message]) -> list[str]:
    """Return which calls are gone of those that were made at once, where others of them stay."""
    left = {one.block["id"] for one in placed_blocks(after) if one.kind == "tool_use"}
    batches = [[one["id"] for one in blocks_of(m["content"]) if one["type"] == "tool_use"] for m in before]
    return [f"of the calls {', '.join(one)} some are gone" for one in batches if 0 < len(left & {*one}) < len(one)]


def misplaced(messages: Sequence[Message]) -> list[str]:
    """Return what is wrong with roles, order and content."""
    return [fault for fault in invalid(messages) if fault not in unpaired(messages)]


def unbound(messages: Sequence[Message]) -> list[str]:
    """Return the thinking that follows another history than it was signed behind, and a last loop that has lost it."""
    body = body_of(messages)
    calls = [one.block["id"] for one in placed_blocks(messages) if one.kind == "tool_use"]
    return [*SIGNER.faults(body), *loop_faults(body, calls)]


def has_words(messages: Iterable[Message], wanted: Message) -> bool:
    """Return whether the user's text stands word for word in a message of the user."""
    return words([wanted]) in words(one for one in messages if one["role"] == "user")


def has_block(messages: Sequence[Message], wanted: Mapping[str, Any]) -> bool:
    """Return whether a block stands there as it is."""
    return any(canonical(block) == canonical(wanted) for one in messages for block in blocks_of(one["content"]))


def kept(messages: Sequence[Message], wanted: Message) -> bool:
    """Return whether a message stands there as it was, apart from cache marks."""
    exact = (wanted["role"], canonical(blocks_of(wanted["content"])))
    return any((one["role"], canonical(blocks_of(one["content"]))) == exact for one in messages)


def requests_left(before: Sequence[Message], after: Sequence[Message]) -> float:
    """Return the share of the user's sentences that stand in the result."""
    wanted = set(SENTENCE.findall(words(one for one in before if one["role"] == "user")))
    return len(wanted.intersection(SENTENCE.findall(words(after)))) / len(wanted)


def untold(before: Sequence[Message], after: Sequence[Message]) -> list[str]:
    """Return what is wrong with a result that has no summary of a model, and does not tell of what it replaced."""
    gone = words(one for one in before if not kept(after, one))
    names = {*SENTENCE.findall(gone), *PATH.findall(gone)}
    left = names.intersection([*SENTENCE.findall(words(after)), *PATH.findall(words(after))])
    if not names or len(left) >= TOLD_SHARE * len(names):
        return []
    share = f"of {len(names)} requests and files in what was replaced, {len(left)} are named"
    return [f"nothing tells of what was removed: {share}"]
