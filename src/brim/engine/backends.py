"""Back ends: whoever keeps a conversation within its window, behind one interface and chosen by one name.

Specified by features/engine/backends.feature (CMP_10).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NoReturn, Protocol, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from brim.anthropic.server_side import (
    CLEARING_BETA,
    CLEARING_KINDS,
    CLEARING_TRIGGER,
    COMPACTION_BETA,
    COMPACTION_KINDS,
    COMPACTION_TRIGGER,
    KEPT_TOOL_USES,
    NO_SUMMARY,
    Cleared,
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
from brim.compaction.context_window import ContextWindow, read_request
from brim.compaction.events import Compacted, Failed, Pruned
from brim.compaction.plan import Plan
from brim.compaction.policy import DEFAULT_POLICY, CompactionPolicy
from brim.compaction.result import Compaction
from brim.conversation.messages import read_conversation
from brim.engine.compactor import AsyncCompactor, Carried, Compactor, fill, read_usage
from brim.engine.driving import Listener, Listeners
from brim.engine.progress import Progress, check_after
from brim.engine.settings import with_switches
from brim.errors import InvalidInput, Refused
from brim.models import MODELS, NO_LIMIT, ModelLimits
from brim.summary.compression import Compression, compression
from brim.summary.prompts import DEFAULT, prompt_for
from brim.tokens.estimation import Size, tokens_of

BackendName: TypeAlias = Literal["brim", "provider", "provider-clearing"]
"""Who compacts: brim itself, the provider, or the provider by clearing old tool results alone."""
UNFINISHED: Final = frozenset({"pause_turn", "compaction"})
"""Reasons to stop after which the same conversation is sent again as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What was done to the context, with its figures; both figures of one are by one measure (TOK_11)."""

    backend: BackendName
    """Who did it."""
    outcome: Literal["summarised", "cleared", "failed"]
    """Whether history was summarised, outputs were cleared, or it was tried and failed."""
    tokens_before: int
    """Tokens in the window before."""
    tokens_after: int
    """Tokens in the window afterwards."""
    summary: str = ""
    """The summary that replaces the history, as text for the user; empty where nothing was summarized."""
    tool_uses: int = 0
    """Tool outputs that were cleared."""
    reason: str = ""
    """What went wrong, where it failed."""

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
    """What became of a conversation: its messages for the next request, and what was done to it."""

    messages: list[Any]
    """The messages to send next, the answer among them."""
    applied: tuple[Applied, ...] = ()
    """What was done to the context, in the order it was done; empty where nothing was."""
    unfinished: bool = False
    """Whether the answer was broken off by the provider: send these messages again, with nothing behind them."""

    @property
    def failed(self) -> bool:
        """Whether a compaction was tried and came to nothing."""
        return any(applied.outcome == "failed" for applied in self.applied)


def of_compaction(compaction: Compaction) -> tuple[Applied, ...]:
    """What brim's own compaction did; nothing where its plan did nothing."""
    if not compaction.plan.acts:
        return ()
    return (
        Applied(
            backend="brim",
            outcome="summarised" if compaction.plan.summarises else "cleared",
            tokens_before=compaction.tokens_before,
            tokens_after=compaction.tokens_after,
            summary=compaction.summary,
            tool_uses=len(compaction.plan.pruning.outputs),
        ),
    )


BRIM: Final = "brim"


class _ClientSide:
    """What both do without waiting: what goes to the compactor, and what comes back from it."""

    name: BackendName = BRIM

    def __init__(self) -> None:
        self._usage: dict[str, Any] = {}
        self._known = 0
        self._progress = Progress()
        self._applied: tuple[Applied, ...] = ()

    def _messages(self, parameters: Parameters) -> list[Any]:
        refuse_second(parameters, COMPACTION_KINDS, self.name)
        return [as_message(message) for message in messages_of(parameters)]

    def _carried(self, parameters: Parameters, messages: list[Any]) -> Carried:
        """What goes with the messages; the usage of the last answer where it is still among them (TOK_11)."""
        measured = self._usage if self._usage and len(messages) >= self._known else None
        sent = read_request(parameters)
        return Carried(
            system=sent.system,
            tools=sent.tools or (),
            parameters=sent.parameters,
            headers=sent.headers,
            usage=measured,
        )

    def _judged(self, window: ContextWindow) -> ContextWindow:
        self._progress = self._progress.observed(window.verdict())
        return window

    def _watched(self, window: ContextWindow, plan: Plan) -> Plan:
        """The plan, where it may help. Raises CompactionStalled (TRG_19)."""
        if window.verdict().due:
            self._progress.check_before(plan, window)
        return plan

    def _sent(self, parameters: Parameters, window: ContextWindow, compaction: Compaction) -> dict[str, Any]:
        self._applied = of_compaction(compaction)
        if compaction.plan.acts:
            self._usage = {}
            left = window.trigger.judge(window.with_messages(compaction.conversation).held)
            self._progress = self._progress.compacted(left, len(compaction.conversation))
            check_after(window.with_messages(compaction.conversation))
            self._progress.check()
        return with_beta_of_blocks({**parameters, "messages": compaction.messages})

    def _compacted(self, compaction: Compaction) -> Reading:
        if compaction.plan.acts:
            self._usage = {}
        return Reading(messages=compaction.messages, applied=of_compaction(compaction))

    def read(self, parameters: Parameters, response: Any) -> Reading:
        """As Backend does it."""
        messages = [*messages_of(parameters), answer_of(response)]
        self._usage, self._known = usage_of(response), len(messages)
        applied, self._applied = self._applied, ()
        return Reading(messages=messages, applied=applied, unfinished=field_of(response, "stop_reason") in UNFINISHED)


class ClientSide(_ClientSide):
    """Compaction by a Compactor."""

    def __init__(self, compactor: Compactor) -> None:
        super().__init__()
        self._compactor = compactor

    def prepare(self, parameters: Parameters) -> dict[str, Any]:
        """As Backend does it: compacts where that is due."""
        messages = self._messages(parameters)
        window = self._judged(self._compactor.window(messages, **self._carried(parameters, messages)))
        plan = self._watched(window, self._compactor.plan(window, automatic=True))
        return self._sent(parameters, window, self._compactor.apply(plan))

    def compact(self, parameters: Parameters, *, focus: str | None = None) -> Reading:
        """As Backend does it."""
        messages = self._messages(parameters)
        return self._compacted(self._compactor.compact(messages, focus=focus, **self._carried(parameters, messages)))


class AsyncClientSide(_ClientSide):
    """Compaction by an AsyncCompactor."""

    def __init__(self, compactor: AsyncCompactor) -> None:
        super().__init__()
        self._compactor = compactor

    async def prepare(self, parameters: Parameters) -> dict[str, Any]:
        """As AsyncBackend does it: compacts where that is due."""
        messages = self._messages(parameters)
        window = self._judged(await self._compactor.window(messages, **self._carried(parameters, messages)))
        plan = self._watched(window, await self._compactor.plan(window, automatic=True))
        return self._sent(parameters, window, await self._compactor.apply(plan))

    async def compact(self, parameters: Parameters, *, focus: str | None = None) -> Reading:
        """As AsyncBackend does it."""
        messages = self._messages(parameters)
        compaction = await self._compactor.compact(messages, focus=focus, **self._carried(parameters, messages))
        return self._compacted(compaction)


PROVIDER: Final = "provider"


class ServerTurns:
    """What both do without waiting: what the request asks for, and what the answer says.

    Args:
        client: a client of the SDK, for a compaction on demand.
        trigger: tokens from which on the provider compacts; at least 50,000.
        policy: its prompt (the default leaves the provider's own in place), its focus, and whether it is enabled.
        pause: whether the provider hands the turn back once it has compacted, before it answers.
        listeners: told what was compacted, and what failed.
    """

    name: BackendName = PROVIDER

    def __init__(
        self, client: Any, *, trigger: int, policy: CompactionPolicy, pause: bool, listeners: Listeners
    ) -> None:
        self.trigger, self._policy = trigger, policy
        self._client, self._prompt, self._focus = client, policy.prompt, policy.focus
        self._edit = compaction_edit(trigger, self._instructions(None), pause=pause)
        self._listeners = listeners
        self._usage: dict[str, Any] = {}
        self._applied: tuple[Applied, ...] = ()

    def _instructions(self, focus: str | None) -> str:
        """What the provider is asked for, in place of its own words; empty where they stay (SUM_02, CMP_07)."""
        wish = focus or self._focus
        return prompt_for(self._prompt, wish) if wish or self._prompt != DEFAULT else ""

    def _read_in(self, parameters: Parameters) -> dict[str, Any]:
        """The request without what stands before the newest compaction."""
        refuse_second(parameters, COMPACTION_KINDS, self.name)
        messages = since_compaction([as_message(message) for message in messages_of(parameters)])
        return {**parameters, "messages": messages}

    def _due(self, request: Parameters) -> bool:
        """Whether a conversation that was compacted on demand is to be once more: the provider would not do it."""
        messages = request["messages"]
        if not with_switches(self._policy, os.environ).enabled or not made_on_demand(messages) or len(messages) == 1:
            return False
        return self._window(request, self._usage or None).held >= self.trigger

    def _window(self, request: Parameters, usage: Any = None) -> ContextWindow:
        window = ContextWindow(NO_LIMIT, system=request.get("system"), tools=request.get("tools"))
        fill(window, read_conversation(messages_of(request)), usage)
        return window

    def _edited(self, request: Parameters) -> dict[str, Any]:
        """With the edit, but where compaction is off (TRG_06), or the conversation was compacted on demand: the
        provider takes no edit beside that.
        """
        if not with_switches(self._policy, os.environ).enabled or made_on_demand(request["messages"]):
            return with_beta_of_blocks(request)
        return with_edit(request, self._edit, COMPACTION_BETA)

    def read(self, parameters: Parameters, response: Any) -> Reading:
        """As Backend does it."""
        answer = answer_of(response)
        self._usage = usage_of(response)
        applied, self._applied = (*self._applied, *self._found(parameters, answer["content"])), ()
        return Reading(
            messages=since_compaction([*messages_of(parameters), answer]),
            applied=applied,
            unfinished=field_of(response, "stop_reason") in UNFINISHED,
        )

    def _found(self, parameters: Parameters, blocks: Sequence[Any]) -> tuple[Applied, ...]:
        found = summaries(blocks)
        if not found and not self._ignored(parameters):
            return ()
        told = NO_SUMMARY if found else self._no_op()
        return tuple(self._told(parameters, summary, told) for summary in found or [None])

    def _ignored(self, parameters: Parameters) -> bool:
        """Whether the request was as long as the trigger says, and yet nothing was done about it."""
        asked = self._edit in ((parameters.get("context_management") or {}).get("edits") or ())
        return asked and self._taken_in() >= self.trigger

    def _taken_in(self) -> int:
        usage = read_usage(self._usage)
        return usage.input + usage.cache_read

    def _no_op(self) -> str:
        return (
            f"the provider took in {self._taken_in():,} tokens and compacted nothing, although its trigger is "
            f"{self.trigger:,}: check whether the model supports it, or use the back end 'brim'"
        )

    def _told(self, request: Parameters, summary: str | None, reason: str) -> Applied:
        """What one compaction did, told to the listeners; before and after are estimates of one kind (TOK_11)."""
        window = self._window(request)
        before = window.estimated
        if summary is None:
            self._listeners.tell(Failed(reason=reason, attempts=1, then="nothing"))
            return Applied(backend=PROVIDER, outcome="failed", tokens_before=before, tokens_after=before, reason=reason)
        after = tokens_of(window.extras + Size(window.length(summary)))
        applied = Applied(
            backend=PROVIDER, outcome="summarised", tokens_before=before, tokens_after=after, summary=summary
        )
        self._listeners.tell(
            Compacted(
                tokens_before=before,
                tokens_after=after,
                saved=applied.saved,
                share=applied.compression.ratio,
                by=PROVIDER,
                summary=summary,
            )
        )
        return applied

    def _taken(self, request: Parameters, asked: Sequence[Any], response: Any) -> Reading:
        """The conversation that an answer on demand makes; as it was, where it holds no summary (CMP_04)."""
        answer = answer_of(response)
        summary = next(iter(summaries(answer["content"])), None)
        applied = self._told(request, summary, NO_SUMMARY)
        if summary is None:
            return Reading(messages=list(request["messages"]), applied=(applied,))
        self._usage = {}
        return Reading(messages=[answer, *asked], applied=(applied,))

    def _after(self, request: Parameters, reading: Reading) -> dict[str, Any]:
        self._applied = reading.applied
        return self._edited({**request, "messages": reading.messages})


class Backend(Protocol):
    """Keeps one conversation within its window. A request is the arguments of `client.beta.messages.create`."""

    name: BackendName
    """Who compacts."""

    def prepare(self, parameters: Parameters) -> dict[str, Any]:
        """What to send in place of this request; the request and its messages are not changed.

        Raises Refused where the request brings a compaction of its own, and InvalidInput where it is no request.
        """
        ...

    def read(self, parameters: Parameters, response: Any) -> Reading:
        """What an answer to what `prepare` gave says: the messages to go on with, it among them, and what was done."""
        ...

    def compact(self, parameters: Parameters, *, focus: str | None = None) -> Reading:
        """Compact now, due or not (CMP_07). Raises Refused where the back end cannot, and what the provider refuses."""
        ...


class AsyncBackend(Protocol):
    """As Backend, in an event loop; reading an answer waits for nothing."""

    name: BackendName
    """Who compacts."""

    async def prepare(self, parameters: Parameters) -> dict[str, Any]:
        """As Backend does it."""
        ...

    def read(self, parameters: Parameters, response: Any) -> Reading:
        """As Backend does it."""
        ...

    async def compact(self, parameters: Parameters, *, focus: str | None = None) -> Reading:
        """As Backend does it."""
        ...


class _Settings(BaseModel):
    """What every back end is told; each takes what it has a use for, so that another name is the only change."""

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
        """The threshold of the policy (TRG_13); without limits its tokens, or the provider's own default."""
        limits = self.limits or MODELS.get(self.model.strip().lower())
        if limits is None or not limits.context_window:
            told = self.policy.threshold
            if isinstance(told, str):
                raise Refused(f"a threshold of {told} needs the window of {self.model!r}: pass limits=ModelLimits(…)")
            return default if told is None else told
        return self.policy.checked(limits).trigger.threshold

    def for_compactor(self) -> dict[str, Any]:
        """The arguments of brim's own compactor."""
        return {name: getattr(self, name) for name in ("limits", "policy", "on_event")}

    def for_server(self) -> dict[str, Any]:
        """The arguments of the provider's compaction."""
        return {
            "trigger": self.trigger_of(COMPACTION_TRIGGER),
            "policy": self.policy,
            "pause": self.pause,
            "listeners": Listeners(self.on_event),
        }

    def clearing(self) -> tuple[dict[str, Any], CompactionPolicy, Listeners]:
        """The clearing edit for the provider, the policy, and the listeners."""
        protected = self.policy.protected_tools if "protected_tools" in self.policy.model_fields_set else ()
        edit = clearing_edit(
            self.trigger_of(CLEARING_TRIGGER),
            keep=self.keep_tool_uses,
            exclude_tools=[*dict.fromkeys([*self.exclude_tools, *sorted(protected)])],
            clear_at_least=self.clear_at_least,
        )
        return edit, self.policy, Listeners(self.on_event)


OF_A_COMPACTOR: Final = ("summarizer", "sleep")
"""Arguments that a compactor alone has a use for."""
NAMES: Final[tuple[str, ...]] = get_args(BackendName)


def _settings(model: str, backend: str, settings: dict[str, Any]) -> tuple[_Settings, dict[str, Any]]:
    """What every back end is told, and what a compactor alone has a use for."""
    if backend not in NAMES:
        raise InvalidInput(f"there is no back end {backend!r}; there are: {', '.join(NAMES)}")
    common = {name: value for name, value in settings.items() if name in _Settings.model_fields}
    try:
        read = _Settings.model_validate({"model": model, "backend": backend, **common})
    except ValidationError as error:
        faults = (f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
        raise InvalidInput("; ".join(faults)) from error
    others = {name: value for name, value in settings.items() if name not in common}
    unknown = [name for name in others if name not in OF_A_COMPACTOR]
    if unknown:
        known = sorted({*_Settings.model_fields, *OF_A_COMPACTOR} - {"model", "backend"})
        raise InvalidInput(f"a back end takes no {unknown[0]!r}; it takes: {', '.join(known)}")
    return read, others


def backend(client: Any, model: str, backend: str = BRIM, **settings: Any) -> Backend:
    """The back end of a name: `brim`, `provider` or `provider-clearing`. One keeps one conversation.

    Args:
        client: a client of the SDK.
        model: the conversation's model.
        backend: who compacts: brim before each request, the provider, or the provider by clearing tool results.
        settings: `policy`, of which the provider takes the threshold, the prompt and the focus; `limits`, `on_event`;
            `pause` (provider); `keep_tool_uses`, `exclude_tools`, `clear_at_least` (provider-clearing); and what else a
            Compactor takes (brim). A back end ignores what it has no use for.

    Raises InvalidInput for another name, Refused for a trigger that the provider does not take.
    """
    told, others = _settings(model, backend, settings)
    if told.backend == BRIM:
        return ClientSide(Compactor(client, model, **told.for_compactor(), **others))
    if told.backend == PROVIDER:
        return ServerSide(client, **told.for_server())
    return ServerClearing(*told.clearing())


def async_backend(client: Any, model: str, backend: str = BRIM, **settings: Any) -> AsyncBackend:
    """As backend, for an async client."""
    told, others = _settings(model, backend, settings)
    if told.backend == BRIM:
        return AsyncClientSide(AsyncCompactor(client, model, **told.for_compactor(), **others))
    if told.backend == PROVIDER:
        return AsyncServerSide(client, **told.for_server())
    return AsyncServerClearing(*told.clearing())


CLEARING: Final = "provider-clearing"
NOT_BY_HAND: Final = (
    "the provider clears tool results by itself once a request reaches its trigger, and cannot be asked to at once: "
    "take the back end 'provider' or 'brim' to compact by hand"
)


class _ServerClearing:
    """What both do; nothing of it waits."""

    name: BackendName = CLEARING

    def __init__(self, edit: dict[str, Any], policy: CompactionPolicy, listeners: Listeners) -> None:
        self.trigger: int = edit["trigger"]["value"]
        self._edit, self._policy, self._listeners = edit, policy, listeners

    def _edited(self, parameters: Parameters) -> dict[str, Any]:
        """With the edit, but where pruning is off (PRN_08)."""
        refuse_second(parameters, CLEARING_KINDS, self.name)
        messages = [as_message(message) for message in messages_of(parameters)]
        request = with_beta_of_blocks({**parameters, "messages": messages})
        policy = with_switches(self._policy, os.environ)
        return with_edit(request, self._edit, CLEARING_BETA) if policy.enabled and policy.prune else request

    def read(self, parameters: Parameters, response: Any) -> Reading:
        """As Backend does it: the history keeps every result, the provider clears them anew each time."""
        done = cleared(response)
        return Reading(
            messages=[*messages_of(parameters), answer_of(response)],
            applied=(self._told(done, response),) if done else (),
            unfinished=field_of(response, "stop_reason") in UNFINISHED,
        )

    def _told(self, done: Cleared, response: Any) -> Applied:
        """Before and after as the provider counts them."""
        self._listeners.tell(Pruned(outputs=done.tool_uses, saved=done.tokens))
        usage = read_usage(usage_of(response))
        after = usage.input + usage.cache_read
        return Applied(
            backend=CLEARING,
            outcome="cleared",
            tokens_before=after + done.tokens,
            tokens_after=after,
            tool_uses=done.tool_uses,
        )


class ServerClearing(_ServerClearing):
    """Clearing by the provider, for clients that block."""

    def prepare(self, parameters: Parameters) -> dict[str, Any]:
        """As Backend does it."""
        return self._edited(parameters)

    def compact(self, parameters: Parameters, *, focus: str | None = None) -> NoReturn:  # noqa: ARG002
        """Refused: the provider cannot be asked to clear at once."""
        raise Refused(NOT_BY_HAND)


class AsyncServerClearing(_ServerClearing):
    """Clearing by the provider, for event loops."""

    async def prepare(self, parameters: Parameters) -> dict[str, Any]:
        """As AsyncBackend does it."""
        return self._edited(parameters)

    async def compact(self, parameters: Parameters, *, focus: str | None = None) -> NoReturn:  # noqa: ARG002
        """Refused: the provider cannot be asked to clear at once."""
        raise Refused(NOT_BY_HAND)


class ServerSide(ServerTurns):
    """Compaction by the provider, for clients that block."""

    def prepare(self, parameters: Parameters) -> dict[str, Any]:
        """As Backend does it: asks the provider to compact where that is due."""
        request = self._read_in(parameters)
        return self._after(request, self._on_demand(request, None)) if self._due(request) else self._edited(request)

    def compact(self, parameters: Parameters, *, focus: str | None = None) -> Reading:
        """As Backend does it: the provider compacts at once."""
        return self._on_demand(self._read_in(parameters), focus)

    def _on_demand(self, request: Parameters, focus: str | None) -> Reading:
        asking, asked = on_demand(request, self._instructions(focus))
        if only_compacted(asking["messages"]):
            return Reading(messages=list(request["messages"]))
        try:
            response = self._client.beta.messages.create(**asking)
        except Exception as error:  # noqa: BLE001 -- raised below, as what it means
            raise_failed(error, request, self._listeners)
        return self._taken(request, asked, response)


class AsyncServerSide(ServerTurns):
    """Compaction by the provider, for event loops."""

    async def prepare(self, parameters: Parameters) -> dict[str, Any]:
        """As AsyncBackend does it: asks the provider to compact where that is due."""
        request = self._read_in(parameters)
        if self._due(request):
            return self._after(request, await self._on_demand(request, None))
        return self._edited(request)

    async def compact(self, parameters: Parameters, *, focus: str | None = None) -> Reading:
        """As AsyncBackend does it: the provider compacts at once."""
        return await self._on_demand(self._read_in(parameters), focus)

    async def _on_demand(self, request: Parameters, focus: str | None) -> Reading:
        asking, asked = on_demand(request, self._instructions(focus))
        if only_compacted(asking["messages"]):
            return Reading(messages=list(request["messages"]))
        try:
            response = await self._client.beta.messages.create(**asking)
        except Exception as error:  # noqa: BLE001 -- raised below, as what it means
            raise_failed(error, request, self._listeners)
        return self._taken(request, asked, response)


def raise_failed(error: Exception, request: Parameters, listeners: Listeners) -> NoReturn:
    """Tell and raise what a request for a compaction came to; the conversation is as it was (CMP_04)."""
    from brim.anthropic.errors import diagnose  # noqa: PLC0415 -- it loads the SDK, which whoever has a client has

    met = diagnose(error, str(request.get("model", ""))).error
    listeners.tell(Failed(reason=str(met), attempts=1, then="nothing"))
    raise met from error
