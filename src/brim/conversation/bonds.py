"""Bonds: which result answers which call, and which results stand where they belong.

Specified by features/conversation/tool_pairs.feature (CNV_04). A tool that the provider runs is answered in the
same response; any other in the user messages that follow the response, ahead of all else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from brim.conversation.messages import Message
from brim.conversation.parts import Part, ToolCall, ToolResult
from brim.conversation.responses import response_ends

Place: TypeAlias = tuple[int, int]
"""Where a part stands: the index of its message, and its own within it."""


@dataclass(frozen=True, slots=True)
class Want:
    """A call whose result is not where it belongs."""

    call: ToolCall
    end: int
    """Index of the message after which the result belongs; in which, where the provider runs the tool."""
    found: Place | None
    """Where it stands instead; None where there is none."""


@dataclass(frozen=True, slots=True)
class Bonds:
    """What does not meet in a conversation, each kind in its order."""

    wants: tuple[Want, ...]
    strays: tuple[Place, ...]
    """Results without a call."""
    unfit: tuple[Place, ...]
    """Calls that cannot be sent: a response's second of one id, and any in a user's message."""


def find_bonds(messages: Sequence[Message]) -> Bonds:
    """Give every call the nearest result after it that no later call took."""
    ends = response_ends(messages)
    unfit = tuple(_unfit(messages, ends))
    answers = _answers(messages, ends, frozenset(unfit))
    taken = frozenset(answers.values())
    return Bonds(
        wants=tuple(_wants(messages, ends, answers)),
        strays=tuple(place for place, part in places(messages) if type(part) is ToolResult and place not in taken),
        unfit=unfit,
    )


def places(messages: Sequence[Message]) -> Iterator[tuple[Place, Part]]:
    """Every part with its place, in order."""
    return (((index, n), part) for index, message in enumerate(messages) for n, part in enumerate(message.parts))


def _unfit(messages: Sequence[Message], ends: Sequence[int]) -> Iterator[Place]:
    """A call is its response's second of one id while the first still waits."""
    waiting: set[tuple[int, str, bool]] = set()
    for place, part in places(messages):
        end = ends[place[0]]
        if type(part) is ToolResult:
            waiting.discard((end, part.call_id, True))  # only the provider answers within the response
        elif type(part) is ToolCall:
            if (end, part.id, part.server) in waiting or messages[end].role == "user":
                yield place
            waiting.add((end, part.id, part.server))


def _answers(messages: Sequence[Message], ends: Sequence[int], unfit: Collection[Place]) -> dict[Place, Place | None]:
    """For every call that can be sent the place of its result.

    Found from the end back: the results still free are then those that follow, the nearest on top.
    """
    answers: dict[Place, Place | None] = {}
    free: defaultdict[tuple[int | None, str], list[Place]] = defaultdict(list)
    for place, part in reversed(list(places(messages))):
        end = ends[place[0]]
        if type(part) is ToolResult:
            free[None if messages[end].role == "user" else end, part.call_id].append(place)
        elif type(part) is ToolCall and place not in unfit:
            results = free[end if part.server else None, part.id]
            answers[place] = results.pop() if results else None
    return answers


def _wants(messages: Sequence[Message], ends: Sequence[int], answers: dict[Place, Place | None]) -> Iterator[Want]:
    leads = dict(_leads(messages))
    for place, part in places(messages):
        if type(part) is ToolCall and place in answers:
            found, end = answers[place], ends[place[0]]
            if found is None or not (part.server or leads.get(found) == end):
                yield Want(part, place[0] if part.server else end, found)


def _leads(messages: Sequence[Message]) -> Iterator[tuple[Place, int]]:
    """The results that only results part from a response, each with the index of that response's end."""
    end: int | None = None
    for index, message in enumerate(messages):
        if message.role == "assistant":
            end = index
            continue
        for n, part in enumerate(message.parts):
            if type(part) is not ToolResult:
                end = None
            if end is not None:
                yield (index, n), end
