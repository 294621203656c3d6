"""Driving: the steps of a compaction carried out, in a thread or in an event loop.

The only place where anything is waited for, asked or told. Specified by features/engine/compactor.feature.
"""

from __future__ import annotations

import asyncio
import inspect
import warnings
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from types import NoneType, TracebackType
from typing import Final, Self, TypeAlias, get_args

from brim.compaction.events import Event, Failed, SummaryDelta
from brim.compaction.result import Compaction, Emit, Steps
from brim.errors import BrimError, CompactionCancelled, InvalidInput, SummaryFailed
from brim.summary.attempts import Ask
from brim.summary.summarizer_input import AsyncSummarizer, Failure, Summarizer, SummaryAnswer, SummaryRequest

Listener: TypeAlias = Callable[[Event], object]
"""Told every event, in the order they happen."""


class Listeners:
    """Any number of listeners. One that raises is warned about once, and told the next event all the same.

    Raises InvalidInput for what cannot be told anything.
    """

    def __init__(self, listeners: Listener | Iterable[Listener] | None) -> None:
        self._listeners = _each(listeners)
        self._faulty: set[int] = set()

    def tell(self, event: Event) -> None:
        """Pass an event to each."""
        for place, listener in enumerate(self._listeners):
            try:
                listener(event)
            except Exception as error:  # noqa: BLE001 -- a listener may raise anything
                self._report(place, error)

    def _report(self, place: int, error: Exception) -> None:
        if place not in self._faulty:
            self._faulty.add(place)
            warnings.warn(f"a listener failed and is told of everything all the same: {error!r}", stacklevel=3)


def _each(listeners: Listener | Iterable[Listener] | None) -> tuple[Listener, ...]:
    if listeners is None:
        return ()
    each = (listeners,) if callable(listeners) or not isinstance(listeners, Iterable) else tuple(listeners)
    for listener in each:
        _check(listener)
    return each


def _check(listener: object) -> None:
    if not callable(listener):
        raise InvalidInput(f"a listener is {type(listener).__name__}; it is called with every event")
    if inspect.iscoroutinefunction(listener) or inspect.iscoroutinefunction(getattr(listener, "__call__", None)):  # noqa: B004
        raise InvalidInput("a listener is called and not awaited: hand in a plain function, which may start a task")


_OWN: ContextVar[bool] = ContextVar("brim_own_calls", default=False)


@contextmanager
def own_calls() -> Iterator[None]:
    """Within it, in this thread or task, requests are brim's own."""
    token = _OWN.set(True)
    try:
        yield
    finally:
        _OWN.reset(token)


def is_own_call() -> bool:
    """Whether a request that is made here and now is brim's own."""
    return _OWN.get()


class CallOff:
    """Whether one compaction is called off. It takes no lock, so that the handler of a signal may set it."""

    def __init__(self) -> None:
        self._is_set = False
        self._wake: Callable[[], object] | None = None

    def set(self) -> None:
        """Call it off, and wake whoever waits in it."""
        self._is_set = True
        wake = self._wake
        if wake is not None:
            wake()

    def check(self) -> None:
        """Raise CompactionCancelled where it is called off."""
        if self._is_set:
            raise CompactionCancelled("the compaction was called off; the conversation is as it was")

    @contextmanager
    def waking(self, wake: Callable[[], object]) -> Iterator[None]:
        """Within it `wake` is called when it is called off, or at once where it is already."""
        self._wake = wake
        if self._is_set:
            wake()
        try:
            yield
        finally:
            self._wake = None

    def wait(self, seconds: float) -> None:
        """Wait so long, or until it is called off."""
        called: SimpleQueue[None] = SimpleQueue()
        with self.waking(lambda: called.put(None)), suppress(Empty):
            called.get(timeout=seconds)


THREAD: Final = "brim-summary"
"""What the thread of a call is called."""
BREATH: Final = 0.5
"""Seconds after which a waiting thread looks up, where its system would not interrupt it otherwise."""
Next: TypeAlias = Callable[[], SummaryAnswer | None]
"""What a call has for whoever waits for it: done there, it gives the answer, or nothing where the call goes on."""


class Call:
    """A call in a thread of its own. What is heard in it is told by whoever waits for it, in the order it came.

    The call itself is what the summarizer is given to tell its text to. One that is left is told so at its next word,
    and before that, where it said with `on_cancel` what ends it.
    """

    def __init__(self, tell: Callable[[SummaryDelta], None]) -> None:
        self._tell = tell
        self._next: SimpleQueue[Next] = SimpleQueue()
        self._left = False
        self._abort: Callable[[], object] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._left = True
        if self._abort is not None:
            self._abort()

    def __call__(self, text: str) -> None:
        """Hear a piece of the text. Raises CompactionCancelled where nobody waits for it any more."""
        self._check()
        self.then(partial(self._tell, SummaryDelta(text=text)))

    def on_cancel(self, abort: Callable[[], object]) -> None:
        """How the call ends at once when it is left; from any thread, and harmless when it has ended by itself."""
        self._abort = abort
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
    summarizer: Summarizer, request: SummaryRequest, tell: Callable[[SummaryDelta], None], off: CallOff
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
            while isinstance(step, Emit):
                self._listeners.tell(step.event)
                self.off.check()
                step = self._steps.send(None)
        except StopIteration as done:
            compaction: Compaction = done.value
            return compaction
        self._asked += 1
        return step

    def tell(self, piece: SummaryDelta) -> None:
        """Pass a piece of the summary on to the listeners."""
        self.off.check()
        self._listeners.tell(piece)

    def hear(self, text: str) -> None:
        """Hear a piece of the summary."""
        self.tell(SummaryDelta(text=text))


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
