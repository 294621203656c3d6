"""Tool pairs: every tool call has exactly one result, after it, and every result its call.

Specified by features/conversation/tool_pairs.feature (CNV_04).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

from brim.conversation.messages import SYNTHETIC, Message, Part, ToolCall, ToolResult, read_part, user_text, write_part


def parts_response(before: Message, after: Message) -> bool:
    """Whether a cut between these neighbours would part a response from the rest of itself."""
    response = before.marks.response
    return response is not None and before.role == after.role == "assistant" and after.marks.response == response


def goes_on(before: Message, after: Message, serving: Collection[str]) -> bool:
    """Whether `after` is the same response as `before`: by its id, or because it answers a call that the provider runs.

    `serving` are the ids of the calls that it still runs. A response that was paused meanwhile goes on like that.
    """
    if before.role != "assistant" or after.role != "assistant":
        return False
    if serving and any(type(part) is ToolResult and part.call_id in serving for part in after.parts):
        return True
    return parts_response(before, after)


def response_ends(messages: Sequence[Message]) -> list[int]:
    """For each message the index at which its response ends; its own, where it is no part of one."""
    starts: list[int] = []
    serving: set[str] = set()
    for index, message in enumerate(messages):
        if not index or not goes_on(messages[index - 1], message, serving):
            starts.append(index)
            serving.clear()
        for part in message.parts:
            if type(part) is ToolCall and part.server:
                serving.add(part.id)
            elif type(part) is ToolResult:
                serving.discard(part.call_id)
    bounds = pairwise([*starts, len(messages)])
    return [stop - 1 for start, stop in bounds for _ in range(start, stop)]


Place: TypeAlias = tuple[int, int]
"""Where a part stands: the index of its message, and its own within it."""


@dataclass(frozen=True, slots=True)
class Want:
    """A call whose result is not where it belongs."""

    call: ToolCall
    end: int
    """Index of the message after which the result belongs; in which, where the provider runs the tool."""
    found: Place | None
    """Where the result stands in the conversation; None where it has none."""


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


NOTHING: Final = user_text("")
"""What stands before the first message."""


class PairWatch:
    """Watches a growing conversation for calls and results that do not meet.

    Results come first in the user messages that follow a response. A tool that the provider runs is answered within
    the response.
    """

    __slots__ = ("_before", "broken", "serving", "waiting")

    def __init__(self) -> None:
        self.waiting: set[str] = set()
        """Ids of the calls of the last response that have no result yet."""
        self.serving: set[str] = set()
        """Ids of the calls that the provider has not answered yet."""
        self.broken = False
        """Whether a call was passed over or said twice, or a result came without its call."""
        self._before = NOTHING

    @property
    def whole(self) -> bool:
        """Whether every call so far has its result and every result its call."""
        return not (self.broken or self.waiting or self.serving)

    def append(self, message: Message) -> None:
        """Take in the next message."""
        if message.role == "user":
            self._user(message)
        else:
            self._assistant(message)
        self._before = message

    def _user(self, message: Message) -> None:
        waiting = self.waiting
        for part in message.parts:
            if type(part) is ToolResult and part.call_id in waiting:
                waiting.remove(part.call_id)
            elif waiting or type(part) in (ToolResult, ToolCall):
                self.broken = True

    def _assistant(self, message: Message) -> None:
        if (self.waiting or self.serving) and not goes_on(self._before, message, self.serving):
            self.broken = True
        for part in message.parts:
            if type(part) is ToolCall:
                calls = self.serving if part.server else self.waiting
                if part.id in calls:
                    self.broken = True
                calls.add(part.id)
            elif type(part) is ToolResult:
                self.broken |= part.call_id not in self.serving
                self.serving.discard(part.call_id)


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
