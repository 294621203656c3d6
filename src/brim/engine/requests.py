"""Requests: the trigger in the loop, for agents that keep one list of messages which only grows.

Specified by features/engine/requests.feature (TRG_18) and features/compaction/context_window.feature (TRG_17).
"""

from __future__ import annotations

import asyncio
import threading
import warnings
from collections.abc import Awaitable, Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias, TypeVar, Unpack

from brim.anthropic.errors import is_overflow
from brim.compaction.context_window import ContextWindow, Request
from brim.compaction.events import Pruned
from brim.compaction.plan import Plan
from brim.compaction.result import Compaction
from brim.conversation.messages import check_pins
from brim.engine.compactor import AsyncCompactor, Compactor, Sent, checked, read_usage, request_of
from brim.engine.conversations import Conversations, Followed, Prefix, Reported, plain
from brim.engine.driving import own_calls
from brim.engine.progress import check_after
from brim.errors import InvalidInput
from brim.models import ModelLimits
from brim.trigger.overflow import Verdict

OVERFLOWED: Final = "overflow: the provider says that the prompt is too long"
T = TypeVar("T")
Steps: TypeAlias = Generator[Callable[[Any], Any], Any, T]
"""Yields what is to be done with a compactor or a lock, wants what it came to, and returns the result."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What is to be sent for a request."""

    messages: Sequence[Any]
    """The messages to send; the very ones that came in where nothing stands for any of them."""
    window: ContextWindow = field(repr=False)
    """The running account of what is sent."""
    verdict: Verdict
    """Whether compaction was due, with the numbers."""
    compaction: Compaction | None = field(default=None, repr=False)
    """The compaction that was made for this request; None where there was none."""
    given: tuple[Any, ...] = field(default=(), repr=False)
    """The messages that the caller had when he asked."""
    followed: Followed | None = field(default=None, repr=False)
    """The conversation it belongs to."""


class Deciding:
    """All that both do without waiting.

    Args:
        compactor: judges, plans and compacts by its policy.
    """

    def __init__(self, compactor: Any) -> None:
        self.compactor = compactor
        self._conversations = Conversations(compactor.policy.max_conversations, self._new_lock)
        self._told_unreadable = False

    @staticmethod
    def _new_lock() -> Any:
        raise NotImplementedError

    def answered(self, outgoing: Outgoing, response: Any, *, finished: bool = True) -> None:
        """Record what a response reported: the response, its usage, or a dictionary of it (TRG_17, TOK_08).

        It measures the window from the next request on; a usage of what is no longer sent measures nothing (TOK_11).
        `finished`: the response gave a stop reason. Raises InvalidInput where it is no usage.
        """
        usage, model = getattr(response, "usage", response), str(getattr(response, "model", ""))
        self.reported(outgoing, usage, model=model, finished=finished)

    def record(self, outgoing: Outgoing, response: Any) -> None:
        """As answered where the response has a usage; one that cannot be read is told of by a warning, once."""
        try:
            self.answered(outgoing, response)
        except InvalidInput as unreadable:
            if getattr(response, "usage", None) is not None:
                self.tell_unreadable(unreadable)

    def tell_unreadable(self, unreadable: InvalidInput) -> None:
        """Warn, once, that a usage cannot be read."""
        if not self._told_unreadable:
            self._told_unreadable = True
            told = f"a response's usage cannot be read, so the window goes on being estimated: {unreadable}"
            warnings.warn(told, stacklevel=4)

    def reported(self, outgoing: Outgoing, usage: Any, *, model: str = "", finished: bool = True) -> None:
        """As answered, of the usage alone."""
        followed, told = outgoing.followed, read_usage(usage)
        if followed and followed.window is outgoing.window and len(followed.taken) == len(outgoing.given):
            followed.reported = Reported(told, model, finished)

    def _preparing(self, request: Request) -> Steps[Outgoing]:
        given: Any = request.messages
        given = [*given] if isinstance(given, Iterator) else given
        messages, asked = self._conversations.read(given)
        check_pins(request.pinned, len(messages))
        followed = yield from self._entered(asked)
        try:
            limits: ModelLimits = yield lambda compactor: compactor.limits_of(request.model or compactor.model)
            if followed.window is None:
                followed.window = yield lambda compactor: compactor.window((), model=request.model)
            if followed.window.limits != limits:
                followed.window.limit(limits)
                self.compactor.warn_of(followed.window, stacklevel=6)
            turn_ended = followed.take_in(messages, asked, request.pinned)
            self._conversations.keep(followed)
            followed.opened.carry(request)
            if turn_ended:
                self._prune(followed)
            verdict = followed.opened.verdict()
            followed.progress = followed.progress.observed(verdict)
            compaction = yield from self._compacting_if_due(followed, verdict, messages)
            sent = followed.outgoing(messages, given)
            return Outgoing(sent, followed.opened, verdict, compaction, tuple(given), followed)
        finally:
            if not followed.was_read:
                self._conversations.drop(followed)
            followed.lock.release()

    def _entered(self, asked: Prefix) -> Steps[Followed]:
        """The conversation of a request, locked."""
        followed = self._conversations.find(asked)
        yield lambda _: followed.lock.acquire()
        if followed.grows_to(asked):
            return followed
        try:
            branch = self._conversations.branch(followed, asked)
            yield lambda _: branch.lock.acquire()
        finally:
            followed.lock.release()
        self._conversations.begin(branch)
        return branch

    def _prune(self, followed: Followed) -> None:
        pruning = followed.prune()
        if pruning.outputs:
            self.compactor.listeners.tell(
                Pruned(outputs=len(pruning.outputs), saved=pruning.saved, reread=pruning.reread)
            )

    def _compacting_if_due(
        self, followed: Followed, verdict: Verdict, messages: Sequence[Any]
    ) -> Steps[Compaction | None]:
        """Compact where it is due and something is new. A stalled conversation is tried again where that may help."""
        stalled = followed.progress.stalled
        if not (verdict.due and (stalled or followed.progress.has_news(len(followed.taken)))):
            return None
        followed.refresh(messages)
        plan: Plan = yield lambda compactor: compactor.plan(followed.opened, automatic=True)
        followed.progress.check_before(plan, followed.opened)
        return (yield from self._compacting(followed, plan))

    def _compacting(self, followed: Followed, plan: Plan) -> Steps[Compaction | None]:
        if not plan.acts:
            return None
        compaction: Compaction = yield lambda compactor: compactor.apply(plan)
        followed.replace(compaction)
        check_after(followed.opened)
        followed.progress.check()
        return compaction if compaction.plan.acts else None

    def _overflowing(self, outgoing: Outgoing) -> Steps[Outgoing | None]:
        followed = outgoing.followed
        if followed is None or not outgoing.window.policy.enabled:
            return None
        yield lambda _: followed.lock.acquire()
        try:
            if len(followed.taken) != len(outgoing.given):
                return None
            compaction, messages = None, plain(outgoing.given)
            if followed.window is outgoing.window:
                compaction = yield from self._compacting_anyway(followed, messages)
            if followed.window is outgoing.window:
                return None
            sent = followed.outgoing(messages, outgoing.given)
            return replace(outgoing, messages=sent, window=followed.opened, compaction=compaction)
        finally:
            followed.lock.release()

    def _compacting_anyway(self, followed: Followed, messages: Sequence[Any]) -> Steps[Compaction | None]:
        """Compact whatever the estimate says, as automatic as any: the model is sent on with its work (CMP_03)."""
        followed.refresh(messages)
        plan: Plan = yield lambda compactor: compactor.plan(followed.opened, overflowed=True)
        followed.progress.check_before(plan, followed.opened, overflowed=True)
        return (yield from self._compacting(followed, replace(plan, reason=OVERFLOWED)))


class Requests(Deciding):
    """For agents that wait for each response; conversations of many threads at once are kept apart.

    `prepare` gives what to send, `answered` takes what came back, `send` does both and tries again after an overflow.
    The caller's list is never changed, and the same request again is answered without another compaction.
    """

    def __init__(self, compactor: Compactor) -> None:
        if not isinstance(compactor, Compactor):
            raise InvalidInput(f"Requests takes a Compactor, not {type(compactor).__name__}; see AsyncRequests")
        super().__init__(compactor)

    @staticmethod
    def _new_lock() -> Any:
        return threading.Lock()

    def prepare(self, messages: Sequence[Any], **carried: Unpack[Sent]) -> Outgoing:
        """What to send for these messages, after a compaction where one is due.

        Raises InvalidInput for what is no conversation, CompactionStalled, and what Compactor.apply raises.
        """
        return self._run(self._preparing(request_of(checked(carried), messages)))

    def prepare_request(self, request: Request) -> Outgoing:
        """As prepare, of a request that was read already."""
        return self._run(self._preparing(request))

    def overflowed(self, outgoing: Outgoing) -> Outgoing | None:
        """What to send once again after the provider's overflow error; None where nothing would help."""
        return self._run(self._overflowing(outgoing))

    def send(
        self,
        call: Callable[[list[Any]], T],
        messages: Sequence[Any],
        **carried: Unpack[Sent],
    ) -> T:
        """Let `call` make the request with the messages to send, and once again after an overflow (TRG_18).

        What it gives is recorded where it has a usage, which a stream has not yet: see prepare and answered. Raises
        what prepare raises, and what `call` does: a second overflow too.
        """
        outgoing = self.prepare(messages, **carried)
        try:
            response = call(list(outgoing.messages))
        except Exception as error:
            again = self.overflowed(outgoing) if is_overflow(error) else None
            if again is None:
                raise
            outgoing, response = again, call(list(again.messages))
        self.record(outgoing, response)
        return response

    def _run(self, steps: Steps[T]) -> T:
        try:
            with own_calls():
                step = next(steps)
                while True:
                    try:
                        came_to = step(self.compactor)
                    except Exception as error:  # noqa: BLE001 -- the steps know what to leave behind
                        step = steps.throw(error)
                    else:
                        step = steps.send(came_to)
        except StopIteration as done:
            result: T = done.value
            return result
        finally:
            steps.close()


class AsyncRequests(Deciding):
    """As Requests, without blocking the event loop."""

    def __init__(self, compactor: AsyncCompactor) -> None:
        if not isinstance(compactor, AsyncCompactor):
            raise InvalidInput(f"AsyncRequests takes an AsyncCompactor, not {type(compactor).__name__}; see Requests")
        super().__init__(compactor)

    @staticmethod
    def _new_lock() -> Any:
        return asyncio.Lock()

    async def prepare(self, messages: Sequence[Any], **carried: Unpack[Sent]) -> Outgoing:
        """As Requests does it."""
        return await self._run(self._preparing(request_of(checked(carried), messages)))

    async def prepare_request(self, request: Request) -> Outgoing:
        """As Requests does it."""
        return await self._run(self._preparing(request))

    async def overflowed(self, outgoing: Outgoing) -> Outgoing | None:
        """As Requests does it."""
        return await self._run(self._overflowing(outgoing))

    async def send(
        self,
        call: Callable[[list[Any]], Awaitable[T]],
        messages: Sequence[Any],
        **carried: Unpack[Sent],
    ) -> T:
        """As Requests does it."""
        outgoing = await self.prepare(messages, **carried)
        try:
            response = await call(list(outgoing.messages))
        except Exception as error:
            again = await self.overflowed(outgoing) if is_overflow(error) else None
            if again is None:
                raise
            outgoing, response = again, await call(list(again.messages))
        self.record(outgoing, response)
        return response

    async def _run(self, steps: Steps[T]) -> T:
        try:
            with own_calls():
                step = next(steps)
                while True:
                    try:
                        came_to = await step(self.compactor)
                    except Exception as error:  # noqa: BLE001 -- as Requests
                        step = steps.throw(error)
                    else:
                        step = steps.send(came_to)
        except StopIteration as done:
            result: T = done.value
            return result
        finally:
            steps.close()
