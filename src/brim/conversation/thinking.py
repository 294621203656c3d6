"""Thinking: a thinking block is bound to the exact history before it.

Specified by features/conversation/thinking.feature (CNV_06).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import dropwhile, takewhile

from brim.conversation.messages import Message, Thinking, is_closing
from brim.conversation.tool_pairs import open_calls, results_of
from brim.conversation.turns import begins_turn


def splits_thinking(before: Message, after: Message) -> bool:
    """Return whether a cut here would separate a thinking block from the message that continues it (CNV_05)."""
    return before.role == after.role == "assistant" and bool(before.parts) and type(before.parts[-1]) is Thinking


def without_thinking(messages: Sequence[Message]) -> list[Message]:
    """Return the messages without their thinking blocks; a message with nothing else is left out.

    A message without thinking is returned as the same object.
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
    """Return the index of the first response of the tool loop that the conversation ends with; None without one.

    A loop begins with the response to a user's message. It is unfinished while the conversation ends with a call
    without a result, or with results. Neither a harness text after them nor a response with only thinking ends it, nor
    the line with which brim closes it.
    """
    last = next((n for n in reversed(range(len(messages))) if not _is_ignored(messages[n])), None)
    if last is None:
        return None
    message = messages[last]
    if message.role == "assistant":
        unfinished = bool(open_calls(message))
    else:
        unfinished = bool(results_of(message)) and not begins_turn(message)
    return _first_response(messages, last) if unfinished else None


def _is_ignored(message: Message) -> bool:
    if message.role == "assistant":
        has_only_thinking = bool(message.parts) and all(type(part) is Thinking for part in message.parts)
        return has_only_thinking or is_closing(message)
    return not (begins_turn(message) or message.marks.summary or results_of(message))


def _first_response(messages: Sequence[Message], start: int) -> int:
    """Return the index of the first message of the loop that this message belongs to."""
    while start > 0 and not begins_turn(messages[start - 1]) and not messages[start - 1].marks.summary:
        start -= 1
    return start


def loop_needs_thinking(messages: Sequence[Message]) -> bool:
    """Return whether the conversation ends with a tool loop that has thinking, which the provider then requires.

    The loop lasts while results follow the last answer, also with other texts beside or after them. A response of
    thinking alone is no answer: it is left out with its thinking.
    """
    last = unanswered_work(messages)
    return last is not None and bool(thinking_indices(messages, _first_response(messages, last)))


def unanswered_work(messages: Sequence[Message]) -> int | None:
    """Return the index of the newest call or results that the model has not answered, whatever the user said then."""
    for n in reversed(range(len(messages))):
        message = messages[n]
        if message.role == "assistant" and not _is_ignored(message):
            return n if open_calls(message) else None
        if message.role != "assistant" and results_of(message):
            return n
    return None


def unanswered_results(messages: Sequence[Message]) -> int | None:
    """Return the index behind the last results, if no answer follows and the one before begins without thinking."""
    for end in range(len(messages), 0, -1):
        if messages[end - 1].role == "assistant":
            return None
        if results_of(messages[end - 1]):
            return None if answer_begins_with_thinking(messages[: end - 1]) else end
    return None


def answer_begins_with_thinking(messages: Sequence[Message]) -> bool:
    """Return whether the last answer begins with thinking, which a provider requires if results follow.

    Consecutive messages of the model are one answer for the provider.
    """
    answers = dropwhile(lambda message: message.role != "assistant", reversed(messages))
    first = list(takewhile(lambda message: message.role == "assistant", answers))[-1:]
    return any(type(part) is Thinking for message in first for part in message.parts[:1])


def thinking_indices(messages: Sequence[Message], start: int = 0) -> list[int]:
    """Return the indices, from `start` on, of the messages with thinking."""
    answers = ((n, messages[n]) for n in range(start, len(messages)) if messages[n].role == "assistant")
    return [n for n, message in answers if Thinking in map(type, message.parts)]
