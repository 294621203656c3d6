"""What is printed of brim's objects, by `repr` or in a log, has no text of the conversation and no key."""

from __future__ import annotations

from typing import Any

import anthropic
import openai
import pytest

import brim
from brim.anthropic.summarizer import AnthropicSummarizer
from brim.compaction.events import CompactionEvent
from brim.errors import InvalidInput
from brim.openai.summarizer import OpenAISummarizer
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import ScriptedSummarizer

KEY = "sk-ant-api03-AAAABBBBCCCCDDDDEEEE"
LIMITS = brim.ModelLimits(context_window=20_000, max_output_tokens=2_000)


def conversation() -> list[Any]:
    """Turns with the key in every part of them: words, constraints, decisions, commands, paths, errors and files."""
    messages = list[Any]()
    for number in range(40):
        ran, wrote = f"ran-{number}", f"wrote-{number}"
        run = {"type": "tool_use", "id": ran, "name": "Bash", "input": {"command": f"pytest -k {KEY} > /tmp/{KEY}"}}
        file = {"file_path": f"/a/{KEY}{number}.py", "content": KEY}
        write = {"type": "tool_use", "id": wrote, "name": "Write", "input": file}
        failed = f"FAILED tests/test_{KEY}.py::x - Error {KEY}\n1 failed " * 40
        messages += [
            {
                "role": "user",
                "content": f"Never use tabs {KEY}. Always keep {KEY} in step {number}. " * (number % 9 + 1),
            },
            {"role": "assistant", "content": [{"type": "text", "text": f"I decided to use {KEY}."}, run, write]},
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": ran, "content": failed, "is_error": True},
                    {"type": "tool_result", "tool_use_id": wrote, "content": f"Done {KEY}."},
                ],
            },
            {"role": "assistant", "content": f"Done {KEY}."},
        ]
    return [*messages, {"role": "user", "content": f"Go on {KEY}."}]


SUMMARIZERS = {
    "a model": ["<summary>Done.</summary>"],
    "one that fails": [SummaryAnswer(failure="permanent", reason=f"no {KEY}")],
    "none": None,
}


@pytest.mark.parametrize("script", SUMMARIZERS.values(), ids=SUMMARIZERS)
def test_neither_a_repr_nor_an_event_nor_an_error_has_a_key(script: list[Any] | None) -> None:
    """Whoever logs a compactor, a conversation, a plan, a compaction or an event logs no conversation."""
    events = list[CompactionEvent]()
    summarizer = script and ScriptedSummarizer(script, repeat=True)
    compactor = brim.Compactor(
        limits=LIMITS, summarizer=summarizer, on_event=events.append, sleep=lambda _: None, policy=POLICY
    )
    held = brim.Conversation(compactor)
    held.extend(conversation())
    outgoing = held.prepare()
    compaction = compactor.compact(conversation())
    assert compaction.fidelity.missing
    printed = [compactor, held, outgoing, compaction, compaction.plan, compaction.fidelity, events]
    assert [type(one) for one in printed if KEY in repr(one) or KEY in str(one)] == []
    assert {"started", "compacted"} <= {event.kind for event in events}


POLICY = brim.CompactionPolicy(words_share=0.01)
"""So that some of the user's words are missing, which a report names."""


def test_no_client_and_no_summarizer_shows_its_key() -> None:
    """Neither a client that compacts nor what asks for summaries."""
    one, other = anthropic.Anthropic(api_key=KEY), openai.OpenAI(api_key=KEY)
    printed = [
        brim.compacting(one),
        AnthropicSummarizer(one),
        OpenAISummarizer(other),
        brim.Compactor(one, model="claude-opus-4-8", limits=LIMITS),
    ]
    assert KEY not in repr(printed)
    one.close()
    other.close()


@pytest.mark.parametrize("message", [{"role": KEY, "content": "x"}, {"role": "user", "content": [KEY]}, KEY])
def test_an_error_about_a_message_repeats_no_key(message: Any) -> None:
    """It names the message and the field."""
    with pytest.raises(InvalidInput) as refused:
        brim.Compactor(limits=LIMITS).compact([message])
    assert KEY not in str(refused.value)
