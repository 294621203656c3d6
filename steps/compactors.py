"""Compactors whose summarizers follow a script: what the features of summaries and of the engine share."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_bdd import given, then, when

from brim.engine.compactor import Compactor
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import ScriptedSummarizer
from steps.compaction_windows import raw_turns
from steps.policies import with_policy
from steps.vocabulary import attempt, phrase


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


@given(phrase('a summarizer that answers "{text:Quoted}"'), target_fixture="script")
def answers(text):
    return [text]


@given(phrase('a summarizer that answers "{first:Quoted}" and then "{second:Quoted}"'), target_fixture="script")
def answers_twice(first, second):
    return [first, second]


@given("a summarizer that fails for good", target_fixture="script")
def fails():
    return [SummaryAnswer(failure="permanent", reason="the key is not known")]


@given("a summarizer that breaks", target_fixture="script")
def breaks():
    return [RuntimeError("the summarizer is broken")]


@given("a summarizer that is busy", target_fixture="script")
def busy():
    return [SummaryAnswer(failure="transient", reason="overloaded")]


@given(phrase("the answer to a failure is {choice}"), target_fixture="options")
def on_failure(options, choice):
    return options | {"on_failure": choice}


@pytest.fixture
def caller_messages() -> list[Any]:
    """A conversation of six turns, as dictionaries."""
    return raw_turns(6, 200)


@when("the compactor compacts a conversation of 6 turns", target_fixture="compaction")
def compact_conversation(compactor, caller_messages):
    return attempt(compactor.compact, caller_messages)


@then(phrase('the new conversation says "{words:Quoted}"'))
def check_says(compaction, words):
    assert words in compaction.text


@then("the caller's conversation is unchanged")
def check_unchanged(caller_messages):
    assert caller_messages == raw_turns(6, 200)


@then("each message of the new conversation is the caller's")
def check_same_messages(compaction, conversation):
    assert [id(raw) for raw in compaction.messages] == [id(message.raw) for message in conversation]


@when("the compactor compacts it", target_fixture="compaction")
def compact(compactor, window):
    return attempt(compactor.compact, window)


@when("an automatic compaction runs", target_fixture="compaction")
def compact_automatically(compactor, window):
    return attempt(compactor.compact, window, cause="automatic")
