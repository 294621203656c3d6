"""Prefetch: the summary of a conversation that will soon be due, written in the background.

Specified by features/engine/prefetch.feature (CMP_13).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future
from contextvars import copy_context
from threading import Thread
from typing import Any, Final
from weakref import finalize

from brim.compaction.events import CompactionEvent, Failed, Summarizing, SummaryDelta
from brim.compaction.plan import Plan
from brim.compaction.policy import CompactionPolicy, share_ahead
from brim.conversation.messages import Text
from brim.conversation.turns import begins_turn
from brim.engine.compactor import Compactor
from brim.engine.driving import WAITING, Action, CancelToken, Listeners, Steps, arun, run, waiting_for
from brim.errors import BrimError, SummaryFailed, described
from brim.summary.attempts import Attempted
from brim.trigger.overflow import Verdict

THREAD: Final = "brim-prefetch"
"""The name of the thread that waits for the summary."""


class PrefetchedSummary:
    """The summary of a plan, which a thread or a task asks for. It emits no event: they are kept in `events`.

    It is cancelled with every other compaction of the compactor, and when the conversation is dropped.
    """

    def __init__(self, compactor: Compactor[Any], plan: Plan, first_kept: int, conversation: object) -> None:
        self.plan = plan
        """What the summary is of."""
        self.first_kept = first_kept
        """The key of the first message that stays."""
        self._compactor, self._token = compactor, CancelToken()
        self._events: list[CompactionEvent] = []
        self._result: Future[Attempted | BrimError] = Future()
        self._task: asyncio.Task[None] | None = None
        """The task that asks for it; None where a thread does."""
        self._dropped = finalize(conversation, self._token.cancel)

    def starting(self, waiting: object) -> Action:
        """Ask for it in a thread, which does not keep the process from ending, or in a task; the action returns this.

        `waiting` is the lock of the conversation, which the summarizer cannot take.
        """
        context = copy_context()
        context.run(WAITING.set, (*WAITING.get(), waiting))

        def start_thread() -> PrefetchedSummary:
            Thread(target=context.run, args=(run, self._asking()), name=THREAD, daemon=True).start()
            return self

        async def start_task() -> PrefetchedSummary:
            self._task = asyncio.get_running_loop().create_task(arun(self._asking()), context=context)
            return self

        return Action(start_thread, start_task)

    def _asking(self) -> Steps[None]:
        result: Attempted | BrimError
        try:
            with self._compactor.cancellable(self._token) as token:
                result = yield from self._compactor.asking(self.plan, Listeners(self._events.append), token)
        except BrimError as error:
            result = error
        except BaseException as error:  # noqa: BLE001 -- the request that waits for the summary reports it
            result = SummaryFailed(described(error))
        self._result.set_result(result)

    def waiting(self) -> Action:
        """Wait for the summary, or why there is none; None where the event loop of its task has ended.

        Cancelling the wait does not cancel it.
        """

        async def finished() -> Attempted | BrimError | None:
            if self._task is None or self._task.get_loop() is asyncio.get_running_loop():
                await asyncio.wait([asyncio.wrap_future(self._result)])  # cancelling this cancels no future
            return self._so_far()

        return Action(waiting_for(self._result).in_thread if self._task is None else self._so_far, finished)

    def _so_far(self) -> Attempted | BrimError | None:
        return self._result.result() if self._result.done() else None

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
        """Return whether a plan of the conversation as it is now removes nothing else than this summary covers.

        The user's last message of then may be removed too: its words are carried word for word (SUM_18).
        """
        before = self.plan.context.messages[: self.plan.cut]
        words = [one for one in before if begins_turn(one) and all(type(part) is Text for part in one.parts)]
        covered = {one.key for one in words} | {self.plan.context.messages[index].key for index in self.plan.removed}
        removed = {plan.context.messages[index].key for index in plan.removed}
        stays = plan.context.messages[plan.cut].key if plan.cut < len(plan.context.messages) else None
        return plan.summarizes and removed <= covered and stays == self.first_kept


def is_soon_due(verdict: Verdict, policy: CompactionPolicy) -> bool:
    """Return whether a compaction is not due, but the policy's share of the threshold is held."""
    if policy.ahead is None or not policy.enabled or verdict.due or not verdict.threshold:
        return False
    return verdict.held >= verdict.threshold * share_ahead(policy.ahead)


def first_kept(plan: Plan, count: int) -> int | None:
    """Return the key of the first message that a later plan keeps: of one of `count` messages, or of the next one.

    None where the plan summarizes nothing, or where that message is brim's.
    """
    if not plan.summarizes:
        return None
    key = plan.context.messages[plan.cut].key if plan.cut < len(plan.context.messages) else count
    return key if isinstance(key, int) else None
