"""Cuts between pairs, against a search of every pair, and the window at its ends."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brim.selection.message_window import cuts_between_pairs, keep_newest

IDS = st.lists(st.sets(st.sampled_from("abcdef"), max_size=2), max_size=12)


@st.composite
def pairs(draw):
    """The ids of calls and results of some messages; every id is called once and answered at most once, later."""
    count = draw(st.integers(0, 12))
    calls = [set() for _ in range(count)]
    results = [set() for _ in range(count)]
    for name in draw(st.sets(st.sampled_from("abcdef"))) if count else ():
        called, answered = sorted(draw(st.tuples(st.integers(0, count - 1), st.integers(0, count))))
        calls[called].add(name)
        if answered < count:
            results[answered].add(name)
    return calls, results


@given(pairs())
def test_cuts(given):
    """A cut is legal exactly where no call stands before it whose result does not."""
    calls, results = given
    legal = [cut for cut in range(len(calls) + 1) if not set().union(*calls[:cut]) & set().union(*results[cut:])]
    assert cuts_between_pairs(calls, results) == legal


def test_no_messages():
    """An empty conversation has its one end."""
    assert cuts_between_pairs([], []) == [0]
    assert keep_newest([0], [0]).nothing_to_summarise


def test_none_recent():
    """Where no message is to be kept, all are summarised but the user's last."""
    fit = keep_newest([0, 5, 9], [0, 1, 2], last_user=0, recent=0)
    assert (fit.cut, fit.last_user, fit.kept_tokens, fit.reason) == (2, 0, 5, "last messages")
