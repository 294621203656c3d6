from __future__ import annotations

from hypothesis import given

from brim.conversation.cuts import INVARIANTS, is_legal_cut
from brim.conversation.messages import sendable
from brim.conversation.tool_pairs import pair_tools
from tests.conversation.cutting import legal_cuts
from tests.conversation.pairing import faults
from tests.conversation.strategies import conversations


@given(conversations)
def test_a_legal_cut_never_parts_a_pair(messages):
    """Either side of a legal cut of a conversation that can be sent is whole."""
    whole = pair_tools(sendable(messages).messages).messages
    for cut in legal_cuts(whole):
        assert faults(whole[:cut]) == []
        assert faults(whole[cut:]) == []


@given(conversations)
def test_a_place_that_is_no_legal_cut_breaks_an_invariant(messages):
    """Cuts are the ends and the places that every invariant allows, ascending."""
    inside = [
        n for n in range(1, len(messages)) if not any(parts(messages[n - 1], messages[n]) for parts in INVARIANTS)
    ]
    assert legal_cuts(messages) == sorted({0, *inside, len(messages)})
    assert all(is_legal_cut(messages[n - 1], messages[n]) == (n in inside) for n in range(1, len(messages)))
