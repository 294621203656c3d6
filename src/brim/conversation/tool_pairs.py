"""Tool pairs: every tool call has exactly one result, after it, and every result its call.

Specified by features/conversation/tool_pairs.feature (CNV_04).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from brim.conversation.bonds import Bonds, Place, Want, find_bonds
from brim.conversation.messages import SYNTHETIC, Message
from brim.conversation.pair_watch import PairWatch
from brim.conversation.parts import Part, ToolCall, ToolResult, read_part, write_part

__all__ = [
    "INTERRUPTED",
    "PairWatch",
    "Repaired",
    "calls_of",
    "error_result",
    "late_results",
    "open_calls",
    "pair_tools",
    "results_of",
]

INTERRUPTED: Final = "[Tool execution was interrupted]"
"""What answers a call that has no result."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """A conversation in which every call has its result, and what was done to it, by ids of calls in order.

    `sources` gives for each message the index it had before, None where it was added.
    """

    messages: tuple[Message, ...]
    sources: tuple[int | None, ...]
    answered: tuple[str, ...] = ()
    """Calls without a result: given the error result."""
    moved: tuple[str, ...] = ()
    """Calls whose result stood too late: moved up to them."""
    left_out: tuple[str, ...] = ()
    """What results without a call named."""
    unfit: tuple[str, ...] = ()
    """Calls that cannot be sent, left out: a response's second of one id, and any in a user's message."""


def calls_of(message: Message) -> list[ToolCall]:
    """The tool calls of a message, in order."""
    return [part for part in message.parts if type(part) is ToolCall]


def results_of(message: Message) -> list[ToolResult]:
    """The tool results of a message, in order."""
    return [part for part in message.parts if type(part) is ToolResult]


def open_calls(message: Message) -> list[ToolCall]:
    """The calls of a message that it does not answer itself, as it does where the provider runs the tool."""
    calls = calls_of(message)
    if not calls:
        return calls
    answered = {result.call_id for result in results_of(message)}
    return [call for call in calls if call.id not in answered]


def pair_tools(messages: Sequence[Message]) -> Repaired:
    """Answer calls without result, move late results up to their call, leave out results without call.

    A conversation that is whole comes back as it is: the very same messages.
    """
    watch = PairWatch()
    for message in messages:
        watch.append(message)
    if watch.whole:
        return Repaired(tuple(messages), tuple(range(len(messages))))
    return _repair(messages)


def late_results(messages: Sequence[Message]) -> tuple[tuple[int, int], ...]:
    """For each result that stands too late: the message behind which it belongs, and the one that it stands in."""
    return tuple((want.end, want.found[0]) for want in find_bonds(messages).wants if want.found is not None)


def error_result(call: ToolCall) -> Part:
    """The result that answers an interrupted call, in the form that its kind of tool has."""
    kind = str(call.raw["type"])
    if kind == "server_tool_use":
        result = "tool_search_tool_result" if call.name.startswith("tool_search_") else f"{call.name}_tool_result"
        error = {"type": f"{result}_error", "error_code": "unavailable"}
        return read_part({"type": result, "tool_use_id": call.id, "content": error})
    result = f"{kind.removesuffix('use')}result"
    return read_part({"type": result, "tool_use_id": call.id, "content": INTERRUPTED, "is_error": True})


def _repair(messages: Sequence[Message]) -> Repaired:
    bonds = find_bonds(messages)
    out = list(_rebuilt(messages, bonds))
    return Repaired(
        messages=tuple(message for message, _ in out),
        sources=tuple(source for _, source in out),
        answered=tuple(want.call.id for want in bonds.wants if want.found is None),
        moved=tuple(want.call.id for want in bonds.wants if want.found is not None),
        left_out=tuple(part.call_id for part in _parts_at(messages, bonds.strays) if type(part) is ToolResult),
        unfit=tuple(part.id for part in _parts_at(messages, bonds.unfit) if type(part) is ToolCall),
    )


def _parts_at(messages: Sequence[Message], places: Iterable[Place]) -> Iterator[Part]:
    return (messages[index].parts[n] for index, n in places)


def _rebuilt(messages: Sequence[Message], bonds: Bonds) -> Iterator[tuple[Message, int | None]]:
    """The messages with what is misplaced taken out and what is wanting put in, each with the index it had."""
    gone = {*bonds.strays, *bonds.unfit, *(want.found for want in bonds.wants)}
    wants: defaultdict[int, list[Want]] = defaultdict(list)
    for want in bonds.wants:
        wants[want.end].append(want)
    for index, message in enumerate(messages):
        errors = [error_result(want.call) for want in wants[index] if want.call.server]
        parts = (*(part for n, part in enumerate(message.parts) if (index, n) not in gone), *errors)
        if parts == message.parts:
            yield message, index
        elif parts:
            yield message.with_parts(parts), index
        results = [_result(messages, want) for want in wants[index] if not want.call.server]
        if results:
            yield _user(results), None


def _result(messages: Sequence[Message], want: Want) -> Part:
    return error_result(want.call) if want.found is None else messages[want.found[0]].parts[want.found[1]]


def _user(parts: Sequence[Part]) -> Message:
    raw = {"role": "user", "content": [write_part(part) for part in parts]}
    return Message("user", tuple(parts), raw, SYNTHETIC)
