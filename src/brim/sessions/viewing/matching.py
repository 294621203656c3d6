"""Matching: the messages that a plan was made of, found again in what a session shows by then.

Part of the summary records; specified by features/sessions/summary_records.feature (SES_05). What was said and called
is compared. Thinking, results and the marks that steer the cache are not: a result may have come meanwhile, and it
takes away what was thought for want of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from brim.conversation.messages import CACHE_MARK, Message, Part, Text, Thinking, ToolResult, is_visible
from brim.conversation.tool_pairs import results_of
from brim.errors import Refused
from brim.sessions.view import View


@dataclass(frozen=True, slots=True)
class Matched:
    """Where the messages of a plan come from."""

    ids: Sequence[str | None]
    """For each its record; None for what brim wrote."""
    opened: int
    """How many of them the compaction before put ahead of its tail."""
    later: str | None
    """The first record of what was added since."""


def matched(messages: Sequence[Message], view: View) -> Matched:
    """Find the messages of a plan at the beginning of what is shown.

    Raises Refused where they are others: the session was changed meanwhile in another way than by adding to it.
    """
    planned, shown = _saying(messages), _saying(view.messages)
    pairs = list(zip(planned, shown, strict=False))
    if len(shown) < len(planned) or not all(_same(messages[one], view.messages[other]) for one, other in pairs):
        raise Refused(
            "this compaction is not of what the session shows: it was rewound or changed meanwhile, or it is another "
            "one; compact what it shows now"
        )
    end = shown[len(planned)] if len(shown) > len(planned) else len(view.messages)
    places = dict(pairs) | _answered(messages, view.messages[:end], pairs)
    return Matched(
        ids=[view.ids[places[n]] if n in places else None for n in range(len(messages))],
        opened=next((one for one, other in pairs if other >= view.opened), len(messages)),
        later=next((name for name in view.ids[end:] if name is not None), None),
    )


def _saying(messages: Sequence[Message]) -> list[int]:
    """The places of the messages that say or call something."""
    return [place for place, message in enumerate(messages) if any(map(_counts, message.parts))]


def _counts(part: Part) -> bool:
    return type(part) not in (Thinking, ToolResult) and (type(part) is not Text or is_visible(part.text))


def _same(one: Message, other: Message) -> bool:
    return one.raw == other.raw or (one.role == other.role and _said(one) == _said(other))


def _said(message: Message) -> list[Any]:
    return [part.text if type(part) is Text else _unmarked(part.raw) for part in message.parts if _counts(part)]


def _answered(
    messages: Sequence[Message], shown: Sequence[Message], pairs: Sequence[tuple[int, int]]
) -> dict[int, int]:
    """For each message that only answers calls the one that is shown in its place, behind the very same words."""
    found: dict[int, int] = {}
    starts = [(-1, -1), *pairs]
    for (one, other), (stop, end) in zip(starts, [*pairs, (len(messages), len(shown))], strict=True):
        holders = {result.call_id: n for n in range(other + 1, end) for result in results_of(shown[n])}
        for place in range(one + 1, stop):
            answers = results_of(messages[place])
            if answers and answers[0].call_id in holders:
                found[place] = holders[answers[0].call_id]
    return found


def _unmarked(value: Any) -> Any:
    """A value without cache marks at any depth."""
    if isinstance(value, Mapping):
        return {name: _unmarked(one) for name, one in value.items() if name != CACHE_MARK}
    return [_unmarked(one) for one in value] if isinstance(value, (list, tuple)) else value
