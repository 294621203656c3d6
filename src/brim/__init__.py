"""Context compaction for coding agents: when to compact, what to prune, what to keep, and the summary of the rest.

The rules are the features; this is their reference implementation. A public name is loaded when it is first asked for,
so that importing brim costs nothing.
"""

from typing import TYPE_CHECKING, Final

from brim.lazy import homes_of, lazy_names

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
    from brim.engine.compactor import Compactor as Compactor
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
    from brim.summary.summarizer_input import Summarizer as Summarizer
    from brim.summary.summarizer_input import SummaryAnswer as SummaryAnswer
    from brim.summary.summarizer_input import SummaryRequest as SummaryRequest
    from brim.tokens.estimation import TokenCounter as TokenCounter
    from brim.tokens.usage import TokenUsage as TokenUsage
    from brim.trigger.overflow import Verdict as Verdict
    from brim.trigger.overflow import should_compact as should_compact
    from brim.trigger.profiles import PROFILES as PROFILES
    from brim.trigger.profiles import Profile as Profile

HOMES: Final = homes_of(
    {
        "brim.compaction.context_window": "ContextWindow Request",
        "brim.compaction.cost": "Cost Prices cost_of",
        "brim.compaction.events": "CompactionEvent",
        "brim.compaction.plan": "Plan",
        "brim.compaction.policy": "CompactionPolicy",
        "brim.compaction.result": "Compaction",
        "brim.engine.compacting": "compacting tool_runner",
        "brim.engine.compactor": "Compactor",
        "brim.engine.conversation": "Conversation",
        "brim.errors": "BrimError CompactionCancelled CompactionStalled ContextOverflow InvalidInput ProviderFailed "
        "ProviderRefused Refused SummaryFailed UnknownLimits",
        "brim.models": "ModelLimits",
        "brim.summary.summarizer_input": "Summarizer SummaryAnswer SummaryRequest",
        "brim.tokens.estimation": "TokenCounter",
        "brim.tokens.usage": "TokenUsage",
        "brim.trigger.overflow": "Verdict should_compact",
        "brim.trigger.profiles": "PROFILES Profile",
    }
)
"""Where each public name is defined."""
__all__ = list(HOMES)
__version__ = "1.0.0rc1"
if not TYPE_CHECKING:  # or a checker would take any name for a public one
    __getattr__, __dir__ = lazy_names(__name__, HOMES)
