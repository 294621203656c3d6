"""Driving: the steps of a compaction carried out, in a thread or in an event loop.

Only here does brim wait, call a summarizer or call a listener. Specified by features/engine/compactor.feature.
"""

from __future__ import annotations

import asyncio
import inspect
import warnings
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread, get_ident
from types import NoneType, TracebackType
from typing import Any, Final, Generic, Self, TypeAlias, TypeVar, get_args

from brim.compaction.events import CompactionEvent, Failed, SummaryDelta
from brim.compaction.result import Step
from brim.errors import BrimError, CompactionCancelled, InvalidInput, SummaryFailed, described, shown, text_of
from brim.secret_patterns import masked
from brim.summary.attempts import Ask
from brim.summary.summarizer_input import AsyncSummarizer, Failure, Summarizer, SummaryAnswer, SummaryRequest
from brim.tokens.usage import TokenUsage

T = TypeVar("T")
Steps: TypeAlias = Generator[Any, Any, T]
"""Work that is the same in a thread and in an event loop: it yields what a compactor, a client or a lock returns, which
an event loop awaits first, and is sent the value."""


def run(steps: Steps[T]) -> T:
    """The result of the steps, in a thread."""
    value = None
    try:
        while True:
            value = steps.send(value)
    except StopIteration as done:
        result: T = done.value
        return result


async def arun(steps: Steps[T]) -> T:
    """The result of the steps, in an event loop."""
    try:
        awaitable = steps.send(None)
        while True:
            try:
                value = await awaitable
            except BaseException as error:  # noqa: BLE001 -- the steps report it, or release what they hold
                awaitable = steps.throw(error)
            else:
                awaitable = steps.send(value)
    except StopIteration as done:
        result: T = done.value
        return result


Listener: TypeAlias = Callable[[CompactionEvent], object]
"""Is called with every event, in the order they happen."""


class Listeners:
    """Any number of listeners. One that raises causes one warning, and receives the next event all the same.

    Raises InvalidInput for what cannot be called with an event.
    """

    def __init__(self, listeners: Listener | Iterable[Listener] | None) -> None:
        self._listeners = _each(listeners)
        self._faulty: set[int] = set()

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self._listeners)

    def emit(self, event: CompactionEvent) -> None:
        """Call each listener with an event."""
        for index, listener in enumerate(self._listeners):
            try:
                listener(event)
            except Exception as error:  # noqa: BLE001 -- a listener may raise anything
                if index not in self._faulty:
                    self._faulty.add(index)
                    said = masked(described(error))
                    warnings.warn(f"a listener failed, and goes on receiving events: {said}", stacklevel=2)


def _each(listeners: Listener | Iterable[Listener] | None) -> tuple[Listener, ...]:
    if listeners is None:
        return ()
    each = (listeners,) if callable(listeners) or not isinstance(listeners, Iterable) else tuple(listeners)
    for listener in each:
        if not callable(listener):
            raise InvalidInput(f"a listener is {type(listener).__name__}; it is called with every event")
        if is_coroutine_function(listener):
            raise InvalidInput("a listener is called and not awaited: pass a plain function, which may start a task")
    return each


def is_coroutine_function(function: Any) -> bool:
    """Whether a call of it has to be awaited: a function, or an object that is called as one."""
    call = getattr(function, "__call__", None)  # noqa: B004 -- it may be a coroutine function
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


_INTERNAL: ContextVar[bool] = ContextVar("brim_internal_request", default=False)


@contextmanager
def internal_request() -> Iterator[None]:
    """Within it, in this thread or task, requests are brim's own."""
    token = _INTERNAL.set(True)
    try:
        yield
    finally:
        _INTERNAL.reset(token)


def is_internal_request() -> bool:
    """Whether a request that is made here and now is brim's own."""
    return _INTERNAL.get()


_WAITING: ContextVar[tuple[object, ...]] = ContextVar("brim_waiting_for_summary", default=())


def waiting_for_summary() -> tuple[object, ...]:
    """What waits for the summarizer that is called here: threads, by their idents, tasks, and conversations' locks."""
    return _WAITING.get()


@contextmanager
def summarizing_for(waiting: object) -> Iterator[None]:
    """Within it a thread or task that is started asks for a summary that this object waits for."""
    token = _WAITING.set((*_WAITING.get(), waiting))
    try:
        yield
    finally:
        _WAITING.reset(token)


class CancelToken:
    """Cancels one compaction. It takes no lock, so that the handler of a signal may cancel."""

    def __init__(self) -> None:
        self._cancelled = False
        self._wake: Callable[[], object] | None = None

    def cancel(self) -> None:
        """Cancel, and wake the thread or task that waits."""
        self._cancelled = True
        wake = self._wake
        if wake is not None:
            wake()

    def check(self) -> None:
        """Raise CompactionCancelled if it is cancelled."""
        if self._cancelled:
            raise CompactionCancelled("the compaction was cancelled; the conversation is unchanged")

    @contextmanager
    def waking(self, wake: Callable[[], object]) -> Iterator[None]:
        """Within it `wake` is called on cancellation, or at once if it is cancelled already."""
        self._wake = wake
        if self._cancelled:
            wake()
        try:
            yield
        finally:
            self._wake = None

    def wait(self, seconds: float) -> None:
        """Wait for so long, or until it is cancelled."""
        woken: SimpleQueue[None] = SimpleQueue()
        with self.waking(lambda: woken.put(None)), suppress(Empty):
            woken.get(timeout=seconds)


THREAD: Final = "brim-summary"
"""The name of the thread of a call."""
POLL_SECONDS: Final = 0.5
"""A waiting thread wakes after so long, on systems that do not interrupt it otherwise."""
Callback: TypeAlias = Callable[[], SummaryAnswer | None]
"""What the thread that waits does for a call: it returns the answer, or None while the call continues."""


class SummarizerThread:
    """A call of a summarizer in a thread of its own. Its text is emitted by the thread that waits for it, in order.

    The summarizer is called with this object and calls it with each piece of text. A call that nobody waits for any
    more ends at its next piece of text, or at once if the summarizer said with `on_cancel` what ends it.
    """

    def __init__(self, emit: Callable[[SummaryDelta], None]) -> None:
        self._emit = emit
        self._callbacks: SimpleQueue[Callback] = SimpleQueue()
        self._abandoned = False
        self._abort: Callable[[], object] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._abandoned = True
        if self._abort is not None:
            self._abort()

    def __call__(self, text: str) -> None:
        """Take a piece of the text. Raises CompactionCancelled if the caller stopped waiting."""
        self._check()
        self.schedule(partial(self._emit, SummaryDelta(text=text)))

    def on_cancel(self, abort: Callable[[], object]) -> None:
        """Set what ends the call at once: it is called from any thread, and after the call has ended too."""
        self._abort = abort
        self._check()

    def _check(self) -> None:
        if self._abandoned:
            raise CompactionCancelled("nobody waits for this summary any more")

    def schedule(self, callback: Callable[[], None]) -> None:
        """Let the thread that waits do this."""
        self._callbacks.put(callback)

    def run(self, summarizer: Summarizer, request: SummaryRequest) -> None:
        """Call the summarizer."""
        try:
            answer = answered(summarizer.summarize(request, self))
        except Exception as error:  # noqa: BLE001 -- a summarizer of the caller's own may raise anything
            self._callbacks.put(partial(failed, error))
        except BaseException as error:  # noqa: BLE001 -- what ends the program ends it in the thread that waits
            self._callbacks.put(partial(_raised, error))
        else:
            self._callbacks.put(lambda: answer)

    def wait(self) -> SummaryAnswer:
        """Do what is scheduled until the answer is there."""
        while (answer := self._next()()) is None:
            pass
        return answer

    def _next(self) -> Callback:
        while True:
            with suppress(Empty):
                return self._callbacks.get(timeout=POLL_SECONDS)


def call_with_cancel(
    summarizer: Summarizer, request: SummaryRequest, emit: Callable[[SummaryDelta], None], token: CancelToken
) -> SummaryAnswer:
    """The answer of a summarizer. Raises CompactionCancelled as soon as the token is cancelled."""
    context = copy_context()
    context.run(_WAITING.set, (*_WAITING.get(), get_ident()))
    with SummarizerThread(emit) as call, token.waking(lambda: call.schedule(token.check)):
        Thread(target=context.run, args=(call.run, summarizer, request), name=THREAD, daemon=True).start()
        return call.wait()


async def cancellable(token: CancelToken, waiting: Awaitable[SummaryAnswer]) -> SummaryAnswer:
    """The answer, in an event loop. Raises CompactionCancelled as soon as the token is cancelled, from any thread."""
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(waiting)

    def wake() -> None:
        with suppress(RuntimeError):  # the loop has ended, and the compaction with it
            loop.call_soon_threadsafe(task.cancel)

    with token.waking(wake):
        try:
            return await task
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if current is None or not current.cancelling():
                token.check()
            raise


def _raised(error: BaseException) -> None:
    raise error


FORM: Final[dict[str, tuple[type, ...]]] = {
    "text": (str,),
    "usage": (TokenUsage, NoneType),
    "model": (str,),
    "stop_reason": (str, NoneType),
    "reason": (str,),
    "retry_after": (int, NoneType),
    "error": (BrimError, NoneType),
}
"""The fields of an answer and their types; a summarizer of the caller's own may set anything."""


def answered(answer: object) -> SummaryAnswer:
    """What a summarizer answered; a value that is no answer becomes a failure that says so."""
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
        known = ", ".join(get_args(Failure))
        return f"the summarizer's answer has the failure {shown(answer.failure)}; name one of {known}"
    return ""


def failed(error: Exception) -> SummaryAnswer:
    """The answer for an error that a summarizer raised. Raises CompactionCancelled again."""
    if isinstance(error, CompactionCancelled):
        raise error
    reason = masked(described(error))
    cause = error if isinstance(error, BrimError) else SummaryFailed(f"the summarizer raised {reason}")
    return SummaryAnswer(failure="permanent", reason=reason, error=cause)


MILLISECONDS: Final = 1_000


class CompactionRun(Generic[T]):
    """The steps of one compaction: it emits their events and returns the calls of a summarizer that they ask for.

    As a context it closes the steps, and emits Failed if the compaction ends without a result.
    """

    def __init__(
        self, steps: Generator[Step, SummaryAnswer | None, T], listeners: Listeners, token: CancelToken
    ) -> None:
        self._steps, self._listeners, self.token = steps, listeners, token
        self._asked = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._steps.close()
        if error is not None:
            reason = masked(text_of(error)) or type(error).__name__
            self._listeners.emit(Failed(reason=reason, attempts=self._asked, then="nothing"))

    def next_action(self, answer: SummaryAnswer | None) -> Ask | T:
        """The next call to be made, or the result. Raises CompactionCancelled, and what the steps raise."""
        self.token.check()
        try:
            step = self._steps.send(answer)
            while not isinstance(step, Ask):
                self._listeners.emit(step)
                self.token.check()
                step = self._steps.send(None)
        except StopIteration as done:
            result: T = done.value
            return result
        self._asked += 1
        return step

    def emit(self, piece: SummaryDelta) -> None:
        """Emit a piece of the summary."""
        self.token.check()
        self._listeners.emit(piece)

    def on_text(self, text: str) -> None:
        """Take a piece of the summary."""
        self.emit(SummaryDelta(text=text))


def drive(run: CompactionRun[T], summarizer: Summarizer, sleep: Callable[[float], object] | None = None) -> T:
    """Carry a compaction out, or ask for a summary. A wait can be cancelled, unless the caller passes a sleep."""
    answer: SummaryAnswer | None = None
    with run, internal_request():
        while isinstance(step := run.next_action(answer), Ask):
            if step.wait:
                (sleep or run.token.wait)(step.wait / MILLISECONDS)
                run.token.check()
            answer = call_with_cancel(summarizer, step.request, run.emit, run.token)
    return step


async def adrive(
    run: CompactionRun[T], summarizer: AsyncSummarizer, sleep: Callable[[float], object] | None = None
) -> T:
    """Carry a compaction out without blocking the event loop."""
    answer: SummaryAnswer | None = None
    waiting = (*_WAITING.get(), asyncio.current_task())
    with run, internal_request():
        while isinstance(step := run.next_action(answer), Ask):
            answer = await cancellable(run.token, _asked(run, step, summarizer, sleep or asyncio.sleep, waiting))
    return step


async def _asked(
    run: CompactionRun[Any],
    step: Ask,
    summarizer: AsyncSummarizer,
    sleep: Callable[[float], object],
    waiting: tuple[object, ...],
) -> SummaryAnswer:
    _WAITING.set(waiting)  # in the context of this task alone
    if step.wait:
        slept = sleep(step.wait / MILLISECONDS)
        if inspect.isawaitable(slept):
            await slept
        run.token.check()
    try:
        return answered(await summarizer.summarize(step.request, run.on_text))
    except Exception as error:  # noqa: BLE001 -- a summarizer of the caller's own may raise anything
        return failed(error)
