"""Thinking: a thinking block is bound to the exact history before it.

Specified by features/conversation/thinking.feature (CNV_06).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import dropwhile, takewhile

from brim.conversation.messages import Message, Thinking
from brim.conversation.tool_pairs import open_calls, results_of
from brim.conversation.turns import begins_turn


def splits_thinking(before: Message, after: Message) -> bool:
    """Whether a cut between these neighbours would part a thinking block from what continues it (CNV_05)."""
    return before.role == after.role == "assistant" and bool(before.parts) and type(before.parts[-1]) is Thinking


def without_thinking(messages: Sequence[Message]) -> list[Message]:
    """The messages with their thinking blocks left out, and those that held nothing else with them.

    A message without thinking comes back as the very same object.
    """
    kept: list[Message] = []
    for message in messages:
        thinking = [part for part in message.parts if type(part) is Thinking]
        if not thinking:
            kept.append(message)
        elif len(thinking) < len(message.parts):
            kept.append(message.without(thinking))
    return kept


def unfinished_loop(messages: Sequence[Message]) -> int | None:
    """Index of the first response of a tool loop that the conversation ends in the middle of, None where it does not.

    A loop runs from the response to a user's message on; it is unfinished while the conversation ends with a call that
    waits for its result, or with results. What a harness says behind them does not end it, nor does a response of
    thinking alone: it answers nothing, and leaves with its thinking.
    """
    last = next((n for n in reversed(range(len(messages))) if not _is_aside(messages[n])), None)
    return None if last is None or not _goes_on(messages[last]) else _first_response(messages, last)


def _is_aside(message: Message) -> bool:
    if message.role == "assistant":
        return _thinks_alone(message)
    return not (begins_turn(message) or message.marks.summary or results_of(message))


def _thinks_alone(response: Message) -> bool:
    return bool(response.parts) and all(type(part) is Thinking for part in response.parts)


def _goes_on(last: Message) -> bool:
    if last.role == "assistant":
        return bool(open_calls(last))
    return bool(results_of(last)) and not begins_turn(last)


def _first_response(messages: Sequence[Message], start: int) -> int:
    """Where the loop begins that goes on at this message."""
    while start > 0 and not begins_turn(messages[start - 1]) and not messages[start - 1].marks.summary:
        start -= 1
    return start


def loop_needs_thinking(messages: Sequence[Message]) -> bool:
    """Whether the conversation ends with a tool loop that holds thinking, which the provider then asks for.

    It does so while results stand behind the last answer, whoever speaks beside them or after them. A response of
    thinking alone is no answer: without its thinking it is gone, and the results are the last again.
    """
    last = next((n for n in reversed(range(len(messages))) if _decides(messages[n])), None)
    if last is None or (messages[last].role == "assistant" and not open_calls(messages[last])):
        return False
    return bool(thinking_indices(messages, _first_response(messages, last)))


def _decides(message: Message) -> bool:
    """Whether it tells if a loop goes on: an answer, or results."""
    if message.role == "assistant":
        return not _thinks_alone(message)
    return bool(results_of(message))


def answer_begins_with_thinking(messages: Sequence[Message]) -> bool:
    """Whether the last answer begins with thinking, as a provider asks of it where results follow.

    Messages of the model that follow each other are one answer for the provider.
    """
    answers = dropwhile(lambda message: message.role == "user", reversed(messages))
    first = list(takewhile(lambda message: message.role == "assistant", answers))[-1:]
    return any(type(part) is Thinking for message in first for part in message.parts[:1])


def thinking_indices(messages: Sequence[Message], start: int = 0) -> list[int]:
    """Positions, from `start` on, of the messages that hold thinking."""
    return [place for place in range(start, len(messages)) if _holds_thinking(messages[place])]


def _holds_thinking(message: Message) -> bool:
    if message.role == "assistant":
        for part in message.parts:
            if type(part) is Thinking:
                return True
    return False
