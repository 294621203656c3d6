"""Compactor: plans and carries out compactions, in a thread or in an event loop.

Specified by features/engine/compactor.feature (CMP_04, CMP_07, CMP_08, CMP_12).
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Final, Generic, TypeAlias, TypeVar, Unpack

from pydantic import StrictInt, StrictStr, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from brim.anthropic.clients import AsyncClient, ClientT_co, SyncClient, check_form, for_loops
from brim.anthropic.limits import alimits_from, limits_from
from brim.anthropic.requests import read_request
from brim.anthropic.summarizer import AnthropicSummarizer
from brim.compaction.context_window import ContextWindow, Request
from brim.compaction.plan import Cause, Plan, plan_compaction
from brim.compaction.policy import CompactionPolicy, read_policy
from brim.compaction.result import Compaction, ask_summary, not_carried_out, planned_call, summarize
from brim.conversation.formats import ANTHROPIC, Format, format_of, read_messages
from brim.conversation.messages import Message, copied
from brim.conversation.turns import without_ephemeral
from brim.engine.driving import (
    Action,
    CancelToken,
    Listener,
    Listeners,
    Sleep,
    Steps,
    arun,
    carrying_out,
    is_coroutine_function,
    is_for_loops,
    run,
)
from brim.engine.settings import with_switches
from brim.errors import InvalidInput, UnknownLimits, faults_of, nearest, shown, warn, window_unknown
from brim.models import MODELS, NO_LIMIT, ModelLimits, known_limits
from brim.sessions.view import View
from brim.summary.attempts import Attempted
from brim.summary.facts import Fact
from brim.summary.identifiers import NO_IDENTIFIERS, Identifiers
from brim.summary.summarizer_input import Summarizer
from brim.tokens.calibration import Calibrations
from brim.trigger.overflow import Verdict

Index: TypeAlias = StrictInt
"""The index of a message, counted from 0."""


class RequestOptions(TypedDict, total=False):
    """What goes with the messages of a request."""

    model: StrictStr | None
    """The model of the request, where it is not the compactor's."""
    system: str | Sequence[Mapping[str, Any]] | None
    """The system prompt: a text or text blocks."""
    tools: Sequence[Mapping[str, Any]] | None
    """Tool definitions."""
    pinned: Sequence[Index] | AbstractSet[Index] | None
    """Indices of messages that are kept word for word (CNV_08)."""
    parameters: Mapping[str, Any] | None
    """What else the requests carry, such as `thinking`: a summary call reads the cache only under the same (SUM_16)."""
    headers: Mapping[str, Any] | None
    """The requests' headers, of which `anthropic-beta` counts: the summary call repeats it (SUM_16)."""


class WindowOptions(RequestOptions, total=False):
    """What goes with the messages, and what they were measured to hold."""

    usage: Any
    """What the last response reported: its `usage`, a dictionary of it, or a TokenUsage (TOK_08)."""
    format: Format | None
    """The format of the messages, where they do not show it (ADP_03)."""


class CompactOptions(WindowOptions, total=False):
    """What goes with the messages, and what their compaction is for."""

    focus: str | None
    """What the summary is to tell most about, for this compaction (CMP_07)."""
    cause: Cause
    """Why it is asked for: "manual", "automatic" or "overflow" (TRG_18)."""


T = TypeVar("T")
OptionsT = TypeVar("OptionsT", bound=RequestOptions)
OPTIONS: Final[Mapping[type, TypeAdapter[Any]]] = {
    kind: TypeAdapter(kind) for kind in (RequestOptions, WindowOptions, CompactOptions)
}


def read_options(options: OptionsT, kind: type = CompactOptions) -> OptionsT:
    """Return the same options. Raises InvalidInput that names the first that does not exist or has a wrong type."""
    for name in options:
        if name not in kind.__annotations__:
            raise InvalidInput(f"there is no option {name!r}; {nearest(name, sorted(kind.__annotations__))}")
    carried: Any = options
    try:
        OPTIONS[kind].validate_python(carried)
    except ValidationError as error:
        first, is_one = error.errors()[0], error.error_count() == 1  # of several forms a value may have, it has none
        name = str(first["loc"][0])
        form = getattr(kind.__annotations__[name], "__forward_arg__", "")
        if name in ("system", "tools", "parameters", "headers"):  # their values may hold a key
            place, met = (first["loc"], first["input"]) if is_one else ((name,), carried[name])
            fault = f"{'.'.join(map(str, place))} is {type(met).__name__}; {name} is {form}"
        else:
            fault = faults_of(error) if is_one else f"{name} is {shown(carried[name])}; it is {form}"
        raise InvalidInput(fault) from error
    for name in {"input", "instructions", "messages", "model"}.intersection(carried.get("parameters") or ()):
        raise InvalidInput(
            f"parameters holds {name!r}, which would replace brim's own: pass the messages as the first argument, and "
            "the rest as model=… and system=…"
        )
    return options


def request_of(options: Mapping[str, Any], messages: Sequence[Any] = ()) -> Request:
    """Build the request of these messages and options. Raises InvalidInput."""
    parameters = {**(options.get("parameters") or {}), "messages": messages}
    named = {name: options[name] for name in ("model", "system", "tools") if options.get(name) is not None}
    return read_request({**parameters, **named}, options.get("headers"), options.get("pinned") or ())


def request_of_body(body: Mapping[str, Any], headers: Mapping[str, Any], pinned: Iterable[int] = ()) -> Request:
    """Read the caller's request: a body of the Messages API, its headers, the indices it pins. Raises InvalidInput."""
    read_options(RequestOptions(system=body.get("system"), tools=body.get("tools")), RequestOptions)
    return read_request(body, headers, pinned)


def append_all(window: ContextWindow, messages: Sequence[Message], usage: Any = None) -> None:
    """Append messages to an empty window, and record the usage of the last response. Raises InvalidInput."""
    last = next((n for n in range(len(messages), 0, -1) if messages[n - 1].role == "assistant"), 0)
    for message in messages[:last]:
        window.append(message)
    if usage is not None and last:
        window.record(usage)
    for message in messages[last:]:
        window.append(message)


def no_client(client: Any, cure: str = "") -> InvalidInput:
    """Build the error for a client that is none of Anthropic's."""
    return InvalidInput(f"the client is {type(client).__name__}; it is an Anthropic client, such as Anthropic(){cure}")


def check_client(client: Any, model: str | None, policy: CompactionPolicy) -> None:
    """Raise InvalidInput for what is no client of Anthropic's, or where no model is named; None if none can be."""
    if not hasattr(client, "messages"):
        cure = ", and an OpenAI client is passed as summarizer=OpenAISummarizer(client)" * hasattr(client, "responses")
        cure += ", and a model is named by model=…" * (isinstance(client, str) and model is not None)
        raise no_client(client, cure)
    if not (model or policy.summary_model):
        named = "policy=" if model is None else "model=…, or "
        raise InvalidInput(f"a client needs the model that writes summaries: {named}CompactionPolicy(summary_model=…)")


class RecentCompactions:
    """The last compactions of a compactor, whose conversations may continue in several threads at once (SUM_09)."""

    def __init__(self, most: int) -> None:
        self._records: deque[tuple[list[Any], Collection[int], tuple[Fact, ...], Identifiers]] = deque(maxlen=most)
        """Of each, copies of its messages without what agents change with each request, its summaries' indices, facts
        and identifiers."""

    def record(self, compaction: Compaction) -> None:
        """Remember a compaction that did something."""
        form = compaction.format
        read = compaction.conversation if form == ANTHROPIC else read_messages(compaction.messages, form)
        summaries = frozenset(index for index, message in enumerate(read) if message.marks.summary)
        copies = [copied(without_ephemeral(message.raw)) for message in read]
        self._records.append((copies, summaries, compaction.plan.facts, compaction.identifiers))

    def just_made(self, messages: Sequence[Message]) -> bool:
        """Return whether these are the messages that a compaction made, and nothing more."""
        return any(len(copies) == len(messages) and _begins(messages, copies) for copies, *_ in tuple(self._records))

    def remembered(self, messages: Sequence[Message]) -> tuple[Sequence[Message], tuple[Fact, ...], Identifiers]:
        """Return these messages, summaries marked, and what was known at the compaction that they continue.

        A model states some facts in words of its own, in which no later compaction could find them again. The summaries
        of two conversations may read the same: only the one that these messages begin with is theirs.
        """
        for copies, summaries, facts, identifiers in reversed(tuple(self._records)):
            if summaries and _begins(messages, copies):
                marked = [*messages]
                for n in summaries:
                    marks = replace(messages[n].marks, synthetic=True, summary=True)
                    marked[n] = replace(messages[n], marks=marks)
                return marked, facts, identifiers
        return messages, (), NO_IDENTIFIERS


def _begins(messages: Sequence[Message], prefix: Sequence[Any]) -> bool:
    """Return whether the messages begin with those of a record."""
    pairs = zip(messages, prefix, strict=False)
    return len(messages) >= len(prefix) and all(copied(without_ephemeral(message.raw)) == one for message, one in pairs)


Messages: TypeAlias = Sequence[Any] | ContextWindow
"""Message dictionaries as the Messages API takes them, or a running account of them."""


NO_WINDOW: Final = "no compaction is ever due: pass the Compactor model= or limits=ModelLimits(context_window=…)"


class Compactor(Generic[ClientT_co]):
    """Plans and carries out compactions: `compact` in a thread, `acompact` in an event loop; so each method (CMP_12).

    With a client that waits only the first form works, and with one for event loops only the second; a type checker
    refuses the other, and InvalidInput does before any work. Without a client both work. In an event loop the
    summarizer, the listeners and the sleep may be coroutine functions; a summarizer that would block is called in a
    thread. Where its task is cancelled, nothing has happened.

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

    def __init__(
        self,
        client: ClientT_co = None,  # type: ignore[assignment] # without one its type is Any, and both forms work
        model: str | None = None,
        *,
        policy: CompactionPolicy | None = None,
        limits: ModelLimits | Mapping[str, ModelLimits] | None = None,
        summarizer: Summarizer | None = None,
        on_event: Listener | Iterable[Listener] | None = None,
        sleep: Sleep | None = None,
    ) -> None:
        self.model = read_options(RequestOptions(model=model), RequestOptions)["model"] or ""
        self.client: Any = client
        self.policy = read_policy(policy)
        self.listeners = Listeners(on_event)
        stated = limits.values() if isinstance(limits, Mapping) else () if limits is None else (limits,)
        if not all(isinstance(one, ModelLimits) for one in stated):
            raise InvalidInput(
                f"limits is {shown(limits)}; it is ModelLimits(context_window=…, max_output_tokens=…), or a mapping of "
                "models to these"
            )
        self._limits, self._asked = limits, dict[str, ModelLimits]()
        self._warned: set[str] = set()
        self.warn_of(ContextWindow(self._known(self.model) or NO_LIMIT, self.policy))
        self._running: set[CancelToken] = set()
        self._recent = RecentCompactions(self.policy.max_conversations)
        self._calibrations = Calibrations()
        self._has_warned_of_fallback = False
        if sleep is not None and not callable(sleep):
            raise InvalidInput(f"sleep is {type(sleep).__name__}; it is a function that waits for a number of seconds")
        if isinstance(summarizer, type):
            raise InvalidInput(f"the summarizer is the class {summarizer.__name__}; pass an object of it")
        if summarizer is not None and not callable(getattr(summarizer, "summarize", None)):
            raise InvalidInput(f"the summarizer is {type(summarizer).__name__}, which has no method `summarize`")
        if getattr(summarizer, "needs_model", False) and not (self.model or self.policy.summary_model):
            raise InvalidInput(
                f"{type(summarizer).__name__} asks the model that is named: model=…, or "
                "CompactionPolicy(summary_model=…)"
            )
        self.sleep = sleep
        if summarizer is None and client is not None:
            check_client(client, self.model, self.policy)
            summarizer = AnthropicSummarizer(client)
        self.summarizer = summarizer

    def check_form(self, method: str = "", *, in_loop: bool) -> None:
        """Raise InvalidInput where its client, summarizer, sleep or a listener is for the other form of a method."""
        check_form(self.client, method, in_loop=in_loop)
        for part, is_for_loop in (
            ("summarizer", is_for_loops(self.summarizer)),
            ("sleep", is_coroutine_function(self.sleep)),
            ("listener", self.listeners.in_loop),
        ):
            if is_for_loop and not in_loop:
                raise for_loops(part, method)

    def run_steps(self, method: str, steps: Steps[T]) -> T:
        """Carry the steps of a method out in a thread. Raises InvalidInput as `check_form` does."""
        self.check_form(method, in_loop=False)
        return run(steps)

    async def arun_steps(self, method: str, steps: Steps[T]) -> T:
        """Carry the steps of a method out in an event loop; see run_steps."""
        self.check_form(method, in_loop=True)
        return await arun(steps, self.listeners)

    def cancel(self) -> None:
        """Cancel every compaction of this compactor, from any thread: each raises CompactionCancelled (CMP_08).

        It does so at once, even while a summarizer is silent; only your own `sleep` is waited for in a thread. Later
        compactions are not affected.
        """
        for token in tuple(self._running):
            token.cancel()

    @contextmanager
    def cancellable(self, token: CancelToken | None = None) -> Iterator[CancelToken]:
        """Let `cancel` cancel the token, or a new one, within it."""
        token = token or CancelToken()
        self._running.add(token)
        try:
            yield token
        finally:
            self._running.discard(token)

    def limits_of(self: Compactor[SyncClient | None], model: str | None = None) -> ModelLimits:
        """Return the limits of a model, by default of the compactor's; the provider is asked once.

        Raises UnknownLimits, and what the provider refuses.
        """
        return self.run_steps("limits_of", self.finding_limits(model))

    async def alimits_of(self: Compactor[AsyncClient | None], model: str | None = None) -> ModelLimits:
        """Return the limits of a model; see limits_of."""
        return await self.arun_steps("limits_of", self.finding_limits(model))

    def window(
        self: Compactor[SyncClient | None], messages: Messages = (), **options: Unpack[WindowOptions]
    ) -> ContextWindow:
        """Return a running account of a conversation, by the limits and the policy of this compactor.

        A window is returned as it is.
        """
        return self.run_steps("window", self.opening(messages, options))

    async def awindow(
        self: Compactor[AsyncClient | None], messages: Messages = (), **options: Unpack[WindowOptions]
    ) -> ContextWindow:
        """Return a running account of a conversation; see window."""
        return await self.arun_steps("window", self.opening(messages, options))

    def should_compact(
        self: Compactor[SyncClient | None], messages: Messages, **options: Unpack[WindowOptions]
    ) -> Verdict:
        """Return whether compaction is due before the next request, and the numbers that say so."""
        return self.run_steps("should_compact", self.opening(messages, options)).verdict()

    async def ashould_compact(
        self: Compactor[AsyncClient | None], messages: Messages, **options: Unpack[WindowOptions]
    ) -> Verdict:
        """Return whether compaction is due; see should_compact."""
        return (await self.arun_steps("should_compact", self.opening(messages, options))).verdict()

    def plan(self: Compactor[SyncClient | None], messages: Messages, **options: Unpack[CompactOptions]) -> Plan:
        """Return what a compaction would do, message by message; nothing is asked or changed (CMP_02).

        By hand, without a target, it does nothing where less than a twentieth of what is sent would be removed; nor
        does `apply` where a summary saves less. For the `cause` "overflow", the provider's error that the prompt is too
        long, it acts however little would be removed, and keeps half as much (TRG_18). Raises InvalidInput.
        """
        return self.run_steps("plan", self.planning(messages, options))

    async def aplan(self: Compactor[AsyncClient | None], messages: Messages, **options: Unpack[CompactOptions]) -> Plan:
        """Return what a compaction would do; see plan."""
        return await self.arun_steps("plan", self.planning(messages, options))

    def apply(self: Compactor[SyncClient | None], plan: Plan, *, focus: str | None = None) -> Compaction:
        """Carry a plan out. Raises CompactionCancelled, and, if `on_failure` is raise, why there is no summary."""
        return self.run_steps("apply", self.applying(plan, focus))

    async def aapply(self: Compactor[AsyncClient | None], plan: Plan, *, focus: str | None = None) -> Compaction:
        """Carry a plan out; see apply."""
        return await self.arun_steps("apply", self.applying(plan, focus))

    def compact(
        self: Compactor[SyncClient | None], messages: Messages, **options: Unpack[CompactOptions]
    ) -> Compaction:
        """Make and carry out the plan for this cause, as `plan` and `apply` do; the messages stay as they are (CMP_07).

        `cause`: "manual", the default, compacts below the threshold too, "automatic" only where it is due, and
        "overflow", the provider's error that the prompt is too long, whatever the estimate says (TRG_18). Raises what
        both raise.
        """
        return self.run_steps("compact", self.compacting(messages, options))

    async def acompact(
        self: Compactor[AsyncClient | None], messages: Messages, **options: Unpack[CompactOptions]
    ) -> Compaction:
        """Make and carry out the plan for this cause; see compact."""
        return await self.arun_steps("compact", self.compacting(messages, options))

    # The steps of both forms

    def finding_limits(self, model: str | None = None) -> Steps[ModelLimits]:
        """Return the limits of a model; see limits_of."""
        model = self.model if model is None else model
        known = self._known(model)
        if known is None and self.client is None:
            raise UnknownLimits(f"{window_unknown(model)}, or a client that can ask the provider")
        if known is None:
            ask = Action(partial(limits_from, self.client, model), partial(alimits_from, self.client, model))
            known = self._asked[model] = yield ask
        return known

    def opening(self, messages: Messages, options: WindowOptions, kind: type = WindowOptions) -> Steps[ContextWindow]:
        """Return a running account of a conversation; see window."""
        read_options(options, kind)
        if isinstance(messages, ContextWindow):
            own = ("system", "tools", "pinned", "usage", "format")
            twice = ", ".join(name for name, value in options.items() if value and name in own)
            if twice:
                raise InvalidInput(f"a window has its own {twice}: set it in the window, or pass the messages instead")
            return messages
        limits = yield from self.finding_limits(options.get("model") or self.model)
        return self._window(limits, messages, options)

    def planning(self, messages: Messages, options: CompactOptions) -> Steps[Plan]:
        """Return what a compaction would do; see plan."""
        window = yield from self.opening(messages, options, CompactOptions)
        cause = options.get("cause", "manual")
        plan = plan_compaction(window, cause)
        request = plan.context.request
        if options.get("parameters") or options.get("headers"):
            named = request_of(options)
            request = replace(request, parameters=named.parameters, headers=named.headers)
        form = format_of(message.raw for message in plan.context.messages)
        request = replace(request, foreign=request.foreign or form != getattr(self.summarizer, "format", ANTHROPIC))
        plan = replace(plan, context=replace(plan.context, request=request, focus=options.get("focus")))
        if plan.changes_anything and cause != "overflow" and self._recent.just_made(window.messages):
            return not_carried_out(plan, "nothing new since the last compaction")
        if self.summarizer is None:
            return plan
        return replace(plan, call=planned_call(plan, self.policy, request.model or self.model))

    def applying(
        self, plan: Plan, focus: str | None = None, *, attempted: Attempted | None = None
    ) -> Steps[Compaction]:
        """Carry a plan out; see apply. `attempted`: a summary that was asked for ahead (CMP_13)."""
        with self.cancellable() as token:
            return (yield from self._carrying_out(plan, focus, token, attempted))

    def compacting(self, messages: Messages, options: CompactOptions) -> Steps[Compaction]:
        """Make a plan and carry it out; see compact."""
        with self.cancellable() as token:
            plan = yield from self.planning(messages, options)
            return (yield from self._carrying_out(plan, None, token))

    def asking(self, plan: Plan, listeners: Listeners, token: CancelToken) -> Steps[Attempted]:
        """Ask for the summary of a plan, ahead of the compaction (CMP_13)."""
        steps = ask_summary(plan, self.policy, plan.context.request.model or self.model)
        return carrying_out(steps, self.summarizer, self.sleep, listeners, token)

    def _carrying_out(
        self, plan: Plan, focus: str | None, token: CancelToken, attempted: Attempted | None = None
    ) -> Steps[Compaction]:
        if not isinstance(plan, Plan):
            raise InvalidInput(f"the plan is {type(plan).__name__}; it is what the compactor's method `plan` returned")
        if focus:
            focus = read_options(CompactOptions(focus=focus))["focus"]
            plan = replace(plan, context=replace(plan.context, focus=focus))
        policy = None if self.summarizer is None else self.policy
        steps = summarize(plan, policy, plan.context.request.model or self.model, attempted)
        compaction = yield from carrying_out(steps, self.summarizer, self.sleep, self.listeners, token)
        if compaction.plan.changes_anything:
            self._recent.record(compaction)
        is_unheard = compaction.attempts and compaction.summary_source != "model" and not self.listeners
        if is_unheard and not self._has_warned_of_fallback:
            self._has_warned_of_fallback = True
            warn(
                f"{type(self.summarizer).__name__}: {compaction.attempts[-1].reason}; on_failure="
                f"{compaction.summary_source} stood in; on_event hears of each such failure, on_failure=raise raises it"
            )
        return compaction

    def open_window(self, limits: ModelLimits, model: str, resumed: View | None = None) -> ContextWindow:
        """Return a window for a model: empty, or that of what a session shows and what was measured of it."""
        if resumed is None:
            return self._window(limits, (), WindowOptions(model=model))
        window = resumed.window(limits, with_switches(self.policy, os.environ), model=model or self.model)
        self.warn_of(window)
        return window

    def _window(self, limits: ModelLimits, messages: Sequence[Any], options: WindowOptions) -> ContextWindow:
        read, facts, identifiers = self._recent.remembered(
            read_messages(messages, options.get("format"), options.get("pinned") or ())
        )
        window = ContextWindow(
            limits,
            with_switches(self.policy, os.environ),
            calibrations=self._calibrations,
            model=options.get("model") or self.model,
            facts=facts,
            identifiers=identifiers,
        )
        self.warn_of(window)
        window.set_request(request_of(options, messages))
        append_all(window, read, options.get("usage"))
        return window

    def judging_by(self, model: str) -> Steps[ModelLimits]:
        """Return the limits that judge a request; warn once where nobody names any: nothing is ever due then."""
        if not model and not isinstance(self._limits, ModelLimits):
            self.warn_once([NO_WINDOW])
        return self.finding_limits(model)

    def warn_of(self, window: ContextWindow) -> None:
        """Warn once of each setting that was corrected for the model, and of a deprecated profile (TRG_21)."""
        self.warn_once(window.notices)

    def warn_once(self, notices: Iterable[str]) -> None:
        """Warn of each notice, the first time that it comes."""
        for notice in notices:
            if notice not in self._warned:
                self._warned.add(notice)
                warn(notice, DeprecationWarning if "is deprecated" in notice else UserWarning)

    def _known(self, model: str) -> ModelLimits | None:
        """Return the limits of a model; None if only the provider can state them."""
        if isinstance(self._limits, ModelLimits):
            return self._limits
        known = (self._limits or {}).get(model) or MODELS.get(model.strip().lower()) or self._asked.get(model)
        if known is None and not model:
            return NO_LIMIT
        return known or (known_limits(model) if self.client is None else None)
