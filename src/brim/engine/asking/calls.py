"""Calls: one call of a summarizer, which whoever waits for it can leave at any time, in its silence too (CMP_08)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Final, Self, TypeAlias

from brim.compaction.events import Writing
from brim.engine.asking.answers import answered, failed
from brim.engine.asking.calling_off import CallOff
from brim.errors import CompactionCancelled
from brim.summary.summariser_input import Summarizer, SummaryAnswer, SummaryRequest

THREAD: Final = "brim-summary"
"""What the thread of a call is called."""
BREATH: Final = 0.5
"""Seconds after which a waiting thread looks up, where its system would not interrupt it otherwise."""
Next: TypeAlias = Callable[[], SummaryAnswer | None]
"""What a call has for whoever waits for it: done there, it gives the answer, or nothing where the call goes on."""


class Call:
    """A call in a thread of its own. What is heard in it is told by whoever waits for it, in the order it came.

    The call itself is what the summarizer is given to tell its text to. One that is left is told so at its next word,
    and before that, where it said with `leave_by` what ends it.
    """

    def __init__(self, tell: Callable[[Writing], None]) -> None:
        self._tell = tell
        self._next: SimpleQueue[Next] = SimpleQueue()
        self._left = False
        self._hang_up: Callable[[], object] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._left = True
        if self._hang_up is not None:
            self._hang_up()

    def __call__(self, text: str) -> None:
        """Hear a piece of the text. Raises CompactionCancelled where nobody waits for it any more."""
        self._check()
        self.then(partial(self._tell, Writing(text=text)))

    def leave_by(self, hang_up: Callable[[], object]) -> None:
        """How the call ends at once when it is left; from any thread, and harmless when it has ended by itself."""
        self._hang_up = hang_up
        self._check()

    def _check(self) -> None:
        if self._left:
            raise CompactionCancelled("nobody waits for this summary any more")

    def then(self, step: Callable[[], None]) -> None:
        """Have this done by whoever waits."""
        self._next.put(step)

    def make(self, summarizer: Summarizer, request: SummaryRequest) -> None:
        """Make the call."""
        try:
            answer = answered(summarizer.summarize(request, self))
        except Exception as error:  # noqa: BLE001 -- a summarizer of the caller's own may raise anything
            self._next.put(partial(failed, error))
        except BaseException as error:  # noqa: BLE001 -- what ends the program does so where it is waited for
            self._next.put(partial(_raised, error))
        else:
            self._next.put(lambda: answer)

    def wait(self) -> SummaryAnswer:
        """Do what comes until the answer is there."""
        while (answer := self._step()()) is None:
            pass
        return answer

    def _step(self) -> Next:
        while True:
            with suppress(Empty):
                return self._next.get(timeout=BREATH)


def ask(
    summarizer: Summarizer, request: SummaryRequest, tell: Callable[[Writing], None], off: CallOff
) -> SummaryAnswer:
    """The answer of a summarizer. Raises CompactionCancelled as soon as it is called off."""
    with Call(tell) as call, off.waking(lambda: call.then(off.check)):
        Thread(target=copy_context().run, args=(call.make, summarizer, request), name=THREAD, daemon=True).start()
        return call.wait()


async def unless(off: CallOff, waiting: Awaitable[SummaryAnswer]) -> SummaryAnswer:
    """The answer, in an event loop. Raises CompactionCancelled as soon as it is called off, from whichever thread."""
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(waiting)

    def wake() -> None:
        with suppress(RuntimeError):  # the loop has ended, and the compaction with it
            loop.call_soon_threadsafe(task.cancel)

    with off.waking(wake):
        try:
            return await task
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if current is None or not current.cancelling():
                off.check()
            raise


def _raised(error: BaseException) -> None:
    raise error
