"""Talks with a LangChain agent, seldom ones: its model's count, its errors, its state (ADP_01, ADP_02)."""

from __future__ import annotations

import pytest

from steps.worlds.talks import talk_with


@pytest.mark.parametrize("characters", ["4", "5", "6"])
def test_clearing_is_enough_by_the_models_own_count(characters: str) -> None:
    """It is below the estimate of four characters a token (ADP_01)."""
    talk = talk_with("LangChain", questions="12", files="1", characters_a_token=characters, least_saving="500")
    assert (talk.errors, talk.too_large) == ([], [])


def test_after_a_switch_to_a_model_with_a_smaller_window_its_limits_hold() -> None:
    """From the first request on (ADP_01)."""
    talk = talk_with("LangChain", questions="10", model_states="8,000 and 1,000", then="6: 5,000 and 1,000")
    later = talk.model.sizes[5:]
    assert later
    assert [size for size in later if size > 4_000] == []


@pytest.mark.parametrize(("reported", "times"), [("0", 0), ("-1", 1)])
def test_a_usage_that_cannot_be_read_is_reported_once(reported: str, times: int) -> None:
    """A number below zero is none (ADP_01)."""
    talk = talk_with("LangChain", questions="3", reports=reported)
    assert len([said for said in talk.warned if "a response's usage cannot be read" in said]) == times


@pytest.mark.parametrize(
    "message",
    [
        "a message that the compaction kept",
        "a message that the summary replaced",
        "the first answer after the compaction",
        "the question that was compacted for, and its answer",
    ],
)
def test_a_message_that_is_removed_later_does_not_undo_the_compaction(message: str) -> None:
    """After turn 10; it is not sent again (ADP_02)."""
    talk = talk_with("LangChain", questions="12", removes=message)
    assert (talk.too_large, talk.summaries, talk.was_sent_again) == ([], 1, False)
