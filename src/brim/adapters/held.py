"""What an adapter hands to a compactor for one request of its library, and what it gets back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict

from brim.compaction.context_window import ContextWindow
from brim.compaction.policy import CompactionPolicy
from brim.compaction.result import Compaction
from brim.conversation.messages import Message
from brim.engine.driving import Listener
from brim.engine.progress import Progress
from brim.models import ModelLimits
from brim.tokens.usage import TokenUsage


class Settings(TypedDict, total=False):
    """What is set as it is for a Compactor."""

    policy: CompactionPolicy | None
    """Every setting that governs compaction."""
    on_event: Listener | Sequence[Listener] | None
    """One listener or several; each receives every event (CMP_06)."""
    sleep: Callable[[float], Any]
    """Waits for a number of seconds, between attempts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What one request of a library comes to, in brim's words."""

    limits: ModelLimits
    messages: Sequence[Message]
    usage: TokenUsage | None = None
    """What the last response reported, where nothing before it was replaced since (TOK_08, TOK_11)."""
    measured: bool = True
    """Whether it is known that the response was made from just these messages."""
    system: str = ""
    tools: Sequence[Mapping[str, Any]] = ()

    def pour(self, window: ContextWindow) -> ContextWindow:
        """Take the messages into an empty window, and the usage behind the last response.

        A usage that may have measured other messages counts only where it tells more than the estimate (ADP_01).
        """
        last = self._last_response
        for n, message in enumerate(self.messages):
            window.append(message)
            if n == last and self.usage is not None:
                window.record(self.usage)
        if self.usage is None or self.measured:
            return window
        return max(window, window.with_messages(self.messages), key=lambda one: one.held)

    def was_forgotten(self, window: ContextWindow) -> bool:
        """Whether the last response was made from less than the messages before it, and no record says from what.

        They are too many for its request, and its usage tells that its request was not too large (ADP_04).
        """
        if self.usage is None or self.measured:
            return False
        request = self.usage.input + self.usage.cache_read
        before = window.with_messages(self.messages[: self._last_response]).verdict()
        return before.due and request <= before.threshold

    @property
    def _last_response(self) -> int:
        return max((n for n, message in enumerate(self.messages) if message.role == "assistant"), default=0)


class Outcome(NamedTuple):
    """What became of a request: a compaction, which may have changed nothing, and how the conversation gets on."""

    compaction: Compaction
    progress: Progress
    tried: bool = False
    """Whether anything was done, of use or not."""
