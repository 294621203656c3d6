"""Compactors: how an adapter asks for a compaction, in a thread or in an event loop, whoever writes the summary."""

from __future__ import annotations

import asyncio
import inspect
import warnings
from dataclasses import replace
from typing import Any, Final

from brim.adapters.held import Held, Outcome, Settings
from brim.compaction.context_window import ContextWindow
from brim.compaction.plan import Plan
from brim.compaction.policy import read_policy
from brim.compaction.result import Compaction
from brim.engine.compactor import AsyncCompactor, Compactor
from brim.engine.progress import Progress, check_after
from brim.errors import InvalidInput
from brim.models import ModelLimits

ITS_OWN: Final = {"summary_model": "the summarizer's own"}
"""The name of a summary model that only its summarizer knows; never the conversation's, so that what is asked is a
text in itself: the library's own request is not ours to repeat (SUM_16)."""


class Compactors:
    """One compactor for each set of limits that is met.

    Args:
        writer: who writes the summaries: a Summarizer or an Anthropic client, for threads or for event loops; None for
            the template.
        in_loop: who writes them in an event loop, where that is another.
        settings: as for a Compactor.

    Raises InvalidInput and Refused for settings that cannot work.
    """

    def __init__(self, writer: Any, in_loop: Any, settings: Settings) -> None:
        self._blocking = None if _waits(writer) else writer
        self._in_loop = in_loop or (writer if _waits(writer) else None)
        self._policy = read_policy(settings.get("policy"))
        self._settings = settings
        self._made: dict[tuple[type, ModelLimits], Any] = {}
        self._arguments(writer)
        Compactor(**_without_sleep(settings))

    def compact(self, held: Held, progress: Progress, *, overflowed: bool = False) -> Outcome:
        """Compact where it is due, or where the provider says that it was (TRG_17, TRG_18).

        Raises CompactionStalled where it did not help for the third time in a row (TRG_19), and what a Compactor does.
        """
        if self._blocking is None and self._in_loop is not None:
            raise InvalidInput("this summarizer is for event loops: run the agent in one, or hand in one for threads")
        compactor: Compactor = self._of(Compactor, held.limits, self._blocking, self._settings)
        window = held.pour(compactor.window(system=held.system, tools=held.tools))
        automatic = not window.policy.enabled or not overflowed
        plan = compactor.plan(window, automatic=automatic, overflowed=overflowed)
        _check(plan, window, progress, overflowed=overflowed)
        compaction = compactor.apply(replace(plan, automatic=True))
        if not plan.acts:
            return Outcome(compaction, progress)
        _report(held, window)
        left = compactor.window(system=held.system, tools=held.tools)
        return _judged(compaction, progress, left)

    async def acompact(self, held: Held, progress: Progress, *, overflowed: bool = False) -> Outcome:
        """As compact does it, in a thread of its own where the summarizer would block the event loop."""
        if self._in_loop is None and self._blocking is not None:
            return await asyncio.to_thread(self.compact, held, progress, overflowed=overflowed)
        compactor: AsyncCompactor = self._of(AsyncCompactor, held.limits, self._in_loop, _awaited(self._settings))
        window = held.pour(await compactor.window(system=held.system, tools=held.tools))
        plan = await compactor.plan(
            window, automatic=not window.policy.enabled or not overflowed, overflowed=overflowed
        )
        _check(plan, window, progress, overflowed=overflowed)
        compaction = await compactor.apply(replace(plan, automatic=True))
        if not plan.acts:
            return Outcome(compaction, progress)
        _report(held, window)
        left = await compactor.window(system=held.system, tools=held.tools)
        return _judged(compaction, progress, left)

    def _of(self, kind: type, limits: ModelLimits, writer: Any, settings: Settings) -> Any:
        key = (kind, limits)
        if key not in self._made:
            self._made[key] = kind(limits=limits, **{**settings, **self._arguments(writer)})
        return self._made[key]

    def _arguments(self, writer: Any) -> dict[str, Any]:
        if writer is None:
            return {}
        if hasattr(writer, "summarize"):
            policy = self._policy if self._policy.summary_model else self._policy.model_copy(update=ITS_OWN)
            return {"summarizer": writer, "policy": policy}
        if not hasattr(writer, "messages"):
            raise InvalidInput(
                f"summaries are written by a model, a client or a summarizer, not {type(writer).__name__}"
            )
        if not self._policy.summary_model:
            raise InvalidInput(
                "a client does not say which model it is for: name one with policy=CompactionPolicy(summary_model=…)"
            )
        return {"client": writer}


def _waits(writer: Any) -> bool:
    """Whether it is for event loops."""
    return inspect.iscoroutinefunction(getattr(writer, "summarize", getattr(writer, "close", None)))


def _without_sleep(settings: Settings) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name != "sleep"}


def _judged(compaction: Compaction, progress: Progress, left: ContextWindow) -> Outcome:
    """What a compaction left, judged by the window of the next request. Raises CompactionStalled."""
    for message in compaction.conversation:
        left.append(message)
    check_after(left)
    judged = progress.compacted(left.verdict(), len(compaction.plan.messages))
    judged.check()
    return Outcome(compaction, judged, tried=True)


def _check(plan: Plan, window: ContextWindow, progress: Progress, *, overflowed: bool) -> None:
    """Raise ContextOverflow or CompactionStalled where this compaction would not help (TRG_18, TRG_19)."""
    if window.policy.enabled and (overflowed or plan.verdict.due):
        progress.check_before(plan, window, overflowed=overflowed)


def _report(held: Held, window: ContextWindow) -> None:
    """Warn of a conversation whose last compaction was forgotten, and that was compacted once more (ADP_04)."""
    if held.was_forgotten(window):
        warnings.warn(
            f"a conversation of {len(held.messages):,} messages came back without the record of its compaction and was "
            "compacted again from its beginning: keep the metadata of its messages where they are stored",
            RuntimeWarning,
            stacklevel=3,
        )


def _awaited(settings: Settings) -> Settings:
    """The settings for an event loop, whichever kind of waiting was handed in."""
    if "sleep" not in settings:
        return settings
    sleep = settings["sleep"]

    async def wait(seconds: float) -> None:
        waiting = sleep(seconds)
        if inspect.isawaitable(waiting):
            await waiting

    return {**settings, "sleep": wait}
