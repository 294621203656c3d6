"""Progress, whatever compactions came to."""

from hypothesis import example, given
from hypothesis import strategies as st

from brim.engine.progress import IN_A_ROW, Progress
from brim.models import ModelLimits
from brim.trigger.overflow import trigger_for

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
