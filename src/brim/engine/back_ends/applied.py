"""Applied: what a back end did to a request's context, in one form for every back end.

Part of the back ends; specified by features/engine/backends.feature (CMP_10).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from brim.compaction.result import Compaction
from brim.summary.compression import Compression, compression

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
    """What stands for the history now, for the user to read; empty where nothing was summarised."""
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
