"""Back ends: whoever keeps a conversation within its window, behind one interface and chosen by one name.

Specified by features/engine/backends.feature (CMP_10).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from brim.anthropic import server_compaction, tool_clearing
from brim.anthropic.context_edits import Parameters
from brim.compaction.policy import DEFAULT_POLICY, CompactionPolicy
from brim.engine.back_ends.applied import Applied, BackendName, Reading
from brim.engine.back_ends.client_side import BRIM, AsyncClientSide, ClientSide
from brim.engine.back_ends.server_clearing import AsyncServerClearing, ServerClearing
from brim.engine.back_ends.server_side import AsyncServerSide, ServerSide
from brim.engine.back_ends.server_turns import PROVIDER
from brim.engine.compactor import AsyncCompactor, Compactor
from brim.engine.listeners import Listener, Listeners
from brim.errors import InvalidInput
from brim.models import MODELS, ModelLimits

__all__ = ["Applied", "AsyncBackend", "Backend", "BackendName", "Reading", "async_backend", "backend"]


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
    keep_tool_uses: int = tool_clearing.DEFAULT_KEEP
    exclude_tools: Sequence[str] = ()
    clear_at_least: int = 0

    def trigger_of(self, default: int) -> int:
        """The threshold of the policy (TRG_13); without limits its tokens, or the provider's own default."""
        limits = self.limits or MODELS.get(self.model.strip().lower())
        if limits is None or not limits.context_window:
            told = self.policy.threshold
            return told if isinstance(told, int) else default
        return self.policy.checked(limits).trigger.threshold

    def for_compactor(self) -> dict[str, Any]:
        """What brim's own compactor is told."""
        return {name: getattr(self, name) for name in ("limits", "policy", "on_event")}

    def for_server(self) -> dict[str, Any]:
        """What the provider's compaction is told."""
        return {
            "trigger": self.trigger_of(server_compaction.DEFAULT_TRIGGER),
            "prompt": self.policy.prompt,
            "focus": self.policy.focus,
            "pause": self.pause,
            "listeners": Listeners(self.on_event),
        }

    def clearing(self) -> tuple[dict[str, Any], Listeners]:
        """What the provider is told to clear, and who is told of it."""
        edit = tool_clearing.clearing_edit(
            self.trigger_of(tool_clearing.DEFAULT_TRIGGER),
            keep=self.keep_tool_uses,
            exclude_tools=self.exclude_tools,
            clear_at_least=self.clear_at_least,
        )
        return edit, Listeners(self.on_event)


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
