"""Requests: the trigger in the loop, for agents that keep one list of messages which only grows.

Specified by features/engine/requests.feature (TRG_18) and features/compaction/context_window.feature (TRG_17).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar, Unpack

from brim.anthropic.overflow import is_overflow
from brim.compaction.context_window import Request
from brim.engine.compactor import AsyncCompactor, Compactor
from brim.engine.loop.deciding import Deciding, Outgoing, Steps
from brim.engine.own_calls import own_calls
from brim.engine.reading import Sent, checked, request_of
from brim.errors import InvalidInput

__all__ = ["AsyncRequests", "Outgoing", "Requests"]

T = TypeVar("T")


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
