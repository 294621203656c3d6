"""Context compaction for coding agents: when to compact, what to prune, what to keep, and the summary of the rest.

The rules are the features; this is their reference implementation. A public name is loaded when it is first asked for,
so that importing brim costs nothing.
"""

from typing import TYPE_CHECKING, Final

from brim.lazy import lazy_names

if TYPE_CHECKING:
    from brim.compaction.context_window import ContextWindow as ContextWindow
    from brim.compaction.context_window import Request as Request
    from brim.compaction.cost import Cost as Cost
    from brim.compaction.cost import Prices as Prices
    from brim.compaction.cost import cost_of as cost_of
    from brim.compaction.events import CompactionEvent as CompactionEvent
    from brim.compaction.plan import Plan as Plan
    from brim.compaction.policy import CompactionPolicy as CompactionPolicy
    from brim.compaction.result import Compaction as Compaction
    from brim.engine.compacting import compacting as compacting
    from brim.engine.compacting import tool_runner as tool_runner
    from brim.engine.compactor import AsyncCompactor as AsyncCompactor
    from brim.engine.compactor import Compactor as Compactor
    from brim.engine.conversation import AsyncConversation as AsyncConversation
    from brim.engine.conversation import Conversation as Conversation
    from brim.errors import BrimError as BrimError
    from brim.errors import CompactionCancelled as CompactionCancelled
    from brim.errors import CompactionStalled as CompactionStalled
    from brim.errors import ContextOverflow as ContextOverflow
    from brim.errors import InvalidInput as InvalidInput
    from brim.errors import ProviderFailed as ProviderFailed
    from brim.errors import ProviderRefused as ProviderRefused
    from brim.errors import Refused as Refused
    from brim.errors import SummaryFailed as SummaryFailed
    from brim.errors import UnknownLimits as UnknownLimits
    from brim.models import ModelLimits as ModelLimits
    from brim.summary.summarizer_input import AsyncSummarizer as AsyncSummarizer
    from brim.summary.summarizer_input import Summarizer as Summarizer
    from brim.summary.summarizer_input import SummaryAnswer as SummaryAnswer
    from brim.summary.summarizer_input import SummaryRequest as SummaryRequest
    from brim.tokens.estimation import TokenCounter as TokenCounter
    from brim.tokens.usage import TokenUsage as TokenUsage
    from brim.trigger.overflow import Verdict as Verdict
    from brim.trigger.overflow import should_compact as should_compact
    from brim.trigger.profiles import PROFILES as PROFILES
    from brim.trigger.profiles import Profile as Profile

HOMES: Final = {
    "ContextWindow": "brim.compaction.context_window",
    "Request": "brim.compaction.context_window",
    "Cost": "brim.compaction.cost",
    "Prices": "brim.compaction.cost",
    "cost_of": "brim.compaction.cost",
    "CompactionEvent": "brim.compaction.events",
    "Plan": "brim.compaction.plan",
    "CompactionPolicy": "brim.compaction.policy",
    "Compaction": "brim.compaction.result",
    "compacting": "brim.engine.compacting",
    "tool_runner": "brim.engine.compacting",
    "AsyncCompactor": "brim.engine.compactor",
    "Compactor": "brim.engine.compactor",
    "AsyncConversation": "brim.engine.conversation",
    "Conversation": "brim.engine.conversation",
    "BrimError": "brim.errors",
    "CompactionCancelled": "brim.errors",
    "CompactionStalled": "brim.errors",
    "ContextOverflow": "brim.errors",
    "InvalidInput": "brim.errors",
    "ProviderFailed": "brim.errors",
    "ProviderRefused": "brim.errors",
    "Refused": "brim.errors",
    "SummaryFailed": "brim.errors",
    "UnknownLimits": "brim.errors",
    "ModelLimits": "brim.models",
    "AsyncSummarizer": "brim.summary.summarizer_input",
    "Summarizer": "brim.summary.summarizer_input",
    "SummaryAnswer": "brim.summary.summarizer_input",
    "SummaryRequest": "brim.summary.summarizer_input",
    "TokenCounter": "brim.tokens.estimation",
    "TokenUsage": "brim.tokens.usage",
    "Verdict": "brim.trigger.overflow",
    "should_compact": "brim.trigger.overflow",
    "PROFILES": "brim.trigger.profiles",
    "Profile": "brim.trigger.profiles",
}
"""Where each public name is defined."""
__all__ = list(HOMES)
__version__ = "0.1.0"
__getattr__, __dir__ = lazy_names(__name__, HOMES)
