"""Steps of features/summary/attempts.feature."""

from __future__ import annotations

import pytest
from pytest_bdd import given, then, when

from brim.summary.summarizer import SummaryAnswer
from steps.vocabulary import phrase, tokens


def listed(text):
    """Outcomes as operations name them."""
    return [outcome.replace(" ", "_") for outcome in text.split(", ")]


def times(text):
    """A list of times, each maybe with a separator: 0, 1,000."""
    return [tokens(time) for time in text.split(", ")]


LISTS = {"Outcomes": listed, "Times": times}


@pytest.fixture
def outcomes():
    """What attempts come to; nothing, until a step tells it."""
    return []


@given(phrase("attempts that come to {outcomes:Outcomes}", LISTS), target_fixture="outcomes")
def coming(outcomes):
    return outcomes


@given(phrase("a summariser that is busy and asks to wait {asked:Count} milliseconds"), target_fixture="script")
def busy_for(asked):
    return [SummaryAnswer(failure="transient", reason="busy", retry_after=asked)]


@when("a summary is asked for", target_fixture="outcome")
def ask(implementation, outcomes, options):
    return implementation("summary_attempts", outcomes=outcomes, **options)


@then(phrase("{count:Count} attempts were made"))
def check_attempts(outcome, count):
    assert outcome["attempts"] == count


@then(phrase("the waits before them were {waits:Times} milliseconds", LISTS))
def check_waits(outcome, waits):
    assert outcome["waits"] == waits


@then(phrase("what stands for the history is the {result}"))
def check_result(outcome, result):
    assert outcome["result"] == result


@then(phrase("the wait before the second attempt was {waited:Count} milliseconds"))
def check_wait(compaction, waited):
    assert compaction.attempts[1].waited == waited
