"""What is compacted, and with which options: what the features of summaries and of the engine share."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_bdd import then

from steps.compaction_windows import raw_turns


@pytest.fixture
def options() -> dict[str, Any]:
    """Options of the compactor besides its summarizer; none until a step gives them."""
    return {}


@pytest.fixture
def caller_messages() -> list[Any]:
    """A conversation of six turns, as dictionaries."""
    return raw_turns(6, 200)


@then("the caller's conversation is unchanged")
def check_unchanged(caller_messages):
    assert caller_messages == raw_turns(6, 200)
