"""Which turns are kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.errors import InvalidInput
from brim.selection.recent_turns import select_turns


@given(total=st.integers(0, 40), recent=st.integers(0, 6), data=st.data())
def test_selection(total, recent, data):
    """The recent turns and the anchor are kept, and no later anchor before these was passed over."""
    anchors = data.draw(st.lists(st.integers(0, total - 1))) if total else []
    selection = select_turns(total, anchors, recent)
    newest = max((one for one in anchors if one < total - recent), default=None)
    assert selection == (max(0, total - recent) if newest is None else newest, newest)


def test_first_anchor_outside():
    """The smallest anchor outside is named."""
    with pytest.raises(InvalidInput, match="turn 5 is outside the 5 turns"):
        select_turns(5, [7, 5, 1])
