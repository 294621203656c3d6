"""Tool pairs: every tool call has exactly one result, after it, and every result its call.

Specified by features/conversation/tool_pairs.feature (CNV_04).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import Final, TypeAlias

from brim.conversation.messages import SYNTHETIC, Message, Part, ToolCall, ToolResult, read_part, write_part


def splits_response(before: Message, after: Message) -> bool:
    """Return whether a cut between these neighbors would split a response, by its id."""
    response = before.marks.response
    return response is not None and before.role == after.role == "assistant" and after.marks.response == response


PartIndex: TypeAlias = tuple[int, int]
"""The index of a message, and that of a part within it."""


@dataclass(slots=True, eq=False)
class MissingResult:
    """A call whose result is not where the API requires it."""

    call: ToolCall
    index: PartIndex
    end: int
    """Index of the message after which the result belongs; in which, where the provider runs the tool."""
    found: PartIndex | None = None
    """Index of the result elsewhere in the conversation; None where there is none."""


class PairTracker:
    """Matches the calls and results of a growing conversation; what does not match is in the order of the conversation.

    Results come first in the user messages that follow a response, and a tool that the provider runs is answered within
    the response. A result elsewhere belongs to the nearest call before it that no result between them answers.
    """

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self.missing: dict[PartIndex, MissingResult] = {}
        """The calls whose result is missing, by the index of the call."""
        self.orphan_results: dict[PartIndex, str] = {}
        """Results without a call, and the ids that they name."""
        self.unsendable_calls: dict[PartIndex, str] = {}
        """The second call of one id in a response, and any call in a user's message, with their ids."""
        self._waiting: defaultdict[str, list[MissingResult]] = defaultdict(list)
        """The calls without any result, by id, but for those of the provider's tools."""
        self._response: list[MissingResult] = []
        """The calls of the last response, which may go on in the next message, answered or not."""
        self._leads = False
        """Whether nothing but results follows the last response."""
        self._before: Message | None = None
        self._count = 0
        for message in messages:
            self.append(message)

    @property
    def is_paired(self) -> bool:
        """Whether every call so far has its result and every result its call."""
        return not (self.missing or self.orphan_results or self.unsendable_calls)

    def append(self, message: Message) -> None:
        """Match the calls and results of the next message."""
        index, of_model = self._count, message.role == "assistant"
        if of_model:
            self._response = self._response if self._goes_on(message) else []
            self._leads = True
            for one in self._response:
                one.end = one.end if one.call.server else index
        for n, part in enumerate(message.parts):
            if type(part) is ToolResult:
                self._append_result(part, (index, n), of_model=of_model)
                continue
            self._leads = of_model
            if type(part) is ToolCall:
                self._append_call(part, (index, n), of_model=of_model)
        self._count += 1
        self._before = message

    def _of_provider(self, call_id: str) -> MissingResult | None:
        """Return the call of the provider's with this id in the last response that has no result yet."""
        calls = (one for one in self._response if one.call.server and one.call.id == call_id)
        return next((one for one in calls if one.index in self.missing), None)

    def _goes_on(self, message: Message) -> bool:
        """Return whether a message of the model has the response id of the one before, or answers the provider's call.

        The provider pauses such a response.
        """
        if self._before is None or self._before.role != "assistant":
            return False
        answers = any(self._of_provider(result.call_id) for result in results_of(message))
        return answers or splits_response(self._before, message)

    def _append_call(self, call: ToolCall, index: PartIndex, *, of_model: bool) -> None:
        calls = [one for one in self._response if one.call.id == call.id and not one.call.server]
        if not of_model or (self._of_provider(call.id) if call.server else calls):
            self.unsendable_calls[index] = call.id
            return
        missing = self.missing[index] = MissingResult(call, index, index[0])
        self._response.append(missing)
        if not call.server:
            self._waiting[call.id].append(missing)

    def _append_result(self, result: ToolResult, index: PartIndex, *, of_model: bool) -> None:
        calls = self._waiting.get(result.call_id)
        answered = self._of_provider(result.call_id) if of_model else calls.pop() if calls else None
        if answered is None:
            self.orphan_results[index] = result.call_id
        elif of_model or (self._leads and answered in self._response):
            del self.missing[answered.index]
        else:
            answered.found = index


def with_unique_ids(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages with an id of its own for each call; calls and results are paired (CNV_04).

    Of calls with the same id the newest keeps it, since its result may still be to come; the others are renamed, and
    their results with them. Where every id is unique, the very same messages.
    """
    times = Counter(call.id for message in messages for call in calls_of(message))
    others = {
        name: list(islice((other for n in count(2) if (other := f"{name}-{n}") not in times), times[name] - 1))
        for name in times
    }
    if not any(others.values()):
        return tuple(messages)
    names: dict[str, str] = {}
    renamed: list[Message] = []
    for message in messages:
        parts: list[Part] = []
        for part in message.parts:
            if type(part) is ToolCall:
                names[part.id] = others[part.id].pop() if others[part.id] else part.id
            parts.append(_with_id(part, names))
        same = all(new is old for new, old in zip(parts, message.parts, strict=True))
        renamed.append(message if same else message.with_parts(tuple(parts)))
    return tuple(renamed)


def _with_id(part: Part, names: Mapping[str, str]) -> Part:
    """Return a call or a result under the new id of its call."""
    if type(part) is ToolCall and names[part.id] != part.id:
        return read_part({**part.raw, "id": names[part.id]})
    if type(part) is ToolResult and names[part.call_id] != part.call_id:
        return read_part({**part.raw, "tool_use_id": names[part.call_id]})
    return part


INTERRUPTED: Final = "[Tool execution was interrupted]"
"""The text of the error result that answers a call without a result."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """A conversation in which every call has its result, and the ids of the calls that were repaired, in order.

    `sources` gives for each message the index it had before, None where it was added.
    """

    messages: tuple[Message, ...]
    sources: tuple[int | None, ...]
    answered: tuple[str, ...] = ()
    """Calls without a result: answered with an error result."""
    moved: tuple[str, ...] = ()
    """Calls whose result came too late: it was moved up to them."""
    left_out: tuple[str, ...] = ()
    """The ids that results without a call named."""
    unsendable_calls: tuple[str, ...] = ()
    """Calls that were left out: the second of one id in a response, and any in a user's message."""


def calls_of(message: Message) -> list[ToolCall]:
    """Return the tool calls of a message, in order."""
    return [part for part in message.parts if type(part) is ToolCall]


def results_of(message: Message) -> list[ToolResult]:
    """Return the tool results of a message, in order."""
    return [part for part in message.parts if type(part) is ToolResult]


def open_calls(message: Message) -> list[ToolCall]:
    """Return the calls of a message that have no result in it; a tool that the provider runs is answered there."""
    calls = calls_of(message)
    if not calls:
        return calls
    answered = {result.call_id for result in results_of(message)}
    return [call for call in calls if call.id not in answered]


def pair_tools(messages: Sequence[Message]) -> Repaired:
    """Answer calls without a result, move late results up to their call, leave out results without a call.

    The messages of a conversation in which all match are returned as the very same objects.
    """
    pairs = PairTracker(messages)
    if pairs.is_paired:
        return Repaired(tuple(messages), tuple(range(len(messages))))
    out = list(_repair(messages, pairs))
    return Repaired(
        messages=tuple(message for message, _ in out),
        sources=tuple(source for _, source in out),
        answered=tuple(one.call.id for one in pairs.missing.values() if one.found is None),
        moved=tuple(one.call.id for one in pairs.missing.values() if one.found is not None),
        left_out=tuple(pairs.orphan_results.values()),
        unsendable_calls=tuple(pairs.unsendable_calls.values()),
    )


def late_result_indices(messages: Sequence[Message]) -> tuple[tuple[int, int], ...]:
    """Return for each late result the index of the message after which it belongs, and of the one that holds it."""
    missing = PairTracker(messages).missing.values()
    return tuple((one.end, one.found[0]) for one in missing if one.found is not None)


def error_result(call: ToolCall) -> Part:
    """Return the result that answers an interrupted call, in the form that its kind of tool requires."""
    kind = str(call.raw["type"])
    if kind == "server_tool_use":
        result = "tool_search_tool_result" if call.name.startswith("tool_search_") else f"{call.name}_tool_result"
        error = {"type": f"{result}_error", "error_code": "unavailable"}
        return read_part({"type": result, "tool_use_id": call.id, "content": error})
    result = f"{kind.removesuffix('use')}result"
    return read_part({"type": result, "tool_use_id": call.id, "content": INTERRUPTED, "is_error": True})


def _repair(messages: Sequence[Message], pairs: PairTracker) -> Iterator[tuple[Message, int | None]]:
    """Yield the messages without the misplaced parts and with the missing results, each with the index it had."""
    removed = {*pairs.orphan_results, *pairs.unsendable_calls, *(one.found for one in pairs.missing.values())}
    missing: defaultdict[int, list[MissingResult]] = defaultdict(list)
    for one in pairs.missing.values():
        missing[one.end].append(one)
    for index, message in enumerate(messages):
        errors = [error_result(one.call) for one in missing[index] if one.call.server]
        parts = (*(part for n, part in enumerate(message.parts) if (index, n) not in removed), *errors)
        if parts == message.parts:
            yield message, index
        elif parts:
            yield message.with_parts(parts), index
        late = [one for one in missing[index] if not one.call.server]
        if late:
            found = [
                messages[one.found[0]].parts[one.found[1]] if one.found else error_result(one.call) for one in late
            ]
            pinned = any(messages[one.found[0]].marks.pinned for one in late if one.found)
            raw = {"role": "user", "content": [write_part(part) for part in found]}
            yield Message("user", tuple(found), raw, replace(SYNTHETIC, pinned=pinned)), None
