"""How an adapter has one request of its library compacted, in a thread or in an event loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypedDict

from brim.anthropic.errors import BAD_REQUEST, is_overflow, names_overflow
from brim.anthropic.summarizer import AnthropicSummarizer
from brim.compaction.context_window import ContextWindow
from brim.compaction.plan import Cause
from brim.compaction.policy import CompactionPolicy, read_policy
from brim.compaction.result import Compaction
from brim.conversation.messages import Message
from brim.engine.compactor import Compactor, WindowOptions
from brim.engine.conversation import unreadable_usage
from brim.engine.driving import Listener, Sleep, Steps, is_for_loops
from brim.engine.loop import Loop
from brim.engine.progress import Progress
from brim.errors import InvalidInput, warn
from brim.models import ModelLimits
from brim.tokens.usage import TokenUsage


class AdapterSettings(TypedDict, total=False):
    """The settings that an adapter passes to its Compactor."""

    policy: CompactionPolicy | None
    """Every setting that governs compaction."""
    on_event: Listener | Sequence[Listener] | None
    """One listener or several; each receives every event (CMP_06)."""
    sleep: Sleep
    """Waits for a number of seconds, between attempts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterRequest:
    """One request of a library, read by brim."""

    limits: ModelLimits
    messages: Sequence[Message] = field(repr=False)
    usage: TokenUsage | None = None
    """What the last response reported, where nothing before it was replaced since (TOK_08, TOK_11)."""
    measured: bool = True
    """Whether it is known that the response was made from exactly these messages."""
    system: str = ""
    tools: Sequence[Mapping[str, Any]] = ()

    def fill(self, window: ContextWindow) -> ContextWindow:
        """Append the messages to an empty window, and record the usage behind the last response.

        A usage that may have measured other messages counts only where it is above the estimate (ADP_01).
        """
        last = self._last_response
        for n, message in enumerate(self.messages):
            window.append(message)
            if n == last and self.usage is not None:
                window.record(self.usage)
        if self.usage is None or self.measured:
            return window
        again = window.with_messages(self.messages)
        return max(window, again, key=lambda one: one.held)

    def was_forgotten(self, window: ContextWindow) -> bool:
        """Return whether a compaction before the last response was forgotten: no record or summary tells (ADP_07).

        That response was made from fewer messages than precede it: they would have been too many for its request, and
        its usage shows that its request was not too large (ADP_04).
        """
        if self.usage is None or self.measured or any(message.marks.summary for message in self.messages):
            return False
        request = self.usage.input + self.usage.cache_read
        before = window.with_messages(self.messages[: self._last_response]).verdict()
        return before.due and request <= before.threshold

    @property
    def _last_response(self) -> int:
        return max((n for n, message in enumerate(self.messages) if message.role == "assistant"), default=0)


class AdapterResult(NamedTuple):
    """The compaction of a request, None where nothing was changed, and the progress of the conversation."""

    compaction: Compaction | None
    progress: Progress
    is_news: bool = False
    """Whether a record is due: a plan was carried out, even if its summary saved nothing, or a row ended (TRG_19)."""


FROM_SUMMARIZER: Final = {"summary_model": "the summarizer's own"}
"""The name of a summary model that only its summarizer knows; never the conversation's, so that the summary is asked
for with a rendered text: the library's own request is not repeated (SUM_16)."""


class Compactors:
    """One compactor for each set of limits that is met.

    Args:
        adapter: the name of the class that the user calls.
        writer: writes the summaries: a Summarizer or an Anthropic client, sync or async; None for the template.
        settings: as for a Compactor.

    Raises InvalidInput and Refused for settings that cannot work.
    """

    def __init__(self, adapter: str, writer: Any, settings: AdapterSettings) -> None:
        if unknown := sorted(settings.keys() - AdapterSettings.__annotations__.keys()):
            known = ", ".join(["summarizer", "limits", *AdapterSettings.__annotations__])
            raise InvalidInput(f"{adapter} has no argument {unknown[0]!r}: it takes {known}")
        self._settings: dict[str, Any] = {**settings, **_writing(writer, read_policy(settings.get("policy")))}
        self._made: dict[ModelLimits, Compactor[None]] = {}
        self._warned = False
        Compactor(**settings)  # raises for settings that cannot work

    def compacting(
        self, request: AdapterRequest, progress: Progress, cause: Cause = "automatic", *, in_loop: bool
    ) -> Steps[AdapterResult]:
        """Compact where it is due, or where the provider says that the prompt is too long (TRG_17, TRG_18).

        It sends the model on as any automatic compaction does (ADP_05). Raises ContextOverflow and CompactionStalled
        (TRG_19), and what a Compactor raises.
        """
        if request.limits not in self._made:
            self._made[request.limits] = Compactor(limits=request.limits, **self._settings)
        compactor = self._made[request.limits]
        if not in_loop and is_for_loops(compactor.summarizer):
            raise InvalidInput("this summarizer is for event loops: run the agent in one, or pass one for threads")
        if not in_loop:
            compactor.check_form(in_loop=False)
        window = yield from compactor.opening((), WindowOptions(system=request.system, tools=request.tools))
        window = request.fill(window.with_messages((), facts=progress.facts, identifiers=progress.identifiers))

        def keep(*_: object) -> None:
            if request.was_forgotten(window):
                warn(
                    f"a conversation of {len(request.messages):,} messages came back without the record of its "
                    "compaction and was compacted again from its beginning: keep the metadata of its messages where "
                    "they are stored",
                    RuntimeWarning,
                )

        loop = Loop(compactor, progress, stalls_late=True)
        result = yield from loop.compacting(window, cause if window.policy.enabled else "automatic", keep=keep)
        return AdapterResult(result.compaction, loop.progress, is_news=loop.progress is not progress)

    def usage(self, read: Callable[[Any], TokenUsage | None], response: Any) -> TokenUsage | None:
        """Return the usage of a response; None, with one warning, where it cannot be read."""
        try:
            return read(response)
        except InvalidInput as error:
            if not self._warned:
                self._warned = True
                warn(unreadable_usage(error))
            return None


def _writing(writer: Any, policy: CompactionPolicy) -> dict[str, Any]:
    """Return the settings of a compactor whose summaries this writes. Raises InvalidInput for what cannot."""
    if writer is None:
        return {}
    if hasattr(writer, "summarize"):
        own = policy if policy.summary_model else policy.model_copy(update=FROM_SUMMARIZER)
        return {"summarizer": writer, "policy": own}
    if not hasattr(writer, "messages"):
        raise InvalidInput(f"summaries are written by a model, a client or a summarizer, not {type(writer).__name__}")
    if not policy.summary_model:
        raise InvalidInput(
            "a client does not say which model it is for: name one with policy=CompactionPolicy(summary_model=…)"
        )
    return {"summarizer": AnthropicSummarizer(writer)}


def is_context_overflow(error: BaseException) -> bool:
    """Return whether an error of any provider's package, or its cause, says that the prompt is too long (TRG_18).

    Where it has a status, only a refusal counts: a rate limit that names tokens is resolved by waiting.
    """
    if is_overflow(error):
        return True
    status = getattr(error, "status_code", None)
    if status in (None, BAD_REQUEST) and names_overflow(f"{type(error).__name__}: {error}"):
        return True
    return error.__cause__ is not None and is_context_overflow(error.__cause__)
