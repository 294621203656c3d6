"""Answers: what a summarizer of the caller's own gave, which may be anything, as an answer that can be judged."""

from __future__ import annotations

import inspect
from types import NoneType
from typing import Final, get_args

from brim.errors import BrimError, CompactionCancelled, InvalidInput, SummaryFailed
from brim.summary.summariser_input import Failure, SummaryAnswer

FORM: Final[dict[str, tuple[type, ...]]] = {
    "text": (str,),
    "stop_reason": (str, NoneType),
    "reason": (str,),
    "retry_after": (int, NoneType),
    "error": (BrimError, NoneType),
}
"""What an answer is made of; a summarizer of the caller's own may have made it of anything."""


def answered(answer: object) -> SummaryAnswer:
    """What a summarizer answered; what is no answer is a failure that says so."""
    if inspect.iscoroutine(answer):
        answer.close()
    fault = _fault(answer)
    if fault or not isinstance(answer, SummaryAnswer):
        return SummaryAnswer(failure="permanent", reason=fault, error=InvalidInput(fault))
    return answer


def _fault(answer: object) -> str:
    if not isinstance(answer, SummaryAnswer):
        return f"the summarizer answered with {type(answer).__name__}; it has to be a SummaryAnswer"
    for name, kinds in FORM.items():
        value = getattr(answer, name)
        if not isinstance(value, kinds):
            return f"the summarizer's answer has {type(value).__name__} as its {name}; it has to be {kinds[0].__name__}"
    if answer.failure not in (None, *get_args(Failure)):
        return f"the summarizer's answer has the failure {answer.failure!r}; name one of {', '.join(get_args(Failure))}"
    return ""


def failed(error: Exception) -> SummaryAnswer:
    """What a summarizer that raised has answered; a compaction that was called off goes on being so."""
    if isinstance(error, CompactionCancelled):
        raise error
    reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    told = error if isinstance(error, BrimError) else SummaryFailed(f"the summarizer raised {reason}")
    return SummaryAnswer(failure="permanent", reason=reason, error=told)
