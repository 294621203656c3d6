"""Anchors of real shapes, the exactness of confidences, and what a threshold may be."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from brim.selection.anchors import (
    Anchor,
    AnchorKind,
    counts,
    weightiest_first,
)


def test_confidence_that_counts():
    """An anchor counts from a confidence of 0.9 (ANC_02)."""
    assert [counts(one) for one in ("0.89", "0.9", "0.91")] == [False, True, True]


ANCHORS = st.lists(
    st.builds(Anchor, st.integers(0, 9), st.sampled_from(AnchorKind), st.sampled_from([Decimal("0.91"), Decimal(1)])),
    max_size=8,
)


@given(anchors=ANCHORS)
def test_order_of_telling(anchors):
    """The order of telling holds every anchor once and never puts a lighter one before a heavier."""
    ordered = weightiest_first(anchors)
    assert sorted(map(repr, ordered)) == sorted(map(repr, anchors))
    keys = [(one.weight, one.confidence, one.turn) for one in ordered]
    assert keys == sorted(keys, reverse=True)
