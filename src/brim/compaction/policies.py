"""Policies: what stands for the history where no attempt at a summary succeeded.

Specified by features/summary/attempts.feature (SUM_06).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from brim.compaction.plan import Plan
from brim.compaction.policy import OnFailure
from brim.compaction.result import Compaction, apply_plan
from brim.compaction.without_model import compact_without_model
from brim.errors import BrimError
from brim.tokens.estimation import Size, tokens_of

LEFT_OUT: Final = (
    "No summary could be made of the earlier conversation, and it is left out here: {messages} messages, about "
    "{tokens} tokens. Nothing is deleted: they stand where the conversation was kept before this point. Ask the user "
    "for what you need of them."
)
"""What stands for the history where it is cut off (the policy `truncate`)."""
FALLBACK: Final = (
    "The earlier conversation was compacted, but no summary of it could be made. Nothing is deleted: the messages "
    "stand where the conversation was kept before this point. Look at the files and ask the user before you assume "
    "anything."
)
"""The constant text of the policy `fallback`: unlike the one it follows it does not claim to be a summary."""


def by_policy(plan: Plan, policy: OnFailure, error: BrimError) -> Compaction:
    """The compaction that a policy makes without a model's summary; `raise` raises the error."""
    match policy:
        case "raise":
            raise error
        case "template":
            compaction = compact_without_model(plan)
        case "truncate":
            compaction = apply_plan(plan, left_out(plan))
        case "fallback":
            compaction = apply_plan(plan, FALLBACK)
    return replace(compaction, by=policy)


def left_out(plan: Plan) -> str:
    """The note that stands for what is cut off, with its numbers."""
    tokens = tokens_of(Size(plan.replaced_characters), plan.characters_per_token)
    return LEFT_OUT.format(messages=f"{len(plan.summarised):,}", tokens=f"{tokens:,}")
