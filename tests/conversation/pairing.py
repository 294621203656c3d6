"""Whether a conversation is whole, written a second time: as a provider would check it, over merged messages."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from brim.conversation.messages import Message, Part, ToolCall, ToolResult


def faults(messages: Sequence[Message]) -> list[str]:
    """What a provider would refuse about calls and results; consecutive messages of one role are read as one.

    A message of the system says words where it stands: none belongs between a call and its result.
    """
    found: list[str] = []
    asked: list[str] = []
    for role, run in groupby(messages, key=lambda message: message.role):
        if role != "assistant":
            found += _user_faults([part for message in run for part in message.parts], asked)
            asked = []
            continue
        for response in _responses(list(run)):
            found += [f"{asked} passed over by the next response"] if asked else []
            found += _provider_faults(response)
            asked = [part.id for part in response if type(part) is ToolCall and not part.server]
            found += [f"a response calls {asked}"] if len(asked) != len(set(asked)) else []
    return [*found, *(f"{call} unanswered at the end" for call in asked)]


def _responses(run: Sequence[Message]) -> list[list[Part]]:
    """The parts of a run of the model's messages, those of one response together."""
    grouped: list[list[Part]] = []
    last: str | None = None
    for message in run:
        named = message.marks.response is not None and message.marks.response == last
        answered = {part.call_id for part in message.parts if type(part) is ToolResult}
        if not named and not (grouped and answered & set(_unanswered(grouped[-1]))):
            grouped.append([])
        grouped[-1].extend(message.parts)
        last = message.marks.response
    return grouped


def _unanswered(parts: Sequence[Part]) -> list[str]:
    """Ids of the provider's calls that nothing after them answers."""
    calls = [(n, part.id) for n, part in enumerate(parts) if type(part) is ToolCall and part.server]
    return [call for n, call in calls if not any(_answers(part, call) for part in parts[n:])]


def _answers(part: Part, call: str) -> bool:
    return type(part) is ToolResult and part.call_id == call


def _user_faults(parts: Sequence[Part], asked: Sequence[str]) -> list[str]:
    leading = len(parts)
    for number, part in enumerate(parts):
        if type(part) is not ToolResult:
            leading = number
            break
    given = [part.call_id for part in parts[:leading] if type(part) is ToolResult]
    late = [part for part in parts[leading:] if type(part) in (ToolResult, ToolCall)]
    found = [] if sorted(given) == sorted(asked) else [f"{asked} answered by {given}"]
    return found + [f"a call or result among the user's words: {part}" for part in late]


def _provider_faults(parts: Sequence[Part]) -> list[str]:
    waiting: list[str] = []
    found: list[str] = []
    for part in parts:
        if type(part) is ToolCall and part.server:
            found += [f"{part.id} asked twice"] if part.id in waiting else []
            waiting.append(part.id)
        elif type(part) is ToolResult:
            if part.call_id in waiting:
                waiting.remove(part.call_id)
            else:
                found.append(f"{part.call_id} answered, not asked")
    return found + [f"{call} not answered by the provider" for call in waiting]
