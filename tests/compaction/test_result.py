"""What a compaction comes to, in more ways than its feature shows (CMP_05)."""

from __future__ import annotations

from typing import Any

import pytest

from brim import CompactionPolicy, Compactor, Conversation
from brim.compaction.context_window import ContextWindow
from brim.compaction.plan import plan_compaction
from brim.compaction.result import apply_plan
from brim.models import ModelLimits
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import ScriptedSummarizer
from steps.worlds.conversation_line import Line

LIMITS = ModelLimits(context_window=200_000)
TINY = ModelLimits(context_window=1_600, max_output_tokens=200)
KEPT = CompactionPolicy(keep_share=1, keep_tokens=33_600)


@pytest.mark.parametrize(
    ("present", "summary"),
    [
        (23, "6. All user messages:\n   - Revert it.\n\n7. Pending Tasks:"),
        (14, "Messages the user didn't write:\n- Revert it."),
        (14, "## Messages the assistant sent to the user\n- Revert it."),
        (14, "User requests that were withdrawn:\n- Revert it."),
        (14, "Suggested next user messages:\n- Revert it."),
    ],
)
def test_words_count_only_where_they_stand_as_the_users_own(present: int, summary: str) -> None:
    """Below a heading of the user's messages, and nowhere else (CMP_05)."""
    line = 'user "Revert it.", assistant, user "One.", A "", user "Two.", assistant "Yes.", user "Three."'
    found = apply_plan(plan_compaction(ContextWindow(LIMITS, KEPT, messages=Line.read(line))), summary).fidelity.words
    assert (found.present, found.total) == (present, 23)


def test_a_list_too_short_for_any_summary_is_sent_as_it_is() -> None:
    """Its template would be empty: nothing is compacted, and no request ends (SEL_07)."""
    messages = [{"role": "user", "content": "a"}] * 2
    compaction = Compactor(limits=TINY).compact(messages, cause="overflow")
    assert (compaction.messages, compaction.plan.changes_anything) == (messages, False)


class EachCharacter:
    """A token counter."""

    def count(self, text: str) -> int:
        """A token for each character."""
        return len(text)


def chinese() -> list[dict[str, Any]]:
    """Turns of 62,540 tokens, if each character is one."""
    messages: list[dict[str, Any]] = []
    for number in range(60):
        asked = f"请修复第{number}个问题，并且在文件 src/模块{number}.py 中说明原因{'详细的说明文字，' * 40}{number}"
        edit = {"file_path": f"/p/src/模块{number}.py", "old_string": "旧", "new_string": "新"}
        call = {"type": "tool_use", "id": f"c{number}", "name": "Edit", "input": edit}
        answer = {"type": "tool_result", "tool_use_id": f"c{number}", "content": "已完成" * 100}
        messages += [
            {"role": "user", "content": asked},
            {"role": "assistant", "content": [{"type": "text", "text": "好的，我来修改。" * 30}, call]},
            {"role": "user", "content": [answer]},
            {"role": "assistant", "content": "完成了。" * 20},
        ]
    return [*messages, {"role": "user", "content": "继续"}]


@pytest.mark.parametrize("summary", [None, "这是对话的总结。" * 300], ids=["template", "facts behind a summary"])
def test_limits_are_tokens_of_the_counter(summary: str | None) -> None:
    """Of 27,904 usable tokens 10,144 are kept, and the summary takes half of the rest (CMP_05, TOK_07)."""
    summarizer = None if summary is None else ScriptedSummarizer([summary], repeat=True)
    limits, policy = (
        ModelLimits(context_window=32_000, max_output_tokens=4_096),
        CompactionPolicy(token_counter=EachCharacter()),
    )
    conversation = Conversation(Compactor(limits=limits, policy=policy, summarizer=summarizer), system="系" * 8_000)
    conversation.extend(chinese())
    made = conversation.prepare().compaction
    assert made is not None
    assert made.tokens_after <= 19_024
    assert "请修复第0个问题" in made.summary


@pytest.mark.parametrize(("length", "writer"), [(4_096, "model"), (4_097, "template")])
def test_how_long_an_answer_is_follows_the_counter(length: int, writer: str) -> None:
    """The model is asked for 4,096 tokens, and a longer answer is not used (CMP_05)."""
    limits = ModelLimits(context_window=32_000, max_output_tokens=4_096)
    policy = CompactionPolicy(keep_tokens=1, token_counter=EachCharacter())
    summarizer = ScriptedSummarizer(SummaryAnswer(text="x" * length, stop_reason="end_turn"))
    compactor = Compactor(limits=limits, policy=policy, summarizer=summarizer, sleep=lambda _: None)
    messages = Line.read("user 3,000, assistant 2,500, user 1, assistant 1, user 1")
    assert compactor.compact(ContextWindow(limits, policy, messages=messages)).summary_source == writer
