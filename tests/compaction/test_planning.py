"""Conversations that nobody expects, and plans that are nearly nothing."""

from __future__ import annotations

from typing import Any

import pytest

from brim.compaction.context_window import ContextWindow
from brim.compaction.plan import NOTHING_TO_COMPACT, plan_compaction
from brim.compaction.policy import CompactionPolicy
from brim.compaction.result import apply_plan, compact_without_model
from brim.conversation.messages import (
    CLOSING,
    PLAIN,
    SUMMARY,
    SYNTHETIC,
    Marks,
    Message,
    read_message,
)
from brim.models import ModelLimits
from tests.strict_api import complaints

LIMITS = ModelLimits(context_window=200_000, max_output_tokens=32_000)
SMALL = ModelLimits(context_window=2_000, max_output_tokens=1_000)
PINNED = Marks(pinned=True)
LONG = "Never mind. " * 100


def user(text: str, marks: Marks = PLAIN) -> Message:
    """Words in the user's role."""
    return read_message({"role": "user", "content": text}, marks)


def says(*blocks: str | dict[str, Any], marks: Marks = PLAIN) -> Message:
    """An answer of the model."""
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    return read_message({"role": "assistant", "content": content}, marks)


def call(name: str) -> dict[str, Any]:
    """A call of a tool."""
    return {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": "ls"}}


def result(name: str, text: str = "a.py", marks: Marks = PLAIN) -> Message:
    """The result of a call."""
    content = [{"type": "tool_result", "tool_use_id": name, "content": text}]
    return read_message({"role": "user", "content": content}, marks)


def window(*messages: Message, limits: ModelLimits = SMALL, **policy: Any) -> ContextWindow:
    """A window of these messages."""
    return ContextWindow(limits, policy=CompactionPolicy(**policy), messages=messages, characters_per_token=4)


def told(messages: Any) -> list[str]:
    """Of every message its last line, or the names of its calls and results."""
    return [
        message.text.rpartition("\n")[2] or str([part.raw["type"] for part in message.parts]) for message in messages
    ]


@pytest.mark.parametrize(
    "limits", [SMALL, LIMITS, ModelLimits(context_window=0), ModelLimits(context_window=10, max_output_tokens=5)]
)
@pytest.mark.parametrize(
    "messages",
    [
        (),
        tuple(user(LONG, SYNTHETIC) for _ in range(9)),
        tuple(says(LONG) for _ in range(9)),
        tuple(user(LONG, PINNED) for _ in range(9)),
        tuple(user(LONG, SUMMARY) for _ in range(9)),
        (user(LONG), says(LONG), user(LONG, SUMMARY), says(LONG), user("Go."), says(LONG), user(LONG, SUMMARY)),
        (user(LONG, SYNTHETIC), user("Go."), says(LONG), says(LONG)),
        (says(call("A")), result("A", LONG), says(call("B")), result("B", LONG)),
    ],
    ids=["nothing", "synthetic", "assistant", "pins", "summaries", "a summary inside", "a long head", "no request"],
)
def test_odd_conversations(messages: tuple[Message, ...], limits: ModelLimits) -> None:
    """Whatever the conversation is made of, its compaction is accepted, or it is left as it is."""
    made = compact_without_model(plan_compaction(window(*messages, limits=limits)))
    if made.plan.summarizes:
        assert complaints(made.messages) == []
        assert made.saved > 0
    else:
        assert list(made.conversation) == list(messages)
        assert made.plan.reason == NOTHING_TO_COMPACT


def test_hidden_thinking_is_thinking_too() -> None:
    """A loop whose thinking the provider hides loses it too, and is closed."""
    hidden = {"type": "redacted_thinking", "data": "x"}
    plan = plan_compaction(
        window(user("Go."), says(hidden, call("A")), result("A", LONG * 4), says(call("B")), result("B"))
    )
    assert plan.kept == [0, 3, 4]
    assert told(apply_plan(plan, "So far.").conversation)[-2] == CLOSING


def test_a_template_for_next_to_nothing() -> None:
    """A summary is at most half of what it replaces; where that leaves no room for one, nothing is compacted."""
    for length in range(0, 600, 7):
        messages = (user("x" * length), says("y"), user("A."), user("B."), user("C."))
        plan = plan_compaction(window(*messages, limits=LIMITS))
        made = compact_without_model(plan)
        assert len(made.summary) * 2 <= plan.removed_characters
        assert made.saved > 0 or (made.conversation == plan.context.original and not made.plan.changes_anything)
