"""Scripted summarizers: real summarizers whose answers a test writes beforehand."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeAlias

from brim.errors import Refused
from brim.summary.summarizer_input import OnText, SummaryAnswer, SummaryRequest
from brim.tokens.usage import TokenUsage

ScriptedAnswer: TypeAlias = "str | SummaryAnswer | Exception | Callable[[SummaryRequest], str | SummaryAnswer]"
"""A text, a whole answer, an error to raise, or a function of the request that gives one of the first two."""

CHARACTERS_PER_TOKEN = 4
PIECES = 3


class ScriptedSummarizer:
    """A summarizer that answers from a script and keeps what it was asked.

    Args:
        answers: the answers in their order. One answer alone, not in a sequence, is given every time.
        repeat: whether the last answer of a sequence is given again past its end.

    A request past the end of the script raises Refused, with the number of requests and of answers.
    """

    def __init__(self, answers: ScriptedAnswer | Sequence[ScriptedAnswer], *, repeat: bool = False) -> None:
        alone = isinstance(answers, str) or not isinstance(answers, Sequence)
        self._answers: tuple[ScriptedAnswer, ...] = (answers,) if alone else tuple(answers)  # type: ignore[assignment,arg-type]
        self._repeat = repeat or alone
        self._lock = threading.Lock()
        self._requests: list[SummaryRequest] = []

    @property
    def requests(self) -> tuple[SummaryRequest, ...]:
        """Every request so far, in the order of their arrival."""
        with self._lock:
            return tuple(self._requests)

    def summarize(self, request: SummaryRequest, on_text: OnText) -> SummaryAnswer:
        """The next answer of the script; `on_text` receives its text in up to three pieces. Raises a scripted error."""
        answer = _as_answer(self._next(request), request)
        for piece in _pieces(answer.text):
            on_text(piece)
        return answer

    async def asummarize(self, request: SummaryRequest, on_text: OnText) -> SummaryAnswer:
        """The same in an event loop."""
        return self.summarize(request, on_text)

    def _next(self, request: SummaryRequest) -> ScriptedAnswer:
        with self._lock:
            self._requests.append(request)
            asked, written = len(self._requests), len(self._answers)
        if asked > written and not (self._repeat and written):
            raise Refused(f"the script is at its end: request {asked} came, and {written} answers were written")
        return self._answers[min(asked, written) - 1]


def _as_answer(scripted: ScriptedAnswer, request: SummaryRequest) -> SummaryAnswer:
    if isinstance(scripted, Exception):
        raise scripted
    if isinstance(scripted, SummaryAnswer):
        return scripted
    if isinstance(scripted, str):
        return SummaryAnswer(
            text=scripted, stop_reason="end_turn", model=request.model, usage=_usage(scripted, request)
        )
    return _as_answer(scripted(request), request)


def _usage(text: str, request: SummaryRequest) -> TokenUsage:
    return TokenUsage(input=request.tokens, output=-(-len(text) // CHARACTERS_PER_TOKEN))


def _pieces(text: str) -> list[str]:
    """The text in pieces that end with a word."""
    words = text.split(" ")
    size = -(-len(words) // PIECES)
    spaced = [*(f"{word} " for word in words[:-1]), words[-1]]
    return ["".join(spaced[at : at + size]) for at in range(0, len(spaced), size)] if text else []
