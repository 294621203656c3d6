"""Anchors: the turns in which something was achieved, the points from which a conversation is kept.

Specified by features/selection/anchors.feature (ANC_01 to ANC_12).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Final, TypeAlias

from brim.conversation.turns import ToolUse, Turn
from brim.errors import Refused, advisory, text_of
from brim.selection.evidence import (
    builds,
    closes_list,
    commits,
    rests_on_search,
    tells_of_a_search,
    tells_of_passing_tests,
)
from brim.selection.tools import EDITING_TOOLS, changes_file, only_reads
from brim.tokens.exact import Number, exact


class AnchorKind(StrEnum):
    """What was achieved."""

    ERROR_RESOLUTION = "error_resolution"
    """Tests pass after a change, and something had failed before it (ANC_03)."""
    TASK_COMPLETION = "task_completion"
    """Tests pass after a change (ANC_04), or something was built (ANC_11)."""
    FEATURE_MILESTONE = "feature_milestone"
    """A change was committed, or the last open item of a to-do list was closed (ANC_08)."""
    USER_CHECKPOINT = "user_checkpoint"
    """The user set a mark here (ANC_07), or the answer rests on a search of the web (ANC_12)."""


WEIGHTS: Final = {
    AnchorKind.ERROR_RESOLUTION: Decimal("0.9"),
    AnchorKind.TASK_COMPLETION: Decimal("0.8"),
    AnchorKind.FEATURE_MILESTONE: Decimal("0.75"),
    AnchorKind.USER_CHECKPOINT: Decimal("0.7"),
}
"""How much each kind weighs (ANC_01): an order of telling, never a reason to keep (ANC_10)."""

THRESHOLD: Final = Decimal("0.9")
"""The confidence from which an anchor counts, itself included (ANC_02)."""

RESOLVED: Final = Decimal("0.95")
COMPLETED: Final = Decimal("0.92")
REACHED: Final = Decimal("0.91")
CERTAIN: Final = Decimal(1)
"""The confidences of ANC_03, of ANC_04 and ANC_11, of ANC_08 and ANC_12, and of ANC_07."""

Finding: TypeAlias = tuple[AnchorKind, Decimal]


@dataclass(frozen=True, slots=True)
class Anchor:
    """A turn in which something was achieved, and how sure that is; synthetic where it only stands for the newest."""

    turn: int
    """The index of the turn, from 0."""
    kind: AnchorKind
    """What was achieved in it."""
    confidence: Decimal
    """How sure that is, 0 to 1."""
    synthetic: bool = False
    """Whether it only stands for the newest turn, because there is no other anchor (ANC_09)."""

    @property
    def weight(self) -> Decimal:
        """How much its kind weighs."""
        return WEIGHTS[self.kind]


def counts(confidence: Number, threshold: Number = THRESHOLD) -> bool:
    """Whether a finding of this confidence is an anchor (ANC_02). Raises Refused where the threshold is none."""
    return exact(confidence) >= least_confidence(threshold)


_counts = lru_cache(typed=True)(counts)
"""The same for the few confidences there are, each compared once."""


@lru_cache(typed=True)
def least_confidence(threshold: Number) -> Fraction:
    """The confidence threshold, exactly. Raises Refused outside [0, 1]."""
    least = exact(threshold)
    if not 0 <= least <= 1:
        raise Refused(f"the confidence threshold is {text_of(threshold)}; a confidence lies between 0 and 1")
    return least


@advisory("anchors", lambda *_, **__: None)
def detect(
    turn: Turn,
    *,
    previous_error: bool,
    threshold: Number = THRESHOLD,
    editing_tools: Collection[str] = EDITING_TOOLS,
) -> Anchor | None:
    """The anchor that a turn is, None where it is none; `previous_error` as `turn_failed` tells of the one before.

    Raises Refused where the threshold is no confidence.
    """
    least_confidence(threshold)
    if not (turn.marked or turn.tool_uses):
        return None
    found = _findings(turn, editing_tools, previous_error=previous_error)
    findings = [one for one in found if _counts(one[1], threshold)]
    if not findings:
        return None
    kind, confidence = findings[0] if len(findings) == 1 else max(findings, key=_weighed)
    return Anchor(turn.index, kind, confidence)


def _weighed(finding: Finding) -> tuple[Decimal, Decimal]:
    return WEIGHTS[finding[0]], finding[1]


def turn_failed(turn: Turn) -> bool:
    """Whether a tool result of the turn failed."""
    return any([use.succeeded is False for use in turn.tool_uses])  # noqa: C419  a generator costs as much again


def find_anchors(
    turns: Sequence[Turn], *, threshold: Number = THRESHOLD, editing_tools: Collection[str] = EDITING_TOOLS
) -> tuple[Anchor, ...]:
    """The anchors among all turns, in the order of time; where there are none, the last turn as a synthetic one."""
    found: list[Anchor] = []
    failed = False
    for turn in turns:
        anchor = detect(turn, previous_error=failed, threshold=threshold, editing_tools=editing_tools)
        if anchor is not None:
            found.append(anchor)
        failed = turn_failed(turn)
    return tuple(found) or synthetic_anchor(turns)


def synthetic_anchor(turns: Sequence[Turn]) -> tuple[Anchor, ...]:
    """The last turn as a user checkpoint, so that there is always a point of reference (ANC_09)."""
    return tuple(Anchor(turn.index, AnchorKind.USER_CHECKPOINT, CERTAIN, synthetic=True) for turn in turns[-1:])


def anchor_turns(anchors: Iterable[Anchor]) -> list[int]:
    """The turns that selection may begin at, ascending: a synthetic anchor changes no selection (ANC_09)."""
    return sorted(anchor.turn for anchor in anchors if not anchor.synthetic)


def weightiest_first(anchors: Iterable[Anchor]) -> list[Anchor]:
    """The anchors in the order in which they are told of where space is short; of equals the newest first (ANC_10)."""
    return sorted(anchors, key=lambda anchor: (anchor.weight, anchor.confidence, anchor.turn), reverse=True)


def _findings(turn: Turn, editing_tools: Collection[str], *, previous_error: bool) -> Iterator[Finding]:
    """Every kind of anchor that a turn is."""
    if turn.marked:
        yield AnchorKind.USER_CHECKPOINT, CERTAIN
    uses = turn.tool_uses
    telling = [use for use in uses if use.succeeded and not only_reads(use, editing_tools)]
    changes = [use for use in telling if changes_file(use, editing_tools)]
    if changes and any(map(tells_of_passing_tests, reversed(telling))):
        if previous_error or _failed_before_last_change(uses, editing_tools):
            yield AnchorKind.ERROR_RESOLUTION, RESOLVED
        else:
            yield AnchorKind.TASK_COMPLETION, COMPLETED
    if any(map(builds, telling)):
        yield AnchorKind.TASK_COMPLETION, COMPLETED
    if any((changes and commits(use)) or closes_list(use) for use in telling):
        yield AnchorKind.FEATURE_MILESTONE, REACHED
    if any(map(tells_of_a_search, telling)) and rests_on_search(turn.answer):
        yield AnchorKind.USER_CHECKPOINT, REACHED


def _failed_before_last_change(uses: Sequence[ToolUse], editing_tools: Collection[str]) -> bool:
    last = max(n for n, use in enumerate(uses) if changes_file(use, editing_tools))
    return any(use.succeeded is False for use in uses[:last])
