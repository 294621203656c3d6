"""Ahead: the summary of a conversation that will soon be due, written in the background.

Specified by features/engine/ahead.feature (CMP_13).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from contextvars import copy_context
from threading import Event, Thread
from typing import Any, Final
from weakref import finalize

from brim.compaction.events import CompactionEvent, Failed, Summarizing, SummaryDelta
from brim.compaction.plan import Plan
from brim.compaction.policy import CompactionPolicy, share_ahead
from brim.compaction.result import with_identifiers
from brim.conversation.messages import Message, Text
from brim.conversation.turns import begins_turn
from brim.engine.compactor import AsyncCompactor
from brim.engine.driving import POLL_SECONDS, CancelToken, Listeners, adrive, drive, summarizing_for
from brim.errors import BrimError, SummaryFailed, described
from brim.summary.attempts import Attempted
from brim.trigger.overflow import Verdict

THREAD: Final = "brim-ahead"
"""The name of the thread that waits for the summary."""


class SummaryTask:
    """The summary of a plan, which a thread or a task asks for. It emits no event: they are kept in `events`.

    It is cancelled with every other compaction of the compactor, and when the conversation is dropped.
    """

    def __init__(self, compactor: Any, plan: Plan, first_kept: int, conversation: object, waiting: object) -> None:
        self.plan = plan
        """What the summary is of; with the identifiers of what leaves once they are found."""
        self.first_kept = first_kept
        """The key of the first message that stays."""
        self._compactor, self._token = compactor, CancelToken()
        self._events: list[CompactionEvent] = []
        self._result: Attempted | BrimError | None = None
        self._dropped = finalize(conversation, self._token.cancel)
        with summarizing_for(waiting):
            self._start()

    def _start(self) -> None:
        raise NotImplementedError

    def wait(self) -> Any:
        """The summary, once it is there, or why there is none; an event loop awaits it."""
        raise NotImplementedError

    def discard(self) -> None:
        """Cancel it: nobody waits for it any more."""
        self._dropped.detach()
        self._token.cancel()

    @property
    def events(self) -> Sequence[CompactionEvent]:
        """What happened so far, in order: each summary that was asked for, and what was rejected."""
        return tuple(event for event in tuple(self._events) if not isinstance(event, (Failed, SummaryDelta)))

    @property
    def tokens(self) -> int:
        """The estimate of what was sent so far."""
        return sum(event.tokens for event in tuple(self._events) if isinstance(event, Summarizing))

    def leaves_the_same(self, plan: Plan) -> bool:
        """Whether a plan of the conversation as it is now summarizes nothing else than this summary covers.

        The user's last message of then may leave too: its words are carried word for word (SUM_18).
        """
        messages, before = self.plan.messages, range(self.plan.cut)
        summarized = {messages[index].key for index in self.plan.replaced}
        summarized |= {messages[index].key for index in before if _is_request(messages[index])}
        leaves = {plan.messages[index].key for index in plan.replaced}
        stays = plan.messages[plan.cut].key if plan.cut < len(plan.messages) else None
        return plan.summarizes and leaves <= summarized and stays == self.first_kept


class SummaryThread(SummaryTask):
    """In a thread, which does not keep the process from ending."""

    def _start(self) -> None:
        self._done = Event()
        Thread(target=copy_context().run, args=(self._run,), name=THREAD, daemon=True).start()

    def _run(self) -> None:
        try:
            with self._compactor.cancellable(self._token) as token:
                self.plan = with_identifiers(self.plan)
                run = self._compactor.asking(self.plan, Listeners(self._events.append), token)
                self._result = drive(run, self._compactor.summarizer, self._compactor.sleep)
        except BaseException as error:  # noqa: BLE001 -- the request that waits for the summary raises or reports it
            self._result = _as_error(error)
        finally:
            self._done.set()

    def wait(self) -> Attempted | BrimError | None:
        """Wait for the summary."""
        while not self._done.wait(POLL_SECONDS):
            pass
        return self._result


class SummaryInLoop(SummaryTask):
    """In a task of the event loop."""

    def _start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        try:
            with self._compactor.cancellable(self._token) as token:
                self.plan = await asyncio.to_thread(with_identifiers, self.plan)
                run = self._compactor.asking(self.plan, Listeners(self._events.append), token)
                self._result = await adrive(run, self._compactor.summarizer, self._compactor.sleep)
        except Exception as error:  # noqa: BLE001 -- the request that waits for the summary raises or reports it
            self._result = _as_error(error)

    def wait(self) -> Awaitable[Attempted | BrimError | None]:
        """Wait for the summary; cancelling the wait does not cancel it."""
        return self._finished()

    async def _finished(self) -> Attempted | BrimError | None:
        if self._task.get_loop() is asyncio.get_running_loop():
            await asyncio.wait([self._task])
        return self._result


def _is_request(message: Message) -> bool:
    """Whether a message is the user's, and holds words alone."""
    return begins_turn(message) and all(type(part) is Text for part in message.parts)


def _as_error(error: BaseException) -> BrimError:
    return error if isinstance(error, BrimError) else SummaryFailed(described(error))


def begin_summary(compactor: Any, plan: Plan, first_kept: int, conversation: object, waiting: object) -> SummaryTask:
    """Ask for the summary of a plan in the background, in a thread or in a task of the running event loop.

    Args:
        compactor: asks for it, by its policy.
        plan: what the summary is of.
        first_kept: the key of the first message that stays behind it.
        conversation: where it is dropped, nobody waits for the summary any more.
        waiting: the lock of the conversation, which the summarizer cannot take.
    """
    kind = SummaryInLoop if isinstance(compactor, AsyncCompactor) else SummaryThread
    return kind(compactor, plan, first_kept, conversation, waiting)


def is_soon_due(verdict: Verdict, policy: CompactionPolicy) -> bool:
    """Whether a compaction that is not due holds the policy's share of the threshold."""
    if policy.ahead is None or not policy.enabled or verdict.due or not verdict.threshold:
        return False
    return verdict.held >= verdict.threshold * share_ahead(policy.ahead)


def first_kept(plan: Plan, count: int) -> int | None:
    """The key of the first message that a later plan keeps: of one of `count` messages, or of the next one.

    None where the plan summarizes nothing, or where that message is brim's.
    """
    if not plan.summarizes:
        return None
    key = plan.messages[plan.cut].key if plan.cut < len(plan.messages) else count
    return key if isinstance(key, int) else None
