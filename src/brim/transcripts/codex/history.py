"""What stands for the history after a compaction of Codex.

It is named word for word. What of it was said before is that very message again; what is new, such as the summary, is a
message of its own. Of what was said twice it means the newer.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from brim.conversation.messages import SUMMARY, Marks
from brim.errors import InvalidInput
from brim.transcripts.blocks import Block, text_block
from brim.transcripts.codex.items import item_call, item_result, marks_of, message_blocks, sealed_summary
from brim.transcripts.decoding import Json
from brim.transcripts.dialogue import Dialogue
from brim.transcripts.said import NO_MARKS, Entry, Said

SEALED: Final = ("compaction", "compaction_summary", "context_compaction")
"""Kinds of the items that are a summary which only the provider can read."""


@dataclass(frozen=True, slots=True)
class Named:
    """An item of a history, as the message it stands for."""

    role: str
    blocks: list[Block]
    marks: Marks = NO_MARKS
    sealed: bool = False
    """It is encrypted: no two such can be told to be the same."""


def kept(dialogue: Dialogue) -> list[Said]:
    """What stays where no history is named: the messages that no model wrote, older summaries apart."""
    entries = [node for node in dialogue.said() if isinstance(node, Entry) and not node.marks.summary]
    return [node for node in entries if any(block["type"] == "text" for block in node.blocks)]


def entered(dialogue: Dialogue, line: int, history: Sequence[Json]) -> list[Said]:
    """The messages that a history names, in its order; the new ones are added to the dialogue."""
    places: dict[str, list[Said]] = defaultdict(list)
    for node in dialogue.said():
        places[_key("user" if isinstance(node, Entry) else "assistant", node.blocks)].append(node)
    found: list[Said | Named] = []
    for item in reversed(history):
        try:
            named = _named(item)
        except InvalidInput as error:
            dialogue.harm(line, str(error))
            continue
        if named is not None:
            same = [] if named.sealed else places[_key(named.role, named.blocks)]
            found.append(same.pop() if same else named)
    return [_added(dialogue, line, one) if isinstance(one, Named) else one for one in reversed(found)]


def summary_of(dialogue: Dialogue, line: int, text: str) -> list[Said]:
    """The summary that a compaction tells beside the history, if any."""
    return [dialogue.say(line, [text_block(text)], SUMMARY)] if text else []


def _added(dialogue: Dialogue, line: int, named: Named) -> Said:
    if named.role == "user":
        return dialogue.say(line, named.blocks, named.marks)
    answer = dialogue.answer(line)
    dialogue.put(answer, named.blocks)
    return answer


def _key(role: str, blocks: Sequence[Block]) -> str:
    return f"{role} {json.dumps(blocks, sort_keys=True)}"


def is_sealed(item: Json) -> bool:
    """Whether an item of a history is a summary that is encrypted."""
    return isinstance(item, Mapping) and item.get("type") in SEALED


def _named(item: Json) -> Named | None:
    """An item of a history; None for what is no message, such as reasoning. Raises InvalidInput."""
    if not isinstance(item, Mapping):
        raise InvalidInput("a compaction's history holds what is no item")
    if is_sealed(item):
        return Named("user", sealed_summary(item), SUMMARY, sealed=True)
    if item.get("type") == "message":
        blocks, role = message_blocks(item), item.get("role")
        return Named("assistant", blocks) if role == "assistant" else Named("user", blocks, marks_of(role, blocks))
    call, result = item_call(item), item_result(item)
    if call is not None:
        return Named("assistant", [call])
    return Named("user", [result]) if result is not None else None
