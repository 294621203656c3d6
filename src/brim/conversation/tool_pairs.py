"""Tool pairs: every tool call has exactly one result, after it, and every result its call.

Specified by features/conversation/tool_pairs.feature (CNV_04).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise
from typing import Final, TypeAlias

from brim.conversation.messages import SYNTHETIC, Message, Part, ToolCall, ToolResult, read_part, user_text, write_part


def splits_response(before: Message, after: Message) -> bool:
    """Whether a cut between these neighbors would split a response, by its id."""
    response = before.marks.response
    return response is not None and before.role == after.role == "assistant" and after.marks.response == response


def is_same_response(before: Message, after: Message, unanswered: Collection[str]) -> bool:
    """Whether `after` continues the response of `before`: it has the same id, or answers a call that the provider runs.

    `unanswered` holds the ids of the provider's calls without a result: the provider pauses such a response.
    """
    if before.role != "assistant" or after.role != "assistant":
        return False
    if unanswered and any(type(part) is ToolResult and part.call_id in unanswered for part in after.parts):
        return True
    return splits_response(before, after)


PartIndex: TypeAlias = tuple[int, int]
"""The index of a message, and that of a part within it."""
_Parts: TypeAlias = Sequence[tuple[PartIndex, ToolCall | ToolResult]]


@dataclass(frozen=True, slots=True)
class MissingResult:
    """A call whose result is not where the API requires it."""

    call: ToolCall
    end: int
    """Index of the message after which the result belongs; in which, where the provider runs the tool."""
    found: PartIndex | None
    """Index of the result elsewhere in the conversation; None where there is none."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """The calls and results of a conversation that do not match, each kind in the order of the conversation."""

    missing_results: tuple[MissingResult, ...]
    orphan_results: tuple[PartIndex, ...]
    """Results without a call."""
    unsendable_calls: tuple[PartIndex, ...]
    """The second call of one id in a response, and any call in a user's message."""


def find_pairing(messages: Sequence[Message]) -> Pairing:
    """Match every call with the nearest result after it that no later call matches."""
    ends = _response_ends(messages)
    parts = [
        ((index, n), part)
        for index, message in enumerate(messages)
        for n, part in enumerate(message.parts)
        if isinstance(part, (ToolCall, ToolResult))
    ]
    unsendable = tuple(_unsendable_calls(parts, messages, ends))
    results = _results_of_calls(parts, messages, ends, frozenset(unsendable))
    leading = dict(_leading_results(messages))
    missing = (
        MissingResult(part, index[0] if part.server else ends[index[0]], results[index])
        for index, part in parts
        if isinstance(part, ToolCall)
        and index in results
        and not _is_in_place(part, index, results[index], ends, leading)
    )
    matched = frozenset(results.values())
    orphans = (index for index, part in parts if isinstance(part, ToolResult) and index not in matched)
    return Pairing(tuple(missing), tuple(orphans), unsendable)


def _response_ends(messages: Sequence[Message]) -> list[int]:
    """For each message the index at which its response ends; its own for a user's message."""
    starts: list[int] = []
    unanswered: set[str] = set()
    for index, message in enumerate(messages):
        if not index or not is_same_response(messages[index - 1], message, unanswered):
            starts.append(index)
            unanswered.clear()
        for part in message.parts:
            if type(part) is ToolCall and part.server:
                unanswered.add(part.id)
            elif type(part) is ToolResult:
                unanswered.discard(part.call_id)
    bounds = pairwise([*starts, len(messages)])
    return [stop - 1 for start, stop in bounds for _ in range(start, stop)]


def _unsendable_calls(parts: _Parts, messages: Sequence[Message], ends: Sequence[int]) -> Iterator[PartIndex]:
    """Calls that repeat an unanswered id of their response, and calls in a user's message."""
    unanswered: set[tuple[int, str, bool]] = set()
    for index, part in parts:
        end = ends[index[0]]
        if isinstance(part, ToolResult):
            unanswered.discard((end, part.call_id, True))  # only the provider answers within the response
            continue
        if (end, part.id, part.server) in unanswered or messages[end].role != "assistant":
            yield index
        unanswered.add((end, part.id, part.server))


def _results_of_calls(
    parts: _Parts, messages: Sequence[Message], ends: Sequence[int], unsendable: Collection[PartIndex]
) -> dict[PartIndex, PartIndex | None]:
    """For every call that can be sent the index of its result.

    Found from the end back: the unmatched results are then those that follow, the nearest last.
    """
    results: dict[PartIndex, PartIndex | None] = {}
    unmatched: defaultdict[tuple[int | None, str], list[PartIndex]] = defaultdict(list)
    for index, part in reversed(parts):
        end = ends[index[0]]
        if isinstance(part, ToolResult):
            unmatched[end if messages[end].role == "assistant" else None, part.call_id].append(index)
        elif index not in unsendable:
            following = unmatched[end if part.server else None, part.id]
            results[index] = following.pop() if following else None
    return results


def _is_in_place(
    call: ToolCall, index: PartIndex, result: PartIndex | None, ends: Sequence[int], leading: dict[PartIndex, int]
) -> bool:
    return result is not None and (call.server or leading.get(result) == ends[index[0]])


def _leading_results(messages: Sequence[Message]) -> Iterator[tuple[PartIndex, int]]:
    """The results that only results separate from a response, each with the index of the response's end."""
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


NO_MESSAGE: Final = user_text("")


class PairTracker:
    """Tracks the calls without a result in a growing conversation.

    Results come first in the user messages that follow a response. A tool that the provider runs is answered within
    the response.
    """

    __slots__ = ("_before", "broken", "unanswered", "unanswered_by_provider")

    def __init__(self) -> None:
        self.unanswered: set[str] = set()
        """Ids of the last response's calls that have no result yet."""
        self.unanswered_by_provider: set[str] = set()
        """Ids of the calls that the provider runs and has not answered yet."""
        self.broken = False
        """Whether a call was repeated or passed over, or a result came without its call."""
        self._before = NO_MESSAGE

    @property
    def is_paired(self) -> bool:
        """Whether every call so far has its result and every result its call."""
        return not (self.broken or self.unanswered or self.unanswered_by_provider)

    def append(self, message: Message) -> None:
        """Track the next message."""
        if message.role == "assistant":
            self._append_response(message)
        else:
            self._append_user(message)
        self._before = message

    def _append_user(self, message: Message) -> None:
        unanswered = self.unanswered
        for part in message.parts:
            if type(part) is ToolResult and part.call_id in unanswered:
                unanswered.remove(part.call_id)
            elif unanswered or type(part) in (ToolResult, ToolCall):
                self.broken = True

    def _append_response(self, message: Message) -> None:
        by_provider = self.unanswered_by_provider
        if (self.unanswered or by_provider) and not is_same_response(self._before, message, by_provider):
            self.broken = True
        for part in message.parts:
            if type(part) is ToolCall:
                calls = by_provider if part.server else self.unanswered
                if part.id in calls:
                    self.broken = True
                calls.add(part.id)
            elif type(part) is ToolResult:
                self.broken |= part.call_id not in by_provider
                by_provider.discard(part.call_id)


def with_unique_ids(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages with an id of its own for each call; calls and results are paired (CNV_04).

    Of calls with the same id the newest keeps it, since its result may still be to come; the others are renamed, and
    their results with them. Where every id is unique, the very same messages.
    """
    ids = [call.id for message in messages for call in calls_of(message)]
    if len(ids) == len(set(ids)):
        return tuple(messages)
    taken, met = set(ids), set[str]()
    names: dict[str, str] = {}
    renamed: list[Message] = []
    for message in reversed(messages):
        parts: list[Part] = []
        for part in reversed(message.parts):
            if type(part) is ToolResult:
                names[part.call_id] = _unused(part.call_id, taken) if part.call_id in met else part.call_id
            elif type(part) is ToolCall:
                if part.id not in names:
                    names[part.id] = _unused(part.id, taken) if part.id in met else part.id
                met.add(part.id)
            parts.insert(0, _with_id(part, names))
            if type(part) is ToolCall:
                del names[part.id]
        same = all(new is old for new, old in zip(parts, message.parts, strict=True))
        renamed.append(message if same else message.with_parts(tuple(parts)))
    return tuple(reversed(renamed))


def _unused(name: str, taken: set[str]) -> str:
    unused = next(other for n in count(2) if (other := f"{name}-{n}") not in taken)
    taken.add(unused)
    return unused


def _with_id(part: Part, names: Mapping[str, str]) -> Part:
    """A call or a result under the new id of its call."""
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
    """The tool calls of a message, in order."""
    return [part for part in message.parts if type(part) is ToolCall]


def results_of(message: Message) -> list[ToolResult]:
    """The tool results of a message, in order."""
    return [part for part in message.parts if type(part) is ToolResult]


def open_calls(message: Message) -> list[ToolCall]:
    """The calls of a message that have no result in it; a tool that the provider runs is answered there."""
    calls = calls_of(message)
    if not calls:
        return calls
    answered = {result.call_id for result in results_of(message)}
    return [call for call in calls if call.id not in answered]


def pair_tools(messages: Sequence[Message]) -> Repaired:
    """Answer calls without a result, move late results up to their call, leave out results without a call.

    The messages of a conversation in which all match are returned as the very same objects.
    """
    tracker = PairTracker()
    for message in messages:
        tracker.append(message)
    if tracker.is_paired:
        return Repaired(tuple(messages), tuple(range(len(messages))))
    pairing = find_pairing(messages)
    out = list(_repair(messages, pairing))
    missing = pairing.missing_results
    orphans = (messages[index].parts[n] for index, n in pairing.orphan_results)
    calls = (messages[index].parts[n] for index, n in pairing.unsendable_calls)
    return Repaired(
        messages=tuple(message for message, _ in out),
        sources=tuple(source for _, source in out),
        answered=tuple(one.call.id for one in missing if one.found is None),
        moved=tuple(one.call.id for one in missing if one.found is not None),
        left_out=tuple(part.call_id for part in orphans if isinstance(part, ToolResult)),
        unsendable_calls=tuple(part.id for part in calls if isinstance(part, ToolCall)),
    )


def late_result_indices(messages: Sequence[Message]) -> tuple[tuple[int, int], ...]:
    """For each late result: the index of the message after which it belongs, and of the one that holds it."""
    return tuple((one.end, one.found[0]) for one in find_pairing(messages).missing_results if one.found is not None)


def error_result(call: ToolCall) -> Part:
    """The result that answers an interrupted call, in the form that its kind of tool requires."""
    kind = str(call.raw["type"])
    if kind == "server_tool_use":
        result = "tool_search_tool_result" if call.name.startswith("tool_search_") else f"{call.name}_tool_result"
        error = {"type": f"{result}_error", "error_code": "unavailable"}
        return read_part({"type": result, "tool_use_id": call.id, "content": error})
    result = f"{kind.removesuffix('use')}result"
    return read_part({"type": result, "tool_use_id": call.id, "content": INTERRUPTED, "is_error": True})


def _repair(messages: Sequence[Message], pairing: Pairing) -> Iterator[tuple[Message, int | None]]:
    """The messages without the misplaced parts and with the missing results, each with the index it had."""
    removed = {*pairing.orphan_results, *pairing.unsendable_calls, *(one.found for one in pairing.missing_results)}
    missing: defaultdict[int, list[MissingResult]] = defaultdict(list)
    for one in pairing.missing_results:
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
            pinned = any(messages[one.found[0]].marks.pinned for one in late if one.found)
            yield _user([_result(messages, one) for one in late], pinned=pinned), None


def _result(messages: Sequence[Message], missing: MissingResult) -> Part:
    if missing.found is None:
        return error_result(missing.call)
    return messages[missing.found[0]].parts[missing.found[1]]


def _user(parts: Sequence[Part], *, pinned: bool) -> Message:
    raw = {"role": "user", "content": [write_part(part) for part in parts]}
    return Message("user", tuple(parts), raw, replace(SYNTHETIC, pinned=pinned))
