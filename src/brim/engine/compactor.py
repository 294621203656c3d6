"""The compactor: compaction in three lines, for whoever calls the Messages API in a thread or in an event loop.

Specified by features/engine/compactor.feature (CMP_04, CMP_07, CMP_08, CMP_12).
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar, TypeAlias, Unpack

from brim.anthropic.limits import alimits_from, limits_from
from brim.anthropic.summarizer import AnthropicSummarizer, AsyncAnthropicSummarizer
from brim.compaction.context_window import ContextWindow
from brim.compaction.plan import Plan
from brim.compaction.planning import plan_compaction
from brim.compaction.result import Compaction
from brim.compaction.settings import OnFailure, SummarySettings
from brim.compaction.summarising import planned_call, summarise
from brim.compaction.without_model import not_carried_out
from brim.conversation.messages import read_conversation
from brim.engine.asking.calling_off import CallOff
from brim.engine.driving import Course, adrive, drive
from brim.engine.listeners import Listener, Listeners
from brim.engine.reading import (
    Carried,
    by_itself,
    checked,
    fill,
    in_event_loops,
    read_focus,
    read_limits,
    read_settings,
    read_summarizer,
    request_of,
)
from brim.engine.settled import NOTHING_NEW, Settled
from brim.errors import InvalidInput, UnknownLimits
from brim.models import MODELS, NO_LIMIT, ModelLimits
from brim.pruning.tool_outputs import pruning_disabled
from brim.selection.fit import KEEP_SHARE, keep_target
from brim.summary.prompts import prompt_for
from brim.summary.summarizer import AsyncSummarizer, Summarizer
from brim.tokens.calibration import Calibrations
from brim.tokens.exact import Number
from brim.trigger.overflow import autocompact_disabled
from brim.trigger.verdict import Verdict, trigger_for

Messages: TypeAlias = Sequence[Any] | ContextWindow
"""Message dictionaries as the Messages API takes them, or a running account of them."""


class _Compactor:
    """All that both compactors do without waiting: settings, windows, plans and the steps of a compaction.

    Args:
        client: an Anthropic client that writes the summaries; without one, and without a summarizer, the template does.
        model: the conversation's model; asked for summaries too, unless `summary_model` is set (SUM_11).
        limits: what the model can hold; looked up by its name, or asked of the provider, where not handed in (TRG_23).
        profile: when compaction is due, a name of PROFILES.
        summarizer: who writes the summaries instead of the client.
        summary_model: another model for summaries.
        on_event: a listener or several, told every event (CMP_06).
        prompt: the name of a prompt, or a text of your own (SUM_02).
        focus: what every summary is to dwell on.
        keep_share: the share of the usable context that is kept word for word at most (SEL_04).
        on_failure: what is done where no attempt gives a summary (SUM_06).
        pinned_facts: texts that every summary has to hold (SUM_08).
        sleep: waits for a number of seconds, between attempts.

    Raises InvalidInput and Refused for settings that cannot work; a deprecated profile gives a DeprecationWarning.
    """

    _in_loop: ClassVar[bool] = False

    def __init__(
        self,
        client: Any = None,
        model: str | None = None,
        *,
        limits: ModelLimits | None = None,
        profile: str = "usable",
        summarizer: Any = None,
        summary_model: str | None = None,
        on_event: Listener | Iterable[Listener] | None = None,
        prompt: str = "structured",
        focus: str | None = None,
        keep_share: Number = KEEP_SHARE,
        on_failure: OnFailure = "template",
        pinned_facts: Sequence[str] = (),
        sleep: Callable[[float], Any] | None = None,
    ) -> None:
        keep_target(0, share=keep_share)
        self.model = model or ""
        self.settings = read_settings(
            model=self.model,
            summary_model=summary_model or "",
            prompt=prompt,
            focus=focus,
            on_failure=on_failure,
            pinned_facts=pinned_facts,
        )
        prompt_for(prompt, focus)
        self.client, self.profile, self.keep_share = client, profile, keep_share
        self.listeners = Listeners(on_event)
        self._limits = read_limits(limits) or MODELS.get(self.model.strip().lower())
        self._trigger = trigger_for(profile, self._limits or NO_LIMIT)
        if self._trigger.profile.deprecated:
            told = f"the profile {profile} is deprecated: {self._trigger.profile.deprecated}"
            warnings.warn(told, DeprecationWarning, stacklevel=2)
        self._under_way: set[CallOff] = set()
        self._settled = Settled()
        self._calibrations = Calibrations()
        self._sleep = sleep
        own = None if summarizer is None else read_summarizer(summarizer, in_loop=self._in_loop)
        self.summarizer = own or self._summarizer_of(client)

    def _summarizer_of(self, client: Any) -> Any:
        raise NotImplementedError

    def cancel(self) -> None:
        """Call off every compaction that is going on here, from any thread: it raises CompactionCancelled (CMP_08).

        It does so at once, while a summarizer is silent too; only a sleep of your own is waited for. One that begins
        later goes on as if nothing had been.
        """
        for off in tuple(self._under_way):
            off.set()

    @contextmanager
    def _going_on(self) -> Iterator[CallOff]:
        off = CallOff()
        self._under_way.add(off)
        try:
            yield off
        finally:
            self._under_way.discard(off)

    def _window(self, limits: ModelLimits, messages: Sequence[Any], carried: Carried) -> ContextWindow:
        carried = checked(carried)
        read, facts = self._settled.remembered(read_conversation(messages, carried.get("pinned") or ()))
        window = ContextWindow(
            limits,
            profile=self.profile,
            disabled=autocompact_disabled(os.environ),
            pruning_disabled=pruning_disabled(os.environ),
            calibrations=self._calibrations,
            model=self.model or "",
            facts=facts,
        )
        window.carry(request_of(carried, messages))
        fill(window, read, carried.get("usage"))
        return window

    def _plan(
        self, window: ContextWindow, focus: str | None, carried: Carried, *, automatic: bool, anyway: bool
    ) -> Plan:
        plan = plan_compaction(window, automatic=automatic, keep_share=self.keep_share, anyway=anyway)
        sent = plan.sent
        if carried.get("parameters") or carried.get("headers"):
            told = request_of(checked(carried))
            sent = replace(sent, parameters=told.parameters, headers=told.headers)
        plan = replace(plan, sent=sent, focus=read_focus(focus))
        if plan.acts and self._settled.holds([message.raw for message in window.messages]):
            return not_carried_out(plan, NOTHING_NEW)
        settings = self._settings(focus)
        return replace(plan, call=planned_call(plan, settings)) if settings else plan

    def _settings(self, focus: str | None) -> SummarySettings | None:
        """The settings of this compaction; None where there is nobody to ask for a summary."""
        if self.summarizer is None:
            return None
        return self.settings.model_copy(update={"focus": focus}) if focus else self.settings

    def _course(self, plan: Plan, focus: str | None, off: CallOff) -> Course:
        return Course(summarise(plan, self._settings(focus or plan.focus)), self.listeners, off)

    def _done(self, compaction: Compaction) -> Compaction:
        """The compaction, remembered where it did something."""
        if compaction.plan.acts:
            self._settled.remember(compaction)
        return compaction

    def _stated(self) -> ModelLimits | None:
        """The limits, where no provider has to be asked for them. Raises UnknownLimits where there is none to ask."""
        if self._limits is None and not self.model:
            return NO_LIMIT
        if self._limits is None and self.client is None:
            raise UnknownLimits(
                f"how much {self.model!r} can hold is not known, and it is not guessed: hand in "
                "limits=ModelLimits(context_window=…, max_output_tokens=…), or a client that can ask the provider"
            )
        return self._limits


class Compactor(_Compactor):
    """Compacts conversations, and waits for each; see AsyncCompactor for event loops."""

    @property
    def limits(self) -> ModelLimits:
        """What the model can hold. Raises UnknownLimits, and what the provider refuses."""
        self._limits = self._stated() or limits_from(self.client, self.model)
        return self._limits

    def window(self, messages: Messages = (), **carried: Unpack[Carried]) -> ContextWindow:
        """A running account of a conversation, by the limits and profile of this compactor; one handed in as it is."""
        if isinstance(messages, ContextWindow):
            return by_itself(messages, carried)
        return self._window(self.limits, messages, carried)

    def should_compact(self, messages: Messages, **carried: Unpack[Carried]) -> Verdict:
        """Whether compaction is due before the next request, and the numbers that say so."""
        return self.window(messages, **carried).verdict()

    def plan(
        self,
        messages: Messages,
        *,
        focus: str | None = None,
        automatic: bool = False,
        anyway: bool = False,
        **carried: Unpack[Carried],
    ) -> Plan:
        """What a compaction would do, message by message; nothing is asked or changed (CMP_02).

        By hand it does nothing where less than a twentieth of what is sent would leave, unless it has to be `anyway`,
        as where the provider says that the window is full.
        """
        return self._plan(self.window(messages, **carried), focus, carried, automatic=automatic, anyway=anyway)

    def apply(self, plan: Plan, *, focus: str | None = None) -> Compaction:
        """Carry a plan out. Raises CompactionCancelled, and why there is no summary under the policy `raise`."""
        with self._going_on() as off:
            return self._carry_out(plan, focus, off)

    def _carry_out(self, plan: Plan, focus: str | None, off: CallOff) -> Compaction:
        return self._done(drive(self._course(plan, focus, off), self.summarizer, self._sleep))

    def compact(
        self, messages: Messages, *, focus: str | None = None, automatic: bool = False, **carried: Unpack[Carried]
    ) -> Compaction:
        """Compact, due or not, an automatic one only where it is due (CMP_07). The messages stay as they are."""
        with self._going_on() as off:
            return self._carry_out(self.plan(messages, focus=focus, automatic=automatic, **carried), focus, off)

    def _summarizer_of(self, client: Any) -> Summarizer | None:
        if client is not None and in_event_loops(client, self.settings):
            raise InvalidInput("this client is for event loops: hand it to an AsyncCompactor, or hand in a plain one")
        return None if client is None else AnthropicSummarizer(client)


class AsyncCompactor(_Compactor):
    """Compacts conversations without blocking the event loop; where its task is cancelled, nothing has happened."""

    _in_loop = True

    async def limits(self) -> ModelLimits:
        """What the model can hold. Raises UnknownLimits, and what the provider refuses."""
        self._limits = self._stated() or await alimits_from(self.client, self.model)
        return self._limits

    async def window(self, messages: Messages = (), **carried: Unpack[Carried]) -> ContextWindow:
        """As Compactor does it."""
        if isinstance(messages, ContextWindow):
            return by_itself(messages, carried)
        return self._window(await self.limits(), messages, carried)

    async def should_compact(self, messages: Messages, **carried: Unpack[Carried]) -> Verdict:
        """As Compactor does it."""
        return (await self.window(messages, **carried)).verdict()

    async def plan(
        self,
        messages: Messages,
        *,
        focus: str | None = None,
        automatic: bool = False,
        anyway: bool = False,
        **carried: Unpack[Carried],
    ) -> Plan:
        """As Compactor does it."""
        window = await self.window(messages, **carried)
        return self._plan(window, focus, carried, automatic=automatic, anyway=anyway)

    async def apply(self, plan: Plan, *, focus: str | None = None) -> Compaction:
        """As Compactor does it."""
        with self._going_on() as off:
            return await self._carry_out(plan, focus, off)

    async def _carry_out(self, plan: Plan, focus: str | None, off: CallOff) -> Compaction:
        return self._done(await adrive(self._course(plan, focus, off), self.summarizer, self._sleep))

    async def compact(
        self, messages: Messages, *, focus: str | None = None, automatic: bool = False, **carried: Unpack[Carried]
    ) -> Compaction:
        """As Compactor does it."""
        with self._going_on() as off:
            plan = await self.plan(messages, focus=focus, automatic=automatic, **carried)
            return await self._carry_out(plan, focus, off)

    def _summarizer_of(self, client: Any) -> AsyncSummarizer | None:
        if client is not None and not in_event_loops(client, self.settings):
            raise InvalidInput("this client blocks the event loop: hand it to a Compactor, or an async client to this")
        return None if client is None else AsyncAnthropicSummarizer(client)
