"""A conversation of either library, compacted by its adapter as far as it will."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from brim.adapters.compacting import AgentConversation, AgentConversations, AgentRequest, pins_of
from brim.compaction.policy import CompactionPolicy
from brim.engine.driving import run
from brim.errors import Refused
from brim.models import ModelLimits
from brim.testing import ScriptedSummarizer

SMALL = ModelLimits(context_window=1_600, max_output_tokens=100)


def after_overflow(messages: Sequence[dict[str, Any]]) -> AgentConversation | None:
    """The conversation after the provider's overflow error; None where nothing could leave.

    A constant text stands for what leaves: no summarizer is asked in so small a window.
    """
    policy = CompactionPolicy(on_failure="fallback")
    conversations = AgentConversations(ScriptedSummarizer("never asked"), SMALL, policy)
    name = conversations.limits_key("small", None, None)
    request = AgentRequest(model=name, messages=messages, pinned=pins_of(messages), usage_of=lambda _: None)
    try:
        state: Any
        state, outgoing = run(conversations.preparing(request))
        run(conversations.recovering_from_overflow(state, outgoing, messages))
    except Refused:  # what must be kept does not fit, or what would leave says nothing
        return None
    return state if state.record_due else None
