"""Attempts: how often a summarizer is asked, what is waited for, and when it is given up.

Specified by features/summary/attempts.feature (SUM_05, SUM_06).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from brim.conversation.messages import SUMMARY_OPENING
from brim.errors import BrimError, ProviderRefused, SummaryFailed
from brim.summary.acceptance import Acceptance, Outcome
from brim.summary.extraction import extract_summary
from brim.summary.summariser_input import Failure, Rung, SummaryAnswer, SummaryRequest

WAITS: Final = (0, 1_000, 2_000)
"""Milliseconds before each attempt at a request; there are as many attempts as waits (SUM_05)."""
LONGEST_WAIT: Final = 60_000
"""Milliseconds that are waited at most, however long the provider asks for (SUM_05)."""
AttemptOutcome: TypeAlias = Outcome | Failure
"""What an attempt came to, in the words that attempts are counted by."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call of a summarizer, and what it came to."""

    number: int
    """From 1, at each request anew."""
    waited: int
    """Milliseconds that were waited before it."""
    outcome: AttemptOutcome
    """What it came to: what was found of its text, or how the call failed."""
    reason: str
    """Why, in words and numbers."""
    way: str
    """The way the history was handed over."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A call that is to be made, after a wait."""

    request: SummaryRequest
    number: int
    wait: int
    """Milliseconds."""
    way: str


@dataclass(frozen=True, slots=True)
class Attempted:
    """What all attempts came to."""

    text: str
    """The summary that was accepted; empty where none was."""
    attempts: tuple[Attempt, ...]
    error: BrimError | None = None
    """Why there is none; None where there is one."""


Judge: TypeAlias = Callable[[str, SummaryAnswer, SummaryRequest], Acceptance]
"""Whether an extracted text may stand for what its request replaces."""
Asking: TypeAlias = Generator[Ask | Attempt, SummaryAnswer | None, Attempted]
"""Yields every call to be made, and after it what it came to; wants the answer of each call."""


def attempt_summary(ladder: Sequence[Rung], judge: Judge) -> Asking:
    """Ask down the ladder until a summary is accepted.

    Each request is asked three times at most, after waits of 0, 1,000 and 2,000 ms or what the provider asks for. What
    waiting cannot cure ends it at once; a prompt that is too long, and a warm prefix that the provider refuses, go to
    the next rung at once.
    """
    made: list[Attempt] = []
    error: BrimError = SummaryFailed("there is no way to hand the history over: not even its last turns fit")
    for rung in ladder:
        text, fault = yield from _climb(rung, judge, made)
        if fault is None:
            return Attempted(text, tuple(made))
        error = fault
        if made[-1].outcome != "prompt_too_long" and not _form_refused(rung, fault):
            break
    return Attempted("", tuple(made), error)


def _form_refused(rung: Rung, fault: BrimError) -> bool:
    """Whether the provider refused a warm prefix for what is in it, not for the key or the model (SUM_16)."""
    return rung.form == "warm" and type(fault) is ProviderRefused


_Climbed: TypeAlias = tuple[str, BrimError | None]


def _climb(rung: Rung, judge: Judge, made: list[Attempt]) -> Generator[Ask | Attempt, SummaryAnswer | None, _Climbed]:
    """Every request of one rung; the first that fails ends it."""
    requests = rung.requests()
    try:
        request = next(requests)
        while True:
            text, fault = yield from _insist(request, rung.name, judge, made)
            if fault is not None:
                return "", fault
            request = requests.send(text)
    except StopIteration as whole:
        return str(whole.value), None


def _insist(
    request: SummaryRequest, way: str, judge: Judge, made: list[Attempt]
) -> Generator[Ask | Attempt, SummaryAnswer | None, _Climbed]:
    """One request, asked until its answer is accepted or the attempts are over."""
    asked_for, answer = 0, SummaryAnswer()
    for number, least in enumerate(WAITS, 1):
        wait = max(least, min(asked_for, LONGEST_WAIT))
        answer = (yield Ask(request, number, wait, way)) or SummaryAnswer(failure="permanent", reason="no answer")
        text = extract_summary(answer.text).removeprefix(SUMMARY_OPENING).lstrip()
        outcome, reason = _judged(text, answer, request, judge)
        made.append(Attempt(number, wait, outcome, reason, way))
        yield made[-1]
        if outcome == "ok":
            return text, None
        if outcome in ("permanent", "prompt_too_long"):
            break
        asked_for = answer.retry_after or 0
    return "", _fault(made[-1], answer)


def _judged(text: str, answer: SummaryAnswer, request: SummaryRequest, judge: Judge) -> tuple[AttemptOutcome, str]:
    if answer.failure is not None:
        return answer.failure, answer.reason
    accepted = judge(text, answer, request)
    return accepted.outcome, accepted.reason


def _fault(last: Attempt, answer: SummaryAnswer) -> BrimError:
    """Why a request was given up: what the provider refuses for good in its own kind, all else as no summary."""
    if last.outcome == "permanent" and answer.error is not None:
        return answer.error
    tries = f"{last.number} attempt{'s' if last.number > 1 else ''}"
    fault = SummaryFailed(f"no summary after {tries} ({last.way}), the last: {last.outcome}: {last.reason}")
    fault.__cause__ = answer.error
    return fault
