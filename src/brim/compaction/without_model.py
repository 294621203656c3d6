"""Compaction without a model: the template summary in place of what leaves the window (SUM_07)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from brim.compaction.plan import NOTHING_TO_COMPACT, Plan
from brim.compaction.planning import UNTOUCHED
from brim.compaction.result import Compaction, apply_plan
from brim.summary.acceptance import judge_summary
from brim.summary.template import CHARACTERS_MAX, assemble_summary
from brim.tokens.estimation import Size, estimate_tokens, tokens_of

SHARE_OF_REPLACED: Final = 2
"""A template summary is at most this part of what it replaces: a half."""


def template_for(plan: Plan) -> str:
    """The template summary of what a plan replaces, never longer than half of it."""
    return assemble_summary(
        [record.outcome for record in plan.turns],
        plan.facts,
        [record.anchor for record in plan.turns if record.anchor],
        characters_max=min(CHARACTERS_MAX, plan.replaced_characters // SHARE_OF_REPLACED),
        earlier=plan.earlier,
    )


def compact_without_model(plan: Plan) -> Compaction:
    """Carry a plan out with the template summary; one that would save nothing is not carried out (SEL_07)."""
    if not plan.summarises:
        return apply_plan(plan)
    summary = template_for(plan)
    accepted = judge_summary(
        summary,
        replaces_tokens=tokens_of(Size(plan.replaced_characters)),
        summary_tokens=estimate_tokens(summary),
    )
    compaction = apply_plan(plan, summary) if accepted.accepted else None
    if compaction is not None and compaction.saved > 0:
        return compaction
    return apply_plan(not_carried_out(plan))


def not_carried_out(plan: Plan, reason: str = NOTHING_TO_COMPACT) -> Plan:
    """The plan that does nothing instead, of the same conversation."""
    return replace(
        plan,
        reason=reason,
        cut=0,
        front=(),
        request=(),
        why_kept="",
        anchor=None,
        over_target=False,
        turns=(),
        replaced_characters=0,
        pruning=UNTOUCHED,
    )
