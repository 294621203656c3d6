"""The conversations of an adapter: each request of its library goes on from a kept window, by the engine's loop.

A library's message is read as a dictionary: a role, content blocks, and under "marks" what the library knows of it. A
conversation is recognized by these, whichever objects, ids and times the library gives its messages (ADP_01).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from brim.anthropic.errors import BAD_REQUEST, is_overflow, names_overflow
from brim.anthropic.summarizer import AnthropicSummarizer
from brim.compaction.context_window import Request
from brim.compaction.policy import CompactionPolicy, read_policy
from brim.conversation.messages import Marks, Message, ToolResult, read_message
from brim.engine.compactor import Compactor, check_client
from brim.engine.conversation import Outgoing, unreadable_usage
from brim.engine.driving import Steps
from brim.engine.loop import Loop
from brim.engine.middleware import Conversations, TrackedConversation
from brim.engine.progress import Progress
from brim.errors import InvalidInput, UnknownLimits, warn, window_unknown
from brim.models import ModelLimits
from brim.tokens.usage import TokenUsage
from brim.trigger.usable_context import validate_limits

START: Final = Progress()


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRequest(Request):
    """One request of a library, read by brim."""

    foreign: bool = True
    usage_of: Callable[[int], TokenUsage | None]
    """Reads what the response at an index reported; None where it reported nothing."""
    system_before: Callable[[int], Any] | None = None
    """Reads the system prompt that the response at an index answered; None where its library does not keep it."""
    progress: Progress = START
    """That of the record which the messages begin with, if they do."""
    recorded: int = 0
    """The number of messages that the record gave: a usage reported for them measured an older list (TOK_11)."""


class AgentConversation(TrackedConversation):
    """A conversation of a library's agent."""

    def __init__(
        self,
        compactor: Compactor[Any],
        *,
        progress: Progress = START,
        recorded: int = 0,
        strip_thinking_until: int = 0,
    ) -> None:
        super().__init__(compactor, strip_thinking_until=strip_thinking_until)
        # a stall is raised with the next request, as an error now would leave the compaction unrecorded
        self.loop = Loop(compactor, progress, stalls_late=True)
        self.outgoing: Any = None
        """The last request of this process as it was sent; None before."""
        self.record_due = False
        """A record has to be stored: a plan was carried out, or a row of compactions ended (TRG_19)."""
        self._recorded = recorded

    def _read_appended(self, messages: Sequence[Any], _form: Any) -> list[Message]:
        first = len(self.messages)
        return [read_message(one, Marks(**one.get("marks", {})), key=n) for n, one in enumerate(messages, first)]

    def preparing(self, request: AgentRequest, given: Sequence[Any]) -> Steps[Outgoing]:  # type: ignore[override]
        """Yield the steps of preparing a request, behind the usage of the last response."""
        before = self.loop.progress
        try:
            if self.outgoing is None:
                yield from self._opening(request)
            elif self._new and self._new[0].role == "assistant" and (usage := request.usage_of(self._new[0].key)):
                self.report(self.outgoing, usage)
            outgoing = self.outgoing = yield from super().preparing(request, given)
        finally:
            self.record_due |= self.loop.progress is not before
        return outgoing

    def _opening(self, request: AgentRequest) -> Steps[None]:
        """Open the window of a conversation that goes on from before this process.

        The usage of its last response may have measured other messages: it counts where it is above the estimate.
        """
        if self.window is None:
            limits = yield from self.compactor.finding_limits(request.model)
            progress, window = self.loop.progress, self.compactor.open_window(limits, request.model)
            self.window = window.with_messages((), facts=progress.facts, identifiers=progress.identifiers)
            self.window.set_request(request)
        new = self._new
        last = next((n for n in reversed(range(len(new))) if new[n].role == "assistant"), 0)
        usage = request.usage_of(new[last].key) if last and new[last].key >= self._recorded else None
        if usage is None:
            return
        self._new = new[:last]
        if request.system_before:
            self._current.set_request(replace(request, system=request.system_before(new[last].key)))
        self._take_in(request)
        self._warn_if_forgotten(usage)
        self._current.append(new[last])
        if usage.total > self._current.held:
            self._current.record(usage)
        self._new = new[last + 1 :]

    def _warn_if_forgotten(self, usage: TokenUsage) -> None:
        """Warn where a compaction before the last response was forgotten: no record or summary tells of it (ADP_07).

        That response was made from fewer messages than precede it: they would have been too many for its request, and
        its usage shows that its request was not too large (ADP_04).
        """
        verdict = self._current.verdict()
        was_small = usage.input + usage.cache_read <= verdict.threshold
        if verdict.due and was_small and not (self._recorded or self._current.summaries):
            warn(
                f"a conversation of {len(self.messages):,} messages came back without the record of its compaction and "
                "was compacted again from its beginning: keep the metadata of its messages where they are stored",
                RuntimeWarning,
            )

    def without_overflow(self, outgoing: Outgoing, given: Sequence[Any]) -> Steps[Outgoing | None]:
        """Yield the steps after the provider's overflow error: compact whatever the estimate says (TRG_18)."""
        smaller = yield from super().without_overflow(outgoing, given)
        if smaller is not None:
            self.outgoing, self.record_due = smaller, True
        return smaller

    def is_unchanged(self, message: Message) -> bool:
        """Return whether a message of the window is the library's, as it was read."""
        return message.raw is self.messages[message.key]

    def index_of_result(self, result: ToolResult) -> int | None:
        """Return the index of the message that a result was moved from; None for a result that brim wrote."""
        pairs = enumerate(self.messages)
        return next((n for n, raw in pairs if any(block is result.raw for block in raw["content"])), None)

    def from_record(self, messages: Sequence[Any]) -> AgentConversation:
        """Return the conversation to go on with once its record is stored: it begins with what was sent."""
        other = AgentConversation(self.compactor, progress=replace(self.loop.progress, messages_seen=len(messages)))
        other.extend(messages)
        other.window, other._new = self._current.with_messages(other._new), []
        other.outgoing = replace(self.outgoing, window=other.window, count=len(messages))
        self.record_due = False
        return other


class AgentConversations(Conversations):
    """The conversations that go on through one adapter.

    Args:
        writer: writes the summaries: a Summarizer or an Anthropic client, sync or async; None for the template.
        limits: what the agent's model can hold; None where each request says so.
        policy: every setting that governs compaction.
        settings: `on_event` and `sleep`, as for a Compactor.

    Raises InvalidInput and Refused for settings that cannot work.
    """

    def __init__(
        self, writer: Any, limits: ModelLimits | None, policy: CompactionPolicy | None, **settings: Any
    ) -> None:
        policy = read_policy(policy)
        if limits is not None:
            validate_limits(limits, policy.output_cap)
        if writer is not None and not hasattr(writer, "summarize"):
            check_client(writer, None, policy)
            writer = AnthropicSummarizer(writer)
        self._limits, self._known = limits, dict[str, ModelLimits]()
        self._warned_of_usage = False
        self.compactor = Compactor(limits=self._known, policy=policy, summarizer=writer, **settings)
        super().__init__(self.compactor)

    def limits_key(self, model: str, window: int | None, longest: Any) -> str:
        """Register the limits that hold for a request; return the key by which a compactor finds them.

        `window` and `longest` are what its library states for the model, in tokens. Raises UnknownLimits.
        """
        if not (self._limits or window):
            raise UnknownLimits(window_unknown(model))
        longest = longest if isinstance(longest, int) else 0
        limits = self._limits or ModelLimits(context_window=window or 0, max_output_tokens=longest)
        self._known[str(limits)] = limits
        return str(limits)

    def begin(self, request: Any) -> AgentConversation:
        """Begin the conversation of a request that continues none, with what its record says."""
        return AgentConversation(self.compactor, progress=request.progress, recorded=request.recorded)

    def recovering_from_overflow(
        self, state: AgentConversation, outgoing: Outgoing, messages: Sequence[Any]
    ) -> Steps[bool]:
        """Compact after the provider's overflow error, and return whether less is sent now (TRG_18)."""
        yield from state.lock.acquire()
        try:
            return (yield from state.without_overflow(outgoing, messages)) is not None
        finally:
            self._leave(state)

    def usage(self, read: Callable[[Any], TokenUsage | None], response: Any) -> TokenUsage | None:
        """Return the usage of a response; None, with one warning, where it cannot be read."""
        try:
            return read(response)
        except InvalidInput as error:
            if not self._warned_of_usage:
                self._warned_of_usage = True
                warn(unreadable_usage(error))
            return None


def pins_of(messages: Sequence[Mapping[str, Any]]) -> tuple[int, ...]:
    """Return the indices of the messages that stay word for word."""
    return tuple(n for n, message in enumerate(messages) if message.get("marks", {}).get("pinned"))


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
