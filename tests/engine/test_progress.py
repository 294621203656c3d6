"""Progress, whatever compactions came to."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from brim.engine.progress import IN_A_ROW, Progress
from brim.errors import CompactionStalled
from brim.models import ModelLimits
from brim.trigger.overflow import Verdict, trigger_for

TRIGGER = trigger_for("usable", ModelLimits(context_window=200_000))
HELD = st.integers(min_value=160_000, max_value=180_000)


def after(held: list[int]) -> Progress:
    """What is known after compactions that left so many tokens."""
    progress = Progress()
    for messages, tokens in enumerate(held, 1):
        progress = progress.compacted(TRIGGER.judge(tokens), messages)
    return progress


@example([168_001] * 3)
@example([168_001, 168_001, 168_000])
@given(st.lists(HELD, max_size=12))
def test_it_is_stalled_where_the_last_three_left_the_window_due(held):
    """Stalled means exactly that the last three compactions each left more than the threshold (TRG_19)."""
    last = held[-IN_A_ROW:]
    assert after(held).stalled == (len(last) == IN_A_ROW and all(tokens > 168_000 for tokens in last))


@given(st.lists(HELD, max_size=12))
def test_a_good_compaction_makes_all_well(held):
    """After one that gets below the threshold nothing of what was before counts."""
    assert after([*held, 1_000]).held == ()
    after([*held, 1_000]).check()


def test_the_error_names_every_number():
    """The three numbers and the threshold are told, as numbers."""
    with pytest.raises(
        CompactionStalled, match="170001, 170002, 170003 tokens, and due again at a threshold of 168000"
    ):
        after([170_001, 170_002, 170_003]).check()


def test_a_compaction_by_a_trigger_without_limits_never_stalls():
    """Where no limit is known nothing is due, so nothing stalls."""
    verdict = trigger_for("usable", ModelLimits(context_window=0)).judge(10**9)
    progress = Progress()
    for messages in range(5):
        progress = progress.compacted(verdict, messages)
    progress.check()


def test_it_is_a_value():
    """A compaction makes a new progress, and the old one stays."""
    old = Progress()
    new = old.compacted(Verdict(due=True, reason="", held=2, threshold=1), 7)
    assert (old, new) == (Progress(), Progress(held=(2,), threshold=1, messages_seen=7))


@pytest.mark.parametrize(("seen", "sent", "new"), [(0, 1, True), (10, 10, False), (10, 11, True), (10, 9, False)])
def test_a_message_is_new_if_no_compaction_has_covered_it(seen, sent, new):
    """The first, the same again, one more, and fewer after a step back (TRG_19)."""
    assert Progress(messages_seen=seen).has_news(sent) == new
