"""Where a session stands: what the model sees, and how much of its window that fills."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from brim.cli.limits import told_limits
from brim.compaction.context_window import ContextWindow
from brim.compaction.policy import DEFAULT_POLICY, CompactionPolicy
from brim.models import NO_LIMIT, ModelLimits
from brim.sessions.registry import SessionInfo
from brim.sessions.session import Session
from brim.sessions.view import View
from brim.trigger.overflow import window_filled


@dataclass(frozen=True)
class ActiveRecords:
    """A session as the model sees it now."""

    info: SessionInfo
    view: View
    limits: ModelLimits | None = None
    """The limits of its model; None where they are unknown."""
    policy: CompactionPolicy = DEFAULT_POLICY
    """The settings by which it is judged."""

    @cached_property
    def window(self) -> ContextWindow:
        """What it holds, as a running account."""
        return self.view.window(self.limits or NO_LIMIT, self.policy)

    @property
    def held(self) -> int:
        """Tokens in the window now."""
        return self.window.held

    @property
    def filled(self) -> int:
        """How full the window is, in whole percent of the threshold (TRG_20)."""
        return window_filled(self.held, self.window.trigger.threshold)

    @property
    def threshold(self) -> int | None:
        """Tokens from which a compaction is due; None where the window is unknown."""
        return self.window.trigger.threshold if self.limits else None

    @property
    def room(self) -> int | None:
        """Tokens that the window can hold; None where that is unknown."""
        return self.limits.context_window if self.limits else None


def standing_of(
    session: Session,
    *,
    model: str | None = None,
    window: int | None = None,
    policy: CompactionPolicy = DEFAULT_POLICY,
) -> ActiveRecords:
    """Where a session stands. Raises WrongUsage or Refused for limits that no model has."""
    return ActiveRecords(session.info, session.view(), told_limits(model or session.info.model, window, None), policy)
