"""The compactor: compaction in three lines, for whoever calls the Messages API in a thread or in an event loop.

Specified by features/engine/compactor.feature (CMP_04, CMP_07, CMP_08, CMP_12).
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar, TypeAlias, Unpack

from brim.anthropic.limits import alimits_from, limits_from
from brim.anthropic.summarizer import AnthropicSummarizer, AsyncAnthropicSummarizer
from brim.compaction.context_window import ContextWindow
from brim.compaction.plan import Plan, plan_compaction
from brim.compaction.policy import CompactionPolicy, read_policy
from brim.compaction.result import Compaction, not_carried_out, planned_call, summarise
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
    read_model,
    read_summarizer,
    request_of,
)
from brim.engine.settings import with_switches
from brim.engine.settled import NOTHING_NEW, Settled
from brim.errors import InvalidInput, UnknownLimits
from brim.models import MODELS, NO_LIMIT, ModelLimits
from brim.summary.summariser_input import AsyncSummarizer, Summarizer
from brim.tokens.calibration import Calibrations
from brim.trigger.overflow import Verdict

Messages: TypeAlias = Sequence[Any] | ContextWindow
"""Message dictionaries as the Messages API takes them, or a running account of them."""


class _Compactor:
    """All that both compactors do without waiting: settings, windows, plans and the steps of a compaction.

    Args:
        client: an Anthropic client that writes the summaries; without one, and without a summarizer, the template does.
        model: the conversation's model; asked for summaries too, unless the policy names another (SUM_11).
        limits: what the model can hold, or a mapping by model; otherwise looked up by the model's name, or asked of the
            provider once (TRG_23).
        policy: every setting that governs compaction; the default policy where none is given.
        summarizer: writes the summaries instead of the client.
        on_event: one listener or several; each receives every event (CMP_06).
        sleep: waits for a number of seconds, between attempts.

    Raises InvalidInput and Refused for settings that cannot work. Warns of settings that are corrected for this model
    (TRG_21), and of a deprecated profile (DeprecationWarning).
    """

    _in_loop: ClassVar[bool] = False

    def __init__(
        self,
        client: Any = None,
        model: str | None = None,
        *,
        policy: CompactionPolicy | None = None,
        limits: ModelLimits | Mapping[str, ModelLimits] | None = None,
        summarizer: Any = None,
        on_event: Listener | Iterable[Listener] | None = None,
        sleep: Callable[[float], Any] | None = None,
    ) -> None:
        self.model, self.client = read_model(model), client
        self.policy = with_switches(read_policy(policy), os.environ)
        self.listeners = Listeners(on_event)
        self._limits, self._asked = read_limits(limits), dict[str, ModelLimits]()
        self._warned: set[str] = set()
        self._warn(ContextWindow(self._known(self.model) or NO_LIMIT, self.policy), stacklevel=3)
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
        read, facts = self._settled.remembered(read_conversation(messages, carried.get("pinned") or ()))
        window = ContextWindow(
            limits,
            with_switches(self.policy, os.environ),
            calibrations=self._calibrations,
            model=carried.get("model") or self.model,
            facts=facts,
        )
        self._warn(window, stacklevel=5)
        window.carry(request_of(carried, messages))
        fill(window, read, carried.get("usage"))
        return window

    def _plan(
        self, window: ContextWindow, focus: str | None, carried: Carried, *, automatic: bool, anyway: bool
    ) -> Plan:
        plan = plan_compaction(window, automatic=automatic, anyway=anyway)
        sent = plan.sent
        if carried.get("parameters") or carried.get("headers"):
            told = request_of(checked(carried))
            sent = replace(sent, parameters=told.parameters, headers=told.headers)
        plan = replace(plan, sent=sent, focus=read_focus(focus))
        if plan.acts and self._settled.holds([message.raw for message in window.messages]):
            return not_carried_out(plan, NOTHING_NEW)
        asked = self.summarizer is not None
        return replace(plan, call=planned_call(plan, self.policy, sent.model or self.model)) if asked else plan

    def _warn(self, window: ContextWindow, stacklevel: int) -> None:
        """Warn, once, of each setting that was corrected for the model, and of a deprecated profile (TRG_21)."""
        for notice in window.notices:
            if notice not in self._warned:
                self._warned.add(notice)
                kind = DeprecationWarning if "is deprecated" in notice else UserWarning
                warnings.warn(notice, kind, stacklevel=stacklevel)

    def _course(self, plan: Plan, focus: str | None, off: CallOff) -> Course:
        policy = None if self.summarizer is None else self.policy
        plan = replace(plan, focus=focus) if focus else plan
        return Course(summarise(plan, policy, plan.sent.model or self.model), self.listeners, off)

    def _done(self, compaction: Compaction) -> Compaction:
        """The compaction, remembered where it did something."""
        if compaction.plan.acts:
            self._settled.remember(compaction)
        return compaction

    def _known(self, model: str) -> ModelLimits | None:
        """The limits of a model, where the provider does not have to be asked for them."""
        if isinstance(self._limits, ModelLimits):
            return self._limits
        stated = (self._limits or {}).get(model)
        known = stated or MODELS.get(model.strip().lower()) or self._asked.get(model)
        asks_nobody = self.client is None and self._limits is None and not self.model
        return NO_LIMIT if known is None and (asks_nobody or not model) else known

    def _require_client(self, model: str) -> None:
        """Raise UnknownLimits where no provider can be asked for the limits of a model."""
        if self.client is None:
            raise UnknownLimits(
                f"the context window of {model!r} is not known, and it is not guessed: pass "
                "limits=ModelLimits(context_window=…, max_output_tokens=…), or a client that can ask the provider"
            )


class Compactor(_Compactor):
    """Compacts conversations, and waits for each; see AsyncCompactor for event loops."""

    @property
    def limits(self) -> ModelLimits:
        """What the model can hold. Raises UnknownLimits, and what the provider refuses."""
        return self.limits_of(self.model)

    def limits_of(self, model: str) -> ModelLimits:
        """What a model can hold; the provider is asked once. Raises UnknownLimits, and what the provider refuses."""
        known = self._known(model)
        if known is None:
            self._require_client(model)
            known = self._asked[model] = limits_from(self.client, model)
        return known

    def window(self, messages: Messages = (), **carried: Unpack[Carried]) -> ContextWindow:
        """A running account of a conversation, by the limits and the policy of this compactor; a window as it is."""
        if isinstance(messages, ContextWindow):
            return by_itself(messages, carried)
        limits = self.limits_of(checked(carried).get("model") or self.model)
        return self._window(limits, messages, carried)

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
        if client is not None and in_event_loops(client, self.model, self.policy):
            raise InvalidInput("this client is for event loops: hand it to an AsyncCompactor, or hand in a plain one")
        return None if client is None else AnthropicSummarizer(client)


class AsyncCompactor(_Compactor):
    """Compacts conversations without blocking the event loop; where its task is cancelled, nothing has happened."""

    _in_loop = True

    async def limits(self) -> ModelLimits:
        """What the model can hold. Raises UnknownLimits, and what the provider refuses."""
        return await self.limits_of(self.model)

    async def limits_of(self, model: str) -> ModelLimits:
        """What a model can hold; the provider is asked once. Raises UnknownLimits, and what the provider refuses."""
        known = self._known(model)
        if known is None:
            self._require_client(model)
            known = self._asked[model] = await alimits_from(self.client, model)
        return known

    async def window(self, messages: Messages = (), **carried: Unpack[Carried]) -> ContextWindow:
        """A running account of a conversation, by the limits and the policy of this compactor; a window as it is."""
        if isinstance(messages, ContextWindow):
            return by_itself(messages, carried)
        limits = await self.limits_of(checked(carried).get("model") or self.model)
        return self._window(limits, messages, carried)

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
        if client is not None and not in_event_loops(client, self.model, self.policy):
            raise InvalidInput("this client blocks the event loop: hand it to a Compactor, or an async client to this")
        return None if client is None else AsyncAnthropicSummarizer(client)
