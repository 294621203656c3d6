"""Talks with a LangChain agent, seldom ones: its model's count, its errors, its state (ADP_01, ADP_02)."""

from __future__ import annotations

import pytest

from steps.worlds.talks import talk_with


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
