"""Driving: the steps of a compaction carried out, in a thread or in an event loop.

The only place where anything is waited for, asked or told. Specified by features/engine/compactor.feature.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Final, Self

from brim.compaction.events import Failed, Writing
from brim.compaction.result import Compaction, Steps, Tell
from brim.engine.asking.answers import answered, failed
from brim.engine.asking.calling_off import CallOff
from brim.engine.asking.calls import ask, unless
from brim.engine.listeners import Listeners
from brim.engine.own_calls import own_calls
from brim.summary.attempts import Ask
from brim.summary.summariser_input import AsyncSummarizer, Summarizer, SummaryAnswer

MILLISECONDS: Final = 1_000


class Course:
    """The steps of one compaction: what is told is told, what is to be asked is handed out.

    As a context it closes the steps, and tells the listeners where a compaction ends without a result.
    """

    def __init__(self, steps: Steps, listeners: Listeners, off: CallOff) -> None:
        self._steps, self._listeners, self.off = steps, listeners, off
        self._asked = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._steps.close()
        if error is not None:
            reason = str(error) or type(error).__name__
            self._listeners.tell(Failed(reason=reason, attempts=self._asked, then="nothing"))

    def go_on(self, answer: SummaryAnswer | None) -> Ask | Compaction:
        """The next call to be made, or the compaction. Raises CompactionCancelled, and what the steps raise."""
        self.off.check()
        try:
            step = self._steps.send(answer)
            while isinstance(step, Tell):
                self._listeners.tell(step.event)
                self.off.check()
                step = self._steps.send(None)
        except StopIteration as done:
            compaction: Compaction = done.value
            return compaction
        self._asked += 1
        return step

    def tell(self, piece: Writing) -> None:
        """Pass a piece of the summary on to the listeners."""
        self.off.check()
        self._listeners.tell(piece)

    def hear(self, text: str) -> None:
        """Hear a piece of the summary."""
        self.tell(Writing(text=text))


def drive(course: Course, summarizer: Summarizer, sleep: Callable[[float], object] | None = None) -> Compaction:
    """Carry the steps out one after the other. Without a sleep of the caller's own a wait can be called off."""
    answer: SummaryAnswer | None = None
    with course, own_calls():
        while isinstance(step := course.go_on(answer), Ask):
            if step.wait:
                (sleep or course.off.wait)(step.wait / MILLISECONDS)
                course.off.check()
            answer = ask(summarizer, step.request, course.tell, course.off)
    return step


async def adrive(
    course: Course, summarizer: AsyncSummarizer, sleep: Callable[[float], Awaitable[object]] | None = None
) -> Compaction:
    """As drive does it, without blocking the event loop."""
    answer: SummaryAnswer | None = None
    with course, own_calls():
        while isinstance(step := course.go_on(answer), Ask):
            answer = await unless(course.off, _asked(course, step, summarizer, sleep or asyncio.sleep))
    return step


async def _asked(
    course: Course, step: Ask, summarizer: AsyncSummarizer, sleep: Callable[[float], Awaitable[object]]
) -> SummaryAnswer:
    if step.wait:
        await sleep(step.wait / MILLISECONDS)
        course.off.check()
    try:
        return answered(await summarizer.summarize(step.request, course.hear))
    except Exception as error:  # noqa: BLE001 -- a summarizer of the caller's own may raise anything
        return failed(error)
