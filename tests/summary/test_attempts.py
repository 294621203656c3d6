"""What attempts come to where no example of the rule looks: no way at all, several requests in one way."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from brim.compaction.policy import CompactionPolicy
from brim.engine.compactor import Compactor
from brim.errors import BrimError
from brim.summary.acceptance import Acceptance, judge_summary
from brim.summary.attempts import Ask, Attempt, Attempted, attempt_summary
from brim.summary.summarizer_input import Strategy, SummaryAnswer, SummaryRequest
from brim.testing import ScriptedSummarizer
from brim.tokens.usage import TokenUsage
from tests.summary.tables import described, rows

BUSY = SummaryAnswer(failure="transient", reason="busy")
SIX_TURNS = [{"role": ("user", "assistant")[n % 2], "content": "text" * 200} for n in range(12)]
TOO_LONG = SummaryAnswer(failure="prompt_too_long", reason="too long")


def request(name: str, *, final: bool = True) -> SummaryRequest:
    """A request that is told from others by its model."""
    return SummaryRequest(
        model=name, messages=(), max_tokens=9, form="rendered", tokens=99, replaces_tokens=999, final=final
    )


def strategy(name: str, count: int = 1) -> Strategy:
    """A way of so many requests, each given the summary of the one before."""

    def requests() -> Generator[SummaryRequest, str, str]:
        said = ""
        for number in range(1, count + 1):
            said = f"{said}{(yield request(f'{name} {number}', final=number == count))}"
        return said

    return Strategy(name, "because", requests)


def judge(text: str, answer: SummaryAnswer, asked: SummaryRequest) -> Acceptance:
    """By the rules."""
    return judge_summary(text, replaces_tokens=999, summary_tokens=len(text), stop_reason=answer.stop_reason)


def attempted(strategies: list[Strategy], answers: list[SummaryAnswer]) -> tuple[Attempted, list[Ask]]:
    """What the attempts come to with these answers, and what was asked for."""
    steps = attempt_summary(strategies, judge)
    asked: list[Ask] = []
    came: Any = None
    try:
        while True:
            step = steps.send(came)
            came = None
            if not isinstance(step, Attempt):
                asked.append(step)
                came = answers.pop(0)
    except StopIteration as done:
        return done.value, asked


def told(text: str, stop_reason: str = "end_turn") -> SummaryAnswer:
    """An answer that succeeded as a call."""
    return SummaryAnswer(text=text, stop_reason=stop_reason)


def test_each_request_of_a_way_has_attempts_of_its_own() -> None:
    """The waits begin anew, and what was accepted goes to the next request."""
    answers = [told("One."), BUSY, BUSY, told("Two."), BUSY, told("Three.")]
    came, asked = attempted([strategy("pieces", 3)], [*answers])
    assert came.text == "One.Two.Three."
    assert [(ask.request.model, ask.number, ask.wait) for ask in asked] == [
        ("pieces 1", 1, 0),
        ("pieces 2", 1, 0),
        ("pieces 2", 2, 1_000),
        ("pieces 2", 3, 2_000),
        ("pieces 3", 1, 0),
        ("pieces 3", 2, 1_000),
    ]


def test_a_way_whose_later_request_is_too_long_is_left_for_the_next() -> None:
    """What was summarized in it so far counts for nothing."""
    came, _ = attempted([strategy("pieces", 2), strategy("last turns")], [told("One."), TOO_LONG, told("The end.")])
    assert (came.text, [attempt.strategy for attempt in came.attempts]) == (
        "The end.",
        ["pieces", "pieces", "last turns"],
    )


@pytest.mark.parametrize("row", rows("failures_with_keys.tsv"), ids=described)
def test_no_reason_of_a_failed_attempt_names_a_key(row: dict[str, str]) -> None:
    """Neither the error nor an event nor a cause does; what only looks like one is told (SUM_19)."""
    failed = SummaryAnswer(failure="permanent", reason=row["words"])
    script: list[Any] = [RuntimeError(row["words"]) if row["says"] == "raises" else failed]
    events: list[object] = []
    compactor = Compactor(
        summarizer=ScriptedSummarizer(script, repeat=True),
        on_event=events.append,
        policy=CompactionPolicy(on_failure="raise"),
    )
    with pytest.raises(BrimError) as met:
        compactor.compact(SIX_TURNS)
    assert row["shown"] in str(met.value)
    assert any(row["shown"] in str(event) for event in events)
    assert "AAAABBBBCCCC" not in f"{met.value}{met.value.__cause__!r}{events!r}"


def test_each_attempt_knows_what_it_cost_and_who_answered() -> None:
    """Also one that was rejected; where the answer names no model, the one that was asked (SUM_05)."""
    script = [
        SummaryAnswer(usage=TokenUsage(input=900)),
        SummaryAnswer(text="<summary>All went well.</summary>", usage=TokenUsage(input=950), model="newer"),
    ]
    policy = CompactionPolicy(summary_model="small")
    compactor = Compactor(summarizer=ScriptedSummarizer(script), policy=policy, sleep=lambda _: None)
    attempts = compactor.compact(SIX_TURNS).attempts
    assert [(one.usage.input if one.usage else 0, one.model) for one in attempts] == [(900, "small"), (950, "newer")]
