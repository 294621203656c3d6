"""The layout of a compacted conversation: what stays, the summary and brim's own words, in the order they are sent.

Specified by features/compaction/layout.feature (CMP_03).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from brim.conversation.messages import (
    CLOSING,
    CONTINUATION,
    GOES_ON_BELOW,
    SUMMARY,
    SUMMARY_OPENING,
    SUMMARY_QUESTION,
    SYNTHETIC,
    UNSEEN,
    Message,
    Text,
    is_closing,
    is_continuation,
    user_text,
    with_system_in_place,
)
from brim.conversation.thinking import (
    loop_needs_thinking,
    thinking_indices,
    unanswered_results,
    unfinished_loop,
    without_thinking,
)
from brim.conversation.tool_pairs import results_of, with_unique_ids
from brim.conversation.turns import begins_turn
from brim.pruning.tool_outputs import Pruning, apply_pruning


@dataclass(frozen=True, slots=True)
class Keep:
    """A message that stays."""

    index: int
    """Its index in the plan's messages."""
    message: Message | None
    """The message as sent, without thinking whose history is summarized (CNV_06); None if it was thinking alone."""
    reason: str
    """Why it stays."""


@dataclass(frozen=True, slots=True)
class Clear(Keep):
    """A message that stays, with old tool outputs cleared (PRN_07)."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary, as a message of the user or as an answer of the assistant."""

    role: Literal["user", "assistant"] = "user"


@dataclass(frozen=True, slots=True)
class Closing:
    """The answer, in brim's own words, that closes an unfinished tool loop (CNV_06)."""


@dataclass(frozen=True, slots=True)
class Continuation:
    """A message in brim's own words: the question that a summary answers, or the request to continue."""

    text: str


Piece: TypeAlias = Keep | Clear | Summary | Closing | Continuation
"""A part of the layout; it becomes one message at most."""


def fold(layout: Iterable[Piece], summary: str = "") -> list[Message]:
    """Return the messages of a layout, with this summary in it."""
    messages = []
    for piece in layout:
        match piece:
            case Keep():
                messages += [piece.message] if piece.message is not None else []
            case Summary():
                text = f"{SUMMARY_OPENING}\n\n{summary}"
                raw = {"role": piece.role, "content": text}
                messages.append(Message(piece.role, (Text(text),), raw, SUMMARY))
            case Closing():
                raw = {"role": "assistant", "content": CLOSING}
                messages.append(Message("assistant", (Text(CLOSING),), raw, SYNTHETIC))
            case Continuation():
                messages.append(user_text(piece.text, SYNTHETIC))
    return messages


def acceptable(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages in the order that the API takes, with an id for each call (CNV_09)."""
    return with_unique_ids(in_order(messages))


def in_order(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages with a user's first, and the system's where the API takes them: the very same otherwise."""
    by_assistant = bool(messages) and messages[0].role != "user"
    opened = [user_text(GOES_ON_BELOW, SYNTHETIC), *messages] if by_assistant else messages
    return with_system_in_place(opened)


def lay_out(
    messages: Sequence[Message],
    pruning: Pruning,
    reasons: Mapping[int, str],
    *,
    opening: Sequence[int],
    request: Sequence[int],
    cut: int,
    automatic: bool,
    by_assistant: bool,
) -> tuple[Piece, ...]:
    """Return the messages before the user's last one, the summary, and the rest, each in the order it came.

    `reasons` holds the messages that stay: `opening` precede the summary, `request` is the user's last message if it
    precedes the cut, and all from `cut` on follow. `by_assistant` makes the summary the assistant's answer. Thinking
    stays where everything before it stays (CNV_06). The first message is never the assistant's.
    """
    pruned = apply_pruning(messages, pruning)

    def keep(index: int, *, thinking: bool = False) -> Keep:
        message = pruned[index]
        kind = Keep if message is messages[index] else Clear
        if index in request and index - 1 not in request and message.role == "user" and results_of(message):
            message = message.without(results_of(message))
        left = [message] if thinking else without_thinking([message])
        return kind(index, left[0] if left else None, pruning.reason if kind is Clear else reasons[index])

    border = request[0] if request else cut
    first = [index for index in opening if index < border]
    untouched = next((n for n, index in enumerate(first) if n != index or pruned[n] is not messages[n]), None)
    before: list[Piece] = [keep(index, thinking=untouched is None or n < untouched) for n, index in enumerate(first)]
    after: list[Piece] = [keep(index) for index in sorted(reasons.keys() - {*first})]
    summary: list[Piece] = [Continuation(SUMMARY_QUESTION), Summary("assistant")] if by_assistant else [Summary()]
    if [message.role for message in fold(before)][:1] == ["user"]:
        layout = [*before, *summary, *after]
    else:
        layout = [*summary, *(keep(index) for index in first), *after]
    layout, closed = _close_loop(messages, layout, opening)
    interrupted = automatic and unfinished_loop(messages) is not None
    return (*layout, *_continuation(layout, interrupted=interrupted or closed))


def answered_lines(messages: Sequence[Message]) -> frozenset[int]:
    """Return the indices of lines that closed and resumed a tool loop, if the model has answered since (CNV_06)."""
    answers = (n for n in reversed(range(len(messages))) if _is_answer(messages[n]))
    lines = (index for index in range(next(answers, 0)) if _is_line(messages[index]))
    return frozenset(index for index in lines if not messages[index].marks.pinned)


def _is_answer(message: Message) -> bool:
    return message.role == "assistant" and not is_closing(message) and bool(without_thinking([message]))


def _is_line(message: Message) -> bool:
    if is_closing(message) or not is_continuation(message):  # the text of most messages is not looked at
        return is_closing(message)
    return SUMMARY_QUESTION not in message.text and UNSEEN not in message.text


def lay_out_pruned(messages: Sequence[Message], pruning: Pruning, reason: str) -> tuple[Piece, ...]:
    """Return all messages with old outputs cleared; `reason` is that of each message in which none is cleared.

    Thinking after the first cleared output is removed, since the history it was bound to has changed (CNV_06).
    """
    first = pruning.outputs[-1].message if pruning.outputs else len(messages)
    layout: list[Piece] = []
    for index, (old, new) in enumerate(zip(messages, apply_pruning(messages, pruning), strict=True)):
        left = [new] if index < first else without_thinking([new])
        message = left[0] if left else None
        layout.append(Keep(index, message, reason) if new is old else Clear(index, message, pruning.reason))
    return tuple(layout)


def _close_loop(
    messages: Sequence[Message], layout: Sequence[Piece], opening: Collection[int]
) -> tuple[list[Piece], bool]:
    """Answer results that have no answer in brim's words, if the thinking before them is removed (CNV_06).

    The API asks for the thinking of a tool loop while results are the last. Also returns whether the loop was closed,
    and no words of the user follow.
    """
    sent = fold(layout)
    end = unanswered_results(sent)
    if end is None:
        return [*layout], False
    behind = [n for n, piece in enumerate(layout, 1) if fold([piece])][end - 1]
    last = layout[behind - 1]
    pinned = isinstance(last, Keep) and last.index in opening
    was_closed = any(message.marks.synthetic and message.text == CLOSING for message in messages)
    if not (loop_needs_thinking(messages) or (pinned and (was_closed or thinking_indices(messages)))):
        return [*layout], False
    return [*layout[:behind], Closing(), *layout[behind:]], not any(map(begins_turn, sent[end:]))


def with_closed_loop(messages: Sequence[Message], end: int) -> list[Message]:
    """Return the messages with a tool loop closed behind its last results, at `end`, and resumed if no words follow."""
    resumed = [] if any(map(begins_turn, messages[end:])) else [Continuation(CONTINUATION)]
    return [*with_system_in_place([*messages[:end], *fold([Closing()]), *messages[end:], *fold(resumed)])]


def _continuation(layout: Sequence[Piece], *, interrupted: bool) -> list[Piece]:
    """Return the request to continue, after an automatic compaction in the middle of a tool loop (CMP_03).

    Also after a manual one that would end with the summary as the model's own answer: the model resumes only after a
    user's message (CNV_06).
    """
    last = fold(layout)[-1]
    answered = last.role == "assistant" and last.marks.summary
    needed = (interrupted and not is_continuation(last)) or answered
    return [Continuation(CONTINUATION)] if needed else []
