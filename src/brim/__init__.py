"""Context compaction for coding agents: when to act, what to prune, what to keep, what stands for the rest.

The rules are the features; this is their reference implementation. What is public is listed here, and is loaded when it
is first asked for, so that importing brim costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from brim.compaction.context_window import ContextWindow, Request
    from brim.compaction.cost import Cost, Prices, cost_of
    from brim.compaction.events import Event
    from brim.compaction.plan import Plan, plan_compaction
    from brim.compaction.policy import CompactionPolicy
    from brim.compaction.result import Compaction, apply_plan, compact_without_model
    from brim.engine.compacting import compacting, tool_runner
    from brim.engine.compactor import AsyncCompactor, Compactor
    from brim.engine.conversation import AsyncConversation, Conversation
    from brim.errors import (
        BrimError,
        CompactionCancelled,
        CompactionStalled,
        ContextOverflow,
        InvalidInput,
        ProviderFailed,
        ProviderRefused,
        Refused,
        SessionHeld,
        StoreFailed,
        SummaryFailed,
        UnknownLimits,
    )
    from brim.models import ModelLimits, limits_of
    from brim.pruning.tool_outputs import Pruning
    from brim.selection.anchors import Anchor, AnchorKind
    from brim.sessions.session import Session
    from brim.sessions.store import SessionStore, open_store
    from brim.summary.acceptance import Acceptance, judge_summary
    from brim.summary.facts import Fact, Fidelity
    from brim.summary.summarizer_input import AsyncSummarizer, Summarizer, SummaryAnswer, SummaryRequest
    from brim.tokens.estimation import TokenCounter
    from brim.tokens.usage import TokenUsage, normalize
    from brim.trigger.overflow import Verdict, should_compact
    from brim.trigger.profiles import PROFILES, Profile
    from brim.trigger.usable_context import usable_context

__all__ = [
    "PROFILES",
    "Acceptance",
    "Anchor",
    "AnchorKind",
    "AsyncCompactor",
    "AsyncConversation",
    "AsyncSummarizer",
    "BrimError",
    "Compaction",
    "CompactionCancelled",
    "CompactionPolicy",
    "CompactionStalled",
    "Compactor",
    "ContextOverflow",
    "ContextWindow",
    "Conversation",
    "Cost",
    "Event",
    "Fact",
    "Fidelity",
    "InvalidInput",
    "ModelLimits",
    "Plan",
    "Prices",
    "Profile",
    "ProviderFailed",
    "ProviderRefused",
    "Pruning",
    "Refused",
    "Request",
    "Session",
    "SessionHeld",
    "SessionStore",
    "StoreFailed",
    "Summarizer",
    "SummaryAnswer",
    "SummaryFailed",
    "SummaryRequest",
    "TokenCounter",
    "TokenUsage",
    "UnknownLimits",
    "Verdict",
    "apply_plan",
    "compact_without_model",
    "compacting",
    "cost_of",
    "judge_summary",
    "limits_of",
    "normalize",
    "open_store",
    "plan_compaction",
    "should_compact",
    "tool_runner",
    "usable_context",
]

__version__ = "0.1.0"

HOMES: Final = {
    "Request": "brim.compaction.context_window",
    "compacting": "brim.engine.compacting",
    "tool_runner": "brim.engine.compacting",
    "Conversation": "brim.engine.conversation",
    "AsyncConversation": "brim.engine.conversation",
    "ContextWindow": "brim.compaction.context_window",
    "Cost": "brim.compaction.cost",
    "Prices": "brim.compaction.cost",
    "cost_of": "brim.compaction.cost",
    "Event": "brim.compaction.events",
    "Plan": "brim.compaction.plan",
    "plan_compaction": "brim.compaction.plan",
    "CompactionPolicy": "brim.compaction.policy",
    "Compaction": "brim.compaction.result",
    "apply_plan": "brim.compaction.result",
    "compact_without_model": "brim.compaction.result",
    "AsyncCompactor": "brim.engine.compactor",
    "Compactor": "brim.engine.compactor",
    "BrimError": "brim.errors",
    "CompactionCancelled": "brim.errors",
    "CompactionStalled": "brim.errors",
    "ContextOverflow": "brim.errors",
    "InvalidInput": "brim.errors",
    "ProviderFailed": "brim.errors",
    "ProviderRefused": "brim.errors",
    "Refused": "brim.errors",
    "SessionHeld": "brim.errors",
    "StoreFailed": "brim.errors",
    "SummaryFailed": "brim.errors",
    "UnknownLimits": "brim.errors",
    "ModelLimits": "brim.models",
    "limits_of": "brim.models",
    "Pruning": "brim.pruning.tool_outputs",
    "Anchor": "brim.selection.anchors",
    "AnchorKind": "brim.selection.anchors",
    "Session": "brim.sessions.session",
    "SessionStore": "brim.sessions.store",
    "open_store": "brim.sessions.store",
    "Acceptance": "brim.summary.acceptance",
    "judge_summary": "brim.summary.acceptance",
    "Fact": "brim.summary.facts",
    "Fidelity": "brim.summary.facts",
    "AsyncSummarizer": "brim.summary.summarizer_input",
    "Summarizer": "brim.summary.summarizer_input",
    "SummaryAnswer": "brim.summary.summarizer_input",
    "SummaryRequest": "brim.summary.summarizer_input",
    "TokenCounter": "brim.tokens.estimation",
    "TokenUsage": "brim.tokens.usage",
    "normalize": "brim.tokens.usage",
    "should_compact": "brim.trigger.overflow",
    "PROFILES": "brim.trigger.profiles",
    "Profile": "brim.trigger.profiles",
    "usable_context": "brim.trigger.usable_context",
    "Verdict": "brim.trigger.overflow",
}
"""Where each public name is defined."""


def __getattr__(name: str) -> Any:
    """Load a public name from its home. Raises AttributeError for a name that is not public."""
    if name not in HOMES:
        raise AttributeError(f"module 'brim' has no attribute {name!r}; its public names are: {', '.join(__all__)}")
    value = getattr(import_module(HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return [*__all__, "__version__"]
