"""Anchors: the turns in which something was achieved, the points from which a conversation is kept.

Specified by features/selection/anchors.feature (ANC_01 to ANC_10).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import Final

from brim.conversation.turns import Turn
from brim.errors import Refused, advisory, text_of
from brim.evidence.evidence import Evidence, read_response
from brim.evidence.tools import EDITING_TOOLS
from brim.tokens.exact import Number, exact


class AnchorKind(StrEnum):
    """What was achieved."""

    ERROR_RESOLUTION = "error_resolution"
    """Tests pass after a change, and something had failed before it (ANC_03)."""
    TASK_COMPLETION = "task_completion"
    """Tests pass after a change (ANC_04)."""
    FEATURE_MILESTONE = "feature_milestone"
    """A change was committed, or the last open item of a to-do list was closed (ANC_08)."""
    USER_CHECKPOINT = "user_checkpoint"
    """The user set a mark here (ANC_07)."""


WEIGHTS: Final = {
    AnchorKind.ERROR_RESOLUTION: Decimal("0.9"),
    AnchorKind.TASK_COMPLETION: Decimal("0.8"),
    AnchorKind.FEATURE_MILESTONE: Decimal("0.75"),
    AnchorKind.USER_CHECKPOINT: Decimal("0.7"),
}
"""How much each kind weighs (ANC_01): an order of telling, never a reason to keep (ANC_10)."""

THRESHOLD: Final = Decimal("0.9")
"""The confidence from which an anchor counts, itself included (ANC_02)."""


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
    """Return whether a finding of this confidence is an anchor (ANC_02). Raises Refused where the threshold is none."""
    return exact(confidence) >= least_confidence(threshold)


def least_confidence(threshold: Number) -> Fraction:
    """Return the confidence threshold, exactly. Raises Refused outside [0, 1]."""
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
    evidence: Sequence[Evidence] | None = None,
) -> Anchor | None:
    """Return the anchor that a turn is, None where it is none.

    Args:
        turn: the turn.
        previous_error: what `turn_failed` tells of the one before.
        threshold: the least confidence of an anchor, from 0 to 1. Raises Refused where it is none.
        editing_tools: names of the tools that change files.
        evidence: of its tool uses, in order; read from the turn where it is not there.
    """
    least_confidence(threshold)
    if evidence is None:
        evidence = [one for response in turn.responses for one in read_response(response, editing_tools)]
    found = _findings(turn, evidence, previous_error=previous_error)
    findings = [one for one in found if counts(one[1], threshold)]
    if not findings:
        return None
    kind, confidence = max(findings, key=lambda finding: (WEIGHTS[finding[0]], finding[1]))
    return Anchor(turn.index, kind, confidence)


def turn_failed(turn: Turn) -> bool:
    """Return whether a tool result of the turn failed."""
    return any(use.succeeded is False for use in turn.tool_uses)


def find_anchors(
    turns: Sequence[Turn], *, threshold: Number = THRESHOLD, editing_tools: Collection[str] = EDITING_TOOLS
) -> tuple[Anchor, ...]:
    """Return the anchors among all turns, in the order of time; if there are none, the last turn as a synthetic one.

    So there is always a point of reference (ANC_09).
    """
    found: list[Anchor] = []
    failed = False
    for turn in turns:
        anchor = detect(turn, previous_error=failed, threshold=threshold, editing_tools=editing_tools)
        if anchor is not None:
            found.append(anchor)
        failed = turn_failed(turn)
    last = (Anchor(turn.index, AnchorKind.USER_CHECKPOINT, Decimal(1), synthetic=True) for turn in turns[-1:])
    return tuple(found or last)


def anchor_turns(anchors: Iterable[Anchor]) -> list[int]:
    """Return the turns that selection may begin at, ascending: a synthetic anchor changes no selection (ANC_09)."""
    return sorted(anchor.turn for anchor in anchors if not anchor.synthetic)


def weightiest_first(anchors: Iterable[Anchor]) -> list[Anchor]:
    """Sort the anchors as they are told of where space is short: of equals the newest first (ANC_10)."""
    return sorted(anchors, key=lambda anchor: (anchor.weight, anchor.confidence, anchor.turn), reverse=True)


def _findings(
    turn: Turn, evidence: Sequence[Evidence], *, previous_error: bool
) -> Iterator[tuple[AnchorKind, Decimal]]:
    """Yield every kind of anchor that a turn is, with how sure that is."""
    if turn.marked:
        yield AnchorKind.USER_CHECKPOINT, Decimal(1)
    telling = [one for one in evidence if one.use.succeeded and not one.only_reads]
    last_change = max((n for n, one in enumerate(evidence) if one.changes_file), default=None)
    if last_change is not None and any(one.passing for one in telling):
        if previous_error or any(one.use.succeeded is False for one in evidence[:last_change]):
            yield AnchorKind.ERROR_RESOLUTION, Decimal("0.95")
        else:
            yield AnchorKind.TASK_COMPLETION, Decimal("0.92")
    closes_list = any(one.todos and not any(item.is_open for item in one.todos) for one in telling)
    if closes_list or (last_change is not None and any(one.committed for one in telling)):
        yield AnchorKind.FEATURE_MILESTONE, Decimal("0.91")
