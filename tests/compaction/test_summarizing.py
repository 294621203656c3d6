"""A plan carried out step by step: what is told, what is asked under which parameters, and what is left as it was."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from brim.compaction.context_window import ContextWindow, Request
from brim.compaction.plan import Plan, plan_compaction
from brim.compaction.policy import CompactionPolicy
from brim.compaction.result import Compaction, Step, summarize
from brim.models import ModelLimits
from brim.summary.attempts import Ask
from brim.summary.summarizer_input import SummaryAnswer, SummaryRequest
from steps.compaction_windows import raw_turns

LIMITS = ModelLimits(context_window=200_000, max_output_tokens=64_000)
POLICY = CompactionPolicy()
WELL = SummaryAnswer(text="All went well.", stop_reason="end_turn")
REFUSED = SummaryAnswer(failure="permanent", reason="the key is not known")


def carried_out(plan: Plan, policy: CompactionPolicy | None, *answers: SummaryAnswer) -> tuple[Compaction, list[Step]]:
    """The compaction, and the steps it took; the last answer is given again."""
    steps, taken = summarize(plan, policy, "m"), []
    left, came = list(answers), None
    try:
        while True:
            step = steps.send(came)
            taken.append(step)
            came = None if not isinstance(step, Ask) else (left.pop(0) if len(left) > 1 else left[0])
    except StopIteration as done:
        return done.value, taken


def told(taken: list[Step]) -> list[str]:
    """The kinds of what was told."""
    return [step.kind for step in taken if not isinstance(step, Ask)]


def requests(taken: list[Step]) -> list[SummaryRequest]:
    """What was asked."""
    return [step.request for step in taken if isinstance(step, Ask)]


def short() -> Plan:
    """A plan by which 16 tokens leave: of all summaries only one of a single character saves anything."""
    messages = [{"role": "user", "content": text} for text in ("text" * 16, "Second.", "Third.", "Fourth.")]
    return plan_compaction(ContextWindow(LIMITS, messages=messages))


@pytest.mark.parametrize(
    ("policy", "events"),
    [
        (None, ["started", "failed"]),
        (POLICY, ["started", "failed"]),
        (POLICY.model_copy(update={"on_failure": "truncate"}), ["started", "failed"]),
    ],
    ids=["without a model", "template", "truncate"],
)
def test_what_saves_nothing_is_not_told_as_a_compaction(policy: CompactionPolicy | None, events: list[str]) -> None:
    """The conversation is the very one, nobody has written a summary of it, and the last word is that it failed."""
    plan = short()
    compaction, taken = carried_out(plan, policy, REFUSED)
    assert told(taken) == events
    assert [id(message) for message in compaction.conversation] == [id(message) for message in plan.context.messages]
    assert (compaction.summary_source, compaction.summary, compaction.saved, compaction.plan.changes_anything) == (
        "",
        "",
        0,
        False,
    )


@pytest.mark.parametrize(
    ("thinking", "longest", "asked"),
    [
        ({"type": "enabled", "budget_tokens": 60_000}, 64_000, 4_000),
        ({"type": "enabled", "budget_tokens": 56_000}, 64_000, 8_000),
        ({"type": "enabled", "budget_tokens": 60_000}, 0, 8_000),
        ({"type": "adaptive"}, 64_000, 8_000),
        (None, 64_000, 8_000),
    ],
    ids=["less", "just so", "limit not known", "no budget", "no thinking"],
)
def test_thinking_and_summary_share_the_longest_answer(thinking: Any, longest: int, asked: int) -> None:
    """In the warm form, which keeps the conversation's thinking; rendered, nothing is thought."""
    limits = ModelLimits(context_window=400_000, max_output_tokens=longest)
    plan = plan_compaction(ContextWindow(limits, messages=raw_turns(60, 1_000)))
    plan = replace(
        plan, context=replace(plan.context, request=Request(parameters={"thinking": thinking} if thinking else {}))
    )
    too_long = SummaryAnswer(failure="prompt_too_long", reason="too long")
    _, taken = carried_out(plan, POLICY, too_long, WELL)
    warm, rendered = requests(taken)[:2]
    assert (warm.form, warm.max_tokens) == ("warm", asked)
    assert (rendered.form, rendered.max_tokens, rendered.parameters) == ("rendered", 8_000, {})
