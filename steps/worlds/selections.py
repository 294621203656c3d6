"""What a selection keeps: by a compactor, in a conversation, or of turns that are known by their sizes alone."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

from pytest_bdd import given, parsers, when

from brim.compaction.plan import Plan
from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from brim.selection.fit import Fit
from steps.conversation_table import names
from steps.policies import with_policy
from steps.vocabulary import tokens
from steps.worlds.plans import CAUSE, CAUSES, Planned

Sizes = dict[str, Any]


class Selected(Planned):
    """A plan of a compactor, with its target and what is kept of the end of the conversation."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.target, self.kept_as = plan.target, plan.tail_reason
        self.messages_kept_word_for_word = len(plan.kept)


def compactor_of(limits: dict[str, Any], settings: dict[str, Any]) -> Compactor:
    """Return a compactor with the limits and settings of a scenario."""
    return Compactor(limits=ModelLimits(**limits), **with_policy(settings))


@when(parsers.re(rf"a compactor plans a compaction {CAUSE}"), target_fixture="outcome")
def plan_by_compactor(limits, settings, conversation, cause):
    messages = [message.raw for message in conversation]
    return Selected(compactor_of(limits, settings).plan(messages, cause=CAUSES[cause]))


def opened(sizes: Sizes, size: str) -> Sizes:
    """Return the same with a summary of so many tokens before the first message."""
    totals = [0, *(total + tokens(size) for total in sizes["totals"])]
    starts = [start + 1 for start in sizes["starts"]]
    return {"starts": starts, "totals": totals, "cuts": range(len(totals)), "summary": 0}


KNOWN: dict[str, Callable[[Sizes, str], Sizes]] = {
    "anchors": lambda _, cell: {"anchors": [int(turn) for turn in names(cell)]},
    "first compactable message": lambda _, cell: {"first": tokens(cell) - 1},
    "legal cuts": lambda _, cell: {"cuts": [int(cut) - 1 for cut in names(cell)]},
    "opening summary": opened,
    "recent turns": lambda _, cell: {"recent": tokens(cell)},
    "user's last message": lambda _, cell: {"last_user": tokens(cell) - 1},
}
"""What may be known of a conversation besides its sizes; messages are counted from 1, turns from 0."""


@given(
    parsers.re(r"turns of (?P<counts>no|\d+(?:, \d+)*) messages, each of (?P<size>[\d,]+) tokens"),
    target_fixture="sizes",
)
def turns_by_size(counts, size):
    messages = [] if counts == "no" else [int(count) for count in names(counts)]
    totals = [*accumulate([tokens(size)] * sum(messages), initial=0)]
    starts = [*accumulate(messages, initial=0)][:-1]
    return {"starts": starts, "totals": totals, "cuts": range(len(totals))}


@given(parsers.re(rf'its (?P<what>{"|".join(KNOWN)}) (?:is|are) "(?P<cell>[^"]*)"'), target_fixture="sizes")
def known_of_sizes(sizes, what, cell):
    return sizes | KNOWN[what](sizes, cell)


def fitted(fit: Fit) -> dict[str, Any]:
    """Return a fit in the words of the features."""
    return {
        "anchor": fit.anchor,
        "before_the_cut": fit.last_user is not None,
        "cut_before_message": fit.cut + 1,
        "kept_tokens": fit.kept_tokens,
        "over_target": fit.over_target,
        "reason": fit.reason,
        "target": fit.target,
    }
