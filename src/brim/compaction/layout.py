"""The layout of a compacted conversation: what stays, the summary and brim's own words, in the order they are sent.

Specified by features/compaction/layout.feature (CMP_03).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from brim.conversation.messages import (
    CONTINUATION_OPENING,
    SUMMARY,
    SUMMARY_OPENING,
    SUMMARY_QUESTION,
    SYNTHETIC,
    Message,
    Text,
    is_continuation,
    user_text,
)
from brim.conversation.thinking import (
    answer_begins_with_thinking,
    thinking_indices,
    unfinished_loop,
    without_thinking,
)
from brim.conversation.tool_pairs import results_of
from brim.pruning.tool_outputs import Pruning, apply_pruning

CONTINUATION: Final = (
    f"{CONTINUATION_OPENING}\n\nThe conversation was compacted in the middle of your work. Go on with the last request "
    "from where the summary leaves off, without asking again for what it already tells."
)


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
class Continuation:
    """A message in brim's own words: the question that a summary answers, or the request to continue."""

    text: str


Piece: TypeAlias = Keep | Clear | Summary | Continuation
"""A part of the layout; it becomes one message at most."""


def fold(layout: Iterable[Piece], summary: str = "") -> list[Message]:
    """The messages of a layout, with this summary in it."""
    messages = []
    for piece in layout:
        match piece:
            case Keep():
                messages += [piece.message] if piece.message is not None else []
            case Summary():
                text = f"{SUMMARY_OPENING}\n\n{summary}"
                raw = {"role": piece.role, "content": text}
                messages.append(Message(piece.role, (Text(text),), raw, SUMMARY))
            case Continuation():
                messages.append(user_text(piece.text, SYNTHETIC))
    return messages


def lay_out(
    messages: Sequence[Message],
    pruning: Pruning,
    reasons: Mapping[int, str],
    *,
    opening: Sequence[int],
    request: Sequence[int],
    cut: int,
    automatic: bool,
    by_assistant: bool = False,
) -> tuple[Piece, ...]:
    """The messages before the user's last one, the summary, and the rest, each in the order it came.

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
    question: list[Piece] = [Continuation(SUMMARY_QUESTION)]
    summary = [*question, Summary("assistant")] if by_assistant else [Summary()]
    if _begins_with_user(before):
        layout = [*before, *summary, *after]
    else:
        layout = [*summary, *(keep(index) for index in first), *after]
    end = _end_of_pinned_loop(messages, layout, opening)
    if end is not None:
        before = [piece for piece in layout[:end] if isinstance(piece, Keep)]
        after = [piece for piece in layout[end:] if isinstance(piece, Keep)]
        layout = [*([] if _begins_with_user(before) else question), *before, Summary("assistant"), *after]
    interrupted = automatic and unfinished_loop(messages) is not None
    return (*layout, *_continuation(layout, interrupted=interrupted, nothing_follows=cut == len(messages)))


def lay_out_pruned(messages: Sequence[Message], pruning: Pruning, reason: str) -> tuple[Piece, ...]:
    """All messages with old outputs cleared; `reason` is that of each message in which none is cleared.

    Thinking after the first cleared output is removed, since the history it was bound to has changed (CNV_06).
    """
    first = pruning.outputs[-1].message if pruning.outputs else len(messages)
    layout: list[Piece] = []
    for index, (old, new) in enumerate(zip(messages, apply_pruning(messages, pruning), strict=True)):
        left = [new] if index < first else without_thinking([new])
        message = left[0] if left else None
        layout.append(Keep(index, message, reason) if new is old else Clear(index, message, pruning.reason))
    return tuple(layout)


def _begins_with_user(layout: Sequence[Piece]) -> bool:
    return next((message.role == "user" for message in fold(layout)), True)


def _end_of_pinned_loop(messages: Sequence[Message], layout: Sequence[Piece], opening: Collection[int]) -> int | None:
    """How many pieces end with pinned results that need an answer, since the thinking before them leaves; else None.

    The API asks for the thinking of a tool loop while results are the last; the summary as an answer ends it (CNV_06).
    """
    for end in range(len(layout), 0, -1):
        piece = layout[end - 1]
        for message in fold([piece]):
            if message.role == "assistant":
                return None
            if results_of(message):
                pinned = isinstance(piece, Keep) and piece.index in opening
                missed = thinking_indices(messages) and not answer_begins_with_thinking(fold(layout[: end - 1]))
                return end if pinned and missed else None
    return None


def _continuation(layout: Sequence[Piece], *, interrupted: bool, nothing_follows: bool) -> list[Piece]:
    """The request to continue, after an automatic compaction in the middle of a tool loop (CMP_03).

    Also after a manual one that would end with the summary as the model's own answer, or with a pinned result of a loop
    that was summarized: the model resumes only after a user's message (CNV_06).
    """
    last = fold(layout)[-1]
    pinned_result = nothing_follows and unfinished_loop([last]) is not None
    answered = last.role == "assistant" and last.marks.summary
    needed = (interrupted and not is_continuation(last)) or pinned_result or answered
    return [Continuation(CONTINUATION)] if needed else []
