"""The result of a compaction: the new conversation, and what it came to.

Specified by features/compaction/result.feature (CMP_03, CMP_05).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from brim.compaction.plan import Plan
from brim.conversation.messages import (
    CONTINUATION_OPENING,
    SUMMARY,
    SUMMARY_OPENING,
    SUMMARY_QUESTION,
    SYNTHETIC,
    Message,
    is_visible,
    user_text,
)
from brim.conversation.parts import Text, ToolCall, ToolResult
from brim.conversation.thinking import (
    answer_begins_with_thinking,
    thinking_places,
    unfinished_loop,
    without_thinking,
)
from brim.conversation.tool_pairs import results_of
from brim.errors import Refused
from brim.pruning.tool_outputs import apply_pruning
from brim.summary.attempts import Attempt
from brim.summary.compression import Compression, compression
from brim.summary.fidelity import Fidelity, fidelity
from brim.tokens.estimation import measure, tokens_of

CONTINUATION: Final = (
    f"{CONTINUATION_OPENING}\n\nThe conversation was compacted in the middle of your work. Go on with the last request "
    "from where the summary leaves off, without asking again for what it already tells."
)
BY_ASSISTANT: Final = frozenset({"opencode-2025"})
"""Profiles whose summary is an assistant message under a marker (CMP_03)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """The new conversation, and its figures by one measure: the estimate of all that is sent (TOK_11)."""

    plan: Plan
    """The plan that was carried out."""
    conversation: tuple[Message, ...]
    """The new conversation as values."""
    summary: str
    """The summary that was accepted; empty where nothing was summarised."""
    tokens_before: int
    """The estimate of all that was sent before, in tokens."""
    tokens_after: int
    """The estimate of all that is sent now, in tokens."""
    by: str = ""
    """Who wrote the summary: model, template, truncate or fallback; empty where nobody did, or a caller."""
    attempts: tuple[Attempt, ...] = ()
    """The calls of a summarizer, and what each came to."""

    @property
    def saved(self) -> int:
        """Tokens that are no longer sent."""
        return self.tokens_before - self.tokens_after

    @property
    def compression(self) -> Compression:
        """The share that is no longer sent, and the warning where it is small (SUM_12)."""
        return compression(self.tokens_before, self.tokens_after)

    @property
    def text(self) -> str:
        """All that the new conversation says, for whoever looks for a fact in it."""
        return "\n".join(text for message in self.conversation for text in _texts(message))

    @property
    def fidelity(self) -> Fidelity:
        """The share of the facts that the new conversation still holds (SUM_13)."""
        return fidelity(self.plan.facts, self.text)

    @property
    def messages(self) -> list[Any]:
        """The new conversation as dictionaries, for the next request; what was kept is the very ones that came in."""
        return [message.raw for message in self.conversation]


def apply_plan(plan: Plan, summary: str = "") -> Compaction:
    """The conversation that a plan and an accepted summary make; the one handed in is not changed (CNV_07).

    A plan that does nothing gives the conversation as it can be sent; a pruning alone needs no summary. Raises Refused
    where a summary is needed and there is none.
    """
    if plan.summarises:
        if not is_visible(summary):
            raise Refused("this plan summarises, and what leaves needs a summary that says something in its place")
        messages = _summarised(plan, summary)
    elif plan.pruning.outputs:
        messages = _pruned(plan)
    else:
        messages = plan.messages
    return Compaction(
        plan=plan,
        conversation=messages,
        summary=summary if plan.summarises else "",
        tokens_before=plan.tokens_before,
        tokens_after=_estimate(plan, messages) if plan.acts else plan.tokens_before,
    )


def _pruned(plan: Plan) -> tuple[Message, ...]:
    """Old outputs cleared; thinking behind the first of them is bound to a history that is no more (CNV_06)."""
    messages = apply_pruning(plan.messages, plan.pruning)
    first = plan.pruning.outputs[-1].message
    return (*messages[:first], *without_thinking(messages[first:]))


def _summarised(plan: Plan, summary: str) -> tuple[Message, ...]:
    """What stood before the user's last message, the summary, and the rest, each in the order it came."""
    messages = apply_pruning(plan.messages, plan.pruning)
    border = plan.request[0] if plan.request else plan.cut
    ahead = [position for position in plan.front if position < border]
    behind = sorted({*plan.front, *plan.request}.difference(ahead))
    told = _summary_messages(summary, by_assistant=plan.profile in BY_ASSISTANT)
    kept = without_thinking([*(_left_of(plan, messages, position) for position in behind), *messages[plan.cut :]])
    whole = [*_opened(plan, messages, ahead, told), *kept]
    robbed = _robbed(plan, messages, whole)
    whole = whole if robbed is None else _closed(whole, robbed, told, summary)
    return (*whole, *_continuation(plan, whole[-1]))


def _left_of(plan: Plan, messages: Sequence[Message], position: int) -> Message:
    """What is kept; of the user's last message the words alone where the calls that it answers leave (CNV_06)."""
    message = messages[position]
    return message.without(results_of(message)) if plan.is_parted(position) else message


def _robbed(plan: Plan, messages: Sequence[Message], whole: Sequence[Message]) -> int | None:
    """Where pinned results stand behind the last answer, without thinking before them; None where none is missed."""
    for place in reversed(range(len(whole))):
        if whole[place].role == "assistant":
            return None
        if results_of(whole[place]):
            pinned = any(messages[position] is whole[place] for position in plan.front)
            missed = thinking_places(plan.messages) and not answer_begins_with_thinking(whole[:place])
            return place if pinned and missed else None
    return None


def _closed(whole: Sequence[Message], place: int, told: Sequence[Message], summary: str) -> list[Message]:
    """The conversation with the summary as the answer to these results: their loop has ended, no thinking is missed."""
    _, answer = _summary_messages(summary, by_assistant=True)
    ids = {id(message) for message in told}
    before, after = ([one for one in part if id(one) not in ids] for part in (whole[: place + 1], whole[place + 1 :]))
    opening = [] if before[0].role == "user" else [user_text(SUMMARY_QUESTION, SYNTHETIC)]
    return [*opening, *before, answer, *after]


def _opened(plan: Plan, messages: Sequence[Message], ahead: Sequence[int], told: Sequence[Message]) -> list[Message]:
    """The summary behind what is ahead of it; before it where the assistant would open the conversation.

    Thinking stays where everything before it stays (CNV_06).
    """
    moved = (n for n, position in enumerate(ahead) if n != position or messages[n] is not plan.messages[n])
    same = next(moved, len(ahead))
    front = [*messages[:same], *without_thinking([messages[position] for position in ahead[same:]])]
    if not front or front[0].role == "user":
        return [*front, *told]
    return [*told, *without_thinking(front)]


def _summary_messages(summary: str, *, by_assistant: bool) -> list[Message]:
    text = f"{SUMMARY_OPENING}\n\n{summary}"
    if not by_assistant:
        return [user_text(text, SUMMARY)]
    answer = Message("assistant", (Text(text),), {"role": "assistant", "content": text}, SUMMARY)
    return [user_text(SUMMARY_QUESTION, SYNTHETIC), answer]


def _continuation(plan: Plan, last: Message) -> list[Message]:
    """Sends the model on where an automatic compaction came in the middle of its work (CMP_03).

    So does one by hand that would end with the summary as the model's own answer, or with a pinned result of a loop
    that went into the summary: the model has to resume from words of a user (CNV_06).
    """
    in_mid_work = plan.automatic and unfinished_loop(plan.messages) is not None
    pinned_result = plan.cut == len(plan.messages) and unfinished_loop([last]) is not None
    answered = last.role == "assistant" and last.marks.summary
    return [user_text(CONTINUATION, SYNTHETIC)] if in_mid_work or pinned_result or answered else []


def _estimate(plan: Plan, messages: Sequence[Message]) -> int:
    """The tokens of these messages and of what every request carries, by the ratio of the plan (CMP_05)."""
    size = sum((measure(message) for message in messages), plan.extras)
    return tokens_of(size, plan.characters_per_token)


def _texts(message: Message) -> Iterator[str]:
    for part in message.parts:
        if type(part) is Text or type(part) is ToolResult:
            yield part.text
        elif type(part) is ToolCall:
            yield from (value if type(value) is str else str(value) for value in part.input.values())
