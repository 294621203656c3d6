"""What holds of every compaction by a compactor, under any policy, whatever the summarizer does."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from brim.compaction.context_window import ContextWindow
from brim.compaction.plan import Cause
from brim.compaction.policy import CompactionPolicy
from brim.compaction.result import Compaction
from brim.conversation.messages import Message, Text, ToolResult
from brim.conversation.turns import begins_turn
from brim.engine.compactor import Compactor
from brim.errors import SummaryFailed
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import ScriptedSummarizer
from brim.testing.strictness import complaints
from steps.prerequisites import sized
from tests.compaction.strategies import Case, cases

CONVERSATIONS = sized(75, nightly=10_000)
"""How many are drawn."""

ANSWERS = [
    "All went well.",
    "<summary>\n## Task Overview\nMend the program.\n</summary>",
    "It did. " * 2_000,
    "",
    "Overloaded",
    SummaryAnswer(text="I cannot help with that.", stop_reason="refusal"),
    SummaryAnswer(text="It went on and", stop_reason="max_tokens"),
    SummaryAnswer(failure="transient", reason="busy", retry_after=5_000),
    SummaryAnswer(failure="permanent", reason="the key is not known"),
    SummaryAnswer(failure="prompt_too_long", reason="too long"),
    RuntimeError("broken"),
]
FORMS = (
    "Extra inputs are not permitted",
    "Input tag",
    "Field required",
    "Input should be",
    "can only be in",
    "cannot be empty if",
)
scripts = st.lists(st.sampled_from(ANSWERS), min_size=1, max_size=4)
policies = st.sampled_from(["template", "truncate", "fallback", "raise"])


def compacted(compactor: Compactor, window: ContextWindow, *, cause: Cause) -> Compaction | None:
    """The compaction of a window; None where it was raised that there is none."""
    try:
        return compactor.compact(window, cause=cause)
    except SummaryFailed:
        assert compactor.policy.on_failure == "raise"
        return None


@settings(max_examples=CONVERSATIONS)
@given(case=cases(), script=scripts, policy=policies, cause=st.sampled_from(["manual", "automatic"]))
def test_any_conversation_under_any_policy(case: Case, script: list[Any], policy: str, cause: Cause) -> None:
    """The result is accepted, keeps the last request and the pins, and compacting it again does nothing more."""
    raws = deepcopy([message.raw for message in case.messages])
    compactor = Compactor(
        limits=case.limits,
        policy=CompactionPolicy(profile=case.profile, on_failure=policy),
        summarizer=ScriptedSummarizer(script, repeat=True),
        sleep=lambda _: None,
    )
    window = case.window()
    result = compacted(compactor, window, cause=cause)
    assert [message.raw for message in case.messages] == raws
    if result is None or not result.conversation:
        return
    if not result.plan.changes_anything:  # it comes back as it came, and what the API would refuse is named (CNV_09)
        assert [*result.conversation] == window.messages
        assert result.warnings or not faults(result)
    else:
        assert faults(result) == []
        check_kept(window.sendable()[0].messages, result)
        again = compacted(compactor, case.empty().with_messages(result.conversation), cause="manual")
        assert again is not None
        assert again.messages == result.messages


def faults(result: Compaction) -> list[str]:
    """What the API would refuse, but for the form of a block itself: what came in is carried as it came (CNV_01)."""
    return [fault for fault in complaints(result.messages) if not any(form in fault for form in FORMS)]


def check_kept(before: Sequence[Message], result: Compaction) -> None:
    """The last words of the user and every pinned message are there with all they say."""
    there = [said(message) for message in result.conversation]
    asked = next((message for message in reversed(before) if begins_turn(message)), None)
    plan = result.plan
    alone = [plan.context.messages[one.index] for one in plan.kept_pieces if one.index in plan.removed]
    for message in [*([asked] if asked else []), *(message for message in before if message.marks.pinned)]:
        kept = [part.text for part in message.parts if isinstance(part, Text) and part.text.strip()]
        wanted = kept if message in alone else said(message)
        assert wanted in there or not wanted


def said(message: Message) -> list[str]:
    """What a message says, thinking apart."""
    return [part.text for part in message.parts if isinstance(part, Text | ToolResult) and part.text.strip()]
