"""To-do lists: what a tool use wrote into the agent's list of things to do (ANC_08)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from brim.conversation.turns import ToolUse

LISTS: Final = {"TodoWrite": "todos", "todowrite": "todos", "update_plan": "plan"}
"""Tools that write the whole list, and the field of their input that holds it."""
CLOSED: Final = frozenset({"completed", "cancelled"})


@dataclass(frozen=True, slots=True)
class ToDo:
    """One thing to do."""

    text: str
    is_open: bool


def to_dos(use: ToolUse) -> tuple[ToDo, ...]:
    """The list it wrote, in order; empty where it wrote none, or the call did not succeed."""
    field = LISTS.get(use.name)
    items = use.input.get(field) if field is not None and use.succeeded is True else None
    if not isinstance(items, (list, tuple)):
        return ()
    return tuple(_to_do(item) for item in items if isinstance(item, Mapping))


def closes_list(use: ToolUse) -> bool:
    """Whether it wrote a list on which nothing is open any more."""
    items = to_dos(use) if use.name in LISTS else ()
    return bool(items) and not any(item.is_open for item in items)


def _to_do(item: Mapping[str, object]) -> ToDo:
    text = item.get("content") or item.get("step") or ""
    return ToDo(str(text), not is_one_of(item.get("status"), CLOSED))


def is_one_of(status: object, statuses: Collection[str]) -> bool:
    """Whether a status that a tool was called with is one of these; a value that is no text is none of them."""
    return isinstance(status, str) and status in statuses
