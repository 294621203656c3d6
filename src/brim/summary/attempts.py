"""Attempts: how often a summarizer is asked, how long brim waits in between, and when it gives up.

Specified by features/summary/attempts.feature (SUM_05, SUM_06, SUM_19).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from brim.conversation.messages import SUMMARY_OPENING
from brim.errors import BrimError, ProviderRefused, SummaryFailed
from brim.secret_patterns import masked
from brim.summary.acceptance import WENT_ON_INSTEAD, Acceptance, Outcome
from brim.summary.extraction import extract_summary
from brim.summary.summarizer_input import Failure, Strategy, SummaryAnswer, SummaryRequest
from brim.tokens.usage import TokenUsage

WAITS_MS: Final = (0, 1_000, 2_000)
"""Milliseconds before each attempt at a request; there are as many attempts as waits (SUM_05)."""
MAX_WAIT_MS: Final = 60_000
"""Milliseconds of the longest wait, however long the provider asks for (SUM_05)."""
AttemptOutcome: TypeAlias = Outcome | Failure
"""What an attempt came to: the judgement of its text, or how the call failed."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call of a summarizer, and what it came to."""

    number: int
    """From 1, at each request anew."""
    waited: int
    """Milliseconds waited before it."""
    outcome: AttemptOutcome
    """What it came to."""
    reason: str
    """Why, in words and numbers."""
    strategy: str
    """The name of the strategy it belongs to."""
    usage: TokenUsage | None = None
    """What the provider reported for it; None where it reported nothing."""
    model: str = ""
    """The model that was asked; empty where the summarizer knows itself."""

    @property
    def went_on(self) -> bool:
        """Whether the model went on with the work: a prompt in the form of the work will be answered so again."""
        return self.outcome == "cut_off" and self.reason.startswith(WENT_ON_INSTEAD)


@dataclass(frozen=True, slots=True)
class Ask:
    """A call to be made, after a wait."""

    request: SummaryRequest
    number: int
    wait: int
    """Milliseconds."""
    strategy: str


@dataclass(frozen=True, slots=True)
class Attempted:
    """What all attempts came to."""

    text: str
    """The accepted summary; empty where none was accepted."""
    attempts: tuple[Attempt, ...]
    error: BrimError | None = None
    """Why there is no summary; None where there is one."""


Judge: TypeAlias = Callable[[str, SummaryAnswer, SummaryRequest], Acceptance]
"""Whether an extracted text may replace what its request replaces."""
AttemptSteps: TypeAlias = Generator[Ask | Attempt, SummaryAnswer | None, Attempted]
"""Yields every call to be made, and after it what it came to; is sent the answer to each call."""
_Result: TypeAlias = Generator[Ask | Attempt, SummaryAnswer | None, tuple[str, BrimError | None]]


def attempt_summary(fallback_strategies: Iterable[Strategy], judge: Judge) -> AttemptSteps:
    """Run the strategies in their order until a summary is accepted.

    Each request is asked at most three times, after waits of 0, 1,000 and 2,000 ms or what the provider asks for. A
    failure that waiting cannot resolve ends it at once; after a prompt that is too long, and after a warm prefix that
    the provider refuses or behind which the model goes on with the work, the next strategy runs at once.
    """
    attempts: list[Attempt] = []
    error: BrimError = SummaryFailed("no summary can be asked for: not even the last turns fit")
    for strategy in fallback_strategies:
        text, fault = yield from _run_strategy(strategy, judge, attempts)
        if fault is None:
            return Attempted(text, tuple(attempts))
        error = fault
        form_refused = type(fault) is ProviderRefused or attempts[-1].went_on  # not for the key or the model
        if attempts[-1].outcome != "prompt_too_long" and not (strategy.form == "warm" and form_refused):
            break
    return Attempted("", tuple(attempts), error)


def _run_strategy(strategy: Strategy, judge: Judge, attempts: list[Attempt]) -> _Result:
    """Make every request of a strategy; the first that fails ends it."""
    requests = strategy.requests()
    try:
        request = next(requests)
        while True:
            text, fault = yield from _retry(request, strategy, judge, attempts)
            if fault is not None:
                return "", fault
            request = requests.send(text)
    except StopIteration as whole:
        return str(whole.value), None


def _retry(request: SummaryRequest, strategy: Strategy, judge: Judge, attempts: list[Attempt]) -> _Result:
    """Make one request until its answer is accepted or the attempts are used up; no reason names a key (SUM_19)."""
    asked_for, answer = 0, SummaryAnswer()
    for number, least in enumerate(WAITS_MS, 1):
        wait = max(least, min(asked_for, MAX_WAIT_MS))
        answer = (yield Ask(request, number, wait, strategy.name)) or SummaryAnswer()
        text = extract_summary(answer.text).removeprefix(SUMMARY_OPENING).lstrip()
        outcome, reason = _judged(text, answer, request, judge)
        model = answer.model or request.model
        attempts.append(Attempt(number, wait, outcome, masked(reason), strategy.name, answer.usage, model))
        yield attempts[-1]
        if outcome == "ok":
            return text, None
        if outcome in ("permanent", "prompt_too_long") or (strategy.form == "warm" and attempts[-1].went_on):
            break
        asked_for = answer.retry_after or 0
    return "", _fault(attempts[-1], answer)


def _judged(text: str, answer: SummaryAnswer, request: SummaryRequest, judge: Judge) -> tuple[AttemptOutcome, str]:
    if answer.failure is not None:
        return answer.failure, answer.reason
    accepted = judge(text, answer, request)
    return accepted.outcome, accepted.reason


def _fault(last: Attempt, answer: SummaryAnswer) -> BrimError:
    """Return the provider's own error where it refuses for good, else a SummaryFailed."""
    if last.outcome == "permanent" and answer.error is not None:
        return answer.error
    tries = f"{last.number} attempt{'s' if last.number > 1 else ''}"
    fault = SummaryFailed(f"no summary after {tries} ({last.strategy}), the last: {last.outcome}: {last.reason}")
    fault.__cause__ = answer.error
    return fault
