"""Back ends: brim or the provider keeps a conversation within its window, behind one interface and chosen by a name.

Specified by features/engine/backends.feature (CMP_10).
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError

from brim.anthropic.clients import AsyncClient, ClientT_co, SyncClient
from brim.anthropic.requests import read_request
from brim.anthropic.server_side import (
    CLEARING_BETA,
    CLEARING_KINDS,
    COMPACTION_BETA,
    COMPACTION_KINDS,
    Parameters,
    answer_of,
    field_of,
    is_compaction,
    made_on_demand,
    messages_of,
    on_demand,
    refuse_second,
    since_compaction,
    summaries,
    usage_of,
    with_beta_of_blocks,
    with_edit,
)
from brim.compaction.context_window import ContextWindow
from brim.compaction.events import Compacted, CompactionEvent, Failed, Pruned
from brim.compaction.policy import DEFAULT_POLICY, CompactionPolicy
from brim.compaction.result import Compaction
from brim.conversation.formats import as_dictionary
from brim.conversation.messages import read_conversation
from brim.engine.compactor import Compactor, WindowOptions, append_all
from brim.engine.driving import Listener, Steps, calling
from brim.engine.loop import Loop
from brim.engine.settings import with_switches
from brim.errors import InvalidInput, Refused, faults_of
from brim.models import NO_LIMIT, ModelLimits, known_limits
from brim.summary.compression import compression
from brim.summary.prompts import DEFAULT, prompt_for
from brim.tokens.estimation import Size, tokens_of
from brim.tokens.usage import read_usage

ClientT = TypeVar("ClientT")
BackendName: TypeAlias = Literal["brim", "provider", "provider-clearing"]
"""Who compacts: brim itself, the provider, or the provider by clearing old tool results alone."""
NO_SUMMARY: Final = "the provider's compaction gave no summary, and nothing has changed: it tries again by itself"


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


class _Settings(BaseModel):
    """The settings of every back end; each ignores what it has no use for, so that only the name changes."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    limits: ModelLimits | None = None
    policy: CompactionPolicy = DEFAULT_POLICY
    on_event: Listener | Iterable[Listener] | None = None
    summarizer: Any = None
    sleep: Any = None
    pause: bool = False
    keep_tool_uses: NonNegativeInt = 3
    exclude_tools: Sequence[str] = ()
    clear_at_least: NonNegativeInt = 0

    def trigger_of(self, model: str, default: int) -> int:
        """Return the policy's threshold in tokens (TRG_13); without limits its own, or `default`. Raises Refused."""
        limits = self.limits or known_limits(model)
        if limits is not None and limits.context_window:
            return self.policy.checked(limits).trigger.threshold
        threshold = self.policy.threshold
        if isinstance(threshold, str):
            raise Refused(f"a threshold of {threshold} needs the window of {model!r}: pass limits=ModelLimits(…)")
        return default if threshold is None else threshold


class Backend(ABC, Generic[ClientT_co]):
    """Keeps one conversation within its window. A request is the arguments of `client.beta.messages.create`.

    `prepare` and `compact` are for a client that waits, `aprepare` and `acompact` for one for event loops; `read` waits
    for nothing.
    """

    name: BackendName
    """Who compacts."""
    _own_edits = COMPACTION_KINDS
    """The prefix of the types of edits that a request may not bring beside it."""

    def __init__(self, client: Any, model: str, settings: _Settings) -> None:
        own = ("limits", "policy", "on_event", "summarizer", "sleep")
        self._compactor = Compactor[Any](client, model, **{name: getattr(settings, name) for name in own})
        self._applied: tuple[Applied, ...] = ()
        """What was done to the request that is answered next."""
        self._usage: tuple[Any, int] = (None, 0)
        """The usage of the last response, and how many messages it measures (TOK_11)."""

    def prepare(self: Backend[SyncClient | None], parameters: Parameters) -> dict[str, Any]:
        """Return what to send in place of this request; the request and its messages are not changed.

        Raises Refused where the request brings a compaction of its own, and InvalidInput where it is no request.
        """
        return self._compactor.run_steps("prepare", self._preparing(parameters))

    async def aprepare(self: Backend[AsyncClient | None], parameters: Parameters) -> dict[str, Any]:
        """Return what to send in place of this request; see prepare."""
        return await self._compactor.arun_steps("prepare", self._preparing(parameters))

    def compact(self: Backend[SyncClient | None], parameters: Parameters, *, focus: str | None = None) -> Reading:
        """Compact now, due or not (CMP_07). Raises Refused where the back end cannot, and what the provider refuses."""
        return self._compactor.run_steps("compact", self._compacting(parameters, focus))

    async def acompact(
        self: Backend[AsyncClient | None], parameters: Parameters, *, focus: str | None = None
    ) -> Reading:
        """Compact now, due or not (CMP_07); see compact."""
        return await self._compactor.arun_steps("compact", self._compacting(parameters, focus))

    def read(self, parameters: Parameters, response: Any) -> Reading:
        """Read the response to what `prepare` returned: the messages to send next, it among them, and what was done."""
        answer, usage = answer_of(response), usage_of(response)
        found = self._found(parameters, response, answer["content"])
        messages = since_compaction([*messages_of(parameters), answer])
        self._usage = (usage or None, len(messages))
        applied, self._applied = (*self._applied, *found), ()
        unfinished = field_of(response, "stop_reason") in ("pause_turn", "compaction")
        return Reading(messages=messages, applied=applied, unfinished=unfinished)

    @abstractmethod
    def _preparing(self, parameters: Parameters) -> Steps[dict[str, Any]]: ...

    @abstractmethod
    def _compacting(self, parameters: Parameters, focus: str | None) -> Steps[Reading]: ...

    def _found(self, _parameters: Parameters, _response: Any, _blocks: Sequence[Any]) -> tuple[Applied, ...]:
        """Return what a response says of compaction."""
        return ()

    def _read_request(self, parameters: Parameters) -> dict[str, Any]:
        """Return the request without what precedes the provider's newest compaction, which the provider does not read.

        Raises InvalidInput, Refused (CMP_10).
        """
        messages = since_compaction(messages_of(parameters))
        refuse_second(parameters, self._own_edits, self.name)
        return {**parameters, "messages": messages}

    def _measured(self, messages: Sequence[Any]) -> Any:
        """Return the usage of the last response; None where it measures more messages than these."""
        usage, count = self._usage
        return usage if len(messages) >= count else None

    @property
    def _policy(self) -> CompactionPolicy:
        return with_switches(self._compactor.policy, os.environ)

    def _emit(self, event: CompactionEvent) -> None:
        self._compactor.listeners.emit(event)


class _ByBrim(Backend[Any]):
    """Compaction by a compactor."""

    name = "brim"

    def __init__(self, client: Any, model: str, settings: _Settings) -> None:
        super().__init__(client, model, settings)
        self._loop = Loop(self._compactor)

    def _preparing(self, parameters: Parameters) -> Steps[dict[str, Any]]:
        """Compact where it is due. Raises ContextOverflow and CompactionStalled (TRG_19)."""
        request = self._read_request(parameters)
        window = yield from self._compactor.opening(request["messages"], self._options(request))
        compaction = (yield from self._loop.compacting(window, keep=lambda *_: self._forget_usage())).compaction
        self._applied = _applied(compaction)
        return with_beta_of_blocks(request if compaction is None else {**request, "messages": compaction.messages})

    def _compacting(self, parameters: Parameters, focus: str | None) -> Steps[Reading]:
        request = self._read_request(parameters)
        compaction = yield from self._compactor.compacting(
            request["messages"], {**self._options(request), "focus": focus, "cause": "manual"}
        )
        if compaction.plan.changes_anything:
            self._forget_usage()
        return Reading(messages=compaction.messages, applied=_applied(compaction))

    def _forget_usage(self) -> None:
        self._usage = (None, 0)

    def _options(self, request: Parameters) -> WindowOptions:
        """Read what goes with the messages of a request, and the usage that measures them. Raises InvalidInput."""
        sent = read_request(request)
        return WindowOptions(
            system=sent.system,
            tools=sent.tools or (),
            parameters=sent.parameters,
            headers=sent.headers,
            usage=self._measured(request["messages"]),
        )


def _applied(compaction: Compaction | None) -> tuple[Applied, ...]:
    """Return what brim's own compaction did; empty where it changed nothing."""
    if compaction is None or not compaction.plan.changes_anything:
        return ()
    return (
        Applied(
            backend="brim",
            outcome="summarized" if compaction.plan.summarizes else "cleared",
            tokens_before=compaction.tokens_before,
            tokens_after=compaction.tokens_after,
            summary=compaction.summary,
            tool_uses=len(compaction.plan.pruning.outputs),
        ),
    )


class _ByProvider(Backend[Any]):
    """Compaction by the provider, from a trigger of at least 50,000 tokens on.

    The policy's prompt replaces the provider's own, unless it is the default. With a pause the provider returns the
    turn once it has compacted, before it answers.
    """

    name = "provider"

    def __init__(self, client: Any, model: str, settings: _Settings) -> None:
        super().__init__(client, model, settings)
        self._trigger = settings.trigger_of(model, default=150_000)
        least = 50_000
        if self._trigger < least:
            raise Refused(
                f"a trigger of {self._trigger:,} tokens: the provider compacts from {least:,} on; "
                "set that or more, or take the back end 'brim', which has no least"
            )
        self._edit: dict[str, Any] = {
            "type": "compact_20260112",
            "trigger": {"type": "input_tokens", "value": self._trigger},
            **({"instructions": instructions} if (instructions := self._instructions(None)) else {}),
            **({"pause_after_compaction": True} if settings.pause else {}),
        }

    def _instructions(self, focus: str | None) -> str:
        """Return the prompt that replaces the provider's own; empty where that stays (SUM_02, CMP_07)."""
        wish = focus or self._policy.focus
        return prompt_for(self._policy.prompt, wish) if wish or self._policy.prompt != DEFAULT else ""

    def _preparing(self, parameters: Parameters) -> Steps[dict[str, Any]]:
        """Ask the provider to compact where that is due; at once where the last compaction was on demand."""
        request = self._read_request(parameters)
        messages = request["messages"]
        enabled, on_demand_before = self._policy.enabled, made_on_demand(messages)
        held = self._window(request, self._measured(messages)).held if on_demand_before and len(messages) > 1 else 0
        if enabled and held >= self._trigger:
            reading = yield from self._on_demand(request, None)
            self._applied, request = reading.applied, {**request, "messages": reading.messages}
        if not enabled or on_demand_before:  # the provider takes no edit beside one on demand
            return with_beta_of_blocks(request)
        return with_edit(request, self._edit, COMPACTION_BETA)

    def _compacting(self, parameters: Parameters, focus: str | None) -> Steps[Reading]:
        return (yield from self._on_demand(self._read_request(parameters), focus))

    def _window(self, request: Parameters, usage: Any = None) -> ContextWindow:
        window = ContextWindow(NO_LIMIT, system=request.get("system"), tools=request.get("tools"))
        append_all(window, read_conversation(messages_of(request)), usage)
        return window

    def _on_demand(self, request: Parameters, focus: str | None) -> Steps[Reading]:
        unchanged = list(request["messages"])
        asking, left = on_demand(request, self._instructions(focus))
        if all(is_compaction(block) for message in asking["messages"] for block in message["content"]):
            return Reading(messages=unchanged)  # nothing is new since the last compaction (SEL_07)
        try:
            response = yield calling(self._compactor.client.beta.messages.create, **asking)
        except Exception as error:
            from brim.anthropic.errors import diagnose  # noqa: PLC0415 -- it loads the SDK

            cause = diagnose(error, str(request.get("model", ""))).error
            self._emit(Failed(reason=str(cause), attempts=1, then="nothing"))
            raise cause from error  # the conversation is unchanged (CMP_04)
        answer = answer_of(response)
        summary = next(iter(summaries(answer["content"])), None)
        applied = (self._report(request, summary, NO_SUMMARY),)
        if summary is None:
            return Reading(messages=unchanged, applied=applied)
        self._usage = (None, 0)
        return Reading(messages=[answer, *left], applied=applied)

    def _found(self, parameters: Parameters, response: Any, blocks: Sequence[Any]) -> tuple[Applied, ...]:
        """Read what the response says of compaction; a failure where the provider ignored the edit at its trigger."""
        found = summaries(blocks)
        if found:
            return tuple(self._report(parameters, summary, NO_SUMMARY) for summary in found)
        usage = read_usage(usage_of(response))
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
            self._emit(Failed(reason=reason, attempts=1, then="nothing"))
            return Applied(
                backend=self.name, outcome="failed", tokens_before=before, tokens_after=before, reason=reason
            )
        after = tokens_of(window.extras + Size(window.length(summary)))
        done: dict[str, Any] = {"tokens_before": before, "tokens_after": after, "summary": summary}
        share = compression(before, after).ratio
        self._emit(Compacted(saved=before - after, share=share, summary_source="provider", **done))
        return Applied(backend=self.name, outcome="summarized", **done)


class _ByClearing(Backend[Any]):
    """The provider clears tool results in each request; the history keeps every result."""

    name = "provider-clearing"
    _own_edits = CLEARING_KINDS

    def __init__(self, client: Any, model: str, settings: _Settings) -> None:
        super().__init__(client, model, settings)
        self._edit: dict[str, Any] = {
            "type": "clear_tool_uses_20250919",
            "trigger": {"type": "input_tokens", "value": settings.trigger_of(model, default=100_000)},
            "keep": {"type": "tool_uses", "value": settings.keep_tool_uses},
        }
        protected = settings.policy.protected_tools if "protected_tools" in settings.policy.model_fields_set else ()
        if excluded := [*dict.fromkeys([*settings.exclude_tools, *sorted(protected)])]:
            self._edit["exclude_tools"] = excluded
        if settings.clear_at_least:
            self._edit["clear_at_least"] = {"type": "input_tokens", "value": settings.clear_at_least}

    def _preparing(self, parameters: Parameters) -> Steps[dict[str, Any]]:
        """Add the edit, unless pruning is off (PRN_08)."""
        request = with_beta_of_blocks(self._read_request(parameters))
        yield from ()
        is_on = self._policy.enabled and self._policy.prune
        return with_edit(request, self._edit, CLEARING_BETA) if is_on else request

    def _compacting(self, parameters: Parameters, focus: str | None) -> Steps[Reading]:  # noqa: ARG002
        raise Refused(
            "the provider clears tool results by itself once a request reaches its trigger, and cannot be asked to at "
            "once: take the back end 'provider' or 'brim' to compact by hand"
        )

    def _found(self, _parameters: Parameters, response: Any, _blocks: Sequence[Any]) -> tuple[Applied, ...]:
        managed = as_dictionary(field_of(response, "context_management")) or {}
        done = [edit for edit in managed.get("applied_edits") or () if edit.get("type", "").startswith(CLEARING_KINDS)]
        uses = sum(edit.get("cleared_tool_uses") or 0 for edit in done)
        tokens = sum(edit.get("cleared_input_tokens") or 0 for edit in done)
        if not uses and not tokens:
            return ()
        self._emit(Pruned(outputs=uses, saved=tokens))
        usage = read_usage(usage_of(response))
        after = usage.input + usage.cache_read  # as the provider counts them
        return (
            Applied(
                backend=self.name,
                outcome="cleared",
                tokens_before=after + tokens,
                tokens_after=after,
                tool_uses=uses,
            ),
        )


BACKENDS: Final[dict[str, Callable[[Any, str, _Settings], Backend[Any]]]] = {
    one.name: one for one in (_ByBrim, _ByProvider, _ByClearing)
}


def backend(client: ClientT, model: str, backend: str = "brim", **settings: Any) -> Backend[ClientT]:
    """Return the back end of a name: `brim`, `provider` or `provider-clearing`. One keeps one conversation.

    Args:
        client: a client of the SDK, of either kind.
        model: the conversation's model.
        backend: who compacts: brim before each request, the provider, or the provider by clearing tool results.
        settings: `policy`, of which the provider takes the threshold, the prompt and the focus; `limits`, `on_event`;
            `pause` (provider); `keep_tool_uses`, `exclude_tools`, `clear_at_least` (provider-clearing); `summarizer`
            and `sleep` as a Compactor takes them (brim). A back end ignores what it has no use for.

    Raises InvalidInput for another name or setting, Refused for a trigger that the provider does not take.
    """
    if backend not in BACKENDS:
        raise InvalidInput(f"there is no back end {backend!r}; there are: {', '.join(BACKENDS)}")
    try:
        return BACKENDS[backend](client, model, _Settings.model_validate(settings))
    except ValidationError as error:
        known = ", ".join(_Settings.model_fields)
        raise InvalidInput(f"among the settings of a back end {faults_of(error)}; it takes: {known}") from error
