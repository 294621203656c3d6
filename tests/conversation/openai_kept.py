"""What every compaction of a conversation in an OpenAI format keeps, and as what (ADP_03)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from brim.conversation.messages import CONTINUATION_OPENING, SUMMARY_OPENING
from brim.pruning.tool_outputs import PLACEHOLDER
from steps.openai_conversations import bonds


def check_kept(messages: list[Any], new: list[Any], pinned: Collection[int] = ()) -> None:
    """What is there came in, in its order, or is brim's; what has to be kept is the very same."""
    places = {id(message): index for index, message in enumerate(messages)}
    kept = [places[id(message)] for message in new if id(message) in places]
    told = {index for index, message in enumerate(messages) if message.get("role") in ("system", "developer")}
    assert [index for index in kept if index in told] == sorted(told)
    assert told | {*pinned} <= set(kept)
    requests = [index for index, message in enumerate(messages) if message.get("role") == "user"]
    assert {*requests[-1:]} <= set(kept)
    for message in (message for message in new if id(message) not in places):
        text = message.get("content", message.get("output"))
        assert text.startswith((SUMMARY_OPENING, CONTINUATION_OPENING)) or is_cleared(message, messages)


def is_cleared(message: Any, messages: list[Any]) -> bool:
    """Whether it is an output that came in, with nothing but its content changed."""
    field = "output" if "output" in message else "content"
    rest = {name: value for name, value in message.items() if name != field}
    alike = [one for one in messages if {name: value for name, value in one.items() if name != field} == rest]
    return message[field] == PLACEHOLDER and bool(alike)


def check_bonds(messages: list[Any], new: list[Any]) -> None:
    """Reasoning is kept with the item behind it, or goes with it; and every call that is kept has its output."""
    places = {id(message): index for index, message in enumerate(new)}
    for first, second in bonds(messages):
        if messages[first].get("type") == "reasoning":
            there = [places.get(id(messages[index])) for index in (first, second)]
            assert there == [None, None] or there[1] == there[0] + 1  # type: ignore[operator]
        else:
            assert (id(messages[second]) in places) <= (id(messages[first]) in places)
