"""Compactors whose summarizers follow a script: what the features of summaries and of the engine share."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_bdd import given, then, when

from brim.engine.compactor import Compactor
from brim.errors import WrongKey
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import ScriptedSummarizer
from steps.compaction_windows import handed_in_turns
from steps.policies import with_policy
from steps.vocabulary import attempt, phrase

REFUSED_KEY = WrongKey("the key is not known: hand in another")


@pytest.fixture
def options() -> dict[str, Any]:
    """What a compactor was told besides its summarizer; nothing, until a step tells it."""
    return {}


@pytest.fixture
def waits() -> list[float]:
    """Seconds that were waited, in the order of time."""
    return []


@pytest.fixture
def events() -> list[Any]:
    """What the listeners were told."""
    return []


@pytest.fixture
def script() -> list[Any]:
    """What the summarizer answers; a good summary, until a step says otherwise."""
    return ["All went well."]


@pytest.fixture
def summarizer(script) -> ScriptedSummarizer:
    """The summarizer that follows the script."""
    return ScriptedSummarizer(script, repeat=True)


@pytest.fixture
def compactor(summarizer, options, waits, events) -> Compactor:
    """A compactor that notes what it waits for and tells."""
    return Compactor(
        **{"summarizer": summarizer, "sleep": waits.append, "on_event": events.append} | with_policy(options)
    )


@pytest.fixture
def noted() -> list[Any]:
    """The warnings that a step noted."""
    return []


@given(phrase('a summariser that answers "{text:Quoted}"'), target_fixture="script")
def answers(text):
    return [text]


@given(phrase('a summariser that answers "{first:Quoted}" and then "{second:Quoted}"'), target_fixture="script")
def answers_twice(first, second):
    return [first, second]


@given("a summariser that fails for good", target_fixture="script")
def fails():
    return [SummaryAnswer(failure="permanent", reason="the key is not known")]


@given("a summariser whose key is refused", target_fixture="script")
def refused_key():
    return [SummaryAnswer(failure="permanent", reason=str(REFUSED_KEY), error=REFUSED_KEY)]


@given("a summariser that is busy", target_fixture="script")
def busy():
    return [SummaryAnswer(failure="transient", reason="overloaded")]


@given(phrase("a failure is answered by {choice}"), target_fixture="options")
def on_failure(options, choice):
    return options | {"on_failure": choice}


@pytest.fixture
def handed_in() -> list[Any]:
    """A conversation of six turns, as dictionaries."""
    return handed_in_turns(6, 200)


@when("the summary of a conversation is asked of it", target_fixture="compaction")
def ask_of_it(compactor, handed_in):
    return attempt(compactor.compact, handed_in)


@then(phrase('the new conversation says "{words:Quoted}"'))
def check_says(compaction, words):
    assert words in compaction.text


@then("the conversation that was handed in is as it was")
def check_as_it_was(handed_in):
    assert handed_in == handed_in_turns(6, 200)


@then(phrase('it is raised as "{words:Quoted}"'))
def check_raised(compaction, words):
    assert str(compaction) == words


@when("the compactor compacts it", target_fixture="compaction")
def compact(compactor, window):
    return attempt(compactor.compact, window)


@when("the compactor compacts it where that is due", target_fixture="compaction")
def compact_where_due(compactor, window):
    return attempt(compactor.compact, window, automatic=True)


@given(phrase('a prompt of one\'s own, "{text:Quoted}"'), target_fixture="options")
def own_prompt(options, text):
    return options | {"prompt": text}
