"""Back ends: brim or the provider keeps a conversation within its window, behind one interface and chosen by a name.

Specified by features/engine/backends.feature (CMP_10).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Literal, NoReturn, Protocol, TypeAlias, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from brim.anthropic.clients import AsyncClient, ClientT_co, SyncClient, check_form, for_loops
from brim.anthropic.requests import read_request
from brim.anthropic.server_side import (
    CLEARING_BETA,
    CLEARING_KINDS,
    CLEARING_TRIGGER,
    COMPACTION_BETA,
    COMPACTION_KINDS,
    COMPACTION_TRIGGER,
    KEPT_TOOL_USES,
    NO_SUMMARY,
    Parameters,
    answer_of,
    as_message,
    cleared,
    clearing_edit,
    compaction_edit,
    field_of,
    made_on_demand,
    messages_of,
    on_demand,
    only_compacted,
    refuse_second,
    since_compaction,
    summaries,
    usage_of,
    with_beta_of_blocks,
    with_edit,
)
from brim.compaction.context_window import ContextWindow
from brim.compaction.events import Compacted, Failed, Pruned
from brim.compaction.policy import DEFAULT_POLICY, CompactionPolicy
from brim.compaction.result import Compaction
from brim.conversation.messages import read_conversation
from brim.engine.compactor import Compactor, WindowOptions, append_all
from brim.engine.driving import Listener, Listeners, Steps, arun, calling, run
from brim.engine.loop import Loop
from brim.engine.settings import with_switches
from brim.errors import InvalidInput, Refused, faults_of
from brim.models import NO_LIMIT, ModelLimits, known_limits
from brim.summary.compression import Compression, compression
from brim.summary.prompts import DEFAULT, prompt_for
from brim.tokens.estimation import Size, tokens_of
from brim.tokens.usage import read_usage

T = TypeVar("T")
ClientT = TypeVar("ClientT")
BackendName: TypeAlias = Literal["brim", "provider", "provider-clearing"]
"""Who compacts: brim itself, the provider, or the provider by clearing old tool results alone."""
BRIM: Final = "brim"
PROVIDER: Final = "provider"
CLEARING: Final = "provider-clearing"
UNFINISHED: Final = frozenset({"pause_turn", "compaction"})
"""Stop reasons after which the same conversation is sent again unchanged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What was done to the context, with its figures; both figures of one are by one measure (TOK_11)."""

    backend: BackendName
    """The back end that did it."""
    outcome: Literal["summarized", "cleared", "failed"]
    """Whether history was summarized, outputs were cleared, or an attempt failed."""
    tokens_before: int
    """Tokens in the window before."""
    tokens_after: int
    """Tokens in the window afterwards."""
    summary: str = field(default="", repr=False)
    """The summary that replaces the history, as text for the user; empty where nothing was summarized."""
    tool_uses: int = 0
    """Tool outputs that were cleared."""
    reason: str = ""
    """Why it failed."""

    @property
    def saved(self) -> int:
        """Tokens that are no longer in the window."""
        return self.tokens_before - self.tokens_after

    @property
    def compression(self) -> Compression:
        """The share that is no longer in the window, and the warning where it is small (SUM_12)."""
        return compression(self.tokens_before, self.tokens_after)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A conversation after a response or a compaction: its messages for the next request, and what was done to it."""

    messages: list[Any] = field(repr=False)
    """The messages to send next, the response among them."""
    applied: tuple[Applied, ...] = ()
    """What was done to the context, in order; empty where nothing was."""
    unfinished: bool = False
    """Whether the provider interrupted the response: send these messages again, with nothing behind them."""

    @property
    def failed(self) -> bool:
        """Whether a compaction failed."""
        return any(applied.outcome == "failed" for applied in self.applied)


class _Work(Protocol):
    """What a back end does, without waiting: its steps are run by a driver."""

    name: BackendName
    listeners: Listeners

    def check_form(self, method: str, *, in_loop: bool) -> None: ...

    def preparing(self, parameters: Parameters) -> Steps[dict[str, Any]]: ...

    def read(self, parameters: Parameters, response: Any) -> Reading: ...

    def compacting(self, parameters: Parameters, focus: str | None) -> Steps[Reading]: ...


class Backend(Generic[ClientT_co]):
    """Keeps one conversation within its window. A request is the arguments of `client.beta.messages.create`.

    `prepare` and `compact` are for a client that waits, `aprepare` and `acompact` for one for event loops; `read` waits
    for nothing.
    """

    def __init__(self, work: _Work) -> None:
        self._work = work
        self.name: BackendName = work.name
        """Who compacts."""

    def prepare(self: Backend[SyncClient | None], parameters: Parameters) -> dict[str, Any]:
        """Return what to send in place of this request; the request and its messages are not changed.

        Raises Refused where the request brings a compaction of its own, and InvalidInput where it is no request.
        """
        return self._run("prepare", self._work.preparing(parameters))

    async def aprepare(self: Backend[AsyncClient | None], parameters: Parameters) -> dict[str, Any]:
        """Return what to send in place of this request; see prepare."""
        return await self._arun("prepare", self._work.preparing(parameters))

    def compact(self: Backend[SyncClient | None], parameters: Parameters, *, focus: str | None = None) -> Reading:
        """Compact now, due or not (CMP_07). Raises Refused where the back end cannot, and what the provider refuses."""
        return self._run("compact", self._work.compacting(parameters, focus))

    async def acompact(
        self: Backend[AsyncClient | None], parameters: Parameters, *, focus: str | None = None
    ) -> Reading:
        """Compact now, due or not (CMP_07); see compact."""
        return await self._arun("compact", self._work.compacting(parameters, focus))

    def read(self, parameters: Parameters, response: Any) -> Reading:
        """Read the response to what `prepare` returned: the messages to send next, it among them, and what was done."""
        return self._work.read(parameters, response)

    def _run(self, method: str, steps: Steps[T]) -> T:
        self._work.check_form(method, in_loop=False)
        return run(steps)

    async def _arun(self, method: str, steps: Steps[T]) -> T:
        self._work.check_form(method, in_loop=True)
        return await arun(steps, self._work.listeners)


class _LastUsage:
    """The usage of the last response, which measures a history while that response is part of it (TOK_11)."""

    def __init__(self) -> None:
        self._usage: dict[str, Any] | None = None
        self._messages = 0

    def record(self, usage: dict[str, Any], messages: Sequence[Any]) -> None:
        """Keep the usage of the response that these messages end with."""
        self._usage, self._messages = usage or None, len(messages)

    def forget(self) -> None:
        """Forget it: what it measured is not sent any more."""
        self._usage = None

    def of(self, messages: Sequence[Any]) -> dict[str, Any] | None:
        """Return the usage, if it measures these messages; None where their caller made them fewer."""
        return self._usage if len(messages) >= self._messages else None


class _ByBrim:
    """Compaction by a compactor."""

    name: BackendName = BRIM

    def __init__(self, compactor: Compactor[Any]) -> None:
        self._compactor, self.listeners = compactor, compactor.listeners
        self.check_form = compactor.check_form
        self._usage = _LastUsage()
        self._loop = Loop(compactor)
        self._applied: tuple[Applied, ...] = ()

    def preparing(self, parameters: Parameters) -> Steps[dict[str, Any]]:
        """Compact where it is due. Raises ContextOverflow and CompactionStalled (TRG_19)."""
        messages, carried = self._read(parameters)
        window = yield from self._compactor.opening(messages, carried)
        compaction = (yield from self._loop.compacting(window, keep=lambda *_: self._usage.forget())).compaction
        self._applied = () if compaction is None else _applied(compaction)
        return with_beta_of_blocks({**parameters, "messages": messages if compaction is None else compaction.messages})

    def compacting(self, parameters: Parameters, focus: str | None) -> Steps[Reading]:
        """Compact now."""
        messages, carried = self._read(parameters)
        compaction = yield from self._compactor.compacting(messages, {**carried, "focus": focus, "cause": "manual"})
        if compaction.plan.changes_anything:
            self._usage.forget()
        return Reading(messages=compaction.messages, applied=_applied(compaction))

    def _read(self, parameters: Parameters) -> tuple[list[Any], WindowOptions]:
        """Read messages and rest of a request, with the usage that measures them. Raises InvalidInput and Refused."""
        refuse_second(parameters, COMPACTION_KINDS, self.name)
        messages = [as_message(message) for message in messages_of(parameters)]
        sent = read_request(parameters)
        return messages, WindowOptions(
            system=sent.system,
            tools=sent.tools or (),
            parameters=sent.parameters,
            headers=sent.headers,
            usage=self._usage.of(messages),
        )

    def read(self, parameters: Parameters, response: Any) -> Reading:
        messages = [*messages_of(parameters), answer_of(response)]
        self._usage.record(usage_of(response), messages)
        applied, self._applied = self._applied, ()
        return Reading(messages=messages, applied=applied, unfinished=_is_unfinished(response))


def _applied(compaction: Compaction) -> tuple[Applied, ...]:
    """Return what brim's own compaction did; empty where it changed nothing."""
    if not compaction.plan.changes_anything:
        return ()
    return (
        Applied(
            backend=BRIM,
            outcome="summarized" if compaction.plan.summarizes else "cleared",
            tokens_before=compaction.tokens_before,
            tokens_after=compaction.tokens_after,
            summary=compaction.summary,
            tool_uses=len(compaction.plan.pruning.outputs),
        ),
    )


def _is_unfinished(response: Any) -> bool:
    return field_of(response, "stop_reason") in UNFINISHED


class _OnTheServer:
    """What both back ends of the provider share."""

    def __init__(self, client: Any, policy: CompactionPolicy, listeners: Listeners) -> None:
        self._client, self._policy, self.listeners = client, policy, listeners

    def check_form(self, method: str, *, in_loop: bool) -> None:
        """Raise InvalidInput where its client or a listener is for the other form of a method."""
        check_form(self._client, method, in_loop=in_loop)
        if self.listeners.in_loop and not in_loop:
            raise for_loops("listener", method)


class _ByProvider(_OnTheServer):
    """Compaction by the provider.

    Args:
        client: a client of the SDK.
        trigger: tokens from which on the provider compacts; at least 50,000.
        policy: its prompt (the default leaves the provider's own), its focus, and whether it is enabled.
        pause: whether the provider returns the turn once it has compacted, before it answers.
        listeners: receive an event for each compaction and each failure.
    """

    name: BackendName = PROVIDER

    def __init__(
        self, client: Any, trigger: int, policy: CompactionPolicy, listeners: Listeners, *, pause: bool
    ) -> None:
        super().__init__(client, policy, listeners)
        self._trigger = trigger
        self._edit = compaction_edit(trigger, self._instructions(None), pause=pause)
        self._usage = _LastUsage()
        self._applied: tuple[Applied, ...] = ()

    def _instructions(self, focus: str | None) -> str:
        """Return the prompt that replaces the provider's own; empty where that stays (SUM_02, CMP_07)."""
        wish = focus or self._policy.focus
        return prompt_for(self._policy.prompt, wish) if wish or self._policy.prompt != DEFAULT else ""

    def preparing(self, parameters: Parameters) -> Steps[dict[str, Any]]:
        """Ask the provider to compact where that is due; at once where the last compaction was on demand."""
        request = self._read(parameters)
        if self._is_due(request):
            reading = yield from self._on_demand(request, None)
            self._applied = reading.applied
            request = {**request, "messages": reading.messages}
        if not self._is_enabled or made_on_demand(request["messages"]):  # beside one on demand no edit is taken
            return with_beta_of_blocks(request)
        return with_edit(request, self._edit, COMPACTION_BETA)

    def compacting(self, parameters: Parameters, focus: str | None) -> Steps[Reading]:
        """Have the provider compact now."""
        return (yield from self._on_demand(self._read(parameters), focus))

    def _read(self, parameters: Parameters) -> dict[str, Any]:
        """Return the request without what precedes the newest compaction. Raises InvalidInput, Refused (CMP_10)."""
        refuse_second(parameters, COMPACTION_KINDS, self.name)
        messages = since_compaction([as_message(message) for message in messages_of(parameters)])
        return {**parameters, "messages": messages}

    @property
    def _is_enabled(self) -> bool:
        return with_switches(self._policy, os.environ).enabled

    def _is_due(self, request: Parameters) -> bool:
        """Return whether a conversation compacted on demand is due again: the provider would not do it by itself."""
        messages = request["messages"]
        if not self._is_enabled or not made_on_demand(messages) or len(messages) == 1:
            return False
        return self._window(request, self._usage.of(messages)).held >= self._trigger

    def _window(self, request: Parameters, usage: Any = None) -> ContextWindow:
        window = ContextWindow(NO_LIMIT, system=request.get("system"), tools=request.get("tools"))
        append_all(window, read_conversation(messages_of(request)), usage)
        return window

    def _on_demand(self, request: Parameters, focus: str | None) -> Steps[Reading]:
        asking, left = on_demand(request, self._instructions(focus))
        if only_compacted(asking["messages"]):
            return Reading(messages=list(request["messages"]))
        try:
            response = yield calling(self._client.beta.messages.create, **asking)
        except Exception as error:  # noqa: BLE001 -- raised below, as what it means
            _raise(error, request, self.listeners)
        answer = answer_of(response)
        summary = next(iter(summaries(answer["content"])), None)
        applied = self._report(request, summary, NO_SUMMARY)
        if summary is None:
            return Reading(messages=list(request["messages"]), applied=(applied,))
        self._usage.forget()
        return Reading(messages=[answer, *left], applied=(applied,))

    def read(self, parameters: Parameters, response: Any) -> Reading:
        answer = answer_of(response)
        usage = usage_of(response)
        applied, self._applied = (*self._applied, *self._found(parameters, answer["content"], usage)), ()
        messages = since_compaction([*messages_of(parameters), answer])
        self._usage.record(usage, messages)
        return Reading(messages=messages, applied=applied, unfinished=_is_unfinished(response))

    def _found(self, parameters: Parameters, blocks: Sequence[Any], reported: dict[str, Any]) -> tuple[Applied, ...]:
        """Read what the response says of compaction; a failure where the provider ignored the edit at its trigger."""
        found = summaries(blocks)
        if found:
            return tuple(self._report(parameters, summary, NO_SUMMARY) for summary in found)
        usage = read_usage(reported)
        taken_in = usage.input + usage.cache_read
        asked = self._edit in ((parameters.get("context_management") or {}).get("edits") or ())
        if not asked or taken_in < self._trigger:
            return ()
        ignored = (
            f"the provider took in {taken_in:,} tokens and compacted nothing, although its trigger is "
            f"{self._trigger:,}: check whether the model supports it, or use the back end 'brim'"
        )
        return (self._report(parameters, None, ignored),)

    def _report(self, request: Parameters, summary: str | None, reason: str) -> Applied:
        """Report one compaction, to the listeners too; tokens before and after are estimates of one kind (TOK_11)."""
        window = self._window(request)
        before = window.estimated
        if summary is None:
            self.listeners.emit(Failed(reason=reason, attempts=1, then="nothing"))
            return Applied(backend=PROVIDER, outcome="failed", tokens_before=before, tokens_after=before, reason=reason)
        after = tokens_of(window.extras + Size(window.length(summary)))
        applied = Applied(
            backend=PROVIDER, outcome="summarized", tokens_before=before, tokens_after=after, summary=summary
        )
        self.listeners.emit(
            Compacted(
                tokens_before=before,
                tokens_after=after,
                saved=applied.saved,
                share=applied.compression.ratio,
                summary_source=PROVIDER,
                summary=summary,
            )
        )
        return applied


def _raise(error: Exception, request: Parameters, listeners: Listeners) -> NoReturn:
    """Report and raise the cause of a failed compaction; the conversation is unchanged (CMP_04)."""
    from brim.anthropic.errors import diagnose  # noqa: PLC0415 -- it loads the SDK

    cause = diagnose(error, str(request.get("model", ""))).error
    listeners.emit(Failed(reason=str(cause), attempts=1, then="nothing"))
    raise cause from error


class _ByClearing(_OnTheServer):
    """The provider clears tool results in each request; the history keeps every result."""

    name: BackendName = CLEARING

    def __init__(self, client: Any, edit: dict[str, Any], policy: CompactionPolicy, listeners: Listeners) -> None:
        super().__init__(client, policy, listeners)
        self._edit = edit

    def preparing(self, parameters: Parameters) -> Steps[dict[str, Any]]:
        """Add the edit, unless pruning is off (PRN_08)."""
        refuse_second(parameters, CLEARING_KINDS, self.name)
        messages = [as_message(message) for message in messages_of(parameters)]
        request = with_beta_of_blocks({**parameters, "messages": messages})
        policy = with_switches(self._policy, os.environ)
        yield from ()
        return with_edit(request, self._edit, CLEARING_BETA) if policy.enabled and policy.prune else request

    def compacting(self, parameters: Parameters, focus: str | None) -> Steps[Reading]:  # noqa: ARG002
        """Raise Refused: the provider cannot be asked to clear at once."""
        raise Refused(
            "the provider clears tool results by itself once a request reaches its trigger, and cannot be asked to at "
            "once: take the back end 'provider' or 'brim' to compact by hand"
        )

    def read(self, parameters: Parameters, response: Any) -> Reading:
        messages = [*messages_of(parameters), answer_of(response)]
        done = cleared(response)
        if done is None:
            return Reading(messages=messages, unfinished=_is_unfinished(response))
        self.listeners.emit(Pruned(outputs=done.tool_uses, saved=done.tokens))
        usage = read_usage(usage_of(response))
        after = usage.input + usage.cache_read  # as the provider counts them
        before = after + done.tokens
        applied = Applied(
            backend=CLEARING, outcome="cleared", tokens_before=before, tokens_after=after, tool_uses=done.tool_uses
        )
        return Reading(messages=messages, applied=(applied,), unfinished=_is_unfinished(response))


class _Settings(BaseModel):
    """The settings of every back end; each ignores what it has no use for, so that only the name changes."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    model: str
    backend: BackendName
    limits: ModelLimits | None = None
    policy: CompactionPolicy = DEFAULT_POLICY
    on_event: Listener | Iterable[Listener] | None = None
    pause: bool = False
    keep_tool_uses: int = KEPT_TOOL_USES
    exclude_tools: Sequence[str] = ()
    clear_at_least: int = 0

    def trigger_of(self, default: int) -> int:
        """Return the policy's threshold in tokens (TRG_13); without limits its own, or `default`. Raises Refused."""
        limits = self.limits or known_limits(self.model)
        if limits is None or not limits.context_window:
            threshold = self.policy.threshold
            if isinstance(threshold, str):
                raise Refused(
                    f"a threshold of {threshold} needs the window of {self.model!r}: pass limits=ModelLimits(…)"
                )
            return default if threshold is None else threshold
        return self.policy.checked(limits).trigger.threshold

    def clearing(self) -> dict[str, Any]:
        """Build the edit that clears tool results. Raises Refused."""
        protected = self.policy.protected_tools if "protected_tools" in self.policy.model_fields_set else ()
        return clearing_edit(
            self.trigger_of(CLEARING_TRIGGER),
            keep=self.keep_tool_uses,
            exclude_tools=[*dict.fromkeys([*self.exclude_tools, *sorted(protected)])],
            clear_at_least=self.clear_at_least,
        )


OF_A_COMPACTOR: Final = ("summarizer", "sleep")
"""Arguments that only the back end `brim` uses."""
NAMES: Final[tuple[str, ...]] = get_args(BackendName)


def _made(client: Any, model: str, backend: str, settings: dict[str, Any]) -> _Work:
    """Return the work of a back end."""
    if backend not in NAMES:
        raise InvalidInput(f"there is no back end {backend!r}; there are: {', '.join(NAMES)}")
    common = {name: value for name, value in settings.items() if name in _Settings.model_fields}
    try:
        read = _Settings.model_validate({"model": model, "backend": backend, **common})
    except ValidationError as error:
        raise InvalidInput(faults_of(error)) from error
    others = {name: value for name, value in settings.items() if name not in common}
    unknown = [name for name in others if name not in OF_A_COMPACTOR]
    if unknown:
        known = sorted({*_Settings.model_fields, *OF_A_COMPACTOR} - {"model", "backend"})
        raise InvalidInput(f"a back end takes no {unknown[0]!r}; it takes: {', '.join(known)}")
    if backend == BRIM:
        return _ByBrim(
            Compactor(client, model, limits=read.limits, policy=read.policy, on_event=read.on_event, **others)
        )
    listeners = Listeners(read.on_event)
    if backend == PROVIDER:
        return _ByProvider(client, read.trigger_of(COMPACTION_TRIGGER), read.policy, listeners, pause=read.pause)
    return _ByClearing(client, read.clearing(), read.policy, listeners)


def backend(client: ClientT, model: str, backend: str = BRIM, **settings: Any) -> Backend[ClientT]:
    """Return the back end of a name: `brim`, `provider` or `provider-clearing`. One keeps one conversation.

    Args:
        client: a client of the SDK, of either kind.
        model: the conversation's model.
        backend: who compacts: brim before each request, the provider, or the provider by clearing tool results.
        settings: `policy`, of which the provider takes the threshold, the prompt and the focus; `limits`, `on_event`;
            `pause` (provider); `keep_tool_uses`, `exclude_tools`, `clear_at_least` (provider-clearing); and what else a
            Compactor takes (brim). A back end ignores what it has no use for.

    Raises InvalidInput for another name, Refused for a trigger that the provider does not take.
    """
    return Backend(_made(client, model, backend, settings))
