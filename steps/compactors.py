"""Compactors whose summarizers follow a script: what the features of summaries and of the engine share."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_bdd import then

from brim.engine.compactor import Compactor
from brim.testing import ScriptedSummarizer
from steps.compaction_windows import raw_turns
from steps.policies import with_policy


@pytest.fixture
def options() -> dict[str, Any]:
    """Options of the compactor besides its summarizer; none until a step gives them."""
    return {}


@pytest.fixture
def waits() -> list[float]:
    """Seconds of each wait, in order."""
    return []


@pytest.fixture
def events() -> list[Any]:
    """The events that the listener received."""
    return []


@pytest.fixture
def script() -> list[Any]:
    """The summarizer's answers; one good summary until a step gives others."""
    return ["All went well."]


@pytest.fixture
def summarizer(script) -> ScriptedSummarizer:
    """The summarizer that follows the script."""
    return ScriptedSummarizer(script, repeat=True)


@pytest.fixture
def compactor(summarizer, options, waits, events) -> Compactor:
    """A compactor whose waits and events are recorded."""
    return Compactor(
        **{"summarizer": summarizer, "sleep": waits.append, "on_event": events.append} | with_policy(options)
    )


@pytest.fixture
def noted() -> list[Any]:
    """The warnings that a step recorded."""
    return []


@pytest.fixture
def caller_messages() -> list[Any]:
    """A conversation of six turns, as dictionaries."""
    return raw_turns(6, 200)


@then("the caller's conversation is unchanged")
def check_unchanged(caller_messages):
    assert caller_messages == raw_turns(6, 200)
