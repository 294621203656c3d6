"""Rehearsal: the attempts at a summary, driven by what each is told to come to (SUM_05, SUM_06)."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import cast, get_args

from brim.summary.acceptance import Acceptance, Outcome
from brim.summary.attempts import Ask, Attempted, AttemptOutcome, attempt_summary
from brim.summary.summarizer_input import Failure, Strategy, SummaryAnswer, SummaryRequest


def rehearse(outcomes: Sequence[AttemptOutcome]) -> Attempted:
    """What attempts that come to these outcomes would be: how many, and after which waits.

    The last outcome holds for every attempt after it. There are three strategies, of one request each.
    """
    coming = iter(outcomes)
    outcome = outcomes[0]
    asking = attempt_summary([_strategy(name) for name in ("rendered", "in pieces", "last five turns")], _as_scripted)
    try:
        step = next(asking)
        while True:
            outcome = next(coming, outcome) if isinstance(step, Ask) else outcome
            step = asking.send(_scripted(outcome) if isinstance(step, Ask) else None)
    except StopIteration as done:
        attempted: Attempted = done.value
        return attempted


def _strategy(name: str) -> Strategy:
    request = SummaryRequest(model="", messages=(), max_tokens=1, form="rendered", tokens=0, replaces_tokens=1)
    return Strategy(name, "", lambda: _only(request))


def _only(request: SummaryRequest) -> Generator[SummaryRequest, str, str]:
    return (yield request)


def _scripted(outcome: AttemptOutcome) -> SummaryAnswer:
    if outcome in get_args(Failure):
        return SummaryAnswer(failure=cast(Failure, outcome), reason="as told")
    return SummaryAnswer(text=outcome)


def _as_scripted(text: str, _answer: SummaryAnswer, _request: SummaryRequest) -> Acceptance:
    return Acceptance(cast(Outcome, text), "as told")
