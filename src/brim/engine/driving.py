"""Driving: the steps of a compaction carried out, in a thread or in an event loop.

What brim does is written once, as a generator: it decides, and yields an `Action` wherever somebody has to wait (for a
client, a summarizer, a lock, the time). A driver carries the action out and sends back what came of it: `run` in a
thread, `arun` in an event loop. Only here does brim wait, call a summarizer or call a listener.
Specified by features/engine/compactor.feature.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable, Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import closing, contextmanager, suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Final, Self, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from brim.compaction.events import CompactionEvent, Failed, SummaryDelta
from brim.compaction.result import Step
from brim.errors import BrimError, CompactionCancelled, InvalidInput, SummaryFailed, described, faults_of, text_of, warn
from brim.secret_patterns import masked
from brim.summary.attempts import Ask
from brim.summary.summarizer_input import Failure, Summarizer, SummaryAnswer, SummaryRequest
from brim.tokens.usage import TokenUsage

T = TypeVar("T")
POLL_SECONDS: Final = 0.5
"""A waiting thread wakes after so long, on systems that do not interrupt it otherwise."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something that takes time, in both forms."""

    in_thread: Callable[[], Any]
    """Does it, and returns what came of it."""
    in_loop: Callable[[], Awaitable[Any]]
    """Does the same without blocking the event loop."""


Steps: TypeAlias = Generator[Action, Any, T]
"""Work that is the same in a thread and in an event loop: it yields actions, and is sent what came of each."""


def calling(function: Callable[..., Any], *arguments: Any, **named: Any) -> Action:
    """Call a function whose value an event loop awaits, such as a method of a client of either kind.

    Raises InvalidInput in a thread for a value that has to be awaited.
    """
    call = partial(function, *arguments, **named)

    def called() -> Any:
        value = call()
        if inspect.iscoroutine(value):
            value.close()
            name = getattr(function, "__name__", type(function).__name__)
            raise InvalidInput(f"what {name} returned has to be awaited: call the method whose name begins with an a")
        return value

    async def awaited() -> Any:
        value = call()
        return await value if inspect.isawaitable(value) else value

    return Action(called, awaited)


def in_background(function: Callable[[], Any]) -> Action:
    """Call a function that would block an event loop, which has a thread do it."""
    return Action(function, partial(asyncio.to_thread, function))


def waiting_for(future: Future[T]) -> Action:
    """Wait for a future, from any thread or loop. Cancelling the wait does not cancel it."""

    def wait_for_future() -> T:
        while True:
            with suppress(FutureTimeout):
                return future.result(POLL_SECONDS)

    return Action(wait_for_future, lambda: asyncio.shield(asyncio.wrap_future(future)))


def run(steps: Steps[T]) -> T:
    """Carry steps out in a thread, and return their result."""
    resume: Callable[[], Action] = partial(next, steps)
    try:
        while True:
            action = resume()
            try:
                value = action.in_thread()
            except BaseException as error:  # noqa: BLE001 -- the steps report it, or release what they hold
                resume = partial(steps.throw, error)
            else:
                resume = partial(steps.send, value)
    except StopIteration as done:
        result: T = done.value
        return result


async def arun(steps: Steps[T], listeners: Listeners | None = None) -> T:
    """Carry steps out in an event loop, wait until async listeners have every event, and return the result."""
    resume: Callable[[], Action] = partial(next, steps)
    try:
        while True:
            action = resume()
            try:
                value = await action.in_loop()
            except BaseException as error:  # noqa: BLE001 -- the steps report it, or release what they hold
                resume = partial(steps.throw, error)
            else:
                resume = partial(steps.send, value)
    except StopIteration as done:
        result: T = done.value
        return result
    finally:
        if listeners is not None:
            await listeners.settled()


Listener: TypeAlias = Callable[[CompactionEvent], object]
"""Is called with every event, in the order they happen; in an event loop it may be a coroutine function."""


class Listeners:
    """Any number of listeners. One that raises causes one warning, and receives the next event all the same.

    In an event loop a listener may be a coroutine function: it receives one event after the other, while the compaction
    goes on. Raises InvalidInput for what cannot be called with an event.
    """

    def __init__(self, listeners: Listener | Iterable[Listener] | None) -> None:
        each: Any = () if listeners is None else listeners
        self._listeners = tuple(each) if isinstance(each, Iterable) and not callable(each) else (each,)
        for listener in self._listeners:
            if not callable(listener):
                raise InvalidInput(f"a listener is {type(listener).__name__}; it is called with every event")
        self._faulty: set[int] = set()
        self._last: asyncio.Task[None] | None = None
        """The task that hands the newest event to an async listener, once it has those before."""

    def __bool__(self) -> bool:
        """Return whether there is any."""
        return bool(self._listeners)

    @property
    def in_loop(self) -> bool:
        """Whether one of them is a coroutine function."""
        return any(is_coroutine_function(one) for one in self._listeners)

    def emit(self, event: CompactionEvent) -> None:
        """Call each listener with an event."""
        for index, listener in enumerate(self._listeners):
            try:
                received = listener(event)
                if inspect.iscoroutine(received):
                    receiving = self._receiving(index, received, self._pending)
                    self._last = asyncio.get_running_loop().create_task(receiving)
            except Exception as error:  # noqa: BLE001 -- a listener may raise anything
                self._warn(index, error)

    async def _receiving(self, index: int, received: Awaitable[object], before: asyncio.Task[None] | None) -> None:
        WAITING.set((*WAITING.get(), self))  # in the context of this task alone
        if before is not None:
            await asyncio.wait([before])
        try:
            await received
        except Exception as error:  # noqa: BLE001 -- as above
            self._warn(index, error)

    def _warn(self, index: int, error: Exception) -> None:
        if index not in self._faulty:
            self._faulty.add(index)
            warn(f"a listener failed, and goes on receiving events: {masked(described(error))}")

    @property
    def _pending(self) -> asyncio.Task[None] | None:
        """The newest task of this event loop, if it has not ended."""
        last = self._last
        return None if last is None or last.done() or last.get_loop() is not asyncio.get_running_loop() else last

    async def settled(self) -> None:
        """Wait until async listeners have received what was emitted; not within one of them, which would never end."""
        if (last := self._pending) is not None and self not in WAITING.get():
            await asyncio.wait([last])


def is_coroutine_function(function: Any) -> bool:
    """Return whether a call of it has to be awaited: a function, or an object that is called as one."""
    call = getattr(function, "__call__", None)  # noqa: B004 -- it may be a coroutine function
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


_INTERNAL: ContextVar[bool] = ContextVar("brim_internal_request", default=False)


def is_internal_request() -> bool:
    """Return whether a request that is made here and now, in this thread or task, is brim's own."""
    return _INTERNAL.get()


WAITING: ContextVar[tuple[object, ...]] = ContextVar("brim_waiting", default=())
"""What waits for the code that runs here, a listener or summarizer: locks of conversations, and listeners."""


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
        """Call `wake` on cancellation within it, or at once if it is cancelled already."""
        self._wake = wake
        if self._cancelled:
            wake()
        try:
            yield
        finally:
            self._wake = None

    def wait(self, seconds: float) -> None:
        """Wait for so many seconds, or until it is cancelled."""
        woken: SimpleQueue[None] = SimpleQueue()
        with self.waking(lambda: woken.put(None)), suppress(Empty):
            woken.get(timeout=seconds)


THREAD: Final = "brim-summary"
"""The name of the thread of a call."""


class SummarizerThread:
    """A call of a summarizer in a thread of its own, on behalf of the thread or task that waits.

    The summarizer is called with this object and calls it with each piece of text. A call that nobody waits for any
    more ends at its next piece of text, or at once if the summarizer said with `on_cancel` what ends it.

    Args:
        summarizer: is called.
        request: what it is called with.
        put: hands the one who waits each event of its text, in order, and at last the answer, or an error to raise.
    """

    def __init__(self, summarizer: Summarizer, request: SummaryRequest, put: Callable[[Any], object]) -> None:
        self._put, self._abandoned = put, False
        self._abort: Callable[[], object] | None = None
        Thread(target=copy_context().run, args=(self._run, summarizer, request), name=THREAD, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._abandoned = True
        if self._abort is not None:
            self._abort()

    def __call__(self, text: str) -> None:
        """Take a piece of the text. Raises CompactionCancelled if the caller stopped waiting."""
        self._check()
        self._put(SummaryDelta(text=text))

    def on_cancel(self, abort: Callable[[], object]) -> None:
        """Set what ends the call at once: it is called from any thread, and after the call has ended too."""
        self._abort = abort
        self._check()

    def _check(self) -> None:
        if self._abandoned:
            raise CompactionCancelled("nobody waits for this summary any more")

    def _run(self, summarizer: Summarizer, request: SummaryRequest) -> None:
        try:
            self._put(answered(summarizer.summarize(request, self)))
        except CompactionCancelled as error:
            self._put(error)
        except Exception as error:  # noqa: BLE001 -- a summarizer of the caller's own may raise anything
            self._put(failed(error))
        except BaseException as error:  # noqa: BLE001 -- what ends the program ends it in the thread that waits
            self._put(error)


def _received(item: Any, emit: Callable[[SummaryDelta], None]) -> SummaryAnswer | None:
    """Emit a piece of text that a summarizer's thread put in, or return its answer. Raises its error."""
    if isinstance(item, BaseException):
        raise item
    if isinstance(item, SummaryDelta):
        emit(item)
    return item if isinstance(item, SummaryAnswer) else None


def call_with_cancel(
    summarizer: Summarizer, request: SummaryRequest, emit: Callable[[SummaryDelta], None], token: CancelToken
) -> SummaryAnswer:
    """Return the answer of a summarizer, in a thread. Raises CompactionCancelled as soon as the token is cancelled."""
    items: SimpleQueue[Any] = SimpleQueue()
    with SummarizerThread(summarizer, request, items.put), token.waking(lambda: items.put(None)):
        while True:
            with suppress(Empty):
                item = items.get(timeout=POLL_SECONDS)
                token.check()
                if (answer := _received(item, emit)) is not None:
                    return answer


async def acall(summarizer: Summarizer, request: SummaryRequest, emit: Callable[[SummaryDelta], None]) -> SummaryAnswer:
    """Return the answer of a summarizer, in an event loop: awaited, or from a thread where its method would block."""
    summarize = _awaited_method(summarizer)
    if summarize is not None:
        try:
            return answered(await summarize(request, lambda text: emit(SummaryDelta(text=text))))
        except CompactionCancelled:
            raise
        except Exception as error:  # noqa: BLE001 -- as above
            return failed(error)
    loop, items = asyncio.get_running_loop(), asyncio.Queue[Any]()

    def put(item: object) -> None:
        with suppress(RuntimeError):  # the loop has ended, and the compaction with it
            loop.call_soon_threadsafe(items.put_nowait, item)

    with SummarizerThread(summarizer, request, put):
        while (answer := _received(await items.get(), emit)) is None:
            pass
        return answer


def _awaited_method(summarizer: Any) -> Callable[..., Any] | None:
    """Return the method that an event loop awaits; None where the summarizer would block it."""
    if hasattr(summarizer, "asummarize") and getattr(summarizer, "is_async", True):
        return summarizer.asummarize  # type: ignore[no-any-return]
    return summarizer.summarize if is_coroutine_function(summarizer.summarize) else None


def is_for_loops(summarizer: Any) -> bool:
    """Return whether only an event loop can call a summarizer."""
    return bool(getattr(summarizer, "is_async", False)) or is_coroutine_function(getattr(summarizer, "summarize", None))


class _Answer(BaseModel):
    """The form of a SummaryAnswer; a summarizer of the caller's own may set anything."""

    model_config = ConfigDict(arbitrary_types_allowed=True, from_attributes=True, strict=True)
    text: str
    stop_reason: str | None
    model: str
    usage: TokenUsage | None
    failure: Failure | None
    reason: str
    retry_after: int | None
    error: BrimError | None


def answered(answer: object) -> SummaryAnswer:
    """Return what a summarizer answered; a value that is no answer becomes a failure that says so."""
    if inspect.iscoroutine(answer):
        answer.close()
    fault = f"the summarizer answered with {type(answer).__name__}; it has to be a SummaryAnswer"
    if isinstance(answer, SummaryAnswer):
        try:
            return SummaryAnswer(**dict(_Answer.model_validate(answer)))
        except ValidationError as error:
            fault = f"the summarizer gave an answer that is none: {faults_of(error)}"
    return SummaryAnswer(failure="permanent", reason=fault, error=InvalidInput(fault))


def failed(error: Exception) -> SummaryAnswer:
    """Return the answer for an error that a summarizer raised."""
    reason = f"the summarizer raised {masked(described(error))}"
    cause = error if isinstance(error, BrimError) else SummaryFailed(reason)
    return SummaryAnswer(failure="permanent", reason=reason, error=cause)


Sleep: TypeAlias = Callable[[float], object]
"""Waits for a number of seconds; in an event loop it may be a coroutine function."""


def carrying_out(
    steps: Generator[Step, SummaryAnswer | None, T],
    summarizer: Summarizer | None,
    sleep: Sleep | None,
    listeners: Listeners,
    token: CancelToken,
) -> Steps[T]:
    """Carry a compaction out, or ask for a summary: emit its events, and make the calls of a summarizer it asks for.

    Emits Failed where it ends without a result. Raises CompactionCancelled, and what the compaction raises.
    """
    answer: SummaryAnswer | None = None
    asked = 0

    def emit(piece: SummaryDelta) -> None:
        token.check()
        listeners.emit(piece)

    internal = _INTERNAL.set(True)
    try:
        with closing(steps):
            while True:
                token.check()
                try:
                    step = steps.send(answer)
                except StopIteration as done:
                    result: T = done.value
                    return result
                answer = None
                if not isinstance(step, Ask):
                    listeners.emit(step)
                    continue
                asked += 1
                if step.wait:
                    yield _pausing(step.wait / 1_000, sleep, token)
                    token.check()
                assert summarizer is not None  # noqa: S101 -- without one nothing is asked
                answer = yield Action(
                    partial(call_with_cancel, summarizer, step.request, emit, token),
                    partial(cancellable, token, partial(acall, summarizer, step.request, emit)),
                )
    except BaseException as error:
        reason = masked(text_of(error)) or type(error).__name__
        listeners.emit(Failed(reason=reason, attempts=asked, then="nothing"))
        raise
    finally:
        _INTERNAL.reset(internal)


def _pausing(seconds: float, sleep: Sleep | None, token: CancelToken) -> Action:
    """Wait between two attempts. It can be cancelled, unless in a thread the caller passes a sleep."""

    async def asleep() -> None:
        if sleep is None:
            await asyncio.sleep(seconds)
        elif is_coroutine_function(sleep):
            await sleep(seconds)  # type: ignore[misc]
        else:
            slept = await asyncio.to_thread(sleep, seconds)
            if inspect.isawaitable(slept):
                await slept

    return Action(partial(sleep or token.wait, seconds), partial(cancellable, token, asleep))


async def cancellable(token: CancelToken, act: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Do something as a task. Raises CompactionCancelled as soon as the token is cancelled, from any thread."""
    loop = asyncio.get_running_loop()

    def wake() -> None:
        with suppress(RuntimeError):  # the loop has ended, and the compaction with it
            loop.call_soon_threadsafe(task.cancel)

    task, here = loop.create_task(act()), asyncio.current_task()
    with token.waking(wake):
        try:
            return await task
        except asyncio.CancelledError:
            if here is None or not here.cancelling():
                token.check()
            raise
