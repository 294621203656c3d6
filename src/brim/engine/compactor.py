"""The compactor: compaction in three lines, for whoever calls the Messages API in a thread or in an event loop.

Specified by features/engine/compactor.feature (CMP_04, CMP_07, CMP_08, CMP_12).
"""

from __future__ import annotations

import inspect
import os
import warnings
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar, Final, NamedTuple, TypeAlias, TypedDict, TypeVar, Unpack

from brim.anthropic.limits import alimits_from, limits_from
from brim.anthropic.summarizer import AnthropicSummarizer, AsyncAnthropicSummarizer
from brim.compaction.context_window import ContextWindow, Request, read_request
from brim.compaction.plan import Plan, plan_compaction
from brim.compaction.policy import CompactionPolicy, read_policy
from brim.compaction.result import Compaction, not_carried_out, planned_call, summarise
from brim.conversation.formats import ANTHROPIC, Format, format_of, read_messages
from brim.conversation.messages import SUMMARY_OPENING, Message
from brim.engine.conversations import digests_of
from brim.engine.driving import CallOff, Course, Listener, Listeners, adrive, drive
from brim.engine.settings import with_switches
from brim.errors import InvalidInput, UnknownLimits
from brim.models import MODELS, NO_LIMIT, ModelLimits
from brim.summary.facts import Fact
from brim.summary.summarizer_input import AsyncSummarizer, Summarizer
from brim.tokens.calibration import Calibrations
from brim.tokens.usage import TokenUsage, normalize
from brim.trigger.overflow import Verdict


class Sent(TypedDict, total=False):
    """What goes with the messages of a request."""

    model: str
    """The model of the request, where it is not the compactor's."""
    system: Any
    """The system prompt: a text or text blocks."""
    tools: Sequence[Any]
    """Tool definitions."""
    pinned: Collection[int]
    """Indices of messages that are kept word for word (CNV_08)."""
    parameters: Mapping[str, Any]
    """What else the requests carry, such as `thinking`: a summary call reads the cache only under the same (SUM_16)."""
    headers: Mapping[str, Any]
    """The requests' headers, of which `anthropic-beta` counts: the summary call repeats it (SUM_16)."""


class Carried(Sent, total=False):
    """What goes with the messages, and what they were measured to hold."""

    usage: Any
    """What the last response reported: its `usage`, a dictionary of it, or a TokenUsage (TOK_08)."""
    format: Format
    """The format of the messages, where they do not show it (ADP_03)."""


SentT = TypeVar("SentT", bound=Sent)


def checked(carried: SentT) -> SentT:
    """What goes with the messages, where it is of the form it has in a request. Raises InvalidInput that names it."""
    forms: tuple[tuple[str, tuple[type, ...], str], ...] = (
        ("model", (str,), "the name of a model"),
        ("system", (str, Sequence), "a text or a list of text blocks"),
        ("tools", (Sequence,), "a list of tool definitions"),
        ("parameters", (Mapping,), "a dictionary of request parameters"),
        ("headers", (Mapping,), "a dictionary of request headers"),
        ("pinned", (Collection,), "the indices of messages"),
    )
    for name, kinds, form in forms:
        value: Any = carried.get(name)
        if value is not None and (not isinstance(value, kinds) or (isinstance(value, str) and str not in kinds)):
            raise InvalidInput(f"{name} is {type(value).__name__}; it is {form}")
    for name in ("system", "tools"):
        _check_blocks(name, carried.get(name))
    pinned: Any = carried.get("pinned") or ()
    if not all(isinstance(place, int) for place in pinned):
        raise InvalidInput("pinned holds something that is no index; it is the indices of messages, counted from 0")
    return carried


def _check_blocks(name: str, value: Any) -> None:
    if value is None or isinstance(value, str):
        return
    for place, block in enumerate(value):
        if not isinstance(block, Mapping):
            raise InvalidInput(f"{name} holds {type(block).__name__} at place {place}; each is a dictionary")


def request_of(carried: Mapping[str, Any], messages: Sequence[Any] = ()) -> Request:
    """The caller's request of these messages and of what goes with them. Raises InvalidInput."""
    parameters = {**(carried.get("parameters") or {}), "messages": messages}
    named = {name: carried[name] for name in ("model", "system", "tools") if carried.get(name) is not None}
    return read_request({**parameters, **named}, carried.get("headers"), carried.get("pinned") or ())


def request_of_body(body: Mapping[str, Any], headers: Mapping[str, Any]) -> Request:
    """The caller's request of a body of the Messages API and its headers. Raises InvalidInput."""
    checked(Sent(system=body.get("system"), tools=body.get("tools") or ()))
    return read_request(body, headers)


def by_itself(window: ContextWindow, carried: Carried) -> ContextWindow:
    """A window that was handed in. Raises InvalidInput where something goes with it that it knows by itself."""
    told = ", ".join(
        name for name, value in carried.items() if value and name not in ("model", "parameters", "headers")
    )
    if told:
        raise InvalidInput(f"a window knows its {told} by itself: tell it to the window, or hand in the messages")
    return window


def fill(window: ContextWindow, messages: Sequence[Message], usage: Any = None) -> None:
    """Take messages into an empty window, and the usage behind the last response. Raises InvalidInput."""
    last = max((n for n, message in enumerate(messages, 1) if message.role == "assistant"), default=0)
    for message in messages[:last]:
        window.append(message)
    if usage is not None and last:
        window.record(read_usage(usage))
    for message in messages[last:]:
        window.append(message)


OPENAI_USAGE: Final = frozenset({"prompt_tokens", "input_tokens_details"})
"""Fields by which a usage of OpenAI's APIs is known: its input counts what was read from the cache."""


def read_usage(usage: Any) -> TokenUsage:
    """A usage in Anthropic's or OpenAI's words, as the SDK's value or as a dictionary. Raises InvalidInput."""
    if isinstance(usage, TokenUsage):
        return usage
    numbers = usage.model_dump() if hasattr(usage, "model_dump") else usage
    if not isinstance(numbers, Mapping):
        raise InvalidInput(f"a usage is what a response reported, not {type(usage).__name__}")
    return normalize("anthropic" if OPENAI_USAGE.isdisjoint(numbers) else "openai", numbers)


def read_model(model: Any) -> str:
    """The name of a model; empty for none. Raises InvalidInput."""
    if model is None or isinstance(model, str):
        return model or ""
    raise InvalidInput(f"model is {type(model).__name__}; it is the name of a model")


def read_limits(limits: Any) -> ModelLimits | Mapping[str, ModelLimits] | None:
    """The limits of all models, or those of each by its name; None where none are stated. Raises InvalidInput."""
    if limits is None or isinstance(limits, ModelLimits):
        return limits
    if isinstance(limits, Mapping) and all(isinstance(one, ModelLimits) for one in limits.values()):
        return limits
    raise InvalidInput(
        f"limits is {type(limits).__name__}; it is ModelLimits(context_window=…, max_output_tokens=…), or a mapping of "
        "models to these"
    )


def read_focus(focus: Any) -> str | None:
    """What a summary is to dwell on, where that is said. Raises InvalidInput."""
    if focus is None or isinstance(focus, str):
        return focus
    raise InvalidInput(f"focus is {type(focus).__name__}; it is a text")


def read_summarizer(summarizer: Any, *, in_loop: bool) -> Any:
    """A summarizer of the caller's own. Raises InvalidInput where it is none, or one for event loops in a thread."""
    summarize = getattr(summarizer, "summarize", None)
    if not callable(summarize):
        raise InvalidInput(f"the summarizer is {type(summarizer).__name__}, which has no method `summarize`")
    if not in_loop and inspect.iscoroutinefunction(summarize):
        raise InvalidInput("this summarizer is for event loops: hand it to an AsyncCompactor, or hand in a plain one")
    return summarizer


def in_event_loops(client: Any, model: str, policy: CompactionPolicy) -> bool:
    """Whether it is a client for event loops. Raises InvalidInput where it is no client, or no model is named."""
    if not hasattr(client, "messages"):
        cure = ", and an OpenAI client is passed as summarizer=OpenAISummarizer(client)" * hasattr(client, "responses")
        raise InvalidInput(
            f"the client is {type(client).__name__}; it is an Anthropic client, such as Anthropic(){cure}"
        )
    if not (model or policy.summary_model):
        raise InvalidInput(
            "a client needs the model that writes summaries: model=…, or CompactionPolicy(summary_model=…)"
        )
    return inspect.iscoroutinefunction(getattr(client, "close", None))


NOTHING_NEW: Final = "nothing new since the last compaction"
REMEMBERED: Final = 16
"""How many compactions are remembered, the newest: conversations that one compactor serves side by side."""


class Made(NamedTuple):
    """What a compaction made: the digests of its messages, its summaries, and the facts that it knew."""

    digests: list[bytes]
    summaries: Mapping[int, str]
    """The texts of its summaries, by their places."""
    facts: tuple[Fact, ...]


class Settled:
    """The last compactions of a compactor, whose conversations may go on in several threads at once (SUM_09)."""

    def __init__(self) -> None:
        self._made: deque[Made] = deque(maxlen=REMEMBERED)

    def remember(self, compaction: Compaction) -> None:
        """A compaction that did something."""
        form = compaction.format
        made = compaction.conversation if form == ANTHROPIC else read_messages(compaction.messages, form)
        digests, summaries = _digests([message.raw for message in made]), _summaries(made, marked=True)
        if digests:
            self._made.append(Made(digests, summaries, compaction.plan.facts))

    def holds(self, messages: Sequence[Any]) -> bool:
        """Whether these are the messages that a compaction made, and nothing more."""
        alike = [made.digests for made in tuple(self._made) if len(made.digests) == len(messages)]
        return bool(alike) and _digests(messages) in alike

    def remembered(self, messages: Sequence[Message]) -> tuple[Sequence[Message], tuple[Fact, ...]]:
        """These messages, summaries marked, and the facts that were known at the compaction that they go on from.

        A model tells some facts in words of its own, in which no later compaction could find them again. What stands
        in place of a summary may read the same in two conversations: only the one that these begin with is theirs.
        """
        texts = set(_summaries(messages).values())
        alike = [made for made in reversed(tuple(self._made)) if not texts.isdisjoint(made.summaries.values())]
        if not alike:
            return messages, ()
        digests = _digests([message.raw for message in messages[: max(len(made.digests) for made in alike)]])
        for made in alike:
            if made.digests == digests[: len(made.digests)]:
                return [_marked(one) if n in made.summaries else one for n, one in enumerate(messages)], made.facts
        return messages, ()


def _marked(message: Message) -> Message:
    return replace(message, marks=replace(message.marks, synthetic=True, summary=True))


def _summaries(messages: Sequence[Message], *, marked: bool = False) -> dict[int, str]:
    """The texts of the messages that are summaries, or are at least in the form of one."""
    return {
        place: message.text
        for place, message in enumerate(messages)
        if message.marks.summary or (not marked and message.text.startswith(SUMMARY_OPENING))
    }


def _digests(messages: Sequence[Any]) -> list[bytes]:
    """The digests of these messages; none where one of them cannot be written, so that it is known again by nothing."""
    try:
        return digests_of(messages)
    except InvalidInput:
        return []


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
        self.warn_of(ContextWindow(self._known(self.model) or NO_LIMIT, self.policy), stacklevel=3)
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
        read, facts = self._settled.remembered(
            read_messages(messages, carried.get("format"), carried.get("pinned") or ())
        )
        window = ContextWindow(
            limits,
            with_switches(self.policy, os.environ),
            calibrations=self._calibrations,
            model=carried.get("model") or self.model,
            facts=facts,
        )
        self.warn_of(window, stacklevel=5)
        window.carry(request_of(carried, messages))
        fill(window, read, carried.get("usage"))
        return window

    def _plan(
        self, window: ContextWindow, focus: str | None, carried: Carried, *, automatic: bool, overflowed: bool
    ) -> Plan:
        plan = plan_compaction(window, automatic=automatic, overflowed=overflowed)
        sent = plan.sent
        if carried.get("parameters") or carried.get("headers"):
            told = request_of(checked(carried))
            sent = replace(sent, parameters=told.parameters, headers=told.headers)
        plan = replace(plan, sent=sent, focus=read_focus(focus))
        if plan.acts and not overflowed and self._settled.holds([message.raw for message in window.messages]):
            return not_carried_out(plan, NOTHING_NEW)
        asked = self.summarizer is not None
        form = format_of(message.raw for message in plan.messages)
        if form != getattr(self.summarizer, "format", ANTHROPIC):
            plan = replace(plan, sent=replace(plan.sent, foreign=True))
        return replace(plan, call=planned_call(plan, self.policy, sent.model or self.model)) if asked else plan

    def warn_of(self, window: ContextWindow, stacklevel: int) -> None:
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

    def limits_of(self, model: str | None = None) -> ModelLimits:
        """The limits of a model, by default of the compactor's; the provider is asked once.

        Raises UnknownLimits, and what the provider refuses.
        """
        model = self.model if model is None else model
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
        overflowed: bool = False,
        **carried: Unpack[Carried],
    ) -> Plan:
        """What a compaction would do, message by message; nothing is asked or changed (CMP_02).

        By hand it does nothing where less than a twentieth of what is sent would leave. `overflowed`: the provider says
        that the prompt is too long; then it acts however little would leave, and keeps half as much (TRG_18).
        """
        window = self.window(messages, **carried)
        return self._plan(window, focus, carried, automatic=automatic, overflowed=overflowed)

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

    async def limits_of(self, model: str | None = None) -> ModelLimits:
        """The limits of a model, by default of the compactor's; the provider is asked once. Raises as Compactor's."""
        model = self.model if model is None else model
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
        overflowed: bool = False,
        **carried: Unpack[Carried],
    ) -> Plan:
        """As Compactor does it."""
        window = await self.window(messages, **carried)
        return self._plan(window, focus, carried, automatic=automatic, overflowed=overflowed)

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
